//! The beginning and the end of a text of any length.

use crate::amount::{LeftOut, line_ends};
use crate::screen::Sink;

/// Room for the mark, whatever numbers it has.
const MARK_BYTES: usize = 64;

/// Keeps the beginning and the end of what is pushed, within a cap.
///
/// ```
/// use dogu_output::HeadTail;
///
/// let mut ends = HeadTail::new(100);
/// (0..1000).for_each(|number| ends.push(&format!("{number}\n")));
/// let (text, left_out) = ends.finish();
/// assert!(text.starts_with("0\n1\n2\n") && text.ends_with("998\n999\n"));
/// assert!(text.contains("\n[… 986 lines (3.9 KB) left out …]\n"));
/// assert_eq!(left_out.lines, 986);
/// ```
pub struct HeadTail {
    cap: usize,
    head: String,
    /// What follows the head: up to twice its cap, so that cutting it is rare.
    tail: String,
    left_out: LeftOut,
    /// What was left out before the tail ended with a line.
    line_before: bool,
}

impl HeadTail {
    /// At most `cap` bytes, the mark that says what was left out included.
    pub fn new(cap: usize) -> Self {
        let (head, tail) = (String::new(), String::new());
        Self { cap, head, tail, left_out: LeftOut::default(), line_before: true }
    }

    /// Takes text.
    pub fn push(&mut self, text: &str) {
        let mut text = text;
        if self.tail.is_empty() && self.left_out.is_none() {
            let room = self.cap / 2 - self.head.len();
            let (now, later) = text.split_at(floor(text, room));
            self.head.push_str(now);
            text = later;
        }
        if text.len() > self.tail_cap() {
            let cut = ceil(text, text.len() - self.tail_cap());
            self.forget_tail();
            self.leave_out(&text[..cut]);
            text = &text[cut..];
        }
        self.tail.push_str(text);
        if self.tail.len() > 2 * self.tail_cap() {
            let cut = ceil(&self.tail, self.tail.len() - self.tail_cap());
            let tail = self.tail.split_off(cut);
            self.forget_tail();
            self.tail = tail;
        }
    }

    /// Something is missing here.
    pub fn gap(&mut self, left_out: LeftOut) {
        if left_out.is_none() {
            return;
        }
        self.forget_tail();
        self.left_out.add(left_out);
        self.line_before = true;
    }

    /// The text, and what was left out of it.
    pub fn finish(self) -> (String, LeftOut) {
        let Self { cap, mut head, mut tail, mut left_out, line_before } = self;
        if left_out.is_none() && head.len() + tail.len() <= cap {
            return (head + &tail, left_out);
        }
        let room = cap.saturating_sub(MARK_BYTES);
        // What one side does not need the other may have.
        let tail_room = (room / 2).max(room.saturating_sub(head.len()));
        let cut = tail_begin(&tail, tail_room, line_before);
        let tail_kept = tail.len() - cut;
        let head_cut = head_end(&head, room.saturating_sub(tail_kept));
        for out in [&head[head_cut..], &tail[..cut]] {
            left_out.add(LeftOut { bytes: out.len() as u64, lines: line_ends(out.as_bytes()) });
        }
        head.truncate(head_cut);
        tail.drain(..cut);
        if cap >= MARK_BYTES {
            if !head.is_empty() && !head.ends_with('\n') {
                head.push('\n');
            }
            head.push_str(&left_out.mark());
            head.push('\n');
        }
        (head + &tail, left_out)
    }

    fn tail_cap(&self) -> usize {
        // The head may have left up to three bytes of room to a character that did not fit.
        self.cap - self.cap / 2 + 3
    }

    fn forget_tail(&mut self) {
        let tail = std::mem::take(&mut self.tail);
        self.leave_out(&tail);
    }

    fn leave_out(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.line_before = text.ends_with('\n');
        let out = LeftOut { bytes: text.len() as u64, lines: line_ends(text.as_bytes()) };
        self.left_out.add(out);
    }
}

impl Sink for HeadTail {
    fn put(&mut self, text: &str, _from_err: bool) {
        self.push(text);
    }

    fn gap(&mut self, left_out: LeftOut) {
        Self::gap(self, left_out);
    }
}

/// The last border of characters that is not after `at`.
pub(crate) fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}

/// The first border of characters that is not before `at`.
pub(crate) fn ceil(text: &str, at: usize) -> usize {
    text.ceil_char_boundary(at)
}

/// Where the head ends: after a line, where that loses no more than half of the room.
fn head_end(head: &str, room: usize) -> usize {
    let end = floor(head, room.min(head.len()));
    let line = memchr::memrchr(b'\n', &head.as_bytes()[..end]).map_or(0, |at| at + 1);
    if line >= end / 2 && line > 0 { line } else { end }
}

/// Where the tail begins: with a line, where that loses no more than half of the room.
fn tail_begin(tail: &str, room: usize, line_before: bool) -> usize {
    let begin = ceil(tail, tail.len().saturating_sub(room));
    let at_line = match begin.checked_sub(1) {
        Some(before) => tail.as_bytes()[before] == b'\n',
        None => line_before,
    };
    if at_line {
        return begin;
    }
    let line = memchr::memchr(b'\n', &tail.as_bytes()[begin..]).map(|at| begin + at + 1);
    line.filter(|line| line - begin <= (tail.len() - begin) / 2).unwrap_or(begin)
}
