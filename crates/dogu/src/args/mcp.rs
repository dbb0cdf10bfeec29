//! The arguments of `dogu mcp`.

use clap::Subcommand;

use super::servers::Servers;

#[derive(Debug, Subcommand)]
pub(crate) enum Mcp {
    #[command(flatten)]
    Servers(Servers),
}
