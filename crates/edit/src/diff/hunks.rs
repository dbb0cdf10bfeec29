//! The hunks of a unified diff.

use std::ops::Range;

use super::{Change, changes};

/// How many unchanged lines are shown around a change.
pub const CONTEXT: usize = 3;
/// What stands after a last line that has no end.
const NO_END: &[u8] = b"\\ No newline at end of file\n";

/// How long a diff may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Lines, the heads of hunks among them.
    pub lines: usize,
    /// Bytes; a line that does not fit is left out with all after it.
    pub bytes: usize,
}

impl Limits {
    /// No bounds: what is printed can be applied.
    pub const NONE: Self = Self { lines: usize::MAX, bytes: usize::MAX };
}

impl Default for Limits {
    /// As much as a reader can use.
    fn default() -> Self {
        Self { lines: 2_000, bytes: 200_000 }
    }
}

/// The change from one content to another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunks {
    /// The hunks as `diff -u` shows them; empty if nothing changed.
    pub text: Vec<u8>,
    /// How many lines are new.
    pub added: usize,
    /// How many lines are gone.
    pub removed: usize,
    /// How many lines of the diff did not fit.
    pub left_out: usize,
}

/// Compares by lines, with so many unchanged lines around each change. Lines keep their ends,
/// whatever they are.
pub fn hunks(old: &[u8], new: &[u8], context: usize, limits: Limits) -> Hunks {
    let (old_lines, new_lines) = (lines(old), lines(new));
    let all = changes(old, new);
    let mut printer = Printer { limits, shown: 0, full: false, hunks: Hunks::default() };
    for (gone, come) in &all {
        printer.hunks.removed += gone.len();
        printer.hunks.added += come.len();
    }
    for group in groups(&all, context) {
        printer.group(group, &old_lines, &new_lines, context);
    }
    printer.hunks
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Changes that are so near to each other that their surroundings touch.
fn groups(changes: &[Change], context: usize) -> impl Iterator<Item = &[Change]> {
    changes.chunk_by(move |one, next| next.0.start - one.0.end <= context.saturating_mul(2))
}

struct Printer {
    limits: Limits,
    shown: usize,
    full: bool,
    hunks: Hunks,
}

impl Printer {
    fn group(&mut self, group: &[Change], old: &[&[u8]], new: &[&[u8]], context: usize) {
        let ([first, ..], [.., last]) = (group, group) else { return };
        let before = first.0.start.min(context);
        let after = (old.len() - last.0.end).min(context);
        let from = first.0.start - before..last.0.end + after;
        let to = first.1.start - before..last.1.end + after;
        self.line(format!("@@ -{} +{} @@\n", place(&from), place(&to)).as_bytes(), &[]);
        let mut at = from.start;
        for (gone, come) in group {
            self.put(b" ", &old[at..gone.start]);
            self.put(b"-", &old[gone.clone()]);
            self.put(b"+", &new[come.clone()]);
            at = gone.end;
        }
        self.put(b" ", &old[at..from.end]);
    }

    fn put(&mut self, mark: &[u8], lines: &[&[u8]]) {
        for line in lines {
            self.line(mark, line);
        }
    }

    fn line(&mut self, mark: &[u8], line: &[u8]) {
        let text = &mut self.hunks.text;
        let room = self.limits.bytes.saturating_sub(text.len());
        self.full |= self.shown >= self.limits.lines || mark.len() + line.len() > room;
        if self.full {
            self.hunks.left_out += 1;
            return;
        }
        self.shown += 1;
        text.extend_from_slice(mark);
        text.extend_from_slice(line);
        if !text.ends_with(b"\n") {
            text.push(b'\n');
            text.extend_from_slice(NO_END);
        }
    }
}

fn place(lines: &Range<usize>) -> String {
    // Of no lines, the place is the one before.
    let first = if lines.is_empty() { lines.start } else { lines.start + 1 };
    format!("{first},{}", lines.len())
}
