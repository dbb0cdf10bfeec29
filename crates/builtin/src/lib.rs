//! The built-in tools of dogu: a folder an area, one file a tool.
//!
//! [`all`] is the only list of them; catalog, MCP, help and docs are made from it.
//!
//! ```
//! use dogu_tool::Exposure;
//!
//! let tools = dogu_builtin::all();
//! let shown = tools.iter().filter(|tool| tool.spec().exposure == Exposure::Direct);
//! let names: Vec<_> = shown.map(|tool| tool.spec().name.as_str()).collect();
//! assert_eq!(names[..4], ["read_file", "write_file", "edit_file", "multi_edit"]);
//! ```

#![deny(clippy::disallowed_methods, reason = "tools act only through their context")]

pub mod code;
pub mod edit;
pub mod editor;
pub mod fs;
mod names;
mod notes;
mod progress;
pub mod read;
pub mod repository;
pub mod search;
pub mod shell;
pub mod tools;

use std::sync::Arc;

use dogu_tool::{Tool, typed};

use crate::edit::planned;

/// Every built-in tool, in the order in which models see them.
pub fn all() -> Vec<Arc<dyn Tool>> {
    let index = code::Indexes::default();
    vec![
        typed(read::ReadFile),
        planned(edit::WriteFile),
        planned(edit::EditFile),
        planned(edit::MultiEdit),
        planned(edit::ApplyDiff),
        planned(edit::ApplyPatch),
        planned(edit::DeleteFile),
        planned(edit::MoveFile),
        typed(fs::ListFiles),
        typed(fs::ViewSubdirectory),
        typed(fs::Glob),
        typed(search::Grep),
        typed(code::CodebaseSearch::new(index.clone())),
        typed(code::ViewRepoMap),
        typed(repository::ViewDiff),
        typed(editor::ReadCurrentlyOpenFile),
        typed(shell::ExecuteCommand),
        typed(shell::ReadCommandOutput),
        typed(shell::ProcessStart),
        typed(shell::ProcessWait),
        typed(shell::ProcessLogs),
        typed(shell::ProcessSend),
        typed(shell::ProcessStop),
        typed(shell::ProcessList),
        typed(shell::ProcessStatus),
        // Shown where there are more tools than a model should be shown.
        typed(tools::SearchTools::default()),
        typed(tools::CallTool),
        // What other systems call the same: callable by name, not shown.
        planned(edit::Edit),
        planned(edit::SearchReplace),
        planned(edit::SingleFindAndReplace),
        planned(edit::SearchAndReplace),
        planned(edit::MultiApplyDiff),
        typed(read::ReadFileRange),
        typed(fs::Ls),
        typed(fs::GlobSearch),
        typed(search::SearchFiles),
        typed(search::GrepSearch),
        typed(shell::Bash),
        typed(shell::RunTerminalCommand),
        typed(shell::BashExec),
        typed(shell::BashScript),
        typed(code::Codebase::new(index)),
    ]
}
