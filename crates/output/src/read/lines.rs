//! Text of the screen as numbered lines.

use crate::amount::LeftOut;
use crate::head_tail::floor;
use crate::screen::Sink;

/// A longer line comes in parts.
const MAX_PART: usize = 64 * 1024;
/// The most of a line that is shown among others.
const MAX_SHOWN: usize = 4000;

/// A line, or a part of a long one.
pub(super) struct Line<'a> {
    /// Counted from 1. Behind a gap it is a guess: what was missing is counted by its newlines.
    pub(super) number: u64,
    /// Without its newline.
    pub(super) text: &'a str,
    pub(super) from_err: bool,
    /// Not the first part of its line.
    pub(super) goes_on: bool,
}

/// What comes line by line.
pub(super) enum Event<'a> {
    Line(Line<'a>),
    Gap(LeftOut),
}

/// Puts lines together and numbers them. The visitor returns false when it needs no more.
pub(super) struct Lines<F> {
    visit: F,
    number: u64,
    part: String,
    part_err: bool,
    goes_on: bool,
    full: bool,
}

impl<F: FnMut(Event<'_>) -> bool> Lines<F> {
    pub(super) fn new(visit: F) -> Self {
        let part = String::new();
        Self { visit, number: 1, part, part_err: false, goes_on: false, full: false }
    }

    /// The last line, which no newline ended.
    pub(super) fn finish(&mut self) {
        if !self.part.is_empty() {
            self.hand_part();
        }
    }

    fn hand_part(&mut self) {
        let text = std::mem::take(&mut self.part);
        self.hand(&text, self.part_err);
        self.part = text;
        self.part.clear();
    }

    fn hand(&mut self, text: &str, from_err: bool) {
        if self.full {
            return;
        }
        let (number, goes_on) = (self.number, self.goes_on);
        self.full = !(self.visit)(Event::Line(Line { number, text, from_err, goes_on }));
    }

    fn end_line(&mut self, text: &str, from_err: bool) {
        if self.part.is_empty() && !(self.goes_on && text.is_empty()) {
            self.hand(text, from_err);
        } else if !self.part.is_empty() {
            self.part.push_str(text);
            self.part_err |= from_err;
            self.hand_part();
        }
        self.part_err = false;
        self.goes_on = false;
        self.number += 1;
    }
}

impl<F: FnMut(Event<'_>) -> bool> Sink for Lines<F> {
    fn put(&mut self, text: &str, from_err: bool) {
        if let Some(line) = text.strip_suffix('\n') {
            self.end_line(line, from_err);
            return;
        }
        self.part.push_str(text);
        self.part_err |= from_err;
        if self.part.len() >= MAX_PART {
            self.hand_part();
            self.goes_on = true;
        }
    }

    fn gap(&mut self, left_out: LeftOut) {
        if !self.part.is_empty() {
            self.end_line("", false);
        }
        self.number += left_out.lines;
        if !self.full {
            self.full = !(self.visit)(Event::Gap(left_out));
        }
    }

    fn is_full(&self) -> bool {
        self.full
    }
}

/// A line as it is shown among others: cut where it is long.
pub(super) fn clip(text: &str) -> String {
    if text.len() <= MAX_SHOWN {
        return text.to_owned();
    }
    let end = floor(text, MAX_SHOWN);
    let left_out = LeftOut { bytes: (text.len() - end) as u64, lines: 0 };
    format!("{}{}", &text[..end], left_out.mark())
}
