//! Comments and texts of a language, to be passed over.

use memchr::{memchr, memchr2, memmem};

use super::family::{Language, Single};

/// What begins at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passed {
    /// A comment up to here.
    Comment(usize),
    /// A text up to here.
    Text(usize),
    /// Neither.
    Nothing,
}

/// Bytes that may begin a comment or a text.
pub(super) fn may_begin(byte: u8) -> bool {
    matches!(byte, b'/' | b'#' | b'-' | b'"' | b'\'' | b'`')
}

/// What begins at `at`; `before` is the last byte of code.
pub(super) fn passed(language: &Language, text: &[u8], at: usize, before: u8) -> Passed {
    let rest = &text[at..];
    if language.line_comments.iter().any(|mark| rest.starts_with(mark)) {
        // `#[attribute]` of PHP is code.
        if !(rest.starts_with(b"#[") && language.line_comments.len() > 1) {
            return Passed::Comment(line_end(text, at));
        }
    }
    match rest[0] {
        b'/' if language.block_comments && rest.starts_with(b"/*") => {
            Passed::Comment(block_comment(text, at, language.nested_comments))
        }
        b'/' if language.script => regex(text, at, before),
        b'"' if language.triple && rest.starts_with(b"\"\"\"") => {
            Passed::Text(closed_by(text, at + 3, b"\"\"\""))
        }
        b'\'' if language.triple && rest.starts_with(b"'''") => {
            Passed::Text(closed_by(text, at + 3, b"'''"))
        }
        b'"' if language.raw_hashes && matches!(before, b'r' | b'#') => raw(text, at),
        b'"' => Passed::Text(quoted(text, at, b'"', language.long_texts)),
        b'\'' => single(language, text, at),
        b'`' if language.backticks => Passed::Text(quoted(text, at, b'`', true)),
        _ => Passed::Nothing,
    }
}

fn line_end(text: &[u8], at: usize) -> usize {
    memchr(b'\n', &text[at..]).map_or(text.len(), |found| at + found)
}

fn closed_by(text: &[u8], from: usize, mark: &[u8]) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    memmem::find(rest, mark).map_or(text.len(), |found| from + found + mark.len())
}

fn block_comment(text: &[u8], at: usize, nested: bool) -> usize {
    if !nested {
        return closed_by(text, at + 2, b"*/");
    }
    let (mut depth, mut here) = (1_usize, at + 2);
    while let Some(found) = memchr2(b'*', b'/', &text[here.min(text.len())..]) {
        here += found;
        match &text[here..] {
            [b'*', b'/', ..] => {
                depth -= 1;
                here += 2;
            }
            [b'/', b'*', ..] => {
                depth += 1;
                here += 2;
            }
            _ => here += 1,
        }
        if depth == 0 {
            return here;
        }
    }
    text.len()
}

/// A text in quotes with backslashes; one that may not go over lines ends with its line.
fn quoted(text: &[u8], at: usize, quote: u8, long: bool) -> usize {
    let mut here = at + 1;
    while let Some(byte) = text.get(here) {
        match byte {
            b'\\' => here += 2,
            b'\n' if !long => return here,
            _ if *byte == quote => return here + 1,
            _ => here += 1,
        }
    }
    text.len()
}

/// `"…"#`, after `r#`.
fn raw(text: &[u8], at: usize) -> Passed {
    let hashes = text[..at].iter().rev().take_while(|byte| **byte == b'#').count();
    let letter = at.checked_sub(hashes + 1).map(|place| text[place]);
    if letter != Some(b'r') {
        return Passed::Text(quoted(text, at, b'"', true));
    }
    let mut mark = vec![b'"'];
    mark.extend(std::iter::repeat_n(b'#', hashes.min(64)));
    Passed::Text(closed_by(text, at + 1, &mark))
}

fn single(language: &Language, text: &[u8], at: usize) -> Passed {
    match language.single {
        Single::Text => Passed::Text(quoted(text, at, b'\'', language.long_texts)),
        Single::Letter if text.get(at + 1) == Some(&b'\\') => {
            Passed::Text(quoted(text, at, b'\'', false))
        }
        Single::Letter => {
            // A letter has at most four bytes; what is not closed by then is a lifetime.
            let near = text.get(at + 2..text.len().min(at + 6)).unwrap_or_default();
            match memchr(b'\'', near) {
                Some(found) if found == 0 || !text[at + 1].is_ascii() => {
                    Passed::Text(at + 3 + found)
                }
                _ => Passed::Nothing,
            }
        }
    }
}

/// A regular expression of `JavaScript`: where an operand is expected, and closed on its line.
fn regex(text: &[u8], at: usize, before: u8) -> Passed {
    if !b"(,=:[!&|?{};+-*%~^<>\n\0".contains(&before) {
        return Passed::Nothing;
    }
    let mut here = at + 1;
    let mut class = false;
    while let Some(byte) = text.get(here) {
        match byte {
            b'\\' => here += 1,
            b'\n' => return Passed::Nothing,
            b'[' => class = true,
            b']' => class = false,
            b'/' if !class => return Passed::Text(here + 1),
            _ => {}
        }
        here += 1;
    }
    Passed::Nothing
}
