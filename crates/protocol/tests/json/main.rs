//! The JSON that models write: tables, properties and limits.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod arguments;
mod attacks;
mod frame;
mod limits;
mod partial;
mod repairs;
mod values;
