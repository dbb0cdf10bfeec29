//! Running programs: what a tool can ask for, and what it can know of a command that runs.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use dogu_output::{Kept, Log};

use crate::BoxFuture;
use crate::error::ToolError;

/// A command line to start.
#[derive(Clone, Debug)]
pub struct ProcessRequest {
    /// The line as the shell gets it.
    pub command: String,
    /// The folder that it starts in.
    pub cwd: PathBuf,
    /// What it reads.
    pub input: ProcessInput,
    /// It may outlive the call; what a person calls it, where it has a name.
    pub keep: Keep,
    /// Outside of the sandbox, which is an action of its own: [`OUTSIDE_SANDBOX`].
    pub outside: bool,
}

/// The name of the custom action by which a command runs outside of the sandbox.
pub const OUTSIDE_SANDBOX: &str = "outside_sandbox";

/// The address that stands for all of them, where nobody can tell which a program will ask.
pub const ANY_ADDRESS: &str = "*";

/// What a command reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProcessInput {
    /// Nothing: the end at once.
    #[default]
    Nothing,
    /// What is sent to it.
    Sent,
    /// What is sent to it, at a terminal of its own.
    Terminal,
}

/// Whether a command may outlive the call that started it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// It ends with the call.
    #[default]
    No,
    /// It goes on, under a name if it has one.
    Yes(Option<String>),
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessEnd {
    /// Its exit code; none if a signal ended it.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

/// What is known of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessFacts {
    /// By this it is called.
    pub id: String,
    /// What a person calls it.
    pub name: Option<String>,
    /// The line.
    pub command: String,
    /// The folder that it started in.
    pub cwd: PathBuf,
    /// How long it has run, or ran.
    pub ran: Duration,
    /// How it ended, if it has.
    pub end: Option<ProcessEnd>,
    /// It has a terminal of its own.
    pub terminal: bool,
    /// What holds it, in a few words, such as `workspace`.
    pub sandbox: String,
}

/// A command that was started.
pub trait Process: Send + Sync {
    /// What is known of it.
    fn facts(&self) -> ProcessFacts;
    /// What it wrote.
    fn log(&self) -> &Arc<Log>;
    /// Waits for its end.
    fn ended(&self) -> BoxFuture<'_, ProcessEnd>;
    /// Waits until it has written more than `seen` bytes, or has ended.
    fn written(&self, seen: u64) -> BoxFuture<'_, ()>;
    /// Writes to its input; says how many bytes it took.
    fn send(&self, bytes: &[u8]) -> Result<usize, ToolError>;
    /// Closes its input.
    fn close_input(&self);
    /// Sends a signal to all its processes.
    fn signal(&self, signal: i32) -> Result<(), ToolError>;
    /// Ends it with everything that it started: asked to first, and after `grace` not.
    fn stop(&self, grace: Duration);
    /// The TCP ports at which it listens.
    fn ports(&self) -> Vec<u16>;
    /// Whether it waits for somebody.
    fn waits(&self) -> Option<Waits>;
    /// How much it has computed so far, in a unit of its own: while this stays the same, it rests.
    fn computed(&self) -> u64;
    /// What of this text, which it wrote, tells that the sandbox refused something; and what can
    /// be done about it.
    fn refusals(&self, written: &str) -> Vec<String>;
    /// What it changed in the workspace, as far as that was looked at; known after its end.
    fn changes(&self) -> BoxFuture<'_, Option<ProcessChanges>>;
}

/// For whom a command waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// For whoever continues it: it has stopped itself.
    Stopped,
    /// For whoever types at a terminal that it reads from.
    AtTerminal,
}

impl Waits {
    /// In words that go on after "it".
    pub fn words(self) -> &'static str {
        match self {
            Self::Stopped => "has stopped itself and waits to be continued",
            Self::AtTerminal => "reads from a terminal that nobody sits at",
        }
    }
}

/// What a command changed in the workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessChanges {
    /// By this `dogu undo` takes it back.
    pub journal: Option<String>,
    /// How many files were made, changed and deleted.
    pub files: usize,
    /// What could not be looked at, in words.
    pub not_covered: Option<String>,
    /// What it made that steers agents or other tools, and what became of that, in words.
    pub steering: Vec<String>,
}

/// Running programs. Each caller sees only its own.
pub trait Processes: Send + Sync {
    /// Starts a command line that the call was granted.
    fn start(&self, request: ProcessRequest) -> BoxFuture<'_, Result<Arc<dyn Process>, ToolError>>;
    /// The commands that outlive their calls, oldest first.
    fn kept(&self) -> Vec<Arc<dyn Process>>;
    /// A command by its id or name.
    fn find(&self, id: &str) -> Result<Arc<dyn Process>, ToolError>;
    /// What a command wrote: one that runs, or one that ended, in this process or an earlier one.
    fn output(&self, id: &str) -> Result<Kept, ToolError>;
}
