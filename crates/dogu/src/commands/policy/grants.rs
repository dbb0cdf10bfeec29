//! `dogu policy grants`: what was allowed or denied for good.

use std::io::Write as _;
use std::process::ExitCode;

use dogu_runtime::grants::{GrantStore, GrantVerdict, StoredGrant};

use crate::args::{Grants, GrantsCommand};
use crate::commands::trust::{asked, said};
use crate::problem::{Problem, warn};
use crate::show::{Layout, exact, still_read, when};
use crate::{sandbox, setup};

pub(super) fn run(grants: &Grants) -> Result<ExitCode, Problem> {
    match &grants.command {
        None => list(grants.json),
        Some(GrantsCommand::Revoke { ids }) => revoke(ids),
        Some(GrantsCommand::Reset { yes }) => reset(*yes),
    }
}

fn store() -> Result<GrantStore, Problem> {
    Ok(setup::open_stores()?.grants)
}

fn list(json: bool) -> Result<ExitCode, Problem> {
    let grants = store()?.list();
    let mut stdout = std::io::stdout().lock();
    let written = if json {
        serde_json::to_writer_pretty(&mut stdout, &grants)
            .map_err(std::io::Error::from)
            .and_then(|()| writeln!(stdout))
    } else {
        grants.iter().try_for_each(|grant| writeln!(stdout, "{}", line(grant)))
    };
    still_read(written)?;
    if grants.is_empty() && !json {
        anstream::eprintln!("nothing is granted for good");
    }
    Ok(ExitCode::SUCCESS)
}

fn line(grant: &StoredGrant) -> String {
    let verdict = match grant.verdict {
        GrantVerdict::Allow => "allow",
        GrantVerdict::Deny => "deny",
    };
    let (rule, workspace) = (&grant.rule, grant.workspace.display());
    let what = format!("{verdict:5}  {rule}  in {workspace} ({})", grant.tool);
    format!("{:4}  {}  {}", grant.id, when(grant.created), exact(&what, Layout::Line))
}

fn revoke(ids: &[String]) -> Result<ExitCode, Problem> {
    sandbox::refuse("change what is granted")?;
    let store = store()?;
    let mut all_there = true;
    for id in ids {
        if store.revoke(id).map_err(|error| Problem::of(&error))? {
            said(&format!("{id} is revoked"))?;
        } else {
            warn(&format!("there is no grant `{id}`; `dogu policy grants` shows them"));
            all_there = false;
        }
    }
    Ok(if all_there { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn reset(yes: bool) -> Result<ExitCode, Problem> {
    sandbox::refuse("change what is granted")?;
    if !yes && !asked("Forget all grants? [y]es, [n]o: ")? {
        return Ok(ExitCode::from(1));
    }
    store()?.reset().map_err(|error| Problem::of(&error))?;
    said("nothing is granted for good")
}
