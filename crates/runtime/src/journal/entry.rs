//! What the journal knows of one change. Paths are in here, contents never.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::text;
use super::watch::Why;

/// Files that one call changed together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Sorts by time: milliseconds since 1970, and some digits.
    pub id: String,
    /// When, as RFC 3339 says.
    pub time: String,
    /// Who changed them.
    #[serde(flatten)]
    pub by: ChangedBy,
    /// The roots of the workspace, their real paths.
    #[serde(with = "text::paths")]
    pub roots: Vec<PathBuf>,
    /// The files.
    pub files: Vec<ChangedFile>,
    /// The folders that were made for them, the outermost first.
    #[serde(with = "text::paths", default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<PathBuf>,
    /// The first entry of the same call, where it made several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// The call whose changes were taken back: the id of its first entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
    /// Only the changes of one file were.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undoes_one_file: bool,
    /// Files that were left as they were, because somebody changed them before an interrupted
    /// change could be finished.
    #[serde(with = "text::paths", default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<PathBuf>,
    /// What only a command does, or taking it back.
    #[serde(flatten)]
    pub beside: Beside,
}

/// What an entry says of a command's changes beside the files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beside {
    /// A program changed the files, and dogu saw it by looking before and after.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub watched: bool,
    /// dogu put the files aside: a command had made them that was not approved for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub put_aside: bool,
    /// Another command ran at the same time: it may have made some of the changes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub overlapped: bool,
    /// Folders that were there before, the outermost first.
    #[serde(with = "text::paths", default, skip_serializing_if = "Vec::is_empty")]
    pub removed_folders: Vec<PathBuf>,
    /// The first of the changes that cannot be taken back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_covered: Vec<Uncovered>,
}

/// A file that changed and of which it is not known what was there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Uncovered {
    /// Its real path.
    #[serde(with = "text::path")]
    pub path: PathBuf,
    /// Why it is not known.
    pub why: Why,
}

/// Who changes files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedBy {
    /// The id of the call.
    pub call: Arc<str>,
    /// The tool.
    pub tool: Arc<str>,
    /// Who called.
    pub principal: Arc<str>,
    /// In which session.
    pub session: Arc<str>,
}

/// A file before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedFile {
    /// Its real path.
    #[serde(with = "text::path")]
    pub path: PathBuf,
    /// Where it was before, if it moved.
    #[serde(with = "text::maybe_path", default, skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<PathBuf>,
    /// What was there; of a file that moved, what it was.
    pub before: Option<FileState>,
    /// What is there.
    pub after: Option<FileState>,
}

/// A file at one time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    /// The BLAKE3 hash of its content; none where that was too large, or not to be read.
    pub hash: Option<String>,
    /// Its size in bytes.
    pub size: u64,
    /// Its mode, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<u32>,
    /// The content is kept, until it expires.
    pub kept: bool,
    /// It is a symbolic link that says this; then it has no hash.
    #[serde(with = "text::maybe_path", default, skip_serializing_if = "Option::is_none")]
    pub link: Option<PathBuf>,
}

impl Entry {
    /// The call that it belongs to: the id of that one's first entry.
    pub fn call_key(&self) -> &str {
        self.first.as_deref().unwrap_or(&self.id)
    }

    /// The hashes of the contents that it needs.
    pub(super) fn hashes(&self) -> impl Iterator<Item = &str> {
        let states = self.files.iter().flat_map(|file| [&file.before, &file.after]);
        states.flatten().filter(|state| state.kept).filter_map(|state| state.hash.as_deref())
    }
}

impl FileState {
    /// A symbolic link.
    pub(super) fn of_link(target: PathBuf) -> Self {
        let size = target.as_os_str().len() as u64;
        Self { hash: None, size, mode: None, kept: false, link: Some(target) }
    }
}

impl ChangedFile {
    /// All its paths.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(self.path.as_path()).chain(self.moved_from.as_deref())
    }
}
