//! How the server presents itself, whom it lets in, and what it offers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{Implementation, ServerCapabilities, ServerConfig};

use crate::ask::link::Clients;
use crate::compat;
use crate::offers::Offers;

/// What a client is told about the server, which clients HTTP admits, and how they are served.
#[derive(Clone)]
pub struct ServeOptions {
    /// The server's name.
    pub name: String,
    /// The server's version.
    pub version: String,
    /// What the client's model should know before it calls anything.
    pub instructions: Option<String>,
    /// Lets HTTP listen on an address that other machines can reach.
    pub allow_remote: bool,
    /// More values of the `Host` header that HTTP accepts; loopback and the bound address always are.
    pub allowed_hosts: Vec<String>,
    /// Values of the `Origin` header that HTTP accepts; without any, no web page can call.
    pub allowed_origins: Vec<String>,
    /// Asks the person behind the client about calls that need approval, where the client can
    /// show a form. Elsewhere, and without this, the runtime's own delegate is asked, if any.
    pub ask_client: bool,
    /// How long a call may take before a client that knows tasks gets one in its place.
    pub task_after: Duration,
    /// How long a connection over HTTP may be open without a request.
    pub head_time: Duration,
    /// How long calls may go on after a client has closed its side of stdio.
    pub end_grace: Duration,
    /// Resources and prompts besides dogu's own.
    pub offers: Vec<Arc<dyn Offers>>,
    /// The clients behind calls, for tools that ask them something.
    pub clients: Option<Clients>,
    /// Also speaks what the protocol has given up: log messages, subscriptions to resources.
    pub compat: bool,
}

impl fmt::Debug for ServeOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServeOptions")
            .field("name", &self.name)
            .field("ask_client", &self.ask_client)
            .field("offers", &self.offers.len())
            .finish_non_exhaustive()
    }
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            name: "dogu".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instructions: None,
            allow_remote: false,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            ask_client: false,
            task_after: Duration::from_secs(5),
            head_time: Duration::from_mins(1),
            end_grace: Duration::from_millis(60),
            offers: Vec::new(),
            clients: None,
            compat: false,
        }
    }
}

impl ServeOptions {
    /// What `initialize` and `server/discover` answer.
    pub(crate) fn config(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .enable_tasks()
            .build();
        if self.compat {
            compat::declare(&mut capabilities);
        }
        let config = ServerConfig::new(capabilities)
            .with_server_info(Implementation::new(&self.name, &self.version));
        match &self.instructions {
            Some(instructions) => config.with_instructions(instructions),
            None => config,
        }
    }
}
