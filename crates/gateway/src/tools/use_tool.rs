//! `use_mcp_tool`: any tool of any server, by their names.

use std::sync::Arc;

use dogu_tool::{Category, Group, Plan, Scope, Tool, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::plan::CallPlan;
use crate::gateway::Servers;

/// What is called.
#[derive(Deserialize, JsonSchema)]
struct Input {
    /// The server, by its name in the settings.
    server_name: String,
    /// The tool, by its name at the server.
    tool_name: String,
    /// What the tool wants.
    #[serde(default)]
    arguments: Option<Map<String, Value>>,
}

/// The tool.
pub(crate) struct UseTool {
    spec: ToolSpec,
    servers: Arc<Servers>,
}

impl UseTool {
    pub(crate) fn new(servers: Arc<Servers>) -> Self {
        let mut spec = ToolSpec::of::<Input>(
            "use_mcp_tool",
            "Calls a tool of an MCP server that is set up here. Tools that are listed as server__tool are called by that name instead.",
        )
        .title("Use an MCP tool")
        .in_group(Category::Mcp, Group::Mcp)
        .primary("tool_name")
        .timeout(servers.longest());
        spec.non_blocking = true;
        Self { spec, servers }
    }
}

impl Tool for UseTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepare(&self, input: Value, _: &Scope) -> Result<Box<dyn Plan>, ToolError> {
        let input: Input = serde_json::from_value(input)
            .map_err(|error| ToolError::invalid(format!("Invalid arguments: {error}")))?;
        let server = self.servers.find(&input.server_name)?;
        let arguments = Value::Object(input.arguments.unwrap_or_default());
        // As if it had been called by its own name; a server that was never asked is asked first.
        let (arguments, changes) = match server.registered(&input.tool_name) {
            Some(tool) => tool.fit(arguments)?,
            None => (arguments, Vec::new()),
        };
        let mentions = self.servers.mentions();
        let plan = CallPlan::new(server, mentions, &input.tool_name, arguments)?;
        Ok(Box::new(plan.with_notes(changes)))
    }
}
