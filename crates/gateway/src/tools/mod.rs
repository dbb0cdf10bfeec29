//! Tools of servers as dogu's own, and the two that reach any server by its name.

mod access_resource;
mod plan;
mod read_app;
mod use_tool;

use std::sync::Arc;
use std::time::Duration;

use dogu_tool::{Category, Exposure, Group, Plan, Scope, Tool, ToolError, ToolName, ToolSpec};
use serde_json::{Value, json};

pub(crate) use access_resource::AccessResource;
use plan::CallPlan;
pub(crate) use read_app::{READ_APP, ReadApp};
pub(crate) use use_tool::UseTool;

use crate::apps;
use crate::definition::Definition;
use crate::mentions::Mentions;
use crate::server::Server;

/// What a call may take besides the server's own time: its start, and a moment to say how it ended.
const BESIDES: Duration = Duration::from_secs(5);

/// A tool of a server.
pub(crate) struct ServerTool {
    spec: ToolSpec,
    server: Arc<Server>,
    mentions: Arc<Mentions>,
    key: String,
}

impl ServerTool {
    pub(crate) fn new(
        name: &ToolName,
        tool: &Definition,
        server: &Arc<Server>,
        mentions: &Arc<Mentions>,
    ) -> Result<Self, ToolError> {
        let described = described(tool, server);
        let mut spec = ToolSpec::new(name.as_str(), described, tool.input_schema.clone())
            .map_err(|error| ToolError::invalid(error.to_string()))?
            .in_group(Category::Mcp, Group::Mcp)
            .timeout(longest(server));
        spec.title = tool.title.as_ref().map(|title| format!("{}: {title}", server.name));
        spec.output_schema.clone_from(&tool.output_schema);
        spec.meta = apps::tool_meta(&server.name, &tool.meta);
        if apps::is_for_apps_only(&tool.meta) {
            spec.exposure = Exposure::Hidden;
        }
        spec.non_blocking = true;
        let (server, mentions) = (Arc::clone(server), Arc::clone(mentions));
        Ok(Self { spec, server, mentions, key: tool.key.clone() })
    }

    /// The same without what cannot be checked by: whoever reads it still sees the schema.
    pub(crate) fn without_schemas(mut self) -> Self {
        let schema = crate::clean::cut(&self.spec.input_schema.to_string(), 4_000).into_owned();
        self.spec.description.push_str("\nIts arguments, which are not checked here: ");
        self.spec.description.push_str(&schema);
        self.spec.input_schema = json!({"type": "object", "additionalProperties": true});
        self.spec.output_schema = None;
        self
    }
}

/// A server's own words, marked as such.
fn described(tool: &Definition, server: &Server) -> String {
    let words = if tool.description.is_empty() { &tool.name } else { &tool.description };
    format!("[MCP server {}] {words}", crate::clean::line(&server.name, 100))
}

/// The longest that a call can take: the pipeline ends it then, whatever the server does.
pub(crate) fn longest(server: &Server) -> Duration {
    let settings = &server.settings;
    settings.startup_time() * 3 + settings.longest_call() + BESIDES
}

impl Tool for ServerTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepare(&self, input: Value, _: &Scope) -> Result<Box<dyn Plan>, ToolError> {
        Ok(Box::new(CallPlan::new(&self.server, &self.mentions, &self.key, input)?))
    }
}
