//! A text as a level sees it: without what the level ignores, each byte with its origin.

use std::ops::Range;

use memchr::memmem::Finder;

use crate::fold::{is_space, push_folded};

/// What a view leaves out besides white space within lines and blank lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sight {
    /// Nothing more.
    Plain,
    /// Line breaks, the kind of quotes, and commas and semicolons that only end something.
    Loose,
}

/// The folded text and where each of its bytes came from.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) bytes: Vec<u8>,
    at: Vec<u32>,
}

impl View {
    /// Looks at a text, past the given ranges (in order).
    pub(crate) fn new(text: &str, sight: Sight, skip: &[Range<usize>]) -> Self {
        let mut view =
            Self { bytes: Vec::with_capacity(text.len()), at: Vec::with_capacity(text.len()) };
        let mut broken = false;
        let mut from = 0;
        for range in skip {
            view.look(text, from..range.start.max(from), sight, &mut broken);
            from = range.end.max(from);
        }
        view.look(text, from..text.len(), sight, &mut broken);
        view
    }

    /// Looks at a piece of a text; `broken` says whether a line ended before it.
    fn look(&mut self, text: &str, piece: Range<usize>, sight: Sight, broken: &mut bool) {
        let raw = text.as_bytes();
        let mut plain = Vec::new();
        let mut at = piece.start;
        while at < piece.end {
            let byte = raw[at];
            if byte.is_ascii() {
                if byte == b'\n' {
                    *broken = true;
                } else if !byte.is_ascii_whitespace() && byte != 0x0b {
                    self.push_ascii(byte, at, sight, raw, broken);
                }
                at += 1;
                continue;
            }
            let Some(c) = text[at..].chars().next() else { break };
            if !is_space(c) {
                plain.clear();
                push_folded(c, &mut plain);
                if sight == Sight::Loose {
                    plain.iter_mut().for_each(plain_quote);
                }
                // Nothing visible: a break before it belongs before what follows.
                if !plain.is_empty() {
                    self.line_break(broken, sight, at);
                    self.bytes.extend_from_slice(&plain);
                    self.at.resize(self.bytes.len(), offset(at));
                }
            }
            at += c.len_utf8();
        }
    }

    #[inline]
    fn push_ascii(&mut self, byte: u8, at: usize, sight: Sight, raw: &[u8], broken: &mut bool) {
        if sight == Sight::Loose && only_ends_something(raw, at) {
            return;
        }
        self.line_break(broken, sight, at);
        let mut byte = byte;
        if sight == Sight::Loose {
            plain_quote(&mut byte);
        }
        self.bytes.push(byte);
        self.at.push(offset(at));
    }

    #[inline]
    fn line_break(&mut self, broken: &mut bool, sight: Sight, at: usize) {
        if *broken && sight == Sight::Plain && !self.bytes.is_empty() {
            self.bytes.push(b'\n');
            self.at.push(offset(at));
        }
        *broken = false;
    }

    /// Where a byte of the view came from.
    pub(crate) fn origin(&self, index: usize) -> usize {
        self.at[index] as usize
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The first byte of the view that comes from this offset or a later one.
    pub(crate) fn index_at(&self, origin: usize) -> usize {
        self.at.partition_point(|at| (*at as usize) < origin)
    }

    /// Where the needle stands, at most `cap` places, overlapping ones too.
    pub(crate) fn find(&self, needle: &[u8], cap: usize) -> Vec<usize> {
        let mut found = Vec::new();
        if needle.is_empty() {
            return found;
        }
        let finder = Finder::new(needle);
        let mut from = 0;
        while let Some(hit) = finder.find(&self.bytes[from..]) {
            let hit = from + hit;
            if self.is_cut(hit) && self.is_cut(hit + needle.len()) {
                found.push(hit);
                if found.len() == cap {
                    break;
                }
            }
            from = hit + 1;
        }
        found
    }

    /// Whether a place of the view is between two characters of the text: one character can
    /// have become several bytes.
    fn is_cut(&self, index: usize) -> bool {
        index == 0
            || index >= self.at.len()
            || self.at[index] != self.at[index - 1]
            || self.bytes[index - 1] == b'\n'
    }
}

#[expect(clippy::cast_possible_truncation, reason = "texts beyond 4 GB are refused before")]
fn offset(at: usize) -> u32 {
    at as u32
}

fn plain_quote(byte: &mut u8) {
    if matches!(byte, b'\'' | b'`') {
        *byte = b'"';
    }
}

/// Whether a byte is a semicolon, a comma before a closing bracket or a backslash at a line's end.
fn only_ends_something(raw: &[u8], at: usize) -> bool {
    let rest = &raw[at + 1..];
    match raw[at] {
        b',' => {
            let next = rest.iter().find(|byte| !byte.is_ascii_whitespace());
            next.is_none_or(|byte| matches!(byte, b')' | b']' | b'}'))
        }
        b';' => true,
        b'\\' => {
            let next = rest.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
            next.is_none_or(|byte| *byte == b'\n')
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        String::from_utf8(View::new(text, Sight::Plain, &[]).bytes).unwrap()
    }

    #[test]
    fn space_and_blank_lines_are_left_out() {
        assert_eq!(plain("  a  b \r\n\n \t c\n"), "ab\nc");
        assert_eq!(plain("\u{201c}x\u{201d}\n\u{200b}\ny"), "\"x\"\ny");
        assert_eq!(plain("\u{feff}a\n\u{200b}b"), "a\nb");
    }

    #[test]
    fn every_byte_knows_its_origin() {
        let text = "\u{feff}a \u{2026}\n b";
        let view = View::new(text, Sight::Plain, &[]);
        assert_eq!(view.bytes, b"a...\nb");
        let origins: Vec<usize> = (0..view.len()).map(|index| view.origin(index)).collect();
        assert_eq!(origins, [3, 5, 5, 5, 10, 10]);
    }

    #[test]
    fn a_piece_of_one_character_is_no_hit() {
        let view = View::new("a\u{2026}b", Sight::Plain, &[]);
        assert!(view.find(b"..b", 9).is_empty());
        assert_eq!(view.find(b"...b", 9), [1]);
    }

    #[test]
    fn the_loose_sight_ignores_ends_and_quotes() {
        let view = View::new("f(\n  'a',\n);\n", Sight::Loose, &[]);
        assert_eq!(view.bytes, b"f(\"a\")");
    }

    #[test]
    fn ranges_are_skipped() {
        let view = View::new("a # x\nb", Sight::Plain, std::slice::from_ref(&(2..5)));
        assert_eq!(view.bytes, b"a\nb");
    }
}
