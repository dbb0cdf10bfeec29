//! `read_command_output`: pages and searches what a command wrote.

use dogu_tool::{Action, Category, Ctx, Group, Output, Scope, ToolError, ToolSpec, TypedTool};
use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::show;

/// How much one answer shows.
pub(super) const MAX_BYTES: usize = 40_000;
/// How many lines a page has where nothing is said.
const DEFAULT_LINES: u64 = 500;
/// How many matches are shown.
const MAX_MATCHES: u64 = 200;
/// How large a regular expression may become.
const MAX_REGEX: usize = 4 * 1024 * 1024;

/// Which part of it to show.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The id that the command's result gave.
    id: String,
    /// The first line, from 1.
    #[serde(default)]
    offset: Option<u64>,
    /// How many lines: 500 where absent.
    #[serde(default)]
    limit: Option<u64>,
    /// Only lines that match this regular expression, whatever the case of letters.
    #[serde(default)]
    search: Option<String>,
    /// Lines before and after each match.
    #[serde(default)]
    context: usize,
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct ReadCommandOutput;

impl TypedTool for ReadCommandOutput {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>(
            "read_command_output",
            "Shows the whole output of a command whose result was cut: by pages of lines, or the lines that match.",
        )
        .title("Read a command's output")
        .in_group(Category::Execute, Group::Command)
        .read_only()
        .primary("id")
        .alias("artifact_id", "id")
        .polling()
    }

    fn actions(&self, _: &Input, _: &Scope) -> Vec<Action> {
        Vec::new()
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        Some(show::partial("Reading the output of", partial_input, "id"))
    }

    async fn run(&self, input: Input, ctx: &Ctx) -> Result<Output, ToolError> {
        let output = ctx.processes().output(&input.id)?;
        if let Some(search) = &input.search {
            let found = output.search(&pattern(search)?, input.context, MAX_MATCHES, MAX_BYTES);
            let more =
                if found.more { "\n[more lines match; make the search narrower]" } else { "" };
            let text = match found.matches {
                0 => "No line matches.".to_owned(),
                1 => format!("1 line matches.\n{}", found.text()),
                matches => format!("{matches} lines match.\n{}{more}", found.text()),
            };
            return Ok(Output::with_structured(text, json!({ "matches": found.matches })));
        }
        let first = input.offset.unwrap_or(1).max(1);
        let page = output.page(first, input.limit.unwrap_or(DEFAULT_LINES).max(1), MAX_BYTES);
        let mut text = match (page.lines, first) {
            (0, 1) => "(no output)".to_owned(),
            (0, _) => format!("There is no line {first}."),
            _ => page.text.trim_end().to_owned(),
        };
        if let Some(next) = page.next {
            text.push_str(&format!(
                "\n\n[lines {first} to {}; go on with `offset: {next}`]",
                next - 1
            ));
        }
        let structured = json!({ "first": page.first, "lines": page.lines, "next": page.next });
        Ok(Output::with_structured(text, structured))
    }
}

/// A regular expression of a model's.
pub(super) fn pattern(text: &str) -> Result<Regex, ToolError> {
    let built = RegexBuilder::new(text).case_insensitive(true).size_limit(MAX_REGEX).build();
    built.map_err(|error| {
        ToolError::invalid(format!("`search` is no regular expression: {error}")).suggest(
            "Put a backslash before characters such as ( [ { * + ? . that stand for themselves.",
        )
    })
}
