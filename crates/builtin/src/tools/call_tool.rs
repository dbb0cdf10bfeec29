//! `call_tool`: a name for clients whose list of tools does not change.
//!
//! The runtime reads such a call as one of the tool that it names, before anything else. What
//! arrives here named none.

use dogu_tool::{
    Action, CALL_TOOL, Ctx, Exposure, Output, SEARCH_TOOLS, Scope, ToolError, ToolSpec, TypedTool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Which tool, and its arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The tool's name, as the search of tools shows it.
    pub name: String,
    /// The tool's arguments, as its own schema has them.
    #[serde(default)]
    pub arguments: Map<String, Value>,
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct CallTool;

impl TypedTool for CallTool {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        let spec = ToolSpec::of::<Input>(
            CALL_TOOL,
            "Calls a tool that search_tools found, as if it had been called by its name.",
        );
        let spec = ToolSpec { exposure: Exposure::Deferred, ..spec };
        spec.title("Call tool")
            .primary("name")
            .alias("tool", "name")
            .alias("tool_name", "name")
            .alias("args", "arguments")
            .alias("input", "arguments")
            .alias("parameters", "arguments")
    }

    fn actions(&self, _: &Input, _: &Scope) -> Vec<Action> {
        Vec::new()
    }

    fn partial(&self, input: &Value) -> Option<String> {
        let name = input.get("name").and_then(Value::as_str).unwrap_or("...");
        Some(format!("Calling: {}", dogu_tool::text::truncate_marked(name, 100)))
    }

    async fn run(&self, _: Input, _: &Ctx) -> Result<Output, ToolError> {
        Err(ToolError::invalid(format!("{CALL_TOOL} calls other tools, not itself."))
            .suggest(format!("Name the tool that {SEARCH_TOOLS} found.")))
    }
}
