//! What a running tool holds: capabilities and facts, nothing else.
//!
//! There is no way from here to the registry, the settings of others, credentials or the
//! runtime itself. Every capability admits only what the plan declared and the gate granted.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use serde_json::Value;

use crate::BoxFuture;
use crate::action::Action;
use crate::call::{Message, Origin};
use crate::cancel::CancelFlag;
use crate::change::FileChange;
use crate::error::ToolError;
use crate::process::Processes;
use crate::repository::Repository;
use crate::scope::Scope;
use crate::spec::ToolSpec;
use crate::toolbox::Toolbox;
use crate::walk::{Visitors, WalkOptions, Walked};

/// What the author of a [`TypedTool`](crate::TypedTool) is handed.
pub type Ctx = dyn ToolContext;

/// Capabilities and facts of one call.
pub trait ToolContext: Send + Sync {
    /// The working folder and the roots.
    fn scope(&self) -> &Scope;
    /// The files that the call was granted.
    fn files(&self) -> &dyn Files;
    /// The repositories that hold what the call was granted.
    fn repository(&self) -> &dyn Repository;
    /// The programs that the call was granted.
    fn processes(&self) -> &dyn Processes;
    /// The addresses that the call was granted.
    fn network(&self) -> &dyn Network;
    /// Passes the gate again, for what is found only while running. Widens what is admitted,
    /// never the input.
    fn request(&self, actions: Vec<Action>) -> BoxFuture<'_, Result<(), ToolError>>;
    /// Tells listeners how far the work is; `fraction` is between 0 and 1.
    fn progress(&self, text: &str, fraction: Option<f32>);
    /// Writes to the log, redacted.
    fn log(&self, level: LogLevel, text: &str);
    /// Set when the call should stop.
    fn cancel(&self) -> &CancelFlag;
    /// When the run will be ended.
    fn deadline(&self) -> Option<Instant>;
    /// The id of the call.
    fn call_id(&self) -> &str;
    /// Principal, agent, instance, turn and trace.
    fn origin(&self) -> &Origin;
    /// The assistant message that holds the call.
    fn message(&self) -> &Message;
    /// The tool's own spec.
    fn spec(&self) -> &ToolSpec;
    /// The tool's own section of the settings; `null` where there is none.
    fn settings(&self) -> &Value;
    /// The user's editor, where there is one.
    fn editor(&self) -> Option<&dyn Editor>;
    /// Other agents, where there are any.
    fn agents(&self) -> Option<&dyn AgentRuntime>;
    /// The model that turns texts into vectors, where the user has set one.
    fn embeddings(&self) -> Option<&dyn Embeddings>;
    /// What dogu keeps for this tool between calls, where it keeps anything.
    fn cache(&self) -> Option<&dyn Cache>;
    /// What else can be called in this step, where there is one.
    fn tools(&self) -> Option<&dyn Toolbox>;
}

/// How much a log line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// For whoever looks for a bug.
    Debug,
    /// For whoever watches.
    Info,
    /// Something is not as it should be.
    Warn,
    /// Something failed.
    Error,
}

/// What is known of a file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileFacts {
    /// What it is.
    pub kind: FileKind,
    /// Its size in bytes.
    pub size: u64,
    /// When its content last changed.
    pub modified: Option<SystemTime>,
    /// By this the same content is known again.
    pub stamp: FileStamp,
}

/// By this it is known that a file was not touched: whoever changes the content changes the
/// time of the last change of anything, which nobody can set back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FileStamp {
    /// The file system.
    pub device: u64,
    /// The file's number there.
    pub inode: u64,
    /// Its size in bytes.
    pub size: u64,
    /// When its content last changed, in nanoseconds since 1970.
    pub modified: i128,
    /// When anything of it last changed, in nanoseconds since 1970.
    pub changed: i128,
}

#[cfg(unix)]
impl From<&std::fs::Metadata> for FileStamp {
    fn from(found: &std::fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self {
            device: found.dev(),
            inode: found.ino(),
            size: found.size(),
            modified: nanoseconds(found.mtime(), found.mtime_nsec()),
            changed: nanoseconds(found.ctime(), found.ctime_nsec()),
        }
    }
}

/// Seconds and the rest as one number.
pub fn nanoseconds(seconds: i64, rest: i64) -> i128 {
    i128::from(seconds) * 1_000_000_000 + i128::from(rest)
}

/// What a call saw of a file: by this an edit knows that the file changed since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The BLAKE3 hash of the whole content; none where the file was too large to hash.
    pub hash: Option<[u8; 32]>,
    /// The file as it was.
    pub stamp: FileStamp,
}

/// What a name in a folder stands for. Links are never followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileKind {
    /// A folder.
    Folder,
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
    /// A pipe, socket or device.
    Other,
}

/// A name in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderEntry {
    /// The name, without the folder.
    pub name: String,
    /// What it stands for.
    pub kind: FileKind,
    /// Its size in bytes, for files.
    pub size: u64,
    /// An ignore file shuts agents out of it: the name is all that is to be had.
    pub ignored: bool,
}

