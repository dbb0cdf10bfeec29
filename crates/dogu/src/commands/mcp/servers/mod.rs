//! Other servers behind the gate: adding, looking, logging in.

mod file;
mod show;

use std::process::ExitCode;

use dogu_gateway::LoginError;
use dogu_runtime::pins::PinStore;

use crate::args::{Servers, Workspace};
use crate::problem::{Problem, note};
use crate::{sandbox, setup};

pub(super) fn run(workspace: &Workspace, servers: &Servers) -> Result<ExitCode, Problem> {
    match servers {
        Servers::Add(add) => file::add(add)?,
        Servers::Remove { name } => file::remove(name)?,
        Servers::List(list) => return show::list(workspace, list),
        Servers::Tools { name, json } => show::tools(workspace, name, *json)?,
        Servers::Login { name } => login(workspace, name)?,
        Servers::Reset => reset()?,
    }
    Ok(ExitCode::SUCCESS)
}

fn login(workspace: &Workspace, name: &str) -> Result<(), Problem> {
    sandbox::refuse("log in")?;
    // The token is kept in the state folder.
    setup::open_state()?;
    let setup = setup::build_to_list(workspace, setup::Asking::Warning)?;
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let open = |url: &str| note(&format!("open this address in your browser: {url}"));
    tokio.block_on(setup.gateway.login(name, open)).map_err(|error| {
        let problem = Problem::of(&error);
        match error {
            LoginError::NoServer(_) => problem.hint("`dogu mcp list` shows the servers"),
            _ => problem,
        }
    })?;
    note(&format!("logged in at {name}"));
    Ok(())
}

fn reset() -> Result<(), Problem> {
    sandbox::refuse("forget what tools looked like")?;
    let config = setup::config_folder()
        .ok_or_else(|| Problem::wrong_use("there is no folder for settings"))?;
    let pins = PinStore::open(&setup::open_state()?, &config);
    pins.reset().map_err(|error| Problem::of(&error))
}
