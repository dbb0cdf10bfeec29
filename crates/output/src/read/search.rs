//! Lines that match.

use std::collections::VecDeque;

use regex::Regex;

use crate::kept::Kept;
use crate::log::Log;
use crate::read::lines::{Event, Line, Lines, clip};

/// Lines that were asked for, with their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Lines that match, and those around them, in order.
    pub lines: Vec<FoundLine>,
    /// How many lines match, shown or not.
    pub matches: u64,
    /// Not all of them are here.
    pub more: bool,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLine {
    /// Counted from 1; behind a gap a guess.
    pub number: u64,
    /// The line without its newline, cut where it is long.
    pub text: String,
    /// It matches, and is not here as the context of another.
    pub matched: bool,
}

impl Found {
    /// As grep shows it: `12:a line that matches`, `13-one beside it`, `--` where lines are missing
    /// in between.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut last = None;
        for line in &self.lines {
            let apart = self.lines.iter().any(|line| !line.matched)
                && last.is_some_and(|last| last + 1 < line.number);
            if apart {
                text.push_str("--\n");
            }
            let mark = if line.matched { ':' } else { '-' };
            text.push_str(&format!("{}{mark}{}\n", line.number, line.text));
            last = Some(line.number);
        }
        text
    }
}

/// What is kept of a search while it goes on.
struct Search<'a> {
    pattern: &'a Regex,
    context: usize,
    limit: u64,
    cap: usize,
    found: Found,
    size: usize,
    before: VecDeque<FoundLine>,
    /// So many more lines are the context of the last match.
    after: usize,
}

impl Search<'_> {
    fn line(&mut self, line: &Line<'_>) {
        let matched = self.pattern.is_match(line.text);
        let shown = self.found.lines.last().filter(|last| last.number == line.number);
        if line.goes_on && shown.is_some_and(|last| last.matched) {
            return;
        }
        if matched {
            self.found.matches += 1;
            if self.found.matches > self.limit || self.size >= self.cap {
                self.found.more = true;
                self.after = 0;
                return;
            }
            self.take_before(line.number);
            self.take(line, true);
            self.after = self.context;
        } else if !line.goes_on && self.after > 0 {
            self.after -= 1;
            self.take(line, false);
        } else if !line.goes_on && self.context > 0 && !self.found.more {
            if self.before.len() == self.context {
                self.before.pop_front();
            }
            let (number, text) = (line.number, clip(line.text));
            self.before.push_back(FoundLine { number, text, matched: false });
        }
    }

    fn take_before(&mut self, number: u64) {
        for line in std::mem::take(&mut self.before) {
            if line.number < number {
                self.push(line);
            }
        }
    }

    fn take(&mut self, line: &Line<'_>, matched: bool) {
        let text = if matched { self.around(line.text) } else { clip(line.text) };
        self.push(FoundLine { number: line.number, text, matched });
    }

    fn push(&mut self, line: FoundLine) {
        if self.size + line.text.len() > self.cap && !self.found.lines.is_empty() {
            self.size = self.cap;
            self.found.more = true;
            return;
        }
        self.size += line.text.len();
        self.found.lines.push(line);
    }

    /// A long line from a little before the match on.
    fn around(&self, text: &str) -> String {
        const BEFORE: usize = 200;
        let shown = clip(text);
        let at = self.pattern.find(text).map_or(0, |found| found.start());
        if shown.len() == text.len() || at < BEFORE {
            return shown;
        }
        let from = crate::head_tail::floor(text, at - BEFORE);
        format!("…{}", clip(&text[from..]))
    }
}

impl Kept {
    /// Lines that match, with `context` lines around each: the first `limit` matches, at most
    /// about `cap` bytes.
    pub fn search(&self, pattern: &Regex, context: usize, limit: u64, cap: usize) -> Found {
        let (found, before) = (Found::default(), VecDeque::new());
        let mut search = Search { pattern, context, limit, cap, found, size: 0, before, after: 0 };
        let mut lines = Lines::new(|event| {
            match event {
                Event::Line(line) => search.line(&line),
                Event::Gap(_) => {
                    search.before.clear();
                    search.after = 0;
                }
            }
            true
        });
        self.show(None, &mut lines);
        lines.finish();
        drop(lines);
        search.found
    }
}

impl Log {
    /// See [`Kept::search`].
    pub fn search(&self, pattern: &Regex, context: usize, limit: u64, cap: usize) -> Found {
        self.snapshot().search(pattern, context, limit, cap)
    }
}
