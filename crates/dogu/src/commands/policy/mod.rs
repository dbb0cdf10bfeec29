//! `dogu policy`: what the gate would say, whether rules hold, what was granted.

mod answer;
mod check;
mod grants;
mod judge;
mod lines;
mod test;

use std::process::ExitCode;

use crate::args::{Policy, Workspace};
use crate::problem::Problem;

pub(crate) fn run(workspace: &Workspace, policy: &Policy) -> Result<ExitCode, Problem> {
    match policy {
        Policy::Check(check) if check.lines => lines::run(workspace),
        Policy::Check(check) => check::run(workspace, check),
        Policy::Test => test::run(workspace),
        Policy::Grants(grants) => grants::run(grants),
    }
}
