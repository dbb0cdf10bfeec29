//! The typed arguments of Roo Code's tools, and the text parameters that became them.
//!
//! [`shapes`] has one type for each tool, [`NativeToolArgs`] is any of them, and
//! [`read_file_params`] reads what a model wrote for `read_file` in XML.

mod elements;
mod read_file;
pub mod shapes;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub use read_file::read_file_params;

/// Makes the enum and everything that goes by a tool's name from one table, so that a tool
/// cannot be in one of them and not in the others.
macro_rules! native_tools {
    ($($name:literal => $shape:ident,)*) => {
        /// The arguments of one tool.
        #[derive(Clone, Debug, PartialEq)]
        pub enum NativeToolArgs {
            $(#[doc = concat!("Of `", $name, "`.")] $shape(shapes::$shape),)*
            /// Of a tool without a shape here: the JSON as it came.
            Other {
                /// The tool.
                name: String,
                /// Its arguments.
                input: Value,
            },
        }

        impl NativeToolArgs {
            /// The tools that have a shape.
            pub const NAMES: &[&str] = &[$($name),*];

            /// Arguments for the tool of this name; an unknown tool keeps them as they are.
            pub fn parse(name: &str, input: Value) -> Result<Self, String> {
                match name {
                    $($name => shaped(name, input).map(Self::$shape),)*
                    _ => Ok(Self::Other { name: name.to_owned(), input }),
                }
            }

            /// The tool's name.
            pub fn name(&self) -> &str {
                match self {
                    $(Self::$shape(_) => $name,)*
                    Self::Other { name, .. } => name,
                }
            }

            /// The arguments as JSON.
            pub fn to_input(&self) -> Value {
                match self {
                    $(Self::$shape(arguments) => as_json(arguments),)*
                    Self::Other { input, .. } => input.clone(),
                }
            }
        }
    };
}

native_tools! {
    "access_mcp_resource" => AccessMcpResource,
    "read_file" => ReadFile,
    "attempt_completion" => AttemptCompletion,
    "execute_command" => ExecuteCommand,
    "apply_diff" => ApplyDiff,
    "search_and_replace" => SearchAndReplace,
    "search_replace" => SearchReplace,
    "apply_patch" => ApplyPatch,
    "ask_followup_question" => AskFollowupQuestion,
    "browser_action" => BrowserAction,
    "codebase_search" => CodebaseSearch,
    "fetch_instructions" => FetchInstructions,
    "generate_image" => GenerateImage,
    "run_slash_command" => RunSlashCommand,
    "search_files" => SearchFiles,
    "switch_mode" => SwitchMode,
    "update_todo_list" => UpdateTodoList,
    "use_mcp_tool" => UseMcpTool,
    "write_to_file" => WriteToFile,
}

fn shaped<T: DeserializeOwned>(name: &str, input: Value) -> Result<T, String> {
    serde_json::from_value(input).map_err(|error| format!("Invalid arguments for {name}: {error}"))
}

/// The shapes hold nothing that JSON cannot, so the other branch is never taken.
fn as_json(arguments: &impl Serialize) -> Value {
    serde_json::to_value(arguments).unwrap_or_else(|_| Value::Object(Map::new()))
}
