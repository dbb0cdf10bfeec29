//! The arguments of `dogu mcp` that are about other servers.

use std::path::PathBuf;

use clap::{Args, Subcommand};

const ADD_HELP: &str = "\
Examples:
  dogu mcp add files -- npx -y @modelcontextprotocol/server-filesystem .
  dogu mcp add github --env 'TOKEN=${env:GITHUB_TOKEN}' -- github-mcp-server stdio
  dogu mcp add docs https://docs.example.com/mcp --header 'X-Key: ${DOCS_KEY}'

Its tools are then called NAME__tool, behind the same gate as all others.";

#[derive(Debug, Subcommand)]
pub(crate) enum Servers {
    /// Put another MCP server behind dogu's gate
    Add(AddServer),
    /// Show the servers behind the gate, and which of them answer
    List(ListServers),
    /// Take a server away again
    Remove {
        /// Its name
        name: String,
    },
    /// Show the tools of a server, and what is odd about them
    Tools {
        /// Its name
        name: String,
        /// Print them as JSON
        #[arg(long)]
        json: bool,
    },
    /// Log in at a server, in your browser
    Login {
        /// Its name
        name: String,
    },
    /// Forget what tools of servers looked like when they were allowed: each is new again
    Reset,
}

#[derive(Debug, Args)]
#[command(after_help = ADD_HELP)]
pub(crate) struct AddServer {
    /// The name that its tools are known by: letters, digits, - and _
    pub(crate) name: String,
    /// Its address, where it is not started as a program
    #[arg(value_name = "URL", conflicts_with_all = ["command", "env", "cwd"])]
    pub(crate) url: Option<String>,
    /// A header for its address; may be given more than once
    #[arg(long = "header", value_name = "NAME: VALUE", requires = "url")]
    pub(crate) headers: Vec<String>,
    /// A variable for the program; may be given more than once
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) env: Vec<String>,
    /// The folder that the program starts in [default: the workspace]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Replace a server of the same name
    #[arg(long)]
    pub(crate) force: bool,
    /// The program and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ListServers {
    /// Start and ask none of them
    #[arg(long)]
    pub(crate) no_check: bool,
    /// Print them as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
