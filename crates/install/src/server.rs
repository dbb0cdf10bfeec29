//! What a client is told about a server.

use serde_json::{Map, Value, json};

use crate::client::Client;
use crate::edit;

/// How long a client may wait for a call, in seconds: one that asks a person takes its time.
const GOOSE_TIMEOUT_SECONDS: u64 = 300;

/// A server as a client shall know it.
#[derive(Clone, Debug)]
pub struct Server {
    /// The name of the entry.
    pub name: String,
    /// How it is reached.
    pub transport: Transport,
}

/// How a server is reached.
#[derive(Clone, Debug)]
pub enum Transport {
    /// The client starts it.
    Stdio {
        /// The program, by its absolute path: apps with a window have no search path.
        program: String,
        /// Its arguments.
        arguments: Vec<String>,
    },
    /// It listens already.
    Http {
        /// Where.
        url: String,
        /// The token that it asks for.
        token: String,
    },
}

/// Why an entry cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// Clients build names of tools from it.
    #[error("{0:?} is no name for a server: letters, digits, `-` and `_`, at most 64")]
    Name(String),
    /// The client only starts servers itself.
    #[error("{} reads no address from its settings: it starts its servers itself", .0.title())]
    NoHttp(Client),
}

impl Server {
    /// The entry, as the client's file holds it.
    pub fn entry(&self, client: Client) -> Result<Value, ServerError> {
        check_name(&self.name)?;
        match &self.transport {
            Transport::Stdio { program, arguments } => Ok(self.stdio(client, program, arguments)),
            Transport::Http { url, token } => self.http(client, url, token),
        }
    }

    fn stdio(&self, client: Client, program: &str, arguments: &[String]) -> Value {
        let plain = json!({"command": program, "args": arguments});
        match client {
            Client::ClaudeCode | Client::VsCode => with_first("type", "stdio".into(), plain),
            Client::OpenCode => {
                let line: Vec<&str> =
                    std::iter::once(program).chain(arguments.iter().map(String::as_str)).collect();
                json!({"type": "local", "command": line, "enabled": true})
            }
            Client::Goose => json!({
                "enabled": true, "type": "stdio", "name": self.name, "description": DESCRIPTION,
                "cmd": program, "args": arguments, "envs": {}, "timeout": GOOSE_TIMEOUT_SECONDS,
            }),
            Client::Continue => with_first("name", self.name.clone().into(), plain),
            Client::ClaudeDesktop
            | Client::Codex
            | Client::Cursor
            | Client::Zed
            | Client::Gemini
            | Client::Roo
            | Client::JetBrains => plain,
        }
    }

    fn http(&self, client: Client, url: &str, token: &str) -> Result<Value, ServerError> {
        let headers = json!({"Authorization": format!("Bearer {token}")});
        let plain = json!({"url": url, "headers": headers});
        Ok(match client {
            Client::ClaudeDesktop => return Err(ServerError::NoHttp(client)),
            Client::ClaudeCode | Client::VsCode => with_first("type", "http".into(), plain),
            Client::Roo => with_first("type", "streamable-http".into(), plain),
            Client::Codex => json!({"url": url, "http_headers": headers}),
            Client::Gemini => json!({"httpUrl": url, "headers": headers}),
            Client::OpenCode => {
                json!({"type": "remote", "url": url, "headers": headers, "enabled": true})
            }
            Client::Goose => json!({
                "enabled": true, "type": "streamable_http", "name": self.name,
                "description": DESCRIPTION, "uri": url, "headers": headers, "envs": {},
                "timeout": GOOSE_TIMEOUT_SECONDS,
            }),
            Client::Continue => json!({
                "name": self.name, "type": "streamable-http", "url": url,
                "requestOptions": {"headers": headers},
            }),
            Client::Cursor | Client::Zed | Client::JetBrains => plain,
        })
    }

    /// What to paste where the file cannot be changed: a whole file with nothing else in it.
    pub fn snippet(&self, client: Client) -> Result<String, ServerError> {
        Ok(edit::fresh(client.place(), head(client), &self.name, &self.entry(client)?))
    }
}

/// What Goose shows of an extension.
const DESCRIPTION: &str = "Files, search and commands behind one permission gate";

/// What a new file of the client needs besides the servers.
pub(crate) const fn head(client: Client) -> &'static str {
    match client {
        Client::Continue => "name: dogu\nversion: 1.0.0\nschema: v1\n",
        _ => "",
    }
}

fn with_first(key: &str, value: Value, entry: Value) -> Value {
    let mut all = Map::new();
    all.insert(key.to_owned(), value);
    if let Value::Object(rest) = entry {
        all.extend(rest);
    }
    Value::Object(all)
}

fn check_name(name: &str) -> Result<(), ServerError> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let fine = !name.is_empty() && name.len() <= 64 && name.chars().all(fits);
    // What stands at the beginning could be taken for an option, or in YAML for a list.
    if fine && !name.starts_with('-') { Ok(()) } else { Err(ServerError::Name(name.to_owned())) }
}

/// Where the working folder of a started server is the project's, it needs no `--root`. This is
/// what to give it elsewhere; none where the client knows no word for it.
pub const fn project_variable(client: Client) -> Option<&'static str> {
    match client {
        Client::VsCode | Client::Cursor => Some("${workspaceFolder}"),
        _ => None,
    }
}

/// Whether the client starts servers in a folder that has nothing to do with a project.
pub const fn has_no_project(client: Client) -> bool {
    matches!(client, Client::ClaudeDesktop)
}
