//! Entries in the files of clients.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod documents;
mod examples;
mod files;
mod golden;
mod hostile;
mod properties;
mod support;
