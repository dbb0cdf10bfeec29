//! `mode: indentation`: the block around a line.
//!
//! From the anchor it grows up and down in turn, as long as lines are indented at least as far
//! as the outermost level that is wanted. On that level it takes the first line on each side
//! (what the block begins and ends with), and with `siblings` all of them.

#[cfg(test)]
mod vectors;

use std::collections::VecDeque;
use std::io::Result;

use super::lines::Line;
use super::part::Block;
use super::text::{Shown, TextFile, View};
use super::{KEPT_BYTES, MAX_LINES};

/// Columns of a level of indentation, and of a tab.
const LEVEL_COLUMNS: usize = 4;
/// How comments begin, which belong to the block below them.
const COMMENTS: [&str; 8] = ["#", "//", "--", "/*", "*", "'''", "\"\"\"", "<!--"];
/// How far the rest of a file is read to say how many lines it has.
const MAX_COUNT_BYTES: u64 = super::source::MAX_HASHED_BYTES;

/// Lines around an anchor: at most as many on each side as can be shown.
#[derive(Debug, Default)]
struct Window {
    lines: VecDeque<Line<'static>>,
    /// Where the anchor is in `lines`.
    anchor: usize,
}

impl TextFile<'_> {
    /// Shows the block around a line.
    pub(super) fn show_block(&self, block: &Block) -> Result<Shown> {
        let most = usize::try_from(block.most).unwrap_or(MAX_LINES).min(MAX_LINES);
        let mut lines = self.lines()?;
        let before = (most as u64 - 1).min(block.anchor - 1);
        let skipped = lines.skip(block.anchor - 1 - before)?;
        let mut window = Window::default();
        for _ in 0..before {
            window.lines.extend(lines.next(KEPT_BYTES)?.map(Line::into_owned));
        }
        window.anchor = window.lines.len();
        for _ in 0..most {
            window.lines.extend(lines.next(KEPT_BYTES)?.map(Line::into_owned));
        }
        let known = skipped + window.lines.len() as u64;
        let total = lines.count(MAX_COUNT_BYTES)?.map(|rest| known + rest);
        let text = if window.anchor < window.lines.len() {
            self.block_text(&window, block, most, total)
        } else {
            past_end(self.path, block.anchor, total.unwrap_or(known))
        };
        Ok(Shown { text, hash: lines.inner().hash() })
    }

    fn block_text(
        &self,
        window: &Window,
        block: &Block,
        most: usize,
        total: Option<u64>,
    ) -> String {
        let texts: Vec<String> = (window.lines.iter())
            .map(|line| self.coding.decode(&line.start).0.into_owned())
            .collect();
        let range = grow(&texts, window.anchor, block, most);
        let first = block.anchor - window.anchor as u64;
        let mut view = View::new(self.coding, self.budget);
        for at in range {
            view.show(first + at as u64, &window.lines[at]);
        }
        let place = view.place(total);
        format!("{}({place}, the block around line {})\n", view.finish(), block.anchor)
    }
}

fn past_end(path: &str, anchor: u64, total: u64) -> String {
    match total {
        0 => format!("({path} is empty)"),
        1 => format!("({path} has 1 line; anchor_line {anchor} is past its end)"),
        _ => format!("({path} has {total} lines; anchor_line {anchor} is past its end)"),
    }
}

/// The block around `anchor`, as a range of `lines`.
fn grow(
    lines: &[impl AsRef<str>],
    anchor: usize,
    block: &Block,
    most: usize,
) -> std::ops::Range<usize> {
    let levels = effective_levels(lines);
    let outermost = match block.max_levels {
        0 => 0,
        levels_out => levels[anchor].saturating_sub(levels_out),
    };
    let mut up = Side::default();
    let mut down = Side::default();
    let (mut first, mut end) = (anchor, anchor + 1);
    while end - first < most && !(up.closed && down.closed) {
        if !up.closed {
            let above = first.checked_sub(1);
            let comment = |at: usize| block.header && is_comment(lines[at].as_ref());
            match above.filter(|at| up.takes(levels[*at], outermost, block.siblings, comment(*at)))
            {
                Some(at) => first = at,
                None => up.closed = true,
            }
        }
        if !down.closed && end - first < most {
            let below = Some(end).filter(|at| *at < lines.len());
            match below.filter(|at| down.takes(levels[*at], outermost, block.siblings, false)) {
                Some(at) => end = at + 1,
                None => down.closed = true,
            }
        }
    }
    let blank = |at: usize| is_blank(lines[at].as_ref());
    while first < anchor && blank(first) {
        first += 1;
    }
    while end > anchor + 1 && blank(end - 1) {
        end -= 1;
    }
    first..end
}

/// How far a block has grown to one side.
#[derive(Debug, Default)]
struct Side {
    /// A line on the outermost level was taken.
    met: bool,
    closed: bool,
}

impl Side {
    fn takes(&mut self, level: usize, outermost: usize, siblings: bool, comment: bool) -> bool {
        if level > outermost || (level == outermost && (siblings || comment)) {
            return true;
        }
        level == outermost && !std::mem::replace(&mut self.met, true)
    }
}

/// The level of each line; a blank one is as deep as the line before it.
fn effective_levels(lines: &[impl AsRef<str>]) -> Vec<usize> {
    let mut before = 0;
    let level = |line: &_| {
        let line: &str = AsRef::as_ref(line);
        if !is_blank(line) {
            before = level(line);
        }
        before
    };
    lines.iter().map(level).collect()
}

fn level(line: &str) -> usize {
    let indentation = line.chars().take_while(|letter| matches!(letter, ' ' | '\t'));
    let columns: usize = indentation.map(|c| if c == '\t' { LEVEL_COLUMNS } else { 1 }).sum();
    columns / LEVEL_COLUMNS
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

fn is_comment(line: &str) -> bool {
    let text = line.trim_start();
    COMMENTS.iter().any(|begin| text.starts_with(begin))
}
