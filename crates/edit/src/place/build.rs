//! What a hunk makes of the lines where it was found.

use std::collections::VecDeque;

use super::hunk::{Hunk, HunkLine, Mark};
use super::splice::Splice;
use crate::lines::{BOM, Ends, Lines};

/// The change that a hunk makes whose old lines begin with line `at`. What stays keeps its bytes.
pub(super) fn build(lines: &Lines<'_>, hunk: &Hunk, at: usize) -> Splice {
    let mut builder = Builder {
        lines,
        at,
        next: at,
        exact_ends: lines.ends() == Ends::Literal && says_ends(hunk),
        removed_ends: VecDeque::new(),
        out: Vec::new(),
    };
    for line in &hunk.lines {
        builder.line(line);
    }
    let next = builder.next;
    let text = builder.finish(hunk);
    let mut span = lines.start(at)..lines.start(next);
    if span.end == 0 && lines.text().starts_with(BOM) {
        span = BOM.len_utf8()..BOM.len_utf8();
    }
    Splice { span, text }.trimmed(lines.text())
}

/// A program made this hunk: it tells line ends, so those of new lines are meant as they are.
pub(super) fn says_ends(hunk: &Hunk) -> bool {
    let tells = |line: &HunkLine| {
        line.no_newline || line.text.ends_with('\r') || line.text.starts_with(BOM)
    };
    hunk.lines.iter().any(tells)
}

struct Builder<'a> {
    lines: &'a Lines<'a>,
    /// The first line.
    at: usize,
    /// The line of the file that comes next.
    next: usize,
    exact_ends: bool,
    /// The ends of lines that go, for those that come in their place.
    removed_ends: VecDeque<&'a str>,
    /// The lines that stand there afterwards, and their ends.
    out: Vec<(String, &'a str)>,
}

impl<'a> Builder<'a> {
    fn line(&mut self, line: &HunkLine) {
        match line.mark {
            Mark::Context => {
                let end = self.lines.end(self.next);
                self.out.push((self.lines.body(self.next).to_owned(), end));
                self.removed_ends.clear();
                self.next += 1;
            }
            Mark::Removed => {
                self.removed_ends.push_back(self.lines.end(self.next));
                self.next += 1;
            }
            Mark::Added if self.exact_ends => self.out.push((line.text.clone(), "\n")),
            Mark::Added => {
                let end = self.removed_ends.pop_front().unwrap_or_default();
                let end = if end.is_empty() { self.usual_end() } else { end };
                let text = line.text.strip_suffix('\r').unwrap_or(&line.text);
                self.out.push((text.to_owned(), end));
            }
        }
    }

    /// The end that a line at this place has: that of the line before it, or of one that is near.
    fn usual_end(&self) -> &'a str {
        let before = self.out.last().map(|(_, end)| *end);
        let near = [self.at.checked_sub(1), Some(self.next), Some(self.at), Some(0)];
        let near = near.into_iter().flatten().filter(|line| *line < self.lines.len());
        let mut ends = before.into_iter().chain(near.map(|line| self.lines.end(line)));
        ends.find(|end| !end.is_empty()).unwrap_or("\n")
    }

    fn finish(mut self, hunk: &Hunk) -> String {
        let usual = self.usual_end();
        let last = self.out.len().saturating_sub(1);
        let at_end = self.next == self.lines.len();
        let ends_open = self.is_open();
        if at_end && let Some(line) = hunk.new_side().last() {
            self.end_last(line, hunk, ends_open);
        }
        let mut text = String::new();
        // New lines behind a last line that has no end.
        if self.at == self.next && at_end && ends_open && !self.out.is_empty() {
            text.push_str(usual);
        }
        if self.at == 0 && self.next > 0 && self.lacks_mark() {
            text.push(BOM);
        }
        for (at, (line, end)) in self.out.into_iter().enumerate() {
            text.push_str(&line);
            let must_end = at < last || !at_end;
            text.push_str(if end.is_empty() && must_end { usual } else { end });
        }
        text
    }

    /// The file's last line has no end.
    fn is_open(&self) -> bool {
        self.lines.len().checked_sub(1).is_some_and(|last| self.lines.end(last).is_empty())
    }

    /// The last line ends as the hunk says, or where it does not say, as the file ended.
    fn end_last(&mut self, line: &HunkLine, hunk: &Hunk, ends_open: bool) {
        let told = hunk.lines.iter().any(|line| line.no_newline);
        let open = if told { line.no_newline } else { ends_open };
        if let Some((_, end)) = self.out.last_mut()
            && line.mark == Mark::Added
            && open
        {
            *end = "";
        }
    }

    /// The text has a byte order mark, which belongs to no line here and so not to these either.
    fn lacks_mark(&self) -> bool {
        let has_one = self.out.first().is_some_and(|(text, _)| text.starts_with(BOM));
        self.lines.ends() != Ends::Literal && self.lines.text().starts_with(BOM) && !has_one
    }
}
