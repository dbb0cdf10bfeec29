//! `dogu mcp`: dogu among MCP clients and servers.

mod address;
mod clients;
mod entry;
mod install;
mod servers;
pub(crate) mod tokens;

use std::process::ExitCode;

use crate::args::{Mcp, Workspace};
use crate::problem::Problem;

pub(crate) fn run(workspace: &Workspace, mcp: &Mcp) -> Result<ExitCode, Problem> {
    match mcp {
        Mcp::Install(install) => install::install(workspace, install),
        Mcp::Uninstall(uninstall) => install::uninstall(workspace, uninstall),
        Mcp::Tokens(tokens) => tokens::run(tokens),
        Mcp::Servers(servers) => servers::run(workspace, servers),
    }
}
