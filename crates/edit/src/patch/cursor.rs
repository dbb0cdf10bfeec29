//! The lines of a patch, read one after the other.

/// A position in the lines of a patch.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    lines: Vec<&'a str>,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut lines: Vec<_> = text
            .split_inclusive('\n')
            .map(|line| line.strip_suffix('\n').unwrap_or(line))
            .collect();
        // Where the patch's own lines end in CRLF, the patch was converted and not the file's lines.
        if lines.iter().find(|line| is_frame(line)).is_some_and(|line| line.ends_with('\r')) {
            for line in &mut lines {
                *line = line.strip_suffix('\r').unwrap_or(line);
            }
        }
        Self { lines, at: 0 }
    }

    /// The line that comes next.
    pub(super) fn peek(&self) -> Option<&'a str> {
        self.peek_at(0)
    }

    /// The line that comes so many after the next.
    pub(super) fn peek_at(&self, ahead: usize) -> Option<&'a str> {
        self.lines.get(self.at + ahead).copied()
    }

    /// Takes the line that comes next.
    pub(super) fn take(&mut self) -> Option<&'a str> {
        let line = self.peek()?;
        self.at += 1;
        Some(line)
    }

    /// Steps over so many lines.
    pub(super) fn skip(&mut self, count: usize) {
        self.at = (self.at + count).min(self.lines.len());
    }

    /// Takes away empty lines and those that close something at the end; tells if one did.
    pub(super) fn cut_tail(&mut self, closes: impl Fn(&str) -> bool) -> bool {
        let kept = self.lines.iter().rposition(|line| !line.trim().is_empty() && !closes(line));
        let kept = kept.map_or(0, |last| last + 1).max(self.at);
        let is_closed = self.lines[kept..].iter().any(|line| closes(line));
        self.lines.truncate(kept);
        is_closed
    }

    /// The number of the line that comes next, from 1.
    pub(super) fn number(&self) -> usize {
        self.at + 1
    }

    /// All lines that come.
    pub(super) fn rest(&self) -> &[&'a str] {
        &self.lines[self.at..]
    }
}

/// A line that only the patch itself has, never a file.
fn is_frame(line: &str) -> bool {
    line.starts_with("*** Begin Patch") || line.starts_with("diff --git ") || line.starts_with("@@")
}
