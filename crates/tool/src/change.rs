//! Changes of files that happen together or not at all.

use std::error::Error;
use std::fmt;
use std::path::PathBuf;

use crate::error::ToolError;

/// A change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The file.
    pub path: PathBuf,
    /// What must be there now, or nothing of the whole happens. Of a file that moves, this is
    /// what must be where it comes from; where it goes there is never anything.
    pub expects: Expects,
    /// What is there afterwards.
    pub becomes: Becomes,
    /// A new file takes mode and owner of this one; a replaced file keeps its own.
    pub like: Option<PathBuf>,
}

/// What must be there for a change to happen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Expects {
    /// Anything, or nothing.
    #[default]
    Anything,
    /// Nothing: a file that is there is not replaced.
    Nothing,
    /// A file whose content has this BLAKE3 hash.
    Content([u8; 32]),
}

/// What is there after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Becomes {
    /// A file with this content.
    Content(Vec<u8>),
    /// The file that was at this path, which is gone there.
    MovedFrom(PathBuf),
    /// Nothing.
    Nothing,
}

impl FileChange {
    /// The file has this content afterwards, whatever was there.
    pub fn write(path: impl Into<PathBuf>, content: impl Into<Vec<u8>>) -> Self {
        Self::new(path, Becomes::Content(content.into()))
    }

    /// The file is gone afterwards.
    pub fn remove(path: impl Into<PathBuf>) -> Self {
        Self::new(path, Becomes::Nothing)
    }

    /// The file at `from` is at `path` afterwards.
    pub fn rename(from: impl Into<PathBuf>, path: impl Into<PathBuf>) -> Self {
        Self::new(path, Becomes::MovedFrom(from.into()))
    }

    fn new(path: impl Into<PathBuf>, becomes: Becomes) -> Self {
        Self { path: path.into(), expects: Expects::Anything, becomes, like: None }
    }

    /// Only where this is there now.
    pub fn expecting(mut self, expects: Expects) -> Self {
        self.expects = expects;
        self
    }
}

/// Why changes did not happen: another file, or another content, is there than they expect. The
/// private cause of such an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stale {
    /// The file.
    pub path: PathBuf,
}

impl Stale {
    /// The file that was not as the changes expect, where that is why they did not happen. Whoever
    /// reads it again may try again.
    pub fn of(error: &ToolError) -> Option<&Self> {
        error.source()?.downcast_ref()
    }
}

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not what was expected", self.path.display())
    }
}

impl Error for Stale {}
