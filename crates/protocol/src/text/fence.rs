//! Code fences: what is inside is text, whatever it looks like.

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
    /// No fence.
    Not,
    /// It ends before it can be told.
    More,
}

impl Fence {
    /// Looks for a fence at the start of a line.
    pub(super) fn opening(line: &str, ended: bool) -> Opening<'_> {
        let indent = indent(line);
        if indent > 3 {
            return Opening::Not;
        }
        let Some(mark) = line.as_bytes().get(indent).filter(|b| matches!(b, b'`' | b'~')) else {
            let may_come = indent == line.len() && !ended;
            return if may_come { Opening::More } else { Opening::Not };
        };
        let fence = Self { mark: *mark, run: run_of(&line[indent..], *mark) };
        let Some(end) = memchr(b'\n', &line.as_bytes()[..line.len().min(MAX_LINE)]) else {
            let is_open = line.len() < MAX_LINE && !ended;
            return if is_open && fence.may_grow(&line[indent..]) {
                Opening::More
            } else {
                Opening::Not
            };
        };
        let info = line[indent + fence.run..end].trim();
        // `` ```a``` `` on one line is a code span.
        if fence.run < 3 || (fence.mark == b'`' && info.contains('`')) {
            return Opening::Not;
        }
        let info = info.split_whitespace().next().unwrap_or_default();
        Opening::Fence { fence, info, len: end + 1 }
    }

    fn may_grow(self, line: &str) -> bool {
        self.run >= 3 || self.run == line.len()
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
        let indent = line.iter().take(3).take_while(|byte| **byte == b' ').count();
        let marks = &line[indent..];
        let run = marks.iter().take_while(|byte| **byte == self.mark).count();
        let only = marks[run..].iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        (only && (run > 0 || marks.is_empty())).then_some(run >= self.run)
    }
}

fn indent(line: &str) -> usize {
    line.bytes().take(4).take_while(|byte| *byte == b' ').count()
}

fn run_of(line: &str, mark: u8) -> usize {
    line.bytes().take(MAX_RUN).take_while(|byte| *byte == mark).count()
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
