//! What commands change is seen, and taken back.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod at_once;
mod killed;
mod kinds;
mod not_covered;
mod property;
mod stored;
mod support;
mod undo;
