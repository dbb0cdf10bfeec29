//! `view_repo_map`: what a code base defines, the most referred to first.
//!
//! `gather.rs` walks and parses, with `visitor.rs` on each thread and `kept.rs` for what is known
//! from earlier calls; `dogu_code::map` ranks and renders; `report.rs` says what was left out.

mod gather;
mod kept;
mod report;
mod totals;
mod visitor;

use std::path::PathBuf;

use dogu_code::map::{Focus, MappedFile, rank, render};
use dogu_tool::{Action, Category, Ctx, Group, Output, Scope, ToolError, ToolSpec, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use gather::{Gathered, gather};
use report::Report;

/// How many tokens a map takes where nothing is said.
const DEFAULT_TOKENS: usize = 4_000;
/// With fewer there would be no room for what was left out.
const MIN_TOKENS: usize = 100;
/// More than a model reads at once, and less than what is spilled to a file.
const MAX_TOKENS: usize = 50_000;

/// What to map.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The folder or file to map, relative to the working folder or absolute.
    #[serde(default = "here")]
    path: String,
    /// How long the answer may be, in tokens; 4000 where it is not given.
    #[serde(default)]
    #[schemars(range(min = 100, max = 50000))]
    max_tokens: Option<usize>,
    /// What you work on: files, folders and names of definitions. They, and what they refer to, come first.
    #[serde(default)]
    focus: Vec<String>,
}

fn here() -> String {
    ".".to_owned()
}

impl Input {
    fn tokens(&self) -> usize {
        self.max_tokens.unwrap_or(DEFAULT_TOKENS).clamp(MIN_TOKENS, MAX_TOKENS)
    }

    /// What is asked for, with paths as the map shows them.
    fn focus(&self, scope: &Scope) -> Focus {
        let shown = |word: &String| {
            if !word.contains(['/', '.']) {
                return word.clone();
            }
            let path: PathBuf = scope.resolve(word).components().collect();
            scope.display(&path)
        };
        // All of the working folder is no focus.
        Focus { words: self.focus.iter().map(shown).filter(|word| word != ".").collect() }
    }
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct ViewRepoMap;

impl TypedTool for ViewRepoMap {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>(
            "view_repo_map",
            "Shows what a code base defines. Types, functions and their signatures with line numbers, the files that the rest refers to most first, as much as fits into max_tokens. Use it to get to know a code base, or with focus to see what matters for the code that you work on.",
        )
        .title("View repository map")
        .in_group(Category::Filesystem, Group::Read)
        .read_only()
        .primary("path")
        .alias("mentioned", "focus")
        .alias("budget", "max_tokens")
    }

    fn actions(&self, input: &Input, scope: &Scope) -> Vec<Action> {
        vec![Action::read_tree(scope.resolve(&input.path))]
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        let path = partial_input.get("path").and_then(Value::as_str).unwrap_or("...");
        Some(format!("Mapping code: {path}"))
    }

    async fn run(&self, input: Input, ctx: &Ctx) -> Result<Output, ToolError> {
        let gathered = gather(&input.path, ctx)?;
        let report = Report::new(&input.path, &gathered, input.tokens());
        if let Some(answer) = report.nothing() {
            return Ok(answer.into());
        }
        let files = mapped(&gathered);
        let focus = input.focus(ctx.scope());
        let ranking = rank(&files, &focus);
        ctx.cancel().check()?;
        let notes = report.notes(&focus.unknown(&files));
        let map = render(&files, &ranking, report.room(&notes));
        Ok(report.text(&map, &notes).into())
    }
}

fn mapped(gathered: &Gathered) -> Vec<MappedFile<'_>> {
    let files = gathered.code.iter();
    files.map(|(path, outline)| MappedFile { path, outline }).collect()
}
