//! The lines before the hunks of a file, as git writes them.

use dogu_edit::diff::{quoted, tabbed};
use dogu_tool::{Change, ChangeKind};

/// The names of a file on both sides, quoted where that is needed.
pub(super) struct Names {
    /// `a/…`
    pub(super) old: String,
    /// `b/…`
    pub(super) new: String,
}

impl Names {
    pub(super) fn of(change: &Change) -> Self {
        let old = match &change.kind {
            ChangeKind::Renamed { from } => from,
            _ => &change.path,
        };
        Self { old: quoted("a/", old), new: quoted("b/", &change.path) }
    }
}

/// `diff --git` and what follows it up to the names before the hunks.
pub(super) fn header(change: &Change, names: &Names) -> String {
    let mut text = format!("diff --git {} {}\n", names.old, names.new);
    match (&change.old, &change.new) {
        (None, Some(new)) => text.push_str(&format!("new file mode {:06o}\n", new.mode)),
        (Some(old), None) => text.push_str(&format!("deleted file mode {:06o}\n", old.mode)),
        (Some(old), Some(new)) if old.mode != new.mode => {
            text.push_str(&format!("old mode {:06o}\nnew mode {:06o}\n", old.mode, new.mode));
        }
        _ => {}
    }
    if let ChangeKind::Renamed { from } = &change.kind {
        text.push_str(&format!(
            "similarity index 100%\nrename from {}\nrename to {}\n",
            quoted("", from),
            quoted("", &change.path)
        ));
    }
    text
}

/// The names before the hunks.
pub(super) fn names_line(change: &Change, names: &Names) -> String {
    let old = if change.old.is_some() { tabbed(names.old.clone()) } else { "/dev/null".to_owned() };
    let new = if change.new.is_some() { tabbed(names.new.clone()) } else { "/dev/null".to_owned() };
    format!("--- {old}\n+++ {new}\n")
}

/// A path for a person: as it is, but for bytes that are no text.
pub(super) fn shown(path: &[u8]) -> String {
    quoted("", path)
}
