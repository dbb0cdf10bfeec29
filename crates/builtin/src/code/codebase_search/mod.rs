//! `codebase_search`: code by the meaning of its words.
//!
//! A call goes through these files: `area.rs` (which index) → `indexes.rs` (the one in memory, or
//! the one that was kept, or a new one) → `refresh.rs` and `reader.rs` (a walk says what changed,
//! only that is read) → `meaning.rs` (vectors, where the user has set a model that makes them) →
//! `answer.rs` (ranks, reads again what it shows) → `page.rs` (the text).

mod answer;
mod area;
mod codebase;
mod indexes;
mod meaning;
mod page;
mod reader;
mod refresh;

use dogu_tool::{Action, Category, Ctx, Group, Output, Scope, ToolError, ToolSpec, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

pub use codebase::Codebase;
pub use indexes::Indexes;

/// How many pieces one call shows, where it does not say it.
const DEFAULT_LIMIT: usize = 10;
/// How many pieces one call shows at most.
const MAX_LIMIT: u32 = 50;

/// What to look for, and where.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What the code does, in words or with names of it: "where are expired sessions removed".
    query: String,
    /// Only what is below this folder, or this file, relative to the working folder or absolute; the working folder where it is null.
    #[serde(default)]
    path: Option<String>,
    /// How many pieces of code to show; 10 where it is null.
    #[serde(default)]
    #[schemars(range(min = 1, max = MAX_LIMIT))]
    limit: Option<u32>,
}

impl Input {
    fn path(&self) -> &str {
        self.path.as_deref().filter(|path| !path.is_empty()).unwrap_or(".")
    }
}

/// The tool.
#[derive(Clone, Debug)]
pub struct CodebaseSearch {
    indexes: Indexes,
}

impl CodebaseSearch {
    /// The tool, with the indexes that it shares with its other shape.
    pub fn new(indexes: Indexes) -> Self {
        Self { indexes }
    }
}

impl TypedTool for CodebaseSearch {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>(
            "codebase_search",
            "Finds code by what it does. Functions, types and sections whose names, comments and words fit a question, the best first, each with its path, lines and text. Use it when you do not know what the code is called; use grep for exact text. The first call builds an index; later ones only read what changed.",
        )
        .title("Search the code base")
        .in_group(Category::Filesystem, Group::Read)
        .read_only()
        .primary("path")
        .alias("directory_prefix", "path")
        .alias("max_results", "limit")
    }

    fn actions(&self, input: &Input, scope: &Scope) -> Vec<Action> {
        vec![Action::read_tree(scope.resolve(input.path()))]
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        Some(partial(partial_input))
    }

    async fn run(&self, input: Input, ctx: &Ctx) -> Result<Output, ToolError> {
        let limit = input.limit.map_or(DEFAULT_LIMIT, |limit| limit.clamp(1, MAX_LIMIT) as usize);
        self.indexes.search(&Wanted { query: &input.query, path: input.path(), limit }, ctx)
    }
}

/// What is looked for, whatever shape it was asked in.
struct Wanted<'a> {
    query: &'a str,
    path: &'a str,
    limit: usize,
}

/// What is shown while the model still writes the call.
fn partial(input: &Value) -> String {
    let path = input.get("path").and_then(Value::as_str).unwrap_or("...");
    match input.get("query").and_then(Value::as_str) {
        Some(query) => format!("Searching the code for {query:?}: {path}"),
        None => format!("Searching the code: {path}"),
    }
}
