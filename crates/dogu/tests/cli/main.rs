//! The real binary, as a person or a script uses it.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail as tests do")]

mod apps;
mod call;
mod delegate;
mod dispatch;
mod doctor;
mod edit;
mod embeddings;
mod grants;
mod help;
mod hostile_client;
mod hostile_workspace;
mod lines;
mod log;
mod mcp_install;
mod modes;
mod parse;
mod policy;
mod sandbox;
mod search_tools;
mod serve;
#[path = "../../../net/tests/server/mod.rs"]
mod server;
mod server_ends;
mod servers;
mod settings;
mod support;
mod terminal;
mod tokens;
mod tools;
mod trust;
mod undo;
