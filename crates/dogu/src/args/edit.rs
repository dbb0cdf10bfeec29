//! The arguments of `dogu edit`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Edit {
    /// The file to be edited
    #[arg(required_unless_present = "lines")]
    pub(crate) file: Option<PathBuf>,
    /// A file that holds the text to be replaced, or `-` for stdin
    #[arg(long, value_name = "FILE", required_unless_present = "lines")]
    pub(crate) old: Option<PathBuf>,
    /// A file that holds what comes in its place, or `-` for stdin
    #[arg(long, value_name = "FILE", required_unless_present = "lines")]
    pub(crate) new: Option<PathBuf>,
    /// Replace every occurrence
    #[arg(long)]
    pub(crate) replace_all: bool,
    /// Only show what would change
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print what became of it as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Read edits from stdin, a JSON object a line (id, content, old, new), and answer each with a
    /// line; no file is read or written
    #[arg(long, conflicts_with_all = ["file", "old", "new", "replace_all", "dry_run", "json"])]
    pub(crate) lines: bool,
}
