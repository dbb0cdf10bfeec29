//! The lines of a hunk.

use super::head::{Numbers, numbers};
use super::is_binary;
use super::section::at_names;
use crate::patch::cursor::Cursor;
use crate::patch::error::{Fault, NO_MARK, PatchError};
use crate::patch::{Hunk, HunkLine, Mark};

/// Reads the hunk whose head comes next. Its counts tell where it ends if they are right; if they
/// are not, it ends where lines do not look like its own any more.
pub(super) fn hunk(cursor: &mut Cursor<'_>) -> Result<Hunk, PatchError> {
    let mut hunk = Hunk { line: cursor.number(), ..Hunk::default() };
    let head = cursor.take().unwrap_or_default().trim_start_matches("@@");
    let numbers = numbers(head);
    let mut counted = None;
    if let Some(numbers) = &numbers {
        hunk.start = Some(numbers.start);
        hunk.heading.clone_from(&numbers.heading);
        counted = by_count(cursor, numbers);
    } else {
        let text = head.trim().trim_end_matches("@@").trim();
        hunk.heading = (!text.is_empty() && text != "...").then(|| text.to_owned());
    }
    let length = match counted {
        Some(length) => length,
        None => by_looks(cursor)?,
    };
    for _ in 0..length {
        let Some(line) = cursor.take() else { break };
        if line.starts_with('\\') {
            if let Some(last) = hunk.lines.last_mut() {
                last.no_newline = true;
            }
        } else {
            hunk.lines.push(hunk_line(line));
        }
    }
    hunk.settle_start(numbers.and_then(|numbers| numbers.count));
    Ok(hunk)
}

fn hunk_line(line: &str) -> HunkLine {
    let (mark, text) = match line.as_bytes().first() {
        Some(b'-') => (Mark::Removed, &line[1..]),
        Some(b'+') => (Mark::Added, &line[1..]),
        Some(b' ') => (Mark::Context, &line[1..]),
        // An empty line lost its space on the way.
        _ => (Mark::Context, line),
    };
    HunkLine { mark, text: text.to_owned(), no_newline: false }
}

/// How many lines the hunk has by its counts, if they are right: only lines of a hunk up to there,
/// and none behind it.
fn by_count(cursor: &Cursor<'_>, numbers: &Numbers) -> Option<usize> {
    let (mut old, mut new) = (numbers.count?, numbers.new_count);
    let mut length = 0;
    while old > 0 || new > 0 {
        let line = cursor.peek_at(length)?;
        match line.as_bytes().first() {
            Some(b'-') if !begins_file(cursor, length) => old = old.checked_sub(1)?,
            Some(b'+') => new = new.checked_sub(1)?,
            Some(b' ' | b'\r') | None => {
                old = old.checked_sub(1)?;
                new = new.checked_sub(1)?;
            }
            Some(b'\\') => {}
            _ => return None,
        }
        length += 1;
    }
    if cursor.peek_at(length).is_some_and(|line| line.starts_with('\\')) {
        length += 1;
    }
    let goes_on = matches!(
        cursor.peek_at(length).and_then(|line| line.as_bytes().first()),
        Some(b' ' | b'+' | b'-')
    );
    let ends = begins_file(cursor, length) || is_signature(cursor, length);
    (!goes_on || ends).then_some(length)
}

/// How many lines look like those of a hunk. Empty lines at the end are none. A line without a
/// mark right behind is no end: more may follow, which would be lost without a word.
fn by_looks(cursor: &Cursor<'_>) -> Result<usize, PatchError> {
    let mut length = 0;
    let mut kept = 0;
    while let Some(line) = cursor.peek_at(length) {
        let is_one =
            matches!(line.as_bytes().first(), Some(b' ' | b'+' | b'-' | b'\\' | b'\r') | None);
        if begins_file(cursor, length) || is_signature(cursor, length) {
            break;
        }
        if !is_one {
            if kept == length && !is_boundary(line) {
                return Err(Fault::unexpected(line, NO_MARK).at(cursor.number() + length));
            }
            break;
        }
        length += 1;
        if !line.trim_end_matches('\r').is_empty() {
            kept = length;
        }
    }
    Ok(kept)
}

/// A line that can stand right behind a hunk.
fn is_boundary(line: &str) -> bool {
    const STARTS: [&str; 8] =
        ["@@", "diff ", "```", "Index: ", "Only in ", "From ", "commit ", "*** End Patch"];
    STARTS.iter().any(|start| line.starts_with(start)) || is_binary(line)
}

/// The names of the next file come, and a hunk after them: no change ends with a removed `-- …`
/// and an added `++ …` before another hunk, for that would follow unchanged lines.
fn begins_file(cursor: &Cursor<'_>, ahead: usize) -> bool {
    cursor.peek_at(ahead).is_some_and(|line| line.starts_with("--- "))
        && cursor.peek_at(ahead + 1).is_some_and(|line| line.starts_with("+++ "))
        && cursor.peek_at(ahead + 2).is_some_and(|line| line.starts_with("@@"))
}

/// What `git format-patch` puts at the end: `-- ` and its version.
pub(super) fn is_signature(cursor: &Cursor<'_>, ahead: usize) -> bool {
    let is_version =
        |line: &str| line.starts_with(|c: char| c.is_ascii_digit()) && line.contains('.');
    cursor.peek_at(ahead).is_some_and(|line| line.trim_end() == "--")
        && cursor.peek_at(ahead + 1).is_some_and(is_version)
}

/// A hunk comes next, not the names of another file.
pub(super) fn is_next(cursor: &Cursor<'_>) -> bool {
    cursor.peek().is_some_and(|line| line.starts_with("@@")) && !at_names(cursor)
}
