//! `process_send`: types into a process.

use std::time::Duration;

use dogu_tool::{Action, Category, Ctx, Group, Output, Scope, ToolError, ToolSpec, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::show::{self, SHOWN_BYTES, one_line};

/// How long an answer is waited for.
const ANSWER: Duration = Duration::from_millis(800);
/// How long it must be quiet for the answer to be whole.
const QUIET: Duration = Duration::from_millis(150);
/// How much may be sent at once.
const MAX_INPUT: usize = 64 * 1024;

/// What to type.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the model calls it so")]
pub struct Input {
    /// Its id, or the name that it was given.
    id: String,
    /// The text. Keys at a terminal as their characters: `\u0003` is Ctrl-C, `\u0004` Ctrl-D,
    /// `\u001b` Escape.
    input: String,
    /// Press Enter after it.
    #[serde(default = "yes")]
    newline: bool,
    /// Close its input afterwards: there is no more to come.
    #[serde(default)]
    close: bool,
}

fn yes() -> bool {
    true
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct ProcessSend;

impl TypedTool for ProcessSend {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>(
            "process_send",
            "Sends input to a process that process_start began, and shows what it answers.",
        )
        .title("Send input to a process")
        .in_group(Category::Execute, Group::Command)
        .primary("id")
    }

    fn actions(&self, input: &Input, _: &Scope) -> Vec<Action> {
        // A shell at a terminal runs what is typed: it is a command that nobody could analyse.
        let details = json!({ "id": input.id, "input": input.input });
        vec![Action::Custom { name: "process_send".to_owned(), details }]
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        Some(show::partial("Typing into", partial_input, "id"))
    }

    async fn run(&self, input: Input, ctx: &Ctx) -> Result<Output, ToolError> {
        let process = ctx.processes().find(&input.id)?;
        if input.input.len() > MAX_INPUT {
            return Err(ToolError::invalid(format!(
                "The input has {} bytes; at most {MAX_INPUT} can be sent at once.",
                input.input.len()
            )));
        }
        let mut bytes = input.input.into_bytes();
        if input.newline {
            bytes.push(if process.facts().terminal { b'\r' } else { b'\n' });
        }
        let seen = process.log().total();
        let taken = process.send(&bytes)?;
        if input.close {
            process.close_input();
        }
        let _ = tokio::time::timeout(ANSWER, process.written(seen)).await;
        while process.log().last_output().elapsed() < QUIET && !process.log().is_closed() {
            tokio::time::sleep(QUIET / 3).await;
        }
        let answer = process.log().since(seen, SHOWN_BYTES);
        let mut text = format!("{}\n\n", one_line(&process));
        if taken < bytes.len() {
            text.push_str(&format!(
                "[Only {taken} of {} bytes were taken: it does not read its input.]\n",
                bytes.len()
            ));
        }
        text.push_str(match answer.text.trim_end() {
            "" => "(no output so far)",
            written => written,
        });
        let structured = json!({ "sent": taken, "output": answer.text, "cursor": answer.cursor });
        Ok(Output::with_structured(text, structured))
    }
}
