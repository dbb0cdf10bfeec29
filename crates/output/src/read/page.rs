//! Lines by their numbers, and the last ones.

use std::collections::VecDeque;

use crate::kept::Kept;
use crate::log::Log;
use crate::read::lines::{Event, Lines, clip};

/// Some lines in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The lines, each with a newline; long ones cut.
    pub text: String,
    /// The number of the first line that was asked for, counted from 1.
    pub first: u64,
    /// How many lines are here.
    pub lines: u64,
    /// The line that comes next, where there is one.
    pub next: Option<u64>,
}

/// The last lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastLines {
    /// The lines, each with a newline; long ones cut.
    pub text: String,
    /// How many lines are here.
    pub lines: usize,
    /// There are lines before them.
    pub more: bool,
}

impl Kept {
    /// Lines from a number on, counted from 1: at most `limit`, and at most `cap` bytes, but one
    /// line at least. Behind a gap the numbers are a guess.
    pub fn page(&self, first: u64, limit: u64, cap: usize) -> Page {
        let first = first.max(1);
        let mut page = Page { first, ..Page::default() };
        let mut lines = Lines::new(|event| {
            let line = match event {
                Event::Line(line) if line.number < first || line.goes_on => return true,
                Event::Line(line) => (line.number, clip(line.text)),
                Event::Gap(left_out) => {
                    if page.lines > 0 {
                        page.text.push_str(&left_out.mark());
                        page.text.push('\n');
                    }
                    return true;
                }
            };
            let room = page.text.len() + line.1.len() < cap || page.lines == 0;
            if page.lines >= limit || !room {
                page.next = Some(line.0);
                return false;
            }
            page.text.push_str(&line.1);
            page.text.push('\n');
            page.lines += 1;
            true
        });
        self.show(None, &mut lines);
        lines.finish();
        drop(lines);
        page
    }

    /// The last lines, as far as they are in the last megabyte: at most `limit`, and at most `cap`
    /// bytes, but one line at least.
    pub fn tail(self, limit: usize, cap: usize) -> LastLines {
        let kept = self.last();
        let (mut last, mut size, mut more) = (VecDeque::new(), 0, !kept.gap.is_none());
        let mut lines = Lines::new(|event| {
            if let Event::Line(line) = event
                && !line.goes_on
            {
                let line = clip(line.text);
                size += line.len() + 1;
                last.push_back(line);
            }
            while last.len() > limit || (size > cap && last.len() > 1) {
                size -= last.pop_front().map_or(0, |line: String| line.len() + 1);
                more = true;
            }
            true
        });
        kept.show(None, &mut lines);
        lines.finish();
        drop(lines);
        let lines = last.len();
        let text = last.into_iter().map(|line| line + "\n").collect();
        LastLines { text, lines, more }
    }
}

impl Log {
    /// See [`Kept::page`].
    pub fn page(&self, first: u64, limit: u64, cap: usize) -> Page {
        self.snapshot().page(first, limit, cap)
    }

    /// See [`Kept::tail`].
    pub fn tail(&self, limit: usize, cap: usize) -> LastLines {
        self.snapshot().tail(limit, cap)
    }
}
