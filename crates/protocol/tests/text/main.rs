//! Calls in plain text: what is one, what is none, and what went wrong.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod forms;
mod properties;
mod support;
mod xml;
