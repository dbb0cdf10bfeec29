//! `grep_search`: the shape in which Continue's models search. A front end of `grep`.

use dogu_tool::{
    Action, Category, Ctx, Exposure, Group, Output, Scope, ToolError, ToolSpec, TypedTool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::grep::{Entry, Query, Style, nothing, page, partial, search, summary};

/// How many matching lines one call shows.
const MAX_RESULTS: u64 = 100;

/// What to look for, and where.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// A regular expression as Rust's regex crate reads it.
    pattern: String,
    /// The file or folder to search, relative to the working folder or absolute; the working folder where it is not said.
    #[serde(default)]
    path: Option<String>,
    /// Only files that match this glob, such as `*.ts`.
    #[serde(default, rename = "filePattern")]
    file_pattern: Option<String>,
}

impl Input {
    fn path(&self) -> &str {
        self.path.as_deref().filter(|path| !path.is_empty()).unwrap_or(".")
    }
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct GrepSearch;

impl TypedTool for GrepSearch {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        let mut spec = ToolSpec::of::<Input>(
            "grep_search",
            "Searches files for a regular expression. Shows the lines that match as `file:line: text`.",
        )
        .title("Grep search")
        .in_group(Category::Filesystem, Group::Read)
        .read_only()
        .primary("path")
        .alias("query", "pattern")
        .alias("file_pattern", "filePattern");
        spec.exposure = Exposure::Deferred;
        spec
    }

    fn actions(&self, input: &Input, scope: &Scope) -> Vec<Action> {
        vec![Action::read_tree(scope.resolve(input.path()))]
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        Some(partial(partial_input))
    }

    async fn run(&self, input: Input, ctx: &Ctx) -> Result<Output, ToolError> {
        let path = input.path().to_owned();
        let mut query = Query::lines(input.pattern, path);
        query.globs.extend(input.file_pattern.filter(|glob| !glob.is_empty()));
        query.limit = MAX_RESULTS;
        let found = search(&query, ctx)?;
        if found.totals.files == 0 {
            return Ok(nothing(&query, &found).into());
        }
        let page = page(&found, &query, &FileLineText);
        Ok((page.text.clone() + &summary(&query, &found, &page)).into())
    }
}

/// `file:line: text`.
struct FileLineText;

impl Style for FileLineText {
    fn entry(&self, out: &mut String, entry: &Entry<'_>) {
        let number = entry.line.map_or(0, |line| line.number);
        out.push_str(&format!("{}:{number}: {}\n", entry.name, entry.text));
    }
}
