//! What is wrong with a patch.

/// What is said of a line in a hunk that has no mark.
pub(super) const NO_MARK: &str = "in a hunk, each line begins with a space (stays), `-` (goes) or `+` (comes), or is a `@@` header";

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// Neither form is there.
    #[error(
        "this is no patch: it begins neither with `*** Begin Patch` nor with the `--- a/path` and `+++ b/path` of a unified diff"
    )]
    NoPatch,
    /// It has the form, but nothing in it.
    #[error(
        "the patch changes nothing: add `*** Add File: path`, `*** Update File: path` or `*** Delete File: path` with its lines"
    )]
    Empty,
    /// The end is missing, so some of it may be too.
    #[error("the patch ends without `*** End Patch`, so it may have been cut off; send all of it")]
    NoEnd,
    /// A line that means nothing at its place.
    #[error("`{0}` is not expected here: {1}")]
    Unexpected(String, &'static str),
    /// A file is to be updated, but no change is told.
    #[error(
        "the update of `{0}` has no lines; each hunk needs lines that begin with `-`, `+` or a space"
    )]
    EmptyUpdate(String),
    /// A path that is none.
    #[error("`{0}` is no path: {1}")]
    BadPath(String, &'static str),
    /// Something that a patch can say, but that is not done here.
    #[error("{0}")]
    NotDone(&'static str),
}

/// What is wrong with a patch, and where. `Display` is the text for the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the patch: {fault}")]
pub struct PatchError {
    /// The line of the patch, from 1.
    pub line: usize,
    /// What is wrong.
    pub fault: Fault,
}

/// How many bytes of a line are quoted.
const MAX_QUOTED: usize = 80;

impl Fault {
    pub(super) fn at(self, line: usize) -> PatchError {
        PatchError { line, fault: self }
    }

    pub(super) fn unexpected(line: &str, why: &'static str) -> Self {
        Self::Unexpected(quoted(line), why)
    }

    pub(super) fn bad_path(path: &str, why: &'static str) -> Self {
        Self::BadPath(quoted(path), why)
    }
}

fn quoted(line: &str) -> String {
    line[..line.floor_char_boundary(MAX_QUOTED)].escape_debug().to_string()
}
