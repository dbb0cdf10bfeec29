//! `process_list`: the processes that run on.

use dogu_tool::{Action, Category, Ctx, Group, Output, Scope, ToolError, ToolSpec, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::show::{State, one_line};

/// Nothing to choose.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct ProcessList;

impl TypedTool for ProcessList {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>(
            "process_list",
            "Lists the processes that were started to run on, and the last ones that ended.",
        )
        .title("List processes")
        .in_group(Category::Execute, Group::Command)
        .read_only()
        .polling()
        .non_blocking()
    }

    fn actions(&self, _: &Input, _: &Scope) -> Vec<Action> {
        Vec::new()
    }

    fn partial(&self, _: &Value) -> Option<String> {
        Some("Listing processes".to_owned())
    }

    async fn run(&self, _: Input, ctx: &Ctx) -> Result<Output, ToolError> {
        let all = ctx.processes().kept();
        let states: Vec<State> = all.iter().map(State::of).collect();
        let lines: Vec<String> = all.iter().map(one_line).collect();
        let text = if lines.is_empty() { "There are none.".to_owned() } else { lines.join("\n") };
        Ok(Output::with_structured(text, json!({ "processes": states })))
    }
}
