//! `dogu completions`: a script for the shell.

use std::io::Write as _;
use std::process::ExitCode;

use clap::CommandFactory as _;

use crate::args::Cli;
use crate::problem::Problem;
use crate::show::still_read;

pub(crate) fn run(shell: clap_complete::Shell) -> Result<ExitCode, Problem> {
    // Made in memory: a failed write is a panic in there, and pipes are closed early.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "dogu", &mut script);
    still_read(std::io::stdout().write_all(&script))?;
    Ok(ExitCode::SUCCESS)
}
