//! How the server presents itself and whom it lets in.

use rmcp::model::{Implementation, ServerCapabilities, ServerConfig};

/// What a client is told about the server, and which clients HTTP admits.
#[derive(Clone, Debug)]
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
        }
    }
}

impl ServeOptions {
    /// What `initialize` and `server/discover` answer.
    pub(crate) fn config(&self) -> ServerConfig {
        let tools_only = ServerCapabilities::builder().enable_tools().build();
        let config = ServerConfig::new(tools_only)
            .with_server_info(Implementation::new(&self.name, &self.version));
        match &self.instructions {
            Some(instructions) => config.with_instructions(instructions),
            None => config,
        }
    }
}
