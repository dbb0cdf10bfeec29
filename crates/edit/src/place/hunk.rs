//! A piece of a change: lines that stand there, lines that go, lines that come.

/// What a line of a hunk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// It stands there and stays.
    Context,
    /// It stands there and goes.
    Removed,
    /// It comes.
    Added,
}

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HunkLine {
    /// What it is.
    pub mark: Mark,
    /// The line without its line feed.
    pub text: String,
    /// It is said to be the last one of its file, without an end.
    pub no_newline: bool,
}

/// A piece of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// Lines that must stand above, the outer one first (`@@ class A`, `@@ def f`).
    pub headers: Vec<String>,
    /// What git wrote behind the numbers: a hint.
    pub heading: Option<String>,
    /// Where the old lines are said to begin, from 1: a hint. For a hunk without old lines, the
    /// line behind which the new ones are to stand (0 for the beginning).
    pub start: Option<usize>,
    /// The lines.
    pub lines: Vec<HunkLine>,
    /// It is said to be at the end of the file.
    pub end_of_file: bool,
    /// The line of the patch where it begins, from 1.
    pub line: usize,
}

impl Hunk {
    /// The lines that must stand in the file.
    pub(crate) fn old(&self) -> impl Iterator<Item = &HunkLine> {
        self.lines.iter().filter(|line| line.mark != Mark::Added)
    }

    /// The lines that stand there afterwards.
    pub(crate) fn new_side(&self) -> impl Iterator<Item = &HunkLine> {
        self.lines.iter().filter(|line| line.mark != Mark::Removed)
    }

    /// The hunk without the empty lines at its end that stay: they are often there only because
    /// the patch has them between its parts.
    pub(crate) fn without_empty_tail(&self) -> Option<Self> {
        let empty = |line: &HunkLine| {
            line.mark == Mark::Context && line.text.trim_end_matches('\r').is_empty()
        };
        let kept = self.lines.iter().rposition(|line| !empty(line)).map_or(0, |last| last + 1);
        let shorter = kept > 0 && kept < self.lines.len();
        shorter.then(|| Self { lines: self.lines[..kept].to_vec(), ..self.clone() })
    }

    /// Of a hunk without old lines, the number in its head means the line before, but only where
    /// the head says that it has none.
    pub(crate) fn settle_start(&mut self, old_count: Option<usize>) {
        if self.old().next().is_none() && old_count != Some(0) {
            self.start = self.start.map(|start| start.saturating_sub(1));
        }
    }

    /// A number of lines as text, each with a line feed.
    pub(crate) fn joined<'a>(lines: impl Iterator<Item = &'a HunkLine>) -> String {
        let mut text = String::new();
        for line in lines {
            text.push_str(line.text.strip_suffix('\r').unwrap_or(&line.text));
            text.push('\n');
        }
        text
    }
}
