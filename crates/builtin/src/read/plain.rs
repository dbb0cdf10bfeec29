//! Lines of a plain text that is held: ASCII without control characters. Most files that are read
//! are one, and what is known of all of it need not be asked of each line.

use std::ops::Range;

/// How wide the numbers of lines are at the least.
const NUMBER_WIDTH: usize = 6;
/// The digits of the largest number.
const MOST_DIGITS: usize = 20;

/// Whether all of a content is plain.
pub(super) fn is_plain(bytes: &[u8]) -> bool {
    let is_odd = |byte: &u8| !matches!(byte, b' '..=b'~' | b'\t' | b'\n');
    // Without an early end, so that many bytes are looked at in one step.
    bytes.iter().fold(0, |odd, byte| odd | u8::from(is_odd(byte))) == 0
}

/// The lines of a plain text, one after the other.
pub(super) struct PlainLines<'a> {
    text: &'a [u8],
    ends: memchr::Memchr<'a>,
    /// Where the next line begins.
    start: usize,
}

impl<'a> PlainLines<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, ends: memchr::memchr_iter(b'\n', text), start: 0 }
    }

    /// Passes over so many lines; says over how many, which is fewer at the end.
    pub(super) fn skip(&mut self, lines: u64) -> u64 {
        let mut skipped = 0;
        while skipped < lines && self.next_range().is_some() {
            skipped += 1;
        }
        skipped
    }

    /// How many lines are left.
    pub(super) fn count(self) -> u64 {
        let rest = &self.text[self.start..];
        let unended = rest.last().is_some_and(|last| *last != b'\n');
        memchr::memchr_iter(b'\n', rest).count() as u64 + u64::from(unended)
    }

    #[inline]
    fn next_range(&mut self) -> Option<Range<usize>> {
        let end = match self.ends.next() {
            Some(end) => end + 1,
            None if self.start < self.text.len() => self.text.len(),
            None => return None,
        };
        Some(std::mem::replace(&mut self.start, end)..end)
    }

    /// The next line, with its end.
    #[inline]
    pub(super) fn next(&mut self) -> Option<&'a [u8]> {
        self.next_range().map(|range| &self.text[range])
    }
}

/// The number of a line and a tab, as `cat -n` prints them. Counting on is cheaper than writing
/// each number anew, and both are cheaper than the machinery of formats, which costs more than all
/// else of a short line.
pub(super) struct Counter {
    letters: [u8; MOST_DIGITS + 1],
    /// Where it begins.
    from: usize,
}

impl Counter {
    pub(super) fn at(number: u64) -> Self {
        let mut letters = [b' '; MOST_DIGITS + 1];
        letters[MOST_DIGITS] = b'\t';
        let (mut at, mut rest) = (MOST_DIGITS, number);
        while rest > 0 || at == MOST_DIGITS {
            at -= 1;
            letters[at] = b'0' + u8::try_from(rest % 10).unwrap_or_default();
            rest /= 10;
        }
        Self { letters, from: at.min(MOST_DIGITS - NUMBER_WIDTH) }
    }

    /// Goes on to the next number.
    #[inline]
    pub(super) fn advance(&mut self) {
        let mut at = MOST_DIGITS;
        while at > 0 {
            at -= 1;
            match self.letters[at] {
                b'9' => self.letters[at] = b'0',
                b' ' => {
                    self.letters[at] = b'1';
                    break;
                }
                _ => {
                    self.letters[at] += 1;
                    break;
                }
            }
        }
        self.from = self.from.min(at);
    }

    #[inline]
    pub(super) fn letters(&self) -> &[u8] {
        &self.letters[self.from..]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_ascii_that_prints_is_plain() {
        for byte in 0..=u8::MAX {
            let mut text = [b'a'; 40];
            text[33] = byte;
            let prints = (0x20..0x7f).contains(&byte) || byte == b'\t' || byte == b'\n';
            assert_eq!(is_plain(&text), prints, "{byte:#x}");
        }
        assert!(is_plain(b""));
    }

    #[test]
    fn numbers_of_lines_are_as_wide_as_cat_prints_them() {
        for number in [0, 1, 8, 9, 98, 99, 99_998, 99_999, 999_999, 1_000_000, u64::MAX - 1] {
            let mut counter = Counter::at(number);
            for number in [number, number + 1] {
                assert_eq!(counter.letters(), format!("{number:6}\t").as_bytes());
                counter.advance();
            }
        }
    }

    proptest! {
        #[test]
        fn lines_are_those_of_the_text(text in "[ab\n]{0,80}", skipped in 0_usize..12, taken in 0_usize..12) {
            let all: Vec<&str> = text.split_inclusive('\n').collect();
            let mut lines = PlainLines::new(text.as_bytes());
            prop_assert_eq!(lines.skip(skipped as u64), skipped.min(all.len()) as u64);
            let mut left = all.into_iter().skip(skipped);
            for _ in 0..taken {
                prop_assert_eq!(lines.next(), left.next().map(str::as_bytes));
            }
            prop_assert_eq!(lines.count(), left.count() as u64);
        }
    }
}
