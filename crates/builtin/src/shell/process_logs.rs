//! `process_logs`: what a process wrote.

use dogu_tool::{Action, Category, Ctx, Group, Output, Scope, ToolError, ToolSpec, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::read_command_output::{MAX_BYTES, pattern};
use super::show::{self, one_line};

/// How many lines are shown where nothing is said.
const DEFAULT_TAIL: usize = 100;
/// How many lines around each match.
const CONTEXT: usize = 2;
/// How many matches are shown.
const MAX_MATCHES: u64 = 100;

/// Which part of it to show.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Its id, or the name that it was given.
    id: String,
    /// So many of its last lines: 100 where nothing else is asked for.
    #[serde(default)]
    tail: Option<usize>,
    /// Only lines that match this regular expression, with those around them.
    #[serde(default)]
    search: Option<String>,
    /// Only stderr, and lines that tell of errors.
    #[serde(default)]
    errors_only: bool,
    /// Only what is new since this cursor, which an earlier answer gave.
    #[serde(default)]
    since: Option<u64>,
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct ProcessLogs;

impl TypedTool for ProcessLogs {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>(
            "process_logs",
            "Shows what a process wrote: its last lines, lines that match, errors, or what is new since a cursor.",
        )
        .title("Output of a process")
        .in_group(Category::Execute, Group::Command)
        .read_only()
        .primary("id")
        .polling()
    }

    fn actions(&self, _: &Input, _: &Scope) -> Vec<Action> {
        Vec::new()
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        Some(show::partial("Reading the output of", partial_input, "id"))
    }

    async fn run(&self, input: Input, ctx: &Ctx) -> Result<Output, ToolError> {
        let process = ctx.processes().find(&input.id)?;
        let log = process.log();
        let mut cursor = log.total();
        let text = if let Some(search) = &input.search {
            let found = log.search(&pattern(search)?, CONTEXT, MAX_MATCHES, MAX_BYTES);
            format!("{} lines match.\n{}", found.matches, found.text())
        } else if input.errors_only {
            let found = log.errors_only(input.tail.unwrap_or(DEFAULT_TAIL), MAX_BYTES);
            format!("{} lines tell of errors.\n{}", found.matches, found.text())
        } else if let Some(since) = input.since {
            let new = log.since(since, MAX_BYTES);
            cursor = new.cursor;
            new.text
        } else {
            let last = log.tail(input.tail.unwrap_or(DEFAULT_TAIL), MAX_BYTES);
            let more = if last.more { "[earlier lines are left out]\n" } else { "" };
            format!("{more}{}", last.text)
        };
        let shown = if text.trim().is_empty() { "(nothing)" } else { text.trim_end() };
        let state = one_line(&process);
        let answer = format!("{state}\n\n{shown}\n\n[new lines: `since: {cursor}`]");
        Ok(Output::with_structured(answer, json!({ "output": text, "cursor": cursor })))
    }
}
