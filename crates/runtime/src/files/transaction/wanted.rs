//! What a transaction is asked for, and what it refuses before it looks at a disk.

use std::path::{Path, PathBuf};

use dogu_tool::{Expects, ToolError};

use crate::files::grant::Spot;
use crate::files::words;

/// A change of one file, its paths found in the grants.
pub(crate) struct Wanted<'a> {
    /// The file.
    pub(crate) spot: Spot<'a>,
    /// What must be there.
    pub(crate) expects: Expects,
    /// What is there afterwards.
    pub(crate) becomes: Wish<'a>,
}

/// What is there after a change.
pub(crate) enum Wish<'a> {
    /// A file with this content.
    Content(&'a [u8], Rights<'a>),
    /// The file that was there.
    MovedFrom(Spot<'a>),
    /// Nothing.
    Nothing,
}

/// The rights of a file that is new; one that is replaced keeps its own.
pub(crate) enum Rights<'a> {
    /// As any new file of this process.
    New,
    /// As those of another file.
    Like(Spot<'a>),
    /// These.
    Mode(u32),
}

impl Wanted<'_> {
    /// The paths that nobody else may change meanwhile.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        let from = match &self.becomes {
            Wish::MovedFrom(from) => Some(from.real.as_path()),
            _ => None,
        };
        std::iter::once(self.spot.real.as_path()).chain(from)
    }
}

/// All paths, sorted. One that is named twice, or that is inside of another, is refused: in which
/// order the changes were meant nobody said.
pub(super) fn distinct(wanted: &[Wanted<'_>]) -> Result<Vec<PathBuf>, ToolError> {
    let mut paths: Vec<PathBuf> =
        wanted.iter().flat_map(|change| change.paths().map(Path::to_path_buf)).collect();
    // By components, so that what is inside of a path comes right after it.
    paths.sort();
    for pair in paths.windows(2) {
        let (first, second) = (words::shown(&pair[0]), words::shown(&pair[1]));
        if pair[0] == pair[1] {
            return Err(ToolError::failed(format!(
                "{first} is named twice in one change; nothing was written"
            ))
            .suggest("Say once what the file becomes."));
        }
        if pair[1].starts_with(&pair[0]) {
            return Err(ToolError::failed(format!(
                "{first} cannot be a file and hold {second}; nothing was written"
            )));
        }
    }
    Ok(paths)
}
