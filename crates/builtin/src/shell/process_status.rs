//! `process_status`: how a process does.

use dogu_tool::{Action, Category, Ctx, Group, Output, Scope, ToolError, ToolSpec, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::run::seconds;
use super::show::{self, State, left_behind, one_line};

/// Which one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Its id, or the name that it was given.
    id: String,
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct ProcessStatus;

impl TypedTool for ProcessStatus {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>(
            "process_status",
            "Says how a process does: whether it runs, for how long, at which ports it listens, how much it wrote, how it ended.",
        )
        .title("State of a process")
        .in_group(Category::Execute, Group::Command)
        .read_only()
        .primary("id")
        .polling()
        .non_blocking()
    }

    fn actions(&self, _: &Input, _: &Scope) -> Vec<Action> {
        Vec::new()
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        Some(show::partial("Looking at", partial_input, "id"))
    }

    async fn run(&self, input: Input, ctx: &Ctx) -> Result<Output, ToolError> {
        let process = ctx.processes().find(&input.id)?;
        let facts = process.facts();
        let mut text = one_line(&process);
        text.push_str(&format!(
            "\nfolder: {}\nsandbox: {}\noutput: {} bytes, the last {} ago",
            facts.cwd.display(),
            facts.sandbox,
            process.log().total(),
            seconds(process.log().last_output().elapsed()),
        ));
        if let Some(waits) = process.waits() {
            text.push_str(&format!("\nIt {}.", waits.words()));
        }
        text.push_str(&left_behind(&process).await);
        Ok(Output::with_structured(text, json!(State::of(&process))))
    }
}
