//! The real binary, as a person or a script uses it.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail as tests do")]

mod call;
mod dispatch;
mod help;
mod log;
mod parse;
mod serve;
mod settings;
mod support;
mod terminal;
mod tools;
