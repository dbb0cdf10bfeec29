//! What other agents' parsers were tested with, asked of dogu's.
//!
//! The recorded rows are not part of the project: where they are not found, nothing is checked.
//! Each file has its module, with the comparison and a table of the rows that differ on purpose;
//! `docs/VECTORS.md` tells them in words, and [`summary`] keeps it true.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests fail as tests do")]

mod continue_args;
mod continue_deltas;
mod continue_json;
mod continue_text;
mod events;
mod prefixes;
mod roo_native;
mod roo_schema;
mod roo_xml;
mod rows;
mod summary;
