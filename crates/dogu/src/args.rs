//! The arguments of every command, as `--help` explains them.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use dogu_runtime::record::RecordStatus;

const AFTER_HELP: &str = "\
Examples:
  dogu tools                                    what a model is offered
  dogu call read_file path=README.md            one call, through the whole pipeline
  dogu call write_file path=a.txt content=hi    writing asks first
  dogu serve                                    an MCP server for Claude Code, Codex, Zed …
  dogu log --follow                             what was called, and how it ended

Exit codes: 0 done, 1 the tool or the gate said no, 2 wrong use.";

/// The tool layer for AI agents: fast, safe tools behind one permission gate.
#[derive(Debug, Parser)]
#[command(name = "dogu", version, about, after_help = AFTER_HELP, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) workspace: Workspace,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Which folders the tools work in.
#[derive(Debug, Args)]
pub(crate) struct Workspace {
    /// A workspace folder; may be given more than once, and the first is the working folder
    /// [default: the current folder]
    #[arg(long = "root", value_name = "DIR", global = true)]
    pub(crate) roots: Vec<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Offer the tools to an MCP client, over stdio or HTTP
    Serve(Serve),
    /// Make one call, through the whole pipeline
    Call(Call),
    /// Show the tools that a model is offered
    Tools(Tools),
    /// Show what was called, and how it ended
    Log(Log),
    /// Print a completion script for your shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Listen here instead of stdio, such as 127.0.0.1:8765; clients need the token that is
    /// made at the first start
    #[arg(long, value_name = "ADDR")]
    pub(crate) http: Option<SocketAddr>,
    /// Let other machines in, where ADDR can be reached by them
    #[arg(long, requires = "http")]
    pub(crate) allow_remote: bool,
    /// What happens to a call that needs approval
    #[arg(long, value_enum, default_value_t = ServeApprove::None)]
    pub(crate) approve: ServeApprove,
}

/// A server has no terminal to ask on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ServeApprove {
    /// Ask where someone can be asked, else refuse
    Ask,
    /// Allow whatever is not refused outright
    All,
    /// Refuse
    None,
}

#[derive(Debug, Args)]
pub(crate) struct Call {
    /// The tool; `dogu tools` lists them
    pub(crate) tool: String,
    /// Arguments as key=value; values that are not texts are read as JSON
    #[arg(value_name = "KEY=VALUE", conflicts_with = "input")]
    pub(crate) arguments: Vec<String>,
    /// All arguments as one JSON object, or `-` to read it from stdin
    #[arg(long, value_name = "JSON|-")]
    pub(crate) input: Option<String>,
    /// What happens if the call needs approval [default: ask at a terminal, else none]
    #[arg(long, value_enum)]
    pub(crate) approve: Option<Approve>,
    /// Print the whole result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Who approves a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Approve {
    /// Ask at the terminal
    Ask,
    /// Allow whatever is not refused outright
    All,
    /// Refuse
    None,
}

#[derive(Debug, Args)]
pub(crate) struct Tools {
    /// Only this tool, in full
    pub(crate) name: Option<String>,
    /// The form of the list
    #[arg(long, value_enum, default_value_t = ToolFormat::Table)]
    pub(crate) format: ToolFormat,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
}

/// The forms in which tools are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolFormat {
    /// For people
    Table,
    /// Everything that dogu knows of them
    Json,
    /// OpenAI's function form
    Openai,
    /// Anthropic's form
    Anthropic,
    /// MCP's tools/list
    Mcp,
    /// Headings and descriptions, for prompts
    Text,
}

#[derive(Debug, Args)]
pub(crate) struct Log {
    /// Only calls of this tool
    #[arg(long)]
    pub(crate) tool: Option<String>,
    /// Only calls with this status: generated, waiting, calling, done, errored, canceled or
    /// interrupted
    #[arg(long)]
    pub(crate) status: Option<RecordStatus>,
    /// Only calls since then: 10m, 2h, 3d, or a time such as 2026-11-15T12:00:00Z
    #[arg(long, value_name = "TIME", value_parser = crate::commands::log::parse_since)]
    pub(crate) since: Option<std::time::SystemTime>,
    /// At most so many, the newest
    #[arg(short = 'n', long, default_value_t = 50, value_name = "N")]
    pub(crate) limit: usize,
    /// Go on with new calls as they happen
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// One JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
}
