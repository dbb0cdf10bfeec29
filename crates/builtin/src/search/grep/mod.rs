//! `grep`: ripgrep's engine in process.
//!
//! A call goes through these files: `input.rs` (what is asked for) → `query.rs` (the same for
//! every tool that searches) → `pattern.rs` and `filter.rs` (compiled, or an error that shows the
//! place) → `engine.rs` (the walk) → `visitor.rs` (one for each thread) → `file.rs` and `sink.rs`
//! (one file) → `kept.rs` (what can still be shown) → `page.rs` and `report.rs` (the text).

mod engine;
mod file;
mod filter;
mod input;
mod kept;
mod line;
mod page;
mod pattern;
mod query;
mod report;
mod sink;
mod totals;
mod visitor;

use dogu_tool::{Action, Category, Ctx, Group, Output, Scope, ToolError, ToolSpec, TypedTool};
use serde_json::Value;

pub(super) use engine::search;
use input::Input;
pub(super) use input::OutputMode;
pub(super) use page::{Entry, Style, page};
pub(super) use query::Query;
pub(super) use report::{nothing, summary};

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct Grep;

impl TypedTool for Grep {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>(
            "grep",
            "Searches files for a regular expression with ripgrep's engine. Leaves out what git ignores, and binary files. Shows the files that match; `output_mode: content` shows the lines, `count` how many. Use this instead of `grep` or `rg` in a shell.",
        )
        .title("Search text")
        .in_group(Category::Filesystem, Group::Read)
        .read_only()
        .primary("path")
        .alias("regex", "pattern")
        .alias("query", "pattern")
        .alias("filePattern", "glob")
        .alias("file_pattern", "glob")
        .alias("include", "glob")
        .alias("file_type", "type")
        .alias("-i", "ignore_case")
        .alias("case_insensitive", "ignore_case")
        .alias("-F", "fixed_strings")
        .alias("-g", "glob")
        .alias("-t", "type")
        .alias("-w", "word")
        .alias("-U", "multiline")
        .alias("-v", "invert")
        .alias("-B", "before")
        .alias("-A", "after")
        .alias("-C", "context")
        .alias("-n", "line_numbers")
    }

    fn actions(&self, input: &Input, scope: &Scope) -> Vec<Action> {
        vec![Action::read_tree(scope.resolve(&input.path))]
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        Some(partial(partial_input))
    }

    async fn run(&self, input: Input, ctx: &Ctx) -> Result<Output, ToolError> {
        let numbers = input.line_numbers;
        let query = input.into_query();
        let found = search(&query, ctx)?;
        if found.totals.files == 0 {
            return Ok(nothing(&query, &found).into());
        }
        let style = RgStyle { mode: query.mode, numbers, groups: query.before + query.after > 0 };
        let page = page(&found, &query, &style);
        Ok((page.text.clone() + &summary(&query, &found, &page)).into())
    }
}

/// What is shown while the model still writes the call.
pub(super) fn partial(input: &Value) -> String {
    let path = input.get("path").and_then(Value::as_str).unwrap_or("...");
    match input.get("pattern").and_then(Value::as_str) {
        Some(pattern) => format!("Searching for {pattern:?}: {path}"),
        None => format!("Searching: {path}"),
    }
}

/// Output as `rg --no-heading --with-filename` prints it.
struct RgStyle {
    mode: OutputMode,
    numbers: bool,
    groups: bool,
}

impl Style for RgStyle {
    fn entry(&self, out: &mut String, entry: &Entry<'_>) {
        let name = entry.name;
        let Some(line) = entry.line else {
            match self.mode {
                OutputMode::Count => out.push_str(&format!("{name}:{}\n", entry.matches)),
                _ => out.push_str(&format!("{name}\n")),
            }
            return;
        };
        if self.groups && entry.new_group && !entry.first {
            out.push_str("--\n");
        }
        let mark = if line.is_match { ':' } else { '-' };
        if self.numbers {
            out.push_str(&format!("{name}{mark}{}{mark}{}\n", line.number, entry.text));
        } else {
            out.push_str(&format!("{name}{mark}{}\n", entry.text));
        }
    }
}
