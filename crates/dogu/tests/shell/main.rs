//! Commands and processes through the whole pipeline: a real shell, a real sandbox, the binary
//! itself as the supervisor.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod bad_input;
mod changes;
mod environment;
mod execute;
mod other_shells;
mod output;
mod permission;
mod processes;
mod sandbox;
mod shapes;
mod steering;
mod support;
