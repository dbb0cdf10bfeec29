//! `dogu serve`: the tools for any MCP client.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anstream::eprintln;
use dogu_install::Client;
use dogu_mcp::{Clients, CommandFolders, HttpServer, ServeError, ServeOptions, TokenStore};
use dogu_runtime::Runtime;

use super::mcp::tokens;
use crate::args::{Serve, ServeApprove, Workspace};
use crate::forward::{Forward, ServerTools};
use crate::memory;
use crate::problem::Problem;
use crate::prompt::Approver;
use crate::sandbox;
use crate::setup::{self, Setup};

/// What clients tell their model about this server.
const INSTRUCTIONS: &str = "Tools for the files of the user's workspace, and for commands in a sandbox. Paths are relative to the workspace. Reading is allowed; what changes anything may need the user's approval, and a refusal says so.";

/// How long the requests of a file may go on after its end.
const FILE_GRACE: Duration = Duration::from_secs(5);

/// How long, at the end, the record is waited for.
const LAST_WRITES: Duration = Duration::from_secs(1);

/// Where a workspace keeps slash commands; of two with one name the first counts.
const COMMAND_FOLDERS: [&str; 3] = [".dogu/commands", ".claude/commands", ".roo/commands"];

pub(crate) fn run(workspace: &Workspace, serve: &Serve) -> Result<ExitCode, Problem> {
    sandbox::refuse("serve")?;
    let approver = match serve.approve {
        ServeApprove::All => Approver::all(),
        // Whoever is behind the client is asked by the server itself.
        ServeApprove::Ask => Approver::by_settings(),
        ServeApprove::None => Approver::nobody(),
    };
    let clients = Clients::new();
    let elicitor = Forward::to(&clients);
    let setup = setup::build_for_clients(workspace, approver, elicitor)?;
    let options = ServeOptions { clients: Some(clients), ..options(&setup, serve) };
    let tokio = tokio_for(serve)?;
    memory::forget_start();
    let record = setup.runtime.record().cloned();
    let served = tokio.block_on(async {
        let stop = stop_signal()?;
        // Nobody waits for servers that were never asked for their tools: clients are told when
        // they are there.
        let gateway = setup.gateway.clone();
        tokio::spawn(async move { setup::warn_unusable(&gateway.load().await) });
        match serve.http {
            Some(addr) => http(setup, addr, options, stop).await,
            None => stdio(setup.runtime, options, stop).await,
        }
    });
    // A tool that hangs must not keep the process alive.
    tokio.shutdown_background();
    // Nor may it keep from the record what was called before.
    if let Some(record) = record {
        let _ = record.flush().wait_for(LAST_WRITES);
    }
    served.map(|()| ExitCode::SUCCESS)
}

/// What blocks has threads of its own, so that of one client one thread can take care: it passes
/// nothing on to others, which would take longer than what is to be done.
fn tokio_for(serve: &Serve) -> std::io::Result<tokio::runtime::Runtime> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    if serve.http.is_none() {
        builder.worker_threads(1);
    }
    builder.enable_all().build()
}

fn options(setup: &Setup, serve: &Serve) -> ServeOptions {
    let quick = ServeOptions::default().end_grace;
    ServeOptions {
        ask_client: serve.approve == ServeApprove::Ask,
        // A file of requests ends at once; whoever gave it wants the answers all the same.
        end_grace: if is_file(Path::new("/dev/stdin")) { FILE_GRACE } else { quick },
        offers: vec![
            Arc::new(CommandFolders::new(command_folders(setup))),
            Arc::new(ServerTools(setup.gateway.clone())),
        ],
        name: "dogu".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        instructions: Some(INSTRUCTIONS.to_owned()),
        allow_remote: serve.allow_remote,
        ..ServeOptions::default()
    }
}

fn is_file(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|facts| facts.is_file())
}

/// Where slash commands are: the workspace's own count once it is trusted, the user's always.
fn command_folders(setup: &Setup) -> Vec<PathBuf> {
    let workdir = setup.runtime.scope().workdir();
    let own = COMMAND_FOLDERS.iter().map(|folder| workdir.join(folder));
    let users = setup::config_folder().map(|folder| folder.join("commands"));
    own.filter(|_| setup.trusted).chain(users).collect()
}

async fn stdio(
    runtime: Runtime,
    options: ServeOptions,
    stop: impl Future<Output = ()> + Send,
) -> Result<(), Problem> {
    let served = dogu_mcp::serve_stdio(runtime, options, stop).await;
    served.map_err(|error| problem(&error))
}

async fn http(
    setup: Setup,
    addr: SocketAddr,
    options: ServeOptions,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), Problem> {
    let Some(state) = &setup.state else {
        return Err(Problem::wrong_use("the tokens for HTTP need a state folder")
            .hint("set XDG_STATE_HOME to a folder that you may write to"));
    };
    let tokens = TokenStore::open(state).map_err(|error| tokens::problem(&error))?;
    let runtime = setup.runtime.clone();
    let server = HttpServer::bind(runtime, addr, tokens, options).await;
    let server = server.map_err(|error| problem(&error))?;
    if let Some(processes) = setup.runtime.processes() {
        processes.close_port(server.local_addr().port());
    }
    welcome(&setup.runtime, server.local_addr());
    server.serve(stop).await.map_err(|error| problem(&error))
}

/// What to do next, for whoever started it.
fn welcome(runtime: &Runtime, addr: SocketAddr) {
    let count = runtime.catalog().specs().count();
    // Without the `.` that the root may have been given as.
    let folder: PathBuf = runtime.scope().workdir().components().collect();
    let folder = folder.display();
    let others = Client::ALL
        .into_iter()
        .filter(|client| !matches!(client, Client::ClaudeCode | Client::ClaudeDesktop));
    let others: Vec<_> = others.map(Client::as_str).collect();
    eprintln!("dogu offers {count} tools for {folder} at http://{addr}/mcp");
    eprintln!();
    let dogu = called_as();
    eprintln!("Connect your client, in another terminal:");
    eprintln!("  {dogu} mcp install claude-code --http http://{addr}/mcp");
    eprintln!("  or one of: {}", others.join(", "));
    eprintln!("Any other client sends a token that you make for it:");
    eprintln!("  Authorization: Bearer $({dogu} mcp tokens add NAME)");
    eprintln!("A client can also start dogu itself, without a token: {dogu} mcp install CLIENT");
    eprintln!("What is called: dogu log --follow. Ctrl-C ends the server.");
}

/// How this program was called, so that what is printed can be called too.
fn called_as() -> String {
    let called = std::env::args_os().next().unwrap_or_else(|| "dogu".into());
    let called = called.to_string_lossy();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_');
    if called.chars().all(is_plain) { called.into_owned() } else { "dogu".to_owned() }
}

fn problem(error: &ServeError) -> Problem {
    let problem = Problem::of(error);
    let hint = match error {
        // The library cannot know what the flag is called.
        ServeError::Remote { addr } => Some(format!(
            "listen on 127.0.0.1:{}, or let other machines in with --allow-remote",
            addr.port()
        )),
        _ => error.hint(),
    };
    match hint {
        Some(hint) => problem.hint(hint),
        None => problem,
    }
}

/// Ctrl-C, or the polite end that a supervisor asks for; noticed from now on, not only from when
/// it is first waited for.
fn stop_signal() -> std::io::Result<impl Future<Output = ()> + Send> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupted = signal(SignalKind::interrupt())?;
    let mut terminated = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = terminated.recv() => {}
        }
    })
}
