//! What the engine decides, and what its parts promise.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

mod common;
mod continue_lists;
mod promises;
mod properties;
mod rows;
mod table;
