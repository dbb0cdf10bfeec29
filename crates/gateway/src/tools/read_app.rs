//! Reads a user interface of a server, for whoever shows it to a person. No model is offered this.

use std::sync::Arc;

use dogu_tool::{
    Action, BoxFuture, Category, ErrorCode, Exposure, Group, Output, Plan, Preview, ReadCaps,
    Scope, Tool, ToolContext, ToolError, ToolSpec,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::access_resource::reading;
use super::plan::{cannot_use, failed, patience};
use crate::apps;
use crate::clean::line;
use crate::gateway::Servers;
use crate::server::Server;
use crate::session::{Patience, Session};

/// The name of the tool.
pub(crate) const READ_APP: &str = "read_mcp_app";

/// What is read.
#[derive(Deserialize, JsonSchema)]
struct Input {
    /// The interface, by its address.
    uri: String,
}

/// The tool.
pub(crate) struct ReadApp {
    spec: ToolSpec,
    servers: Arc<Servers>,
}

impl ReadApp {
    pub(crate) fn new(servers: Arc<Servers>) -> Self {
        let mut spec = ToolSpec::of::<Input>(READ_APP, "Reads a user interface of an MCP server.")
            .title("Show the user interface of an MCP server")
            .in_group(Category::Mcp, Group::Mcp)
            .primary("uri")
            .polling()
            .timeout(servers.longest());
        spec.exposure = Exposure::Hidden;
        spec.non_blocking = true;
        Self { spec, servers }
    }
}

impl Tool for ReadApp {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepare(&self, input: Value, _: &Scope) -> Result<Box<dyn Plan>, ToolError> {
        let Input { uri: address } = serde_json::from_value(input)
            .map_err(|error| ToolError::invalid(format!("Invalid arguments: {error}")))?;
        let (server, uri) = apps::lookup(&address).ok_or_else(|| no_interface(&address))?;
        let found = Arc::clone(self.servers.find(&server)?);
        // The same as of any resource of the server.
        let actions = [reading(server, &uri)];
        Ok(Box::new(ReadPlan { server: found, address, uri, actions }))
    }
}

fn no_interface(address: &str) -> ToolError {
    let message = format!("There is no user interface at {}.", line(address, 500));
    ToolError::new(ErrorCode::NotFound, message)
}

struct ReadPlan {
    server: Arc<Server>,
    /// As everybody knows it.
    address: String,
    /// As the server does.
    uri: String,
    actions: [Action; 1],
}

impl Plan for ReadPlan {
    fn actions(&self) -> &[Action] {
        &self.actions
    }

    fn preview(&self, _: &dyn ReadCaps) -> Option<Preview> {
        let uri = line(&self.uri, 500);
        let summary =
            format!("Show the user interface {uri} of the MCP server {}", self.server.name);
        Some(Preview { summary, detail: None })
    }

    fn run(
        self: Box<Self>,
        ctx: Arc<dyn ToolContext>,
    ) -> BoxFuture<'static, Result<Output, ToolError>> {
        Box::pin(async move { self.read(ctx.as_ref()).await })
    }
}

impl ReadPlan {
    async fn read(&self, ctx: &dyn ToolContext) -> Result<Output, ToolError> {
        let server = &self.server;
        let session = server.ready().await.map_err(|error| cannot_use(&server.name, &error))?;
        let tell = |text: &str, fraction: Option<f32>| ctx.progress(text, fraction);
        let patience = patience(server, ctx, &tell);
        let mut listed = None;
        if !self.is_named() {
            listed = self.listed(&session, &patience).await?;
            if listed.is_none() {
                return Err(no_interface(&self.address));
            }
        }
        let read = match session.read(&self.uri, &patience).await {
            Ok(read) => read,
            Err(error) => return Err(failed(&server.name, &session, error).await),
        };
        let mut output = crate::result::interface(read, &self.address)?;
        // A server may say in its list alone how an interface is to be shown.
        if output.meta.is_empty() {
            if listed.is_none() {
                listed = self.listed(&session, &patience).await.unwrap_or_default();
            }
            output.meta = apps::resource_meta(&listed.unwrap_or_default());
        }
        Ok(output)
    }

    /// Whether a tool of the server names it.
    fn is_named(&self) -> bool {
        let tools = self.server.tools();
        tools.definitions.iter().any(|tool| apps::named(&tool.meta) == Some(self.uri.as_str()))
    }

    async fn listed(
        &self,
        session: &Session,
        patience: &Patience<'_>,
    ) -> Result<Option<Map<String, Value>>, ToolError> {
        match session.listed_resource(&self.uri, patience).await {
            Ok(listed) => Ok(listed),
            Err(error) => Err(failed(&self.server.name, session, error).await),
        }
    }
}
