//! Code fences: what is inside is text, whatever it looks like.

use dogu_tool::text::floor_boundary;
use memchr::memchr;

use super::Step;
use crate::event::{Event, Sink};

/// No fence is longer; what is longer counts as this long.
pub(super) const MAX_RUN: usize = 16;
/// The line that opens or closes a fence is not longer than this.
pub(super) const MAX_LINE: usize = 96;

/// An open fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    /// A backtick or a tilde.
    pub(super) mark: u8,
    pub(super) run: usize,
}

/// What is at the start of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Opening<'a> {
    /// A fence opens.
    Fence {
        fence: Fence,
        /// The first word behind the marks, which says what the block holds.
        info: &'a str,
        /// The length of the line with its line break.
        len: usize,
    },
    /// A fence that only quotes: inside a list, far to the right, or with much behind its marks.
    Quoted { fence: Fence, len: usize },
    /// No fence.
    Not,
    /// It ends before it can be told.
    More,
}

impl Fence {
    /// Looks for a fence at the start of a line.
    pub(super) fn opening(line: &str, ended: bool) -> Opening<'_> {
        let window = &line[..floor_boundary(line, line.len().min(MAX_LINE))];
        let end = memchr(b'\n', window.as_bytes());
        let (is_whole, window) = (end.is_some() || ended, &window[..end.unwrap_or(window.len())]);
        let is_full = line.len() >= MAX_LINE;
        let indent = indent(window);
        let marks = &window[indent..];
        let Some(mark) = marks.bytes().next() else {
            return if is_whole || is_full { Opening::Not } else { Opening::More };
        };
        let run = marks.bytes().take_while(|byte| *byte == mark).count();
        if !matches!(mark, b'`' | b'~') || run < 3 {
            let grows = matches!(mark, b'`' | b'~') && run == marks.len();
            let may_come = !is_whole && !is_full && (grows || may_be_bullet(marks));
            return if may_come { Opening::More } else { Opening::Not };
        }
        if !is_whole && !is_full {
            return Opening::More;
        }
        let info = marks[run..].trim();
        // `` ```a``` `` on one line is a code span.
        if mark == b'`' && info.contains('`') {
            return Opening::Not;
        }
        let fence = Self { mark, run: run.min(MAX_RUN) };
        let len = end.map_or(window.len(), |end| end + 1);
        let is_plain = window[..indent].bytes().all(|byte| byte == b' ') && indent < 4;
        if !is_plain || end.is_none() || run > MAX_RUN {
            return Opening::Quoted { fence, len };
        }
        Opening::Fence { fence, info: info.split_whitespace().next().unwrap_or_default(), len }
    }

    /// How long the closing line at the start of `line` is; `Err` where it cannot be told yet.
    pub(super) fn closing(self, line: &str, ended: bool) -> Result<Option<usize>, ()> {
        let window = &line.as_bytes()[..line.len().min(MAX_LINE)];
        let end = memchr(b'\n', window);
        let closes = self.is_closing(&window[..end.unwrap_or(window.len())]);
        match end {
            Some(end) => Ok((closes == Some(true)).then_some(end + 1)),
            None if closes.is_none() || window.len() == MAX_LINE => Ok(None),
            None if ended => Ok((closes == Some(true)).then_some(line.len())),
            None => Err(()),
        }
    }

    /// Whether a line closes the fence; `None` where it holds anything but marks and blanks.
    fn is_closing(self, line: &[u8]) -> Option<bool> {
        let indent = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let marks = &line[indent..];
        let run = marks.iter().take_while(|byte| **byte == self.mark).count();
        let only = marks[run..].iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        (only && (run > 0 || marks.is_empty())).then_some(run >= self.run)
    }
}

/// Blanks, and the marks of list items: a fence may stand behind them.
fn indent(line: &str) -> usize {
    let mut at = 0;
    loop {
        at += line[at..].len() - line[at..].trim_start_matches([' ', '\t']).len();
        match bullet(&line[at..]) {
            Some(length) => at += length,
            None => return at,
        }
    }
}

/// The length of `- `, `* `, `+ ` or `1. `.
fn bullet(text: &str) -> Option<usize> {
    let digits = text.bytes().take(4).take_while(u8::is_ascii_digit).count();
    let marks: &[u8] = if digits == 0 { b"-*+" } else { b".)" };
    let rest = text.as_bytes().get(digits..)?;
    let is_mark = marks.contains(rest.first()?) && matches!(rest.get(1)?, b' ' | b'\t');
    is_mark.then_some(digits + 2)
}

/// Whether a text that ends here may become the mark of a list item.
fn may_be_bullet(text: &str) -> bool {
    let digits = text.bytes().take(4).take_while(u8::is_ascii_digit).count();
    match &text.as_bytes()[digits..] {
        [] => digits > 0,
        [mark] => {
            if digits == 0 {
                b"-*+".contains(mark)
            } else {
                b".)".contains(mark)
            }
        }
        _ => false,
    }
}

/// Inside a fence that holds no call.
#[derive(Debug)]
pub(super) struct PlainFence {
    pub(super) fence: Fence,
    pub(super) line_start: bool,
}

impl PlainFence {
    pub(super) fn step(&mut self, rest: &str, ended: bool, sink: Sink<'_>) -> Step {
        if self.line_start {
            match self.fence.closing(rest, ended) {
                Err(()) => return Step::Wait,
                Ok(Some(len)) => {
                    sink(Event::Text(&rest[..len]));
                    return Step::Done(len);
                }
                Ok(None) => {}
            }
        }
        let line = memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |at| at + 1);
        self.line_start = rest[..line].ends_with('\n');
        sink(Event::Text(&rest[..line]));
        Step::Used(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_open_at_the_start_of_a_line() {
        let opened = |line| match Fence::opening(line, true) {
            Opening::Fence { fence, info, len } => Some((fence.run, info, len)),
            _ => None,
        };
        assert_eq!(opened("```tool\nx"), Some((3, "tool", 8)));
        assert_eq!(opened("  ~~~~ json x\n"), Some((4, "json", 14)));
        assert_eq!(opened("```a``` b\n"), None);
        assert_eq!(opened("``tool\n"), None);
        assert_eq!(opened("    ```\n"), None);
        assert_eq!(Fence::opening("``", false), Opening::More);
        assert_eq!(Fence::opening("```to", false), Opening::More);
        assert_eq!(Fence::opening("``a", false), Opening::Not);
    }

    #[test]
    fn fences_close_with_as_many_marks() {
        let fence = Fence { mark: b'`', run: 4 };
        assert_eq!(fence.closing("````\nx", false), Ok(Some(5)));
        assert_eq!(fence.closing("`````  \n", false), Ok(Some(8)));
        assert_eq!(fence.closing("```\n", false), Ok(None));
        assert_eq!(fence.closing("````x\n", false), Ok(None));
        assert_eq!(fence.closing("````", false), Err(()));
        assert_eq!(fence.closing("````", true), Ok(Some(4)));
    }
}
