//! The built-in tools of dogu: a folder an area, one file a tool.
//!
//! [`all`] is the only list of them; catalog, MCP, help and docs are made from it.
//!
//! ```
//! let names: Vec<_> = dogu_builtin::all().iter().map(|tool| tool.spec().name.to_string()).collect();
//! assert_eq!(names, ["read_file", "write_file", "list_files"]);
//! ```

#![deny(clippy::disallowed_methods, reason = "tools act only through their context")]

pub mod fs;

use std::sync::Arc;

use dogu_tool::{Tool, typed};

/// Every built-in tool, in the order in which models see them.
pub fn all() -> Vec<Arc<dyn Tool>> {
    vec![typed(fs::ReadFile), typed(fs::WriteFile), typed(fs::ListFiles)]
}
