//! What a change looks like, line by line: unified diffs, as `diff -u` and git print them.
//!
//! Lines keep their ends, whatever they are, so that what is printed in full can be applied by
//! [`crate::patch`], by `patch` and by git. Length is bounded: what is left out is counted.
//!
//! ```
//! let change = dogu_edit::diff::file(Some(("a.txt", "one\ntwo\n")), Some(("a.txt", "one\n2\n")));
//! assert_eq!(change.text, "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
//! assert_eq!((change.added, change.removed, change.left_out), (1, 1, 0));
//! ```

mod anchors;
mod changes;
mod hunks;
mod names;

pub(crate) use changes::{Change, changes};
pub use hunks::{CONTEXT, Hunks, Limits, hunks};
pub use names::{quoted, tabbed};

/// The change of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileDiff {
    /// The names and the hunks; empty if nothing changed.
    pub text: String,
    /// How many lines are new.
    pub added: usize,
    /// How many lines are gone.
    pub removed: usize,
    /// How many lines of the diff did not fit and were left out; a note in the text says so.
    pub left_out: usize,
}

/// The change from one state of a file to another, with the usual context and bounds. A side is a
/// path and the content, or nothing where the file does not exist; two different paths are a move.
pub fn file(before: Option<(&str, &str)>, after: Option<(&str, &str)>) -> FileDiff {
    file_within(before, after, CONTEXT, Limits::default())
}

/// As [`file()`], with so many unchanged lines around each change and other bounds.
pub fn file_within(
    before: Option<(&str, &str)>,
    after: Option<(&str, &str)>,
    context: usize,
    limits: Limits,
) -> FileDiff {
    let (old, new) = (before.map_or("", |side| side.1), after.map_or("", |side| side.1));
    let hunks = hunks(old.as_bytes(), new.as_bytes(), context, limits);
    let (from, to) = (before.map(|side| side.0), after.map(|side| side.0));
    let mut text = names::header(from, to, hunks.added + hunks.removed > 0);
    // Cut from texts at the ends of lines, it is text again.
    text.push_str(&String::from_utf8_lossy(&hunks.text));
    if hunks.left_out > 0 {
        text.push_str(&format!("(... {} more lines of this diff were left out)\n", hunks.left_out));
    }
    FileDiff { text, added: hunks.added, removed: hunks.removed, left_out: hunks.left_out }
}

#[cfg(test)]
mod tests;
