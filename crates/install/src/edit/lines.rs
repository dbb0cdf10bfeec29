//! Ends of lines, and ranges of them.

use std::ops::Range;

/// How lines of this text end.
pub(super) fn ending(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// `addition`, whose lines end in `\n`, with the ends of lines of `text`.
pub(super) fn fitted(addition: &str, text: &str) -> String {
    addition.replace('\n', ending(text))
}

/// Where the line of this offset begins.
pub(super) fn begin(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Where the line of this offset ends, its end included.
pub(super) fn end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1)
}

/// The space before the first word of the line of this offset.
pub(super) fn indent(text: &str, at: usize) -> &str {
    let line = &text[begin(text, at)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The text without some ranges, which are in order and apart.
pub(super) fn cut(text: &str, ranges: &[Range<usize>]) -> String {
    let mut rest = String::with_capacity(text.len());
    let mut at = 0;
    for range in ranges {
        rest.push_str(&text[at..range.start]);
        at = range.end;
    }
    rest.push_str(&text[at..]);
    rest
}
