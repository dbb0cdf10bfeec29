//! `dogu mcp`: dogu among MCP clients and servers.

mod servers;

use std::process::ExitCode;

use crate::args::{Mcp, Workspace};
use crate::problem::Problem;

pub(crate) fn run(workspace: &Workspace, mcp: &Mcp) -> Result<ExitCode, Problem> {
    match mcp {
        Mcp::Servers(servers) => servers::run(workspace, servers),
    }
}
