//! What is done to one file, as it is written down so that another process can finish it.

use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Stat};
use serde::{Deserialize, Serialize};

use crate::files::size_of_stat;
use crate::journal::text;

/// What one file is changed by. The temporary is beside the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Step {
    pub(crate) kind: Kind,
    /// The file, its real path.
    #[serde(with = "text::path")]
    pub(crate) path: PathBuf,
    /// Where it comes from, if it moves.
    #[serde(with = "text::maybe_path", default, skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<PathBuf>,
    /// The name of the temporary. A move has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) temporary: String,
    /// What is there before; of a move, what moves.
    pub(crate) before: Option<Mark>,
    /// What is there afterwards, as soon as it is on the disk.
    pub(crate) after: Option<Mark>,
}

/// How a file is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// The temporary takes a name that is free.
    Put,
    /// The temporary and the file change places, and what was the file goes.
    Swap,
    /// The file becomes the temporary, which goes.
    Take,
    /// The file takes another name that is free.
    Move,
}

/// By this a file is known again that nobody changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mark {
    pub(crate) inode: u64,
    pub(crate) size: u64,
    /// When its content last changed, in nanoseconds since 1970.
    pub(crate) modified: i64,
    /// The BLAKE3 hash of its content, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) hash: Option<String>,
}

impl Mark {
    /// Adds what is known of its content.
    pub(crate) fn with_hash(mut self, hash: Option<blake3::Hash>) -> Self {
        self.hash = hash.map(|hash| hash.to_hex().to_string());
        self
    }

    /// The mark of what a `stat` found.
    pub(crate) fn of(stat: &Stat) -> Self {
        let nanoseconds = i64::try_from(stat.st_mtime_nsec).unwrap_or(0);
        Self {
            inode: stat.st_ino,
            size: size_of_stat(stat),
            modified: stat.st_mtime.saturating_mul(1_000_000_000).saturating_add(nanoseconds),
            hash: None,
        }
    }

    /// Whether this is the file, with the content that it had. Its name does not matter.
    pub(crate) fn is(&self, stat: &Stat) -> bool {
        self.is_like(stat) && self.inode == stat.st_ino
    }

    /// The same where only its number is another. Some file systems number a file anew when they
    /// find it under another name, or are mounted again; only the content tells it then.
    pub(crate) fn is_like(&self, stat: &Stat) -> bool {
        let found = Self::of(stat);
        let regular = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        regular && (found.size, found.modified) == (self.size, self.modified)
    }
}

impl Step {
    /// The paths that it changes.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(self.path.as_path()).chain(self.from.as_deref())
    }
}
