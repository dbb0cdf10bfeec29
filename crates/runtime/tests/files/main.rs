//! What a call can do to files, and what it cannot.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod admitted;
mod looking;
mod support;
mod swapped;
mod writing;
