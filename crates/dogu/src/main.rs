//! The command line: `dogu`.

mod args;
mod attend;
mod commands;
mod definitions;
mod forward;
mod incoming;
mod logging;
mod memory;
mod problem;
mod prompt;
mod sandbox;
mod setup;
mod show;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Cli, Command};
use crate::problem::Problem;

/// A sixth of what a call cost was spent in the system's allocator, and half of that is enough.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The argument by which dogu starts itself as the process that starts all others.
pub(crate) const SUPERVISE: &str = "__supervise";

fn main() -> ExitCode {
    // Before anything else: this process must stay small and have one thread.
    if std::env::args_os().nth(1).is_some_and(|first| first == SUPERVISE) {
        return match dogu_runtime::process::supervise_stdin() {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        };
    }
    let cli = Cli::parse();
    let done = match cli.command {
        Command::Serve(serve) => commands::serve::run(&cli.workspace, &serve),
        Command::Mcp(mcp) => commands::mcp::run(&cli.workspace, &mcp),
        Command::Call(call) => commands::call::run(&cli.workspace, call),
        Command::Parse(parse) => commands::parse::run(&cli.workspace, &parse),
        Command::Dispatch(dispatch) => commands::dispatch::run(&cli.workspace, &dispatch),
        Command::Edit(edit) => commands::edit::run(cli.workspace, &edit),
        Command::Tools(tools) => commands::tools::run(&cli.workspace, &tools),
        Command::Policy(policy) => commands::policy::run(&cli.workspace, &policy),
        Command::Trust(trust) => commands::trust::run(&cli.workspace, &trust),
        Command::Undo(undo) => commands::undo::run(&cli.workspace, &undo),
        Command::Log(log) => commands::log::run(&log),
        Command::Doctor(doctor) => commands::doctor::run(&cli.workspace, &doctor),
        Command::Conformance(conformance) => commands::conformance::run(&conformance),
        Command::Completions { shell } => commands::completions::run(shell),
    };
    done.unwrap_or_else(|problem: Problem| {
        problem.print();
        ExitCode::from(problem.exit_code())
    })
}
