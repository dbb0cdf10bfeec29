//! `dogu completions`: a script for the shell.

use std::process::ExitCode;

use clap::CommandFactory as _;

use crate::args::Cli;
use crate::problem::Problem;

#[expect(clippy::unnecessary_wraps, reason = "all commands answer in the same way")]
pub(crate) fn run(shell: clap_complete::Shell) -> Result<ExitCode, Problem> {
    clap_complete::generate(shell, &mut Cli::command(), "dogu", &mut std::io::stdout());
    Ok(ExitCode::SUCCESS)
}
