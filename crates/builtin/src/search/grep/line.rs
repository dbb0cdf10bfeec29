//! A line as it is shown: without its end, and a long one cut around the match.

use std::borrow::Cow;
use std::ops::Range;

/// How many characters of a line are shown.
pub(super) const MAX_LINE_CHARS: usize = 500;
/// How many of those stand before the match, in a line that is cut.
const CHARS_BEFORE_MATCH: usize = 100;

/// A piece of a line.
#[derive(Debug)]
pub(super) struct Shown<'a> {
    pub(super) text: Cow<'a, str>,
    /// There is more before it.
    pub(super) cut_start: bool,
    /// There is more after it.
    pub(super) cut_end: bool,
    /// Some bytes are no UTF-8 and stand as U+FFFD.
    pub(super) replaced: bool,
}

impl Shown<'_> {
    /// Appends it, with a mark on each side that was cut.
    pub(super) fn push_to(&self, text: &mut String) {
        if self.cut_start {
            text.push('…');
        }
        text.push_str(&self.text);
        if self.cut_end {
            text.push('…');
        }
    }
}

/// A line without its end.
pub(super) fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Whether a line may have to be cut, so that the place of its match must be known.
pub(super) fn is_long(line: &[u8]) -> bool {
    line.len() > MAX_LINE_CHARS
}

/// What is shown of a line, in which `found` lies.
pub(super) fn show(line: &[u8], found: Option<Range<usize>>) -> Shown<'_> {
    let whole = 0..line.len();
    let range =
        if is_long(line) { window(line, found.map_or(0, |found| found.start)) } else { whole };
    let text = String::from_utf8_lossy(&line[range.clone()]);
    Shown {
        replaced: matches!(text, Cow::Owned(_)),
        text,
        cut_start: range.start > 0,
        cut_end: range.end < line.len(),
    }
}

fn window(line: &[u8], at: usize) -> Range<usize> {
    let end = forward(line, 0, MAX_LINE_CHARS);
    let before = back(line, at.min(line.len()), CHARS_BEFORE_MATCH);
    if end == line.len() || before == 0 {
        return 0..end;
    }
    let end = forward(line, before, MAX_LINE_CHARS);
    // Near the end of the line there is room for more of what is before.
    if end == line.len() { back(line, end, MAX_LINE_CHARS)..end } else { before..end }
}

fn begins_character(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

/// Where the text begins that is so many characters before `from`. What is no UTF-8 ends within
/// four bytes for each character, too.
fn back(line: &[u8], from: usize, characters: usize) -> usize {
    let lowest = from.saturating_sub(4 * characters);
    let mut left = characters;
    let mut at = from;
    while at > lowest && left > 0 {
        at -= 1;
        left -= usize::from(begins_character(line[at]));
    }
    at
}

/// Where the text ends that has so many characters from `from` on.
fn forward(line: &[u8], from: usize, characters: usize) -> usize {
    let highest = line.len().min(from.saturating_add(4 * characters));
    let mut left = characters;
    let mut at = from;
    while at < highest {
        if begins_character(line[at]) {
            if left == 0 {
                break;
            }
            left -= 1;
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(line: &[u8], found: Range<usize>) -> String {
        let mut text = String::new();
        show(line, Some(found)).push_to(&mut text);
        text
    }

    #[test]
    fn a_line_that_fits_is_whole() {
        let line = "é".repeat(MAX_LINE_CHARS);
        assert_eq!(text(line.as_bytes(), 0..1), line);
    }

    #[test]
    fn a_long_line_is_cut_around_its_match() {
        let line = format!("{}needle{}", "é".repeat(1_000), "ü".repeat(1_000));
        let shown = text(line.as_bytes(), 2_000..2_006);
        assert!(shown.starts_with("…é") && shown.ends_with("ü…"), "{shown}");
        assert_eq!(shown.find("needle"), Some('…'.len_utf8() + 2 * CHARS_BEFORE_MATCH));
        assert_eq!(shown.chars().count(), MAX_LINE_CHARS + 2);
    }

    #[test]
    fn a_match_at_either_end_is_cut_on_one_side_only() {
        let line = format!("needle{}", "x".repeat(1_000));
        assert!(text(line.as_bytes(), 0..6).starts_with("needle"));
        let line = format!("{}needle", "x".repeat(1_000));
        let shown = text(line.as_bytes(), 1_000..1_006);
        assert!(shown.starts_with('…') && shown.ends_with("needle"), "{shown}");
        assert_eq!(shown.chars().count(), MAX_LINE_CHARS + 1);
    }

    proptest! {
        #[test]
        fn what_is_shown_of_utf8_is_a_part_of_it_within_the_bound(
            line in "[aé語😀]{0,1500}", at in 0..6_000_usize
        ) {
            let shown = show(line.as_bytes(), Some(at..at));
            prop_assert!(line.contains(&*shown.text) && !shown.replaced);
            prop_assert!(shown.text.chars().count() <= MAX_LINE_CHARS);
        }

        #[test]
        fn bytes_of_any_kind_are_shown_within_the_bound(
            line in prop::collection::vec(any::<u8>(), 0..4_000), at in 0..4_000_usize
        ) {
            let shown = show(&line, Some(at..at));
            prop_assert!(shown.text.len() <= 4 * 3 * MAX_LINE_CHARS);
        }
    }
}
