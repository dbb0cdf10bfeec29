//! `search_files`: the shape in which Roo Code's models search. A front end of `grep`.

use dogu_tool::{
    Action, Category, Ctx, Exposure, Group, Output, Scope, ToolError, ToolSpec, TypedTool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::grep::{Entry, Query, Style, nothing, page, partial, search, summary};

/// How many matching lines one call shows.
const MAX_RESULTS: u64 = 300;
/// Lines around each match.
const CONTEXT: usize = 1;

/// What to look for, and where.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The folder to search, with all that is below it, relative to the working folder or absolute.
    path: String,
    /// A regular expression as Rust's regex crate reads it.
    regex: String,
    /// Only files that match this glob, such as `*.ts`; all files where it is null.
    #[serde(default)]
    file_pattern: Option<String>,
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct SearchFiles;

impl TypedTool for SearchFiles {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        let mut spec = ToolSpec::of::<Input>(
            "search_files",
            "Searches the files below a folder for a regular expression. Shows the lines that match, each with the line before and after it.",
        )
        .title("Search files")
        .in_group(Category::Filesystem, Group::Read)
        .read_only()
        .primary("path");
        spec.exposure = Exposure::Deferred;
        spec
    }

    fn actions(&self, input: &Input, scope: &Scope) -> Vec<Action> {
        vec![Action::read_tree(scope.resolve(&input.path))]
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        Some(partial(partial_input))
    }

    async fn run(&self, input: Input, ctx: &Ctx) -> Result<Output, ToolError> {
        let mut query = Query::lines(input.regex, input.path);
        query.globs.extend(input.file_pattern.filter(|glob| !glob.is_empty()));
        (query.before, query.after) = (CONTEXT, CONTEXT);
        query.limit = MAX_RESULTS * (1 + 2 * CONTEXT as u64);
        let found = search(&query, ctx)?;
        if found.totals.files == 0 {
            return Ok(format!("Found 0 results.\n\n{}", nothing(&query, &found)).into());
        }
        let page = page(&found, &query, &RooStyle);
        let results = if found.totals.matches == 1 { "result" } else { "results" };
        let head = format!("Found {} {results}.\n", found.totals.matches);
        let notes = summary(&query, &found, &page);
        Ok(format!("{head}{}----\n\n{notes}", page.text).into())
    }
}

/// A heading for each file, numbered lines, a rule after each group of lines.
struct RooStyle;

impl Style for RooStyle {
    fn entry(&self, out: &mut String, entry: &Entry<'_>) {
        if entry.new_group && !entry.first {
            out.push_str("----\n");
        }
        if entry.new_file {
            out.push_str(&format!("\n# {}\n", entry.name));
        }
        let number = entry.line.map_or(0, |line| line.number);
        out.push_str(&format!("{number:3} | {}\n", entry.text.trim_end()));
    }
}
