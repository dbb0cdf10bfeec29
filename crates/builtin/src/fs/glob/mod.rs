//! `glob`: files whose path matches a pattern, the newest first.
//!
//! A call goes through these files: `input.rs` (what is asked for) → `pattern.rs` (compiled, or an
//! error that shows the place, which `fault.rs` finds) → `finder.rs` (the walk, one finder for each
//! thread) → `newest.rs` (what can still be shown) → `report.rs` (the text).

mod fault;
mod finder;
mod input;
mod newest;
mod pattern;
mod report;

use dogu_tool::{Action, Category, Ctx, Group, Output, Scope, ToolError, ToolSpec, TypedTool};
use serde_json::Value;

use input::Input;
pub(super) use input::Query;

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct Glob;

impl TypedTool for Glob {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>(
            "glob",
            "Finds files by a pattern of their path, such as `*.rs` or `src/**/*.{ts,tsx}`, the newest first. Leaves out what git ignores. Use this instead of `find` or `fd` in a shell.",
        )
        .title("Find files")
        .in_group(Category::Filesystem, Group::Read)
        .read_only()
        .primary("path")
        .alias("glob", "pattern")
        .alias("file_pattern", "pattern")
        .alias("head_limit", "limit")
    }

    fn actions(&self, input: &Input, scope: &Scope) -> Vec<Action> {
        vec![Action::read_tree(scope.resolve(&input.path))]
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        Some(partial(partial_input))
    }

    async fn run(&self, input: Input, ctx: &Ctx) -> Result<Output, ToolError> {
        find(&input.into_query(), ctx)
    }
}

/// Finds what a query asks for, and says so.
pub(super) fn find(query: &Query, ctx: &Ctx) -> Result<Output, ToolError> {
    let found = finder::find(query, ctx)?;
    Ok(report::text(query, &found).into())
}

/// What is shown while the model still writes the call.
pub(super) fn partial(input: &Value) -> String {
    let path = input.get("path").and_then(Value::as_str).unwrap_or("...");
    match input.get("pattern").and_then(Value::as_str) {
        Some(pattern) => format!("Finding {pattern:?}: {path}"),
        None => format!("Finding files: {path}"),
    }
}
