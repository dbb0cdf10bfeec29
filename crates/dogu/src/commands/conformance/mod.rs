//! `dogu __conformance`: for MCP's official suite. `client` does what it wants of a client (see
//! there); `server` has the fixtures of MCP's official conformance suite, as ordinary tools
//! on the real pipeline behind the real server, so that the suite measures what users get.

mod client;
mod jobs;
mod library;
mod tools;

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anstream::eprintln;
use dogu_mcp::{Clients, HttpServer, ServeOptions};
use dogu_runtime::{Runtime, Source, StateDir};
use dogu_tool::Scope;

use crate::args::Conformance;
use crate::problem::Problem;

pub(crate) fn run(conformance: &Conformance) -> Result<ExitCode, Problem> {
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    match conformance {
        Conformance::Server { http } => tokio.block_on(server(*http))?,
        Conformance::Client { url } => tokio.block_on(client::run(url))?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn server(addr: SocketAddr) -> Result<(), Problem> {
    let clients = Clients::new();
    let registry = Arc::new(OnceLock::new());
    let here = std::env::current_dir()?;
    let mut builder = Runtime::builder(Scope::new(here))
        .tools(&Source::Builtin, tools::all(&clients, &registry))
        .map_err(|error| Problem::of(&error))?;
    if let Ok(state) = StateDir::default_path().and_then(StateDir::open) {
        builder = builder.state(state);
    }
    let runtime = builder.build()?;
    let _ = registry.set(Arc::clone(runtime.registry()));
    let options = ServeOptions {
        ask_client: true,
        // Long enough for what the suite wants to be answered at once.
        task_after: Duration::from_millis(300),
        offers: vec![Arc::new(library::Library)],
        clients: Some(clients),
        compat: true,
        ..ServeOptions::default()
    };
    let server = HttpServer::bind_to_anyone(runtime, addr, options).await;
    let server = server.map_err(|error| Problem::of(&error))?;
    eprintln!("listening on http://{}/mcp", server.local_addr());
    let stop = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    server.serve(stop).await.map_err(|error| Problem::of(&error))
}
