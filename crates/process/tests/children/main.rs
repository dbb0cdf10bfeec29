//! Commands through a real supervisor: how they run, how they end, and that nothing is left.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod apart;
mod ends;
mod input;
mod login;
mod many;
mod orphans;
mod piped;
mod support;
