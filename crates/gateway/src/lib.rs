//! Other MCP servers as ordinary tools behind dogu's one pipeline and gate.
//!
//! ```no_run
//! use std::collections::BTreeMap;
//!
//! use dogu_gateway::{Gateway, GatewayParts};
//! use dogu_runtime::mcp::McpServer;
//! use dogu_runtime::Runtime;
//! use dogu_tool::Scope;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let server = McpServer::address("https://docs.example.com/mcp");
//! let servers = BTreeMap::from([("docs".to_owned(), server)]);
//! let gateway = Gateway::new(GatewayParts::new(servers, "/work"));
//! let runtime = Runtime::builder(Scope::new("/work")).build()?;
//! gateway.register(runtime.registry())?;
//! // Nothing was started so far. This asks those servers for their tools of which none are known.
//! gateway.load().await;
//! assert!(runtime.registry().snapshot().contains("docs__search"));
//! # Ok(()) }
//! ```
//!
//! The way of a call:
//!
//! ```text
//! server__tool, use_mcp_tool        tools/        judged by Mcp(server/tool), and by the tool's looks
//!    │  pinned before?              (runtime) pins: a tool that looks different asks again
//!    ▼
//! Server    server/      started at first need, once; its list cached; rests after a failure
//!    ▼
//! Session   session/     the era that it speaks, progress, cancel, questions of the server
//!    ▼
//! wire/ (a program's pipes, one message a line) or http/, with a login (oauth/)
//! ```
//!
//! What a server says is data: names are made fit (`names`), texts cleaned and cut (`clean`),
//! schemas never lead out of themselves (`schema`), results keep every kind of content (`result`),
//! a description that speaks of other servers' tools is pointed out (`mentions`), and user
//! interfaces are read under addresses that only one server has (`apps`).

mod apps;
mod clean;
mod definition;
mod elicit;
mod gateway;
mod http;
mod mentions;
mod names;
mod oauth;
mod result;
mod schema;
mod server;
mod session;
mod tools;
mod uri;
mod wire;

pub use apps::{App, MIME as APP_MIME};
pub use elicit::{Elicitation, Elicitor, Reply, Wants};
pub use gateway::{Gateway, GatewayParts, ServerStatus, ToolStatus};
pub use oauth::{LoginError, Logins, login};
pub use result::context_items;
pub use server::Standing;
pub use session::ConnectError;
pub use uri::{InvalidUri, decode_uri, encode_uri, parse_uri};
