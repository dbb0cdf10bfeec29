//! Other MCP servers behind the gateway: how they are started and used, and that the worst of
//! them hurts nobody.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod attacks;
mod calls;
mod eras;
mod hostile;
mod lazy;
mod lists;
mod looks;
mod real;
mod support;
mod tools;
