//! The JSON that models write: tables, properties, limits and foreign vectors.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests fail as tests do")]

mod arguments;
mod frame;
mod limits;
mod partial;
mod repairs;
mod values;
mod vectors;
