//! What a diff says of one file: its names, what becomes of it, and its hunks.

use super::{binary, body, is_binary};
use crate::patch::cursor::Cursor;
use crate::patch::error::{Fault, PatchError};
use crate::patch::path::{checked, git_names, name, without_sides};
use crate::patch::{FileChange, FilePatch, Hunk, Mark};

const NOWHERE: &str = "/dev/null";
const LINK: u32 = 0o120_000;
const SUBMODULE: u32 = 0o160_000;
const TYPE: u32 = 0o170_000;

/// What is told of one file.
#[derive(Debug, Default)]
pub(super) struct Section {
    git: Option<(String, String)>,
    /// `--- name` and `+++ name`, as they are written.
    names: Option<(String, String)>,
    rename: (Option<String>, Option<String>),
    is_new: bool,
    is_deleted: bool,
    mode: Option<u32>,
    hunks: Vec<Hunk>,
}

/// `--- name` and `+++ name` come next.
pub(super) fn at_names(cursor: &Cursor<'_>) -> bool {
    cursor.peek().is_some_and(|line| line.starts_with("--- "))
        && cursor.peek_at(1).is_some_and(|line| line.starts_with("+++ "))
}

impl Section {
    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Self, PatchError> {
        let mut section = Self::default();
        if let Some(names) = cursor.peek().and_then(|line| line.strip_prefix("diff --git ")) {
            section.git = git_names(names).map_err(|fault| fault.at(cursor.number()))?;
            cursor.skip(1);
            while !at_names(cursor)
                && let Some(line) = cursor.peek()
            {
                if !section.extended(line).map_err(|fault| fault.at(cursor.number()))? {
                    break;
                }
                cursor.skip(1);
            }
        }
        if at_names(cursor) {
            section.names(cursor).map_err(|fault| fault.at(cursor.number()))?;
            cursor.skip(2);
        }
        while body::is_next(cursor) {
            section.hunks.push(body::hunk(cursor)?);
        }
        Ok(section)
    }

    /// A line between `diff --git` and the names; no if it is not one.
    fn extended(&mut self, line: &str) -> Result<bool, Fault> {
        const PASSED_OVER: [&str; 4] =
            ["old mode ", "similarity index ", "dissimilarity index ", "index "];
        if is_binary(line) {
            return Err(binary());
        }
        if let Some(mode) = line.strip_prefix("new file mode ") {
            self.is_new = true;
            self.set_mode(mode)?;
        } else if let Some(mode) = line.strip_prefix("deleted file mode ") {
            self.is_deleted = true;
            self.set_mode(mode)?;
        } else if let Some(mode) = line.strip_prefix("new mode ") {
            self.set_mode(mode)?;
        } else if let Some(path) = line.strip_prefix("rename from ") {
            self.rename.0 = Some(name(path)?.0);
        } else if let Some(path) = line.strip_prefix("rename to ") {
            self.rename.1 = Some(name(path)?.0);
        } else if line.starts_with("copy from ") || line.starts_with("copy to ") {
            return Err(Fault::NotDone(
                "a copy cannot be applied from a diff; add the new file with its content",
            ));
        } else {
            return Ok(PASSED_OVER.iter().any(|start| line.starts_with(start)));
        }
        Ok(true)
    }

    fn set_mode(&mut self, text: &str) -> Result<(), Fault> {
        let mode = u32::from_str_radix(text.trim(), 8);
        let mode = mode.map_err(|_| Fault::unexpected(text, "a mode is six octal digits"))?;
        if matches!(mode & TYPE, LINK | SUBMODULE) {
            return Err(Fault::NotDone("links and submodules cannot be changed by a patch"));
        }
        self.mode = Some(mode);
        Ok(())
    }

    fn names(&mut self, cursor: &Cursor<'_>) -> Result<(), Fault> {
        let side = |line: Option<&str>, start: &str| -> Result<(String, bool), Fault> {
            let text = line.and_then(|line| line.strip_prefix(start)).unwrap_or_default();
            let (name, stamp) = name(text)?;
            // `diff -N` gives a file that is not there the oldest date.
            let is_absent = stamp.starts_with("1970-01-01 ") || stamp.starts_with("1969-12-31 ");
            Ok((name, is_absent))
        };
        let (old, old_absent) = side(cursor.peek(), "--- ")?;
        let (new, new_absent) = side(cursor.peek_at(1), "+++ ")?;
        let head = cursor.peek_at(2).unwrap_or_default();
        self.is_new |= old == NOWHERE || old_absent && head.starts_with("@@ -0,0 ");
        self.is_deleted |= new == NOWHERE || new_absent && head.contains(" +0,0 @@");
        self.names = Some((old, new));
        Ok(())
    }

    /// What is to happen, or what is wrong.
    pub(super) fn file(self, line: usize) -> Result<FilePatch, PatchError> {
        self.judged(line).map_err(|fault| fault.at(line))
    }

    fn judged(mut self, line: usize) -> Result<FilePatch, Fault> {
        let (old, new) = self.paths();
        let executable = self.mode.map(|mode| mode & 0o111 != 0).filter(|_| !self.is_deleted);
        let made = |path: Option<String>, change| {
            let path = checked(&path.unwrap_or_default())?;
            Ok(FilePatch { path, change, executable, line })
        };
        let hunks = std::mem::take(&mut self.hunks);
        match (self.is_new, self.is_deleted) {
            (true, true) => Err(Fault::unexpected(NOWHERE, "both names say that there is no file")),
            (true, false) => made(new.or(old), FileChange::Add { content: added(&hunks)? }),
            (false, true) => made(old.or(new), FileChange::Delete),
            (false, false) => {
                let (path, move_to) = match self.rename {
                    (Some(from), Some(to)) => (Some(from), Some(checked(&to)?)),
                    _ => (new.or(old), None),
                };
                if hunks.is_empty() && move_to.is_none() && executable.is_none() {
                    return Err(Fault::EmptyUpdate(path.unwrap_or_default()));
                }
                made(path, FileChange::Update { hunks, move_to })
            }
        }
    }

    /// The path on both sides.
    fn paths(&self) -> (Option<String>, Option<String>) {
        let Some((old, new)) = self.names.as_ref().or(self.git.as_ref()) else {
            return (None, None);
        };
        let (old, new) = without_sides(existing(old), existing(new));
        (old.map(str::to_owned), new.map(str::to_owned))
    }
}

/// A name, unless it says that there is no file.
fn existing(name: &str) -> Option<&str> {
    Some(name).filter(|name| *name != NOWHERE)
}

/// The content of a new file.
fn added(hunks: &[Hunk]) -> Result<String, Fault> {
    let mut content = String::new();
    for line in hunks.iter().flat_map(|hunk| &hunk.lines) {
        // An empty line often loses its mark.
        let is_new = line.mark == Mark::Added || line.mark == Mark::Context && line.text.is_empty();
        if !is_new {
            let why = "all lines of a new file begin with `+`";
            return Err(Fault::unexpected(&line.text, why));
        }
        content.push_str(&line.text);
        if !line.no_newline {
            content.push('\n');
        }
    }
    Ok(content)
}
