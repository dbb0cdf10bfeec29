//! `search_tools`: finds tools by what they are called and what they do.

mod index;
mod rank;
mod report;

use std::sync::{Arc, Mutex, PoisonError};

use dogu_tool::{
    Action, Ctx, Exposure, Output, SEARCH_TOOLS, Scope, ToolError, ToolSpec, Toolbox, TypedTool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

pub use self::index::Index;

/// How many tools are found where nothing else is said.
const DEFAULT_LIMIT: usize = 5;
/// How many tools one search finds at the most.
const MAX_LIMIT: usize = 20;
/// No more of a query is read, in characters: it is words, not a document.
const MAX_QUERY: usize = 1_000;
/// How much of a description is looked through, in bytes.
const MAX_SCANNED: usize = 8 * 1024;
/// How many sets of tools have an index at the same time.
const MAX_INDEXES: usize = 4;

/// What is searched for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What the tool should do, in a few words, or its name.
    pub query: String,
    /// How many tools to find: 5 if absent, at most 20.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub limit: Option<usize>,
}

/// The tool. It keeps an index of the tools that it searched.
#[derive(Debug, Default)]
pub struct SearchTools {
    /// By the version of the tools, the latest first.
    indexes: Mutex<Vec<(u64, Arc<Index>)>>,
}

impl TypedTool for SearchTools {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        let spec = ToolSpec::of::<Input>(
            SEARCH_TOOLS,
            "Finds tools that are not listed, by what they do or by name. What it finds can be called at once.",
        );
        let spec = ToolSpec { exposure: Exposure::Deferred, ..spec };
        spec.title("Search tools").read_only().primary("query").alias("q", "query")
    }

    fn actions(&self, _: &Input, _: &Scope) -> Vec<Action> {
        Vec::new()
    }

    fn partial(&self, input: &Value) -> Option<String> {
        let query = input.get("query").and_then(Value::as_str).unwrap_or("...");
        Some(format!("Searching tools: {}", dogu_tool::text::truncate_marked(query, 100)))
    }

    async fn run(&self, input: Input, ctx: &Ctx) -> Result<Output, ToolError> {
        let Some(tools) = ctx.tools() else {
            return Err(ToolError::failed("There are no tools to be searched here."));
        };
        let query: String = input.query.chars().take(MAX_QUERY).collect();
        if query.trim().is_empty() {
            return Err(ToolError::invalid("The query is empty.")
                .suggest("Say in a few words what the tool should do, such as \"create issue\"."));
        }
        let limit = input.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
        let index = self.index_of(tools);
        let mut found = index.search(&query, limit);
        if found.is_empty() {
            found = containing(tools, query.trim(), limit);
        }
        let shown: Vec<&str> =
            found.iter().copied().filter(|name| !tools.is_listed(name)).collect();
        tools.show(&shown);
        Ok(report::report(&query, &found, index.len(), tools).into())
    }
}

/// For a query without words that any tool has, such as a single letter of a script without
/// spaces: the tools in whose texts it stands.
fn containing<'a>(tools: &'a dyn Toolbox, query: &str, limit: usize) -> Vec<&'a str> {
    let wanted = query.to_lowercase();
    let has = |text: &str| {
        let end = dogu_tool::text::floor_boundary(text, MAX_SCANNED.min(text.len()));
        text[..end].to_lowercase().contains(&wanted)
    };
    let fits = |spec: &&ToolSpec| {
        !index::is_about_tools(spec)
            && (has(spec.name.as_str())
                || has(spec.title.as_deref().unwrap_or_default())
                || has(&spec.description))
    };
    let mut names: Vec<&str> = tools.specs().filter(fits).map(|spec| spec.name.as_str()).collect();
    names.sort_unstable();
    names.truncate(limit);
    names
}

impl SearchTools {
    fn index_of(&self, tools: &dyn Toolbox) -> Arc<Index> {
        let version = tools.version();
        let mut indexes = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = indexes.iter().position(|(of, _)| *of == version) {
            indexes[..=at].rotate_right(1);
        } else {
            indexes.insert(0, (version, Arc::new(Index::of(tools.specs()))));
            indexes.truncate(MAX_INDEXES);
        }
        Arc::clone(&indexes[0].1)
    }
}
