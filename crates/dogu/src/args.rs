//! The arguments of every command, as `--help` explains them.

mod edit;
mod mcp;
mod policy;
mod servers;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use dogu_protocol::Format;
use dogu_protocol::text::Form;
use dogu_runtime::record::RecordStatus;

pub(crate) use edit::Edit;
pub(crate) use mcp::{Entry, EntryScope, Install, Mcp, Tokens, TokensCommand, Uninstall};
pub(crate) use policy::{Check, Grants, GrantsCommand, Policy, Trust, TrustCommand};
pub(crate) use servers::{AddServer, ListServers, Servers};

const AFTER_HELP: &str = "\
Examples:
  dogu tools                                    what a model is offered
  dogu call read_file path=README.md            one call, through the whole pipeline
  dogu call write_file path=a.txt content=hi    writing asks first
  dogu parse < answer.txt                       the calls in a model's answer
  dogu dispatch < answer.txt                    the same, run and answered
  dogu serve                                    an MCP server for Claude Code, Codex, Zed …
  dogu mcp install claude-code                  connect a client
  dogu edit a.rs --old old.txt --new new.txt    replace a text, right or not at all
  dogu policy check 'git push --force'          what the gate would say, and why
  dogu trust                                    let the settings of this folder count
  dogu undo                                     take back what the last call did to files
  dogu log --follow                             what was called, and how it ended
  dogu doctor                                   what is here, and what each lack costs

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
    /// The mode to work in, such as code, ask or architect: only its tools and files are there
    #[arg(long, value_name = "MODE", global = true)]
    pub(crate) mode: Option<String>,
    /// Trust what the workspace brings, for this run only
    #[arg(long, global = true)]
    pub(crate) trust: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Offer the tools to an MCP client, over stdio or HTTP
    Serve(Serve),
    /// Put other MCP servers behind the gate, and dogu into the settings of MCP clients
    #[command(subcommand)]
    Mcp(Mcp),
    /// Make one call, through the whole pipeline
    Call(Call),
    /// Print the calls in a model's output on stdin, and run nothing
    Parse(Parse),
    /// Run the calls in a model's output on stdin, and print their results in its protocol
    Dispatch(Dispatch),
    /// Replace a text in a file, right or not at all
    Edit(Edit),
    /// Show the tools that a model is offered
    Tools(Tools),
    /// See what would be allowed, test rules, and take back what was granted
    #[command(subcommand)]
    Policy(Policy),
    /// Let the settings, rules, modes and servers count that a workspace brings
    Trust(Trust),
    /// Take back what calls did to files
    Undo(Undo),
    /// Show what was called, and how it ended
    Log(Log),
    /// Say what is here, and what each lack costs
    Doctor(Doctor),
    /// The fixtures of MCP's conformance suite
    #[command(name = "__conformance", subcommand, hide = true)]
    Conformance(Conformance),
    /// Print a completion script for your shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Conformance {
    /// Serve the suite's tools, resources and prompts, to whoever comes over loopback
    Server {
        /// Listen here
        #[arg(long, value_name = "ADDR")]
        http: SocketAddr,
    },
    /// Do what the suite wants a client to do with its server
    Client {
        /// The suite's server
        url: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Listen here instead of stdio, such as 127.0.0.1:8765; each client needs a token, which
    /// `dogu mcp install` gives it
    #[arg(long, value_name = "ADDR")]
    pub(crate) http: Option<SocketAddr>,
    /// Let other machines in, where ADDR can be reached by them
    #[arg(long, requires = "http")]
    pub(crate) allow_remote: bool,
    /// What happens to a call that needs approval
    #[arg(long, value_enum, default_value_t = ServeApprove::Ask)]
    pub(crate) approve: ServeApprove,
}

/// A server has no terminal to ask on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ServeApprove {
    /// Ask through the client where it can show a form, else the program in `delegate` of the
    /// settings, else refuse
    Ask,
    /// Allow whatever is not refused outright
    All,
    /// Refuse
    None,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Print it as JSON
    #[arg(long)]
    pub(crate) json: bool,
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

fn protocols() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::as_str))
        .try_map(|word| word.parse::<Format>())
}

fn forms() -> impl TypedValueParser<Value = Form> {
    PossibleValuesParser::new(Form::ALL.map(Form::as_str)).try_map(|word| word.parse::<Form>())
}

/// What a model's output is, and which tools it may call.
#[derive(Debug, Args)]
pub(crate) struct Output {
    /// The protocol that the output is in [default: what the settings say, else auto]
    #[arg(long, value_parser = protocols())]
    pub(crate) protocol: Option<Format>,
    /// The forms of calls that are read in text [default: what the settings say, else those of
    /// the protocol]
    #[arg(long, value_delimiter = ',', value_parser = forms())]
    pub(crate) forms: Vec<Form>,
    /// The tools that may be called: a JSON list of definitions, in dogu's, MCP's, OpenAI's,
    /// Anthropic's or Gemini's form [default: the tools of the workspace]
    #[arg(long, value_name = "FILE")]
    pub(crate) tools: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Parse {
    #[command(flatten)]
    pub(crate) output: Output,
    /// Cut the input into chunks of so many bytes, to see that it makes no difference
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) chunk: Option<u32>,
    /// Leave out what a call looks like while it is growing
    #[arg(long = "final")]
    pub(crate) only_final: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Dispatch {
    #[command(flatten)]
    pub(crate) output: Output,
    /// What happens to calls that need approval [default: ask at a terminal, else none]
    #[arg(long, value_enum)]
    pub(crate) approve: Option<Approve>,
}

#[derive(Debug, Args)]
pub(crate) struct Tools {
    /// Only this tool, in full
    pub(crate) name: Option<String>,
    /// The tools of this file instead of the workspace's: a JSON list of definitions
    #[arg(long = "tools", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
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
    /// OpenAI's chat completions
    Openai,
    /// The same, strict where that can be
    OpenaiStrict,
    /// OpenAI's responses
    Responses,
    /// The same, strict where that can be
    ResponsesStrict,
    /// Anthropic's messages
    Anthropic,
    /// Gemini's function declarations
    Gemini,
    /// MCP's tools/list
    Mcp,
    /// What to write in a system prompt for calls in XML
    Xml,
    /// Headings and descriptions, for prompts
    Text,
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Undo {
    /// The call: its id or that of its change, or the beginning of one
    /// [default: the last that changed files of the workspace and was not undone]
    #[arg(value_name = "ID", conflicts_with = "file")]
    pub(crate) id: Option<String>,
    /// Only the last change of this file
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Option<PathBuf>,
    /// Undo also where a file has changed since
    #[arg(long)]
    pub(crate) force: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Show the last 20 changes
    #[arg(long, conflicts_with_all = ["id", "file", "force", "dry_run"])]
    pub(crate) list: bool,
    /// Print one JSON object, or for --list an array
    #[arg(long)]
    pub(crate) json: bool,
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
