//! Other MCP servers: `mcp_servers` in settings, and `mcpServers` as other programs write it.
//!
//! ```yaml
//! mcp_servers:
//!   github:
//!     command: npx
//!     args: ["-y", "@modelcontextprotocol/server-github"]
//!     env: { GITHUB_TOKEN: "${env:GITHUB_TOKEN}" }
//!     always_allow: [get_issue]
//!   docs:
//!     url: https://docs.example.com/mcp
//!     headers: { Authorization: "Bearer ${DOCS_TOKEN}" }
//! ```

mod expand;
mod file;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use expand::{ExpandError, Expander};

/// How long a call may take, where nothing is said.
const DEFAULT_TIMEOUT: Duration = Duration::from_mins(1);
/// How long a server may take to start, where nothing is said: many are downloaded first.
const DEFAULT_STARTUP: Duration = Duration::from_secs(30);
/// How many times its time a call may take that reports progress, where nothing is said.
const EXTENDED: u32 = 10;

/// Which protocol a server speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Era {
    /// Find out.
    #[default]
    Auto,
    /// With `initialize`, up to 2025-11-25.
    Legacy,
    /// Without, since 2026-07-28.
    Modern,
}

/// One server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written")]
pub struct McpServer {
    /// How it is reached.
    #[serde(flatten)]
    pub place: Place,
    /// It is not used.
    pub disabled: bool,
    /// Tools that run without asking, where the settings approve of such.
    pub always_allow: Vec<String>,
    /// Tools that are neither shown nor called.
    pub disabled_tools: Vec<String>,
    /// Seconds that a call may take without a word from the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// Seconds that a call may take at most, whatever progress it reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_timeout: Option<u64>,
    /// Seconds that the server may take to start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub startup_timeout: Option<u64>,
    /// Which protocol it speaks.
    pub era: Era,
    /// A program that lives among the processes of the machine: it sees them, and set-uid programs
    /// work for it. Otherwise it has process numbers of its own where the kernel can do that, and
    /// nothing of it outlives it.
    pub shared_processes: bool,
    /// How one logs in there, where the server itself does not say all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oauth: Option<OAuthSettings>,
}

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Place {
    /// It is started, and spoken with over its input and output.
    Program {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables that it gets besides the usual ones.
        env: BTreeMap<String, String>,
        /// The folder that it starts in; the workspace where nothing is said.
        #[serde(skip_serializing_if = "Option::is_none")]
        cwd: Option<PathBuf>,
    },
    /// It is at an address.
    Address {
        /// The address.
        url: String,
        /// What is sent with every request.
        headers: BTreeMap<String, String>,
    },
}

impl Default for Place {
    fn default() -> Self {
        Self::Program { command: String::new(), args: Vec::new(), env: BTreeMap::new(), cwd: None }
    }
}

/// What is known of a login before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OAuthSettings {
    /// The client that was registered for dogu there; dogu registers itself where there is none.
    pub client_id: Option<String>,
    /// Where a document describes this client, for servers that look there instead of having
    /// clients registered.
    pub client_metadata_url: Option<String>,
    /// Its secret. With one and `client_credentials` nobody needs to log in.
    pub client_secret: Option<String>,
    /// Log in as the client itself, not as a person.
    pub client_credentials: bool,
    /// What to ask for, where the server does not say it.
    pub scopes: Vec<String>,
    /// The port of this machine to which the browser comes back; any free one where absent.
    pub callback_port: Option<u16>,
}

impl McpServer {
    /// A server that is started.
    pub fn program<Word: Into<String>>(
        command: impl Into<String>,
        args: impl IntoIterator<Item = Word>,
    ) -> Self {
        let place = Place::Program {
            command: command.into(),
            args: args.into_iter().map(Into::into).collect(),
            env: BTreeMap::new(),
            cwd: None,
        };
        Self { place, ..Self::default() }
    }

    /// A server at an address.
    pub fn address(url: impl Into<String>) -> Self {
        let place = Place::Address { url: url.into(), headers: BTreeMap::new() };
        Self { place, ..Self::default() }
    }

    /// How long a call may take without a word from the server.
    pub fn call_time(&self) -> Duration {
        self.timeout.map_or(DEFAULT_TIMEOUT, Duration::from_secs)
    }

    /// How long a call may take at most.
    pub fn longest_call(&self) -> Duration {
        let most = || self.call_time().saturating_mul(EXTENDED);
        self.max_timeout.map_or_else(most, Duration::from_secs).max(self.call_time())
    }

    /// How long the server may take to start.
    pub fn startup_time(&self) -> Duration {
        self.startup_timeout.map_or(DEFAULT_STARTUP, Duration::from_secs)
    }

    /// What an untrusted workspace says of a server of its user: only what takes away counts.
    pub(super) fn tightened_by(&mut self, theirs: Self) {
        self.disabled |= theirs.disabled;
        self.disabled_tools.extend(theirs.disabled_tools);
    }
}

/// A server as it is written: one of two kinds, told apart by what is there.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Written {
    command: Option<String>,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    cwd: Option<PathBuf>,
    url: Option<String>,
    headers: BTreeMap<String, String>,
    disabled: bool,
    #[serde(alias = "alwaysAllow")]
    always_allow: Vec<String>,
    #[serde(alias = "disabledTools")]
    disabled_tools: Vec<String>,
    timeout: Option<u64>,
    #[serde(alias = "maxTimeout")]
    max_timeout: Option<u64>,
    #[serde(alias = "startupTimeout")]
    startup_timeout: Option<u64>,
    era: Era,
    #[serde(alias = "sharedProcesses")]
    shared_processes: bool,
    oauth: Option<OAuthSettings>,
}

impl TryFrom<Written> for McpServer {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        for (name, seconds) in [
            ("timeout", written.timeout),
            ("max_timeout", written.max_timeout),
            ("startup_timeout", written.startup_timeout),
        ] {
            if seconds == Some(0) {
                return Err(format!("`{name}` is 0 seconds; leave it out for the default"));
            }
        }
        // Whoever only switches a server off need not say what it is.
        let is_off = written.disabled && written.command.is_none() && written.url.is_none();
        let address = (written.url, written.headers);
        Ok(Self {
            place: if is_off {
                Place::default()
            } else {
                place(written.command, written.args, written.env, written.cwd, address)?
            },
            disabled: written.disabled,
            always_allow: written.always_allow,
            disabled_tools: written.disabled_tools,
            timeout: written.timeout,
            max_timeout: written.max_timeout,
            startup_timeout: written.startup_timeout,
            era: written.era,
            shared_processes: written.shared_processes,
            oauth: written.oauth,
        })
    }
}

fn place(
    command: Option<String>,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    cwd: Option<PathBuf>,
    (url, headers): (Option<String>, BTreeMap<String, String>),
) -> Result<Place, String> {
    match (command, url) {
        (Some(command), None) if !headers.is_empty() => {
            Err(format!("`headers` are for a `url`; the program `{command}` gets `env`"))
        }
        (Some(command), None) if command.trim().is_empty() => Err("`command` is empty".to_owned()),
        (Some(command), None) => Ok(Place::Program { command, args, env, cwd }),
        (None, Some(_)) if !args.is_empty() || !env.is_empty() || cwd.is_some() => {
            Err("`args`, `env` and `cwd` are for a `command`; a `url` gets `headers`".to_owned())
        }
        (None, Some(url)) => Ok(Place::Address { url, headers }),
        (Some(_), Some(_)) => Err("a server has a `command` or a `url`, not both".to_owned()),
        (None, None) => Err("a server needs a `command` or a `url`".to_owned()),
    }
}
