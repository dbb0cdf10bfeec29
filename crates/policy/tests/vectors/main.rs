//! What other agents decide about commands, files and tools, asked of dogu.
//!
//! The recorded rows are not part of the project: where they are not found, nothing is checked.
//! Each file has its comparison, with tables of the rows that differ on purpose; [`summary`]
//! writes them down, and `docs/VECTORS.md` must say the same.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests fail as tests do")]

#[path = "../scenarios/common.rs"]
#[expect(dead_code, reason = "the scenarios use more of it")]
mod common;
#[path = "../support/mod.rs"]
mod support;

mod codex;
mod continue_checker;
mod continue_terminal;
mod roo_commands;
mod roo_modes;
mod rows;
mod summary;