/// Looking at files. The functions block: a tool that uses them is not `non_blocking`.
pub trait ReadFiles: Send + Sync {
    /// Opens a regular file for reading.
    fn open(&self, path: &Path) -> Result<File, ToolError>;
    /// What a path is; `None` where there is nothing.
    fn facts(&self, path: &Path) -> Result<Option<FileFacts>, ToolError>;
    /// The names in a folder, sorted.
    fn list(&self, path: &Path) -> Result<Vec<FolderEntry>, ToolError>;
    /// Walks all that is below a folder, on several threads; a file is visited by itself. Links
    /// are not followed, and what may hold secrets or is shut out is not shown but counted.
    fn walk(
        &self,
        path: &Path,
        options: &WalkOptions,
        cancel: &CancelFlag,
        visitors: &Visitors<'_>,
    ) -> Result<Walked, ToolError>;
    /// Remembers what was seen of a file, for the one who calls. Whoever holds all of its content
    /// hands it over: otherwise it is read again to be kept, where `seen` has its hash.
    fn remember(&self, path: &Path, seen: Seen, content: Option<&[u8]>) -> Result<(), ToolError>;
    /// What the one who calls last saw of a file.
    fn last_seen(&self, path: &Path) -> Result<Option<Seen>, ToolError>;
    /// The content that the one who calls last saw, where it was small enough to be kept: what
    /// changed since can then be told from what the caller wants to change.
    fn last_content(&self, path: &Path) -> Result<Option<Arc<[u8]>>, ToolError>;
    /// The hash of a content that is what this caller last saw of the file; none where it is not,
    /// or where what was seen was not kept.
    fn last_hash(&self, path: &Path, content: &[u8]) -> Result<Option<[u8; 32]>, ToolError>;
}

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteOptions {
    /// Make the folders on the way.
    pub create_folders: bool,
    /// Replace what is there; otherwise an existing file is an error.
    pub overwrite: bool,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self { create_folders: true, overwrite: true }
    }
}

/// How files are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeOptions {
    /// Make the folders on the way.
    pub create_folders: bool,
}

impl Default for ChangeOptions {
    fn default() -> Self {
        Self { create_folders: true }
    }
}

/// What a write did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// There was no such file before.
    pub created: bool,
    /// Bytes before, if there was one.
    pub old_size: Option<u64>,
    /// By this the change is known in the journal, where there is one: `dogu undo` takes it back.
    pub journal: Option<String>,
}

/// Looking at files and changing them.
pub trait Files: ReadFiles {
    /// Replaces the whole content: afterwards the file has the old or the new content, never a mixture.
    fn write(
        &self,
        path: &Path,
        content: &[u8],
        options: WriteOptions,
    ) -> Result<Written, ToolError>;
    /// Makes all changes or none, also when the process or the machine ends in between: what was
    /// begun is finished or taken back at the next start. Says what was there before, in their order.
    fn change(
        &self,
        changes: &[FileChange],
        options: ChangeOptions,
    ) -> Result<Vec<Written>, ToolError>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> Result<(), ToolError>;
}

/// What a plan may look at to show a person what it would do.
pub trait ReadCaps: Send + Sync {
    /// The working folder and the roots.
    fn scope(&self) -> &Scope;
    /// The files that the plan declared, to look at only.
    fn files(&self) -> &dyn ReadFiles;
}

/// A request to another machine.
#[derive(Clone, Debug)]
pub struct NetworkRequest {
    /// `GET`, `POST` …
    pub method: String,
    /// The address.
    pub url: String,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// What is sent along.
    pub body: Vec<u8>,
}

/// What another machine answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkResponse {
    /// The HTTP status.
    pub status: u16,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// The answer.
    pub body: Vec<u8>,
}

/// Talking to other machines.
pub trait Network: Send + Sync {
    /// Sends a request and waits for the whole answer.
    fn fetch(&self, request: NetworkRequest) -> BoxFuture<'_, Result<NetworkResponse, ToolError>>;
}

/// A file that is open in the user's editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its text, unsaved changes included.
    pub text: String,
    /// The user looks at it now.
    pub current: bool,
}

/// The user's editor.
pub trait Editor: Send + Sync {
    /// The files that are open, in the editor's order.
    fn open_files(&self) -> Vec<OpenFile>;
}

/// A model that turns texts into vectors. The user has named it, so texts that the call may read
/// go there without asking.
pub trait Embeddings: Send + Sync {
    /// Where it is and what it is called: vectors of two models cannot be compared.
    fn model(&self) -> &str;
    /// A vector for each text, all of the same length. Waits for the answer, so it is for code
    /// that may block.
    fn embed(&self, texts: &[String], cancel: &CancelFlag) -> Result<Vec<Vec<f32>>, ToolError>;
}

/// What dogu keeps for one tool in one workspace: what can be made again at any time. Nobody
/// else reads it, and it may be gone at the next call.
pub trait Cache: Send + Sync {
    /// What was kept under a name; none where there is nothing, or it cannot be read.
    fn get(&self, name: &str) -> Option<Vec<u8>>;
    /// Keeps something, in place of what was kept under that name; all of it or nothing.
    fn put(&self, name: &str, content: &[u8]) -> std::io::Result<()>;
}

/// Other agents.
pub trait AgentRuntime: Send + Sync {
    /// Asks another agent and waits for its answer.
    fn request<'a>(
        &'a self,
        target: &'a str,
        input: Value,
    ) -> BoxFuture<'a, Result<Value, ToolError>>;
    /// Tells another agent something.
    fn send<'a>(&'a self, target: &'a str, input: Value) -> BoxFuture<'a, Result<(), ToolError>>;
    /// Starts an instance of an agent; gives its key.
    fn spawn<'a>(&'a self, target: &'a str) -> BoxFuture<'a, Result<String, ToolError>>;
    /// The instances that run.
    fn list(&self) -> BoxFuture<'_, Result<Vec<String>, ToolError>>;
    /// The agents that can be started.
    fn catalog(&self) -> BoxFuture<'_, Result<Vec<String>, ToolError>>;
}
