//! `access_mcp_resource`: reads a resource of a server.

use std::sync::Arc;

use dogu_tool::{
    Action, BoxFuture, Category, Group, Output, Plan, Preview, ReadCaps, Scope, Tool, ToolContext,
    ToolError, ToolSpec,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::plan::{cannot_use, failed, patience};
use crate::clean::{cleaned, line};
use crate::gateway::Servers;
use crate::server::Server;

/// How long an address may be.
const MAX_URI: usize = 4_000;

/// What is read.
#[derive(Deserialize, JsonSchema)]
struct Input {
    /// The server, by its name in the settings.
    server_name: String,
    /// The resource's address, as the server gave it.
    uri: String,
}

/// The tool.
pub(crate) struct AccessResource {
    spec: ToolSpec,
    servers: Arc<Servers>,
}

impl AccessResource {
    pub(crate) fn new(servers: Arc<Servers>) -> Self {
        let mut spec = ToolSpec::of::<Input>(
            "access_mcp_resource",
            "Reads a resource of an MCP server that is set up here.",
        )
        .title("Read an MCP resource")
        .in_group(Category::Mcp, Group::Mcp)
        .primary("uri")
        .timeout(servers.longest());
        spec.non_blocking = true;
        Self { spec, servers }
    }
}

impl Tool for AccessResource {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepare(&self, input: Value, _: &Scope) -> Result<Box<dyn Plan>, ToolError> {
        let Input { server_name, uri } = serde_json::from_value(input)
            .map_err(|error| ToolError::invalid(format!("Invalid arguments: {error}")))?;
        let server = Arc::clone(self.servers.find(&server_name)?);
        if uri.is_empty() || uri.len() > MAX_URI || cleaned(&uri) != uri {
            return Err(ToolError::invalid("the uri is empty, too long or has hidden characters"));
        }
        let actions = [reading(server_name, &uri)];
        Ok(Box::new(ReadPlan { server, uri, actions }))
    }
}

/// Its own kind of action: a grant for a tool says nothing about resources.
pub(super) fn reading(server: String, uri: &str) -> Action {
    Action::Mcp { server, tool: format!("resource:{uri}") }
}

struct ReadPlan {
    server: Arc<Server>,
    uri: String,
    actions: [Action; 1],
}

impl Plan for ReadPlan {
    fn actions(&self) -> &[Action] {
        &self.actions
    }

    fn preview(&self, _: &dyn ReadCaps) -> Option<Preview> {
        let uri = line(&self.uri, 500);
        let summary = format!("Read {uri} of the MCP server {}", self.server.name);
        Some(Preview { summary, detail: None })
    }

    fn run(
        self: Box<Self>,
        ctx: Arc<dyn ToolContext>,
    ) -> BoxFuture<'static, Result<Output, ToolError>> {
        Box::pin(async move {
            let server = &self.server;
            let session = server.ready().await.map_err(|error| cannot_use(&server.name, &error))?;
            let tell = |text: &str, fraction: Option<f32>| ctx.progress(text, fraction);
            match session.read(&self.uri, &patience(server, ctx.as_ref(), &tell)).await {
                Ok(result) => Ok(crate::result::resource(result)),
                Err(error) => Err(failed(&server.name, &session, error).await),
            }
        })
    }
}
