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
    /// Take dogu out of the settings of an MCP client again, and its token away
    Uninstall(Uninstall),
    /// Show whose tokens `dogu serve --http` accepts, make some, take some away
    Tokens(Tokens),
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
    /// Connect it to a server that listens here, with a token of its own
    #[arg(long, value_name = "URL")]
    pub(crate) http: Option<String>,
    /// The file with the token, where the server is not this machine's
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

const TOKENS_HELP: &str = "\
Examples:
  dogu mcp tokens                                whose tokens there are
  dogu mcp tokens add my-script                  make one, and print it
  dogu mcp tokens revoke my-script               it counts no more, at once

`dogu mcp install CLIENT --http URL` makes the token of a client, `uninstall` takes it away.";

#[derive(Debug, Args)]
#[command(after_help = TOKENS_HELP)]
pub(crate) struct Tokens {
    /// Print them as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Option<TokensCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokensCommand {
    /// Make a token for a client that dogu does not know, and print it
    Add {
        /// Whose it is: the name under which `dogu log` shows its calls
        name: String,
    },
    /// Take tokens away; servers that run end what their holders have open
    Revoke {
        /// Their names
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
    },
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
