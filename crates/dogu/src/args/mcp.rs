//! The arguments of `dogu mcp`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use dogu_install::Client;

use super::servers::Servers;

const INSTALL_HELP: &str = "\
Examples:
  dogu mcp install                               the clients, and which are on this machine
  dogu mcp install claude-code                   for you, in every project
  dogu mcp install cursor --scope project        for this project only
  dogu mcp install zed --dry-run                 what would change
  dogu mcp install codex --print                 what to paste
  dogu mcp install gemini --http http://127.0.0.1:8765/mcp

Only the entry is written; comments and all else stay as they are, and a backup is kept.";

#[derive(Debug, Subcommand)]
pub(crate) enum Mcp {
    #[command(flatten)]
    Servers(Servers),
    /// Put dogu into the settings of an MCP client; without one, list the clients
    Install(Install),
    /// Take dogu out of the settings of an MCP client again
    Uninstall(Uninstall),
}

fn clients() -> impl TypedValueParser<Value = Client> {
    PossibleValuesParser::new(Client::ALL.map(Client::as_str))
        .try_map(|word| word.parse::<Client>())
}

#[derive(Debug, Args)]
#[command(after_help = INSTALL_HELP)]
pub(crate) struct Install {
    /// The client
    #[arg(value_parser = clients())]
    pub(crate) client: Option<Client>,
    #[command(flatten)]
    pub(crate) entry: Entry,
    /// Connect it to a server that listens here, with the token that the server asks for
    #[arg(long, value_name = "URL")]
    pub(crate) http: Option<String>,
    /// The file with the token [default: that of `dogu serve --http` on this machine]
    #[arg(long, value_name = "FILE", requires = "http")]
    pub(crate) token_file: Option<PathBuf>,
    /// Replace another entry of the same name
    #[arg(long)]
    pub(crate) force: bool,
    /// Print what to paste, and write nothing
    #[arg(long, conflicts_with_all = ["force", "dry_run", "json"])]
    pub(crate) print: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Uninstall {
    /// The client
    #[arg(value_parser = clients())]
    pub(crate) client: Client,
    #[command(flatten)]
    pub(crate) entry: Entry,
}

/// Which entry is meant, and how it is told.
#[derive(Debug, Args)]
pub(crate) struct Entry {
    /// Whose settings
    #[arg(long, value_enum, default_value_t = EntryScope::User)]
    pub(crate) scope: EntryScope,
    /// The name of the entry
    #[arg(long, default_value = "dogu")]
    pub(crate) name: String,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print it as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Whose settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EntryScope {
    /// Yours, in every project
    User,
    /// This project's, in a file that lies in it
    Project,
}
