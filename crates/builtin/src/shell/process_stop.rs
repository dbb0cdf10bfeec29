//! `process_stop`: ends a process with everything that it started.

use std::time::Duration;

use dogu_tool::{Action, Category, Ctx, Group, Output, Scope, ToolError, ToolSpec, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::run::GRACE;
use super::show::{self, SHOWN_BYTES, State, left_behind, one_line};

/// Which one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Its id, or the name that it was given.
    id: String,
    /// At once, without asking it to end.
    #[serde(default)]
    force: bool,
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct ProcessStop;

impl TypedTool for ProcessStop {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>(
            "process_stop",
            "Ends a process and everything that it started: asked to first, killed after three seconds.",
        )
        .title("Stop a process")
        .in_group(Category::Execute, Group::Command)
        .primary("id")
        .non_blocking()
    }

    fn actions(&self, _: &Input, _: &Scope) -> Vec<Action> {
        Vec::new()
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        Some(show::partial("Stopping", partial_input, "id"))
    }

    async fn run(&self, input: Input, ctx: &Ctx) -> Result<Output, ToolError> {
        let process = ctx.processes().find(&input.id)?;
        let already = process.facts().end.is_some();
        if !already {
            process.stop(if input.force { Duration::ZERO } else { GRACE });
            process.ended().await;
        }
        let head = if already { "It had ended before." } else { "It was stopped." };
        let last = process.log().tail(20, SHOWN_BYTES);
        let shown = match last.text.trim_end() {
            "" => String::new(),
            written => format!("\n\nIts last output:\n{written}"),
        };
        let left = left_behind(&process).await;
        let text = format!("{head}\n{}{shown}{left}", one_line(&process));
        Ok(Output::with_structured(text, json!(State::of(&process))))
    }
}
