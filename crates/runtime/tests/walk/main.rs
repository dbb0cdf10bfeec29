//! Walks of trees: what they show, what they leave out, and what nothing gets them to do.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod differential;
mod hostile;
mod left_out;
mod plain;
mod race;
mod secrets;
mod support;
