//! What a tool is. Every other crate of dogu builds on these types, and a crate that brings a
//! tool needs nothing else.
//!
//! A tool is a struct with a typed input. It says what a call would do, then does it through
//! the capabilities of its context:
//!
//! ```
//! use std::io::Read;
//!
//! use dogu_tool::{Action, Category, Ctx, Group, Output, Scope, ToolError, ToolSpec, TypedTool};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Input {
//!     /// The file to count.
//!     path: String,
//! }
//!
//! struct CountWords;
//!
//! impl TypedTool for CountWords {
//!     type Input = Input;
//!
//!     fn spec(&self) -> ToolSpec {
//!         ToolSpec::of::<Input>("count_words", "Counts the words of a text file.")
//!             .in_group(Category::Filesystem, Group::Read)
//!             .read_only()
//!             .primary("path")
//!     }
//!
//!     fn actions(&self, input: &Input, scope: &Scope) -> Vec<Action> {
//!         vec![Action::read(scope.resolve(&input.path))]
//!     }
//!
//!     async fn run(&self, input: Input, ctx: &Ctx) -> Result<Output, ToolError> {
//!         let path = ctx.scope().resolve(&input.path);
//!         let mut text = String::new();
//!         ctx.files()
//!             .open(&path)?
//!             .read_to_string(&mut text)
//!             .map_err(|error| ToolError::io("read", &path, error))?;
//!         Ok(format!("{} words", text.split_whitespace().count()).into())
//!     }
//! }
//!
//! let tool = dogu_tool::typed(CountWords);
//! assert_eq!(tool.spec().required(), ["path"]);
//! ```
//!
//! The way of a call from here on (`prepare` → judged → `run`) is the runtime's.

mod action;
mod call;
mod cancel;
mod change;
mod context;
mod error;
mod name;
mod parameters;
mod process;
pub mod render;
mod repository;
mod result;
mod scope;
mod shaped;
mod shell;
mod slim;
mod source;
mod spec;
mod status;
pub mod text;
mod tool;
mod toolbox;
mod typed;
mod walk;

use std::pin::Pin;

pub use action::Action;
pub use call::{Message, MessagePart, Origin, Principal, Role, ToolCall};
pub use cancel::{CancelFlag, Canceled};
pub use change::{Becomes, Expects, FileChange, Stale};
pub use context::{
    AgentRuntime, Cache, ChangeOptions, Ctx, Editor, Embeddings, FileFacts, FileKind, FileStamp,
    Files, FolderEntry, LogLevel, Network, NetworkRequest, NetworkResponse, OpenFile, ReadCaps,
    ReadFiles, Seen, ToolContext, WriteOptions, Written, nanoseconds,
};
pub use error::{DEFAULT_ERROR_MESSAGE_LIMIT, ErrorCode, ErrorInfo, ToolError};
pub use name::{MAX_NAME_LEN, NAME_SEPARATOR, NameError, ToolName};
pub use parameters::{Parameter, Parameters};
pub use process::{
    ANY_ADDRESS, Keep, OUTSIDE_SANDBOX, Process, ProcessChanges, ProcessEnd, ProcessFacts,
    ProcessInput, ProcessRequest, Processes, Waits,
};
pub use repository::{
    Change, ChangeKind, Compare, Comparison, NotCompared, Repository, Side, SideContent,
};
pub use result::{Content, Output, ResultStatus, ToolResult};
pub use scope::Scope;
pub use shaped::ShapedTool;
pub use shell::{Shell, ShellKind};
pub use source::Source;
pub use spec::{Category, Exposure, Group, ToolSpec};
pub use status::{CallStatus, IllegalTransition};
pub use tool::{Plan, Preview, Tool, Verdict};
pub use toolbox::{CALL_TOOL, SEARCH_TOOLS, Toolbox};
pub use typed::{TypedTool, typed};
pub use walk::{LeftOut, Onward, Visitor, Visitors, WalkEntry, WalkOptions, Walked};

/// A future on the heap, where a trait must stay usable behind `dyn`.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
