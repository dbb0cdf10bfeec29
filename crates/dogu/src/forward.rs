//! What clients of `dogu serve` have of the servers behind the gateway: their tools, loaded when
//! one is called that is not known yet, the user interfaces of these, and their questions, shown by the client of the call that
//! they belong to, under the server's name.

use std::sync::Arc;

use dogu_gateway::{APP_MIME, App, Elicitation, Elicitor, Gateway, Reply, Wants};
use dogu_mcp::model::Resource;
use dogu_mcp::{Clients, Offers};
use dogu_tool::BoxFuture;
use serde_json::Value;

use crate::setup::warn_unusable;

/// The tools of the gateway's servers.
pub(crate) struct ServerTools(pub(crate) Gateway);

impl Offers for ServerTools {
    fn resources(&self) -> Vec<Resource> {
        let resource = |app: App| {
            Resource::new(app.uri, format!("{}: {}", app.server, app.tool)).with_mime_type(APP_MIME)
        };
        self.0.apps().into_iter().map(resource).collect()
    }

    fn read_by_call(&self, uri: &str) -> Option<(&'static str, Value)> {
        self.0.app_call(uri)
    }

    fn load<'a>(&'a self, tool: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(async move { warn_unusable(&self.0.load_for(tool).await) })
    }
}

/// Asks the clients of `dogu serve`.
pub(crate) struct Forward(pub(crate) Clients);

impl Forward {
    /// As the gateway takes it.
    pub(crate) fn to(clients: &Clients) -> Arc<dyn Elicitor> {
        Arc::new(Self(clients.clone()))
    }

    async fn ask(&self, question: &Elicitation) -> Reply {
        let client = question.call.as_deref().and_then(|call| self.0.of(call));
        let Some(client) = client else {
            let server = &question.server;
            tracing::warn!(target: "dogu", server, "its question belongs to no call, and is declined");
            return Reply::Decline;
        };
        let message = format!(
            "The MCP server \"{}\" asks this, not dogu:\n\n{}",
            question.server, question.message
        );
        let said = match &question.wants {
            Wants::Values(schema) => client.ask_form(&message, schema).await,
            Wants::Visit(url) => client.ask_to_visit(&message, url).await,
        };
        said.map_or(Reply::Decline, |said| reply(&said))
    }
}

impl Elicitor for Forward {
    fn elicit<'a>(&'a self, question: &'a Elicitation) -> BoxFuture<'a, Reply> {
        Box::pin(self.ask(question))
    }
}

/// Only a plain yes is one.
fn reply(said: &Value) -> Reply {
    match said["action"].as_str() {
        Some("accept") => Reply::Accept(said["content"].clone()),
        Some("cancel") => Reply::Cancel,
        _ => Reply::Decline,
    }
}
