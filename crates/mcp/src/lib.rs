//! The pipeline behind MCP: any client of the Model Context Protocol can call dogu's tools, over
//! stdio or over HTTP, in both eras of the protocol (`initialize` up to 2025-11-25, stateless
//! requests from 2026-07-28).
//!
//! The server has no side door. A request becomes one step with one call, its answer is that
//! call's result, and nothing is kept between two requests but what waits for a client's answer:
//!
//! | what | where |
//! | --- | --- |
//! | the methods that a client can call | `handler`, `list`, `library` |
//! | one `tools/call`: dispatch, progress, cancellation | `call`, `calls`, `progress` |
//! | asking the person behind the client, in one round or several | `ask`, `rounds`, `connection` |
//! | calls that take long | `tasks` |
//! | files and spilled results to read, slash commands as prompts, paths to complete | `resources`, `prompts`, `complete`, `offers` |
//! | telling that the tools changed | `announce` |
//! | what the protocol has given up | `compat` |
//! | a result as MCP writes it | `content` |
//! | bytes that may be a message | `message` |
//! | lines on stdin and stdout, and their end | `stdio` |
//! | tokens, origins and sessions | `http`, `tokens` |
//!
//! # Cancellation
//! A call is canceled by `notifications/cancelled`, on stdio and in an HTTP session. A connection
//! that goes away cancels nothing: the runtime owns the call, finishes it and records it. That
//! includes a response stream of 2026-07-28 which the client closes, although that revision reads
//! it as a wish to cancel: from here it looks the same as a lost network, and half of a write is
//! worse than an unread answer. The tool's own time limit bounds such a call.
//!
//! ```no_run
//! # async fn example(runtime: dogu_runtime::Runtime) -> Result<(), dogu_mcp::ServeError> {
//! use dogu_mcp::{ServeOptions, serve_stdio};
//!
//! serve_stdio(runtime, ServeOptions::default(), std::future::pending()).await
//! # }
//! ```

mod announce;
mod ask;
mod call;
mod calls;
mod compat;
mod complete;
mod connection;
mod content;
mod error;
mod handler;
mod http;
mod library;
mod list;
mod message;
mod offers;
mod options;
mod progress;
mod prompts;
mod resources;
mod rounds;
mod stdio;
mod tasks;
mod tokens;

pub use ask::link::{Client, Clients};
pub use error::ServeError;
pub use http::HttpServer;
pub use list::tools_json;
pub use message::MAX_MESSAGE_BYTES;
pub use offers::{Offers, PromptFuture};
pub use options::ServeOptions;
pub use prompts::CommandFolders;
pub use rmcp::{ErrorData, model};
pub use stdio::{serve_stdio, serve_streams};
pub use tokens::{Token, TokenError, TokenInfo, TokenStore};
