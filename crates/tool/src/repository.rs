//! Looking at a repository: what changed in it, and how that looked before. Nothing is changed,
//! and no program is started.

use std::path::Path;

use crate::cancel::CancelFlag;
use crate::error::ToolError;

/// What is compared with what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compare {
    /// What is staged with the working tree; untracked files are new.
    Unstaged,
    /// A commit with what is staged; the last commit where none is named.
    Staged {
        /// The commit: a branch, a tag, an id; with `...` at its end the commit where the
        /// current branch left it.
        base: Option<String>,
    },
    /// A commit with the working tree; untracked files are new.
    All {
        /// As for what is staged.
        base: Option<String>,
    },
}

/// Finds what changed in the repository that holds a path.
pub trait Repository: Send + Sync {
    /// Compares what is at `path` and below it, which the call was granted as a tree. It blocks.
    fn compare<'a>(
        &'a self,
        path: &Path,
        compare: &Compare,
        cancel: &CancelFlag,
    ) -> Result<Box<dyn Comparison + 'a>, ToolError>;
}

/// What a comparison found. The content of a change is read when it is asked for.
pub trait Comparison {
    /// The folder that the paths of the changes start from.
    fn top(&self) -> &Path;
    /// The changes, sorted by path.
    fn changes(&self) -> &[Change];
    /// What is not among the changes.
    fn left_out(&self) -> &NotCompared;
    /// The old and the new content of a change; none for a side that is not there.
    fn content(&self, change: &Change) -> (Option<SideContent>, Option<SideContent>);
}

/// What a comparison leaves out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotCompared {
    /// Changed files that may hold secrets.
    pub secret: usize,
    /// Changed files that `.doguignore` or `.rooignore` shuts agents out of.
    pub shut_out: usize,
    /// Untracked folders that are repositories of their own.
    pub repositories: Vec<String>,
    /// What could not be looked at, each with the reason.
    pub unreadable: Vec<String>,
}

/// A path that is not as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its path below the top of the working tree, as the repository spells it.
    pub path: Vec<u8>,
    /// What happened to it.
    pub kind: ChangeKind,
    /// How it was.
    pub old: Option<Side>,
    /// How it is.
    pub new: Option<Side>,
    /// The repository's attributes say that it is not to be shown as text.
    pub binary: bool,
}

/// What happened to a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// It is new, and the repository does not know of it.
    Untracked,
    /// It is gone.
    Deleted,
    /// Its content, its mode or its type differs.
    Modified,
    /// It had this other path, with the same content.
    Renamed {
        /// The old path.
        from: Vec<u8>,
    },
    /// A merge left it with a conflict; the old side is ours, where we have it.
    Unmerged,
}

/// One side of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// Its mode as git writes it: `0o100644`, `0o100755`, `0o120000` for a link, `0o160000` for
    /// another repository.
    pub mode: u32,
    /// The id of its content, in hex, where it is known.
    pub id: Option<String>,
}

/// The content of one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SideContent {
    /// All of it, as the repository keeps it: line ends are converted.
    Bytes(Vec<u8>),
    /// It is too large to be compared; its size.
    TooLarge(u64),
    /// A program would have to convert it, which is never started; its name and the size on disk.
    Filtered {
        /// The name of the filter.
        filter: String,
        /// The bytes on disk.
        size: u64,
    },
    /// Another repository, at this commit.
    Submodule(String),
    /// It could not be read, for this reason.
    Unreadable(String),
}
