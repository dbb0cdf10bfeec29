//! Servers over HTTP, of which most do everything wrong.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod hostile;
mod questions;
mod world;
