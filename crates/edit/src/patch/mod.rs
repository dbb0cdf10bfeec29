//! Patches: `*** Begin Patch` … `*** End Patch`, and unified diffs as `git diff` and `diff -u`
//! print them.
//!
//! [`parse`] tells what is to happen to which file, [`apply_update`] what a file's content becomes.
//! Nothing here reads or writes files. A patch written by a model is often a little wrong, so line
//! numbers and counts are hints, and a hunk is found by its text; but where it belongs must be
//! beyond doubt, or it is refused.
//!
//! ```
//! use dogu_edit::patch::{FileChange, apply_update, parse};
//!
//! let patch = parse("*** Begin Patch\n*** Update File: a.py\n@@ def f():\n-    pass\n+    return 1\n*** End Patch\n").unwrap();
//! let FileChange::Update { hunks, .. } = &patch.files[0].change else { panic!() };
//! let updated = apply_update("def f():\n    pass\n", hunks).unwrap();
//! assert_eq!(updated.text, "def f():\n    return 1\n");
//! ```

mod cursor;
mod envelope;
mod error;
mod path;
mod unified;
mod wrapper;

pub use crate::place::{Failure as HunkFailure, Hunk, HunkLine, Mark, Piece, Placed, Problem};
pub use error::{Fault, PatchError};

use crate::place::place_all;
use cursor::Cursor;

/// What is to happen to some files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    /// In the order of the patch. A file is updated at most once; it can be deleted and added.
    pub files: Vec<FilePatch>,
}

/// What is to happen to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePatch {
    /// The path as it is written, without git's `a/` and `b/`; whether it may be touched is for
    /// the caller to judge.
    pub path: String,
    /// What is to happen.
    pub change: FileChange,
    /// Whether it is to be executable, where git says so.
    pub executable: Option<bool>,
    /// The line of the patch where it begins, from 1.
    pub line: usize,
}

/// What is to happen to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileChange {
    /// It is new.
    Add {
        /// All that is in it.
        content: String,
    },
    /// It changes, or gets another name, or both.
    Update {
        /// The changes; none where only the name or the mode changes.
        hunks: Vec<Hunk>,
        /// The new path.
        move_to: Option<String>,
    },
    /// It goes.
    Delete,
}

/// What an update makes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Updated {
    /// The new content.
    pub text: String,
    /// What became of each hunk.
    pub hunks: Vec<Placed>,
}

/// Reads a patch in either form, out of the code fence or here-document around it if there is one.
pub fn parse(text: &str) -> Result<Patch, PatchError> {
    let mut cursor = Cursor::new(text);
    let mut patch = if envelope::is_one(&cursor) {
        envelope::parse(&mut cursor)?
    } else {
        unified::parse(&mut cursor)?
    };
    join_updates(&mut patch.files);
    Ok(patch)
}

/// What the hunks make of a content: all of them, or nothing and why. Each is looked for in the
/// content as it was.
pub fn apply_update(content: &str, hunks: &[Hunk]) -> Result<Updated, Vec<HunkFailure>> {
    let result = place_all(content, hunks, Piece::Hunk)?;
    Ok(Updated { text: result.text, hunks: result.placed })
}

/// Two updates of one file are one: were both planned from what stands on disk, the second would
/// undo the first.
fn join_updates(files: &mut Vec<FilePatch>) {
    let mut joined: Vec<FilePatch> = Vec::with_capacity(files.len());
    let mut known = std::collections::HashMap::new();
    for file in files.drain(..) {
        let at = known.get(&file.path).copied();
        let earlier = at.and_then(|at: usize| joined.get_mut(at));
        match (earlier.map(|earlier| &mut earlier.change), file.change) {
            (
                Some(FileChange::Update { hunks, move_to: None }),
                FileChange::Update { hunks: more, move_to: None },
            ) => hunks.extend(more),
            (_, change) => {
                known.insert(file.path.clone(), joined.len());
                joined.push(FilePatch { change, ..file });
            }
        }
    }
    *files = joined;
}
