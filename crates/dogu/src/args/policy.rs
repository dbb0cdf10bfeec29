//! The arguments of `dogu policy` and `dogu trust`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

const CHECK_HELP: &str = r#"Examples:
  dogu policy check 'git log | head'
  dogu policy check --mode architect 'cargo build'
  echo '{"command":"git push","deny":["git push"]}' | dogu policy check --lines
  echo '{"action":{"type":"FileWrite","path":"a.txt"}}' | dogu policy check --lines

Exit codes: 0 all would be allowed, 1 something would ask or be denied, 2 wrong use."#;

#[derive(Debug, Subcommand)]
pub(crate) enum Policy {
    /// Say what the gate would decide about command lines, and why
    Check(Check),
    /// Check the rules with their examples, the lists and the modes of all settings
    Test,
    /// Show what was allowed or denied for good
    Grants(Grants),
}

#[derive(Debug, Args)]
#[command(after_help = CHECK_HELP)]
pub(crate) struct Check {
    /// Command lines, each as one argument
    #[arg(value_name = "COMMAND", required_unless_present = "lines", conflicts_with = "lines")]
    pub(crate) commands: Vec<String>,
    /// The folder that they would run in [default: the working folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// One JSON object for each
    #[arg(long)]
    pub(crate) json: bool,
    /// Read questions from stdin, a JSON object a line, and answer each with one line
    #[arg(long, conflicts_with = "json")]
    pub(crate) lines: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Grants {
    /// Print them as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Option<GrantsCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum GrantsCommand {
    /// Take grants back
    Revoke {
        /// Their ids, such as g12
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Forget all of them, also where what is stored cannot be used any more
    Reset {
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Trust {
    /// The folder [default: the working folder]
    pub(crate) path: Option<PathBuf>,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(subcommand)]
    pub(crate) command: Option<TrustCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TrustCommand {
    /// Show the folders that are trusted
    List {
        /// Print them as JSON
        #[arg(long)]
        json: bool,
    },
    /// Take trust back
    Revoke {
        /// The folder [default: the working folder]
        path: Option<PathBuf>,
    },
    /// Trust no folder any more, also where what is stored cannot be used any more
    Reset {
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}
