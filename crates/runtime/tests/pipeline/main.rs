//! The pipeline from outside: tools are registered, calls go in, results come out.

#![expect(unreachable_pub, clippy::unwrap_used, reason = "helpers of tests")]

mod approval;
mod asking;
mod bad_input;
mod containment;
mod context;
mod events;
mod mcp_settings;
mod middleware;
mod modes;
mod order;
mod permissions;
mod recording;
mod registry;
mod results;
mod settings;
mod support;
