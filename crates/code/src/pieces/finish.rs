//! From what was found to pieces that cover every line that says something.

use super::outline::{Item, Outline};
use super::{Kind, Piece};

/// A longer piece is cut, in lines.
const MAX_LINES: usize = 160;
/// Into parts of about so many lines.
const PART_LINES: usize = 80;
/// Lines that belong to nothing are cut into windows of about so many lines.
const WINDOW_LINES: usize = 40;
/// Small neighbours are joined up to so many lines.
const JOINED_LINES: usize = 24;
/// So many names of joined pieces are kept.
const MAX_NAMES: usize = 12;

/// Makes the pieces.
pub(super) fn finish(mut outline: Outline<'_>) -> Vec<Piece> {
    let items = with_gaps(&mut outline);
    let mut pieces = Vec::new();
    for item in joined(items) {
        cut(&outline, &item, &mut pieces);
    }
    pieces
}

/// The items, and between them what belongs to none.
fn with_gaps(outline: &mut Outline<'_>) -> Vec<Item> {
    let items = std::mem::take(&mut outline.items);
    let mut owners = std::mem::take(&mut outline.owners);
    owners.sort_by_key(|(line, _)| *line);
    let mut owners = owners.into_iter().peekable();
    let mut owner = 0;
    let mut all = Vec::with_capacity(items.len() * 2);
    let mut next_line = 0;
    let line_count = outline.lines.len();
    for item in items {
        // Several on one line: they are one piece, under the first one's name.
        if item.last_line < next_line {
            continue;
        }
        let first = item.first_line.max(next_line);
        add_gap(outline, next_line, first, &mut owners, &mut owner, &mut all);
        next_line = item.last_line + 1;
        all.push(Item { first_line: first, ..item });
    }
    add_gap(outline, next_line, line_count, &mut owners, &mut owner, &mut all);
    all
}

fn add_gap(
    outline: &Outline<'_>,
    from: usize,
    until: usize,
    owners: &mut std::iter::Peekable<impl Iterator<Item = (usize, usize)>>,
    owner: &mut usize,
    all: &mut Vec<Item>,
) {
    let says = |line: &usize| {
        outline.text[outline.range(*line, *line)]
            .bytes()
            .any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
    };
    let Some(first) = (from..until).find(says) else { return };
    let last = (first..until).rev().find(says).unwrap_or(first);
    while let Some((_, container)) = owners.next_if(|(line, _)| *line <= first) {
        *owner = container;
    }
    let start = outline.lines[first];
    all.push(Item {
        kind: Kind::Lines,
        name: String::new(),
        container: *owner,
        first_line: first,
        last_line: last,
        comment: start..start,
        inner_comment: start..start,
        header: start..start,
        test: outline.containers[*owner].test,
        joinable: last - first < JOINED_LINES / 2,
    });
}

/// Joins small neighbours that are parts of the same.
fn joined(items: Vec<Item>) -> Vec<Item> {
    let mut all: Vec<Item> = Vec::with_capacity(items.len());
    for item in items {
        if let Some(last) = all.last_mut()
            && last.joinable
            && item.joinable
            && last.container == item.container
            && item.last_line - last.first_line < JOINED_LINES
        {
            join(last, &item);
            continue;
        }
        all.push(item);
    }
    all
}

fn join(last: &mut Item, item: &Item) {
    last.last_line = item.last_line;
    if item.name.is_empty() {
        return;
    }
    if last.name.is_empty() {
        last.name.clone_from(&item.name);
        last.kind = item.kind;
    } else if last.name.matches(", ").count() + 1 < MAX_NAMES {
        last.name.push_str(", ");
        last.name.push_str(&item.name);
        last.kind = Kind::Declaration;
    }
}

/// Cuts what is too long, at blank lines where there are some.
fn cut(outline: &Outline<'_>, item: &Item, pieces: &mut Vec<Piece>) {
    let (longest, part) = match item.kind {
        Kind::Lines => (WINDOW_LINES * 3 / 2, WINDOW_LINES),
        _ => (MAX_LINES, PART_LINES),
    };
    let mut first = item.first_line;
    while item.last_line + 1 - first > longest {
        let last = cut_place(outline, first + part, first + part / 2);
        pieces.push(piece(outline, item, first, last));
        first = last + 1;
    }
    pieces.push(piece(outline, item, first, item.last_line));
}

/// The last line before a good place to cut: a blank line, else where it must be.
fn cut_place(outline: &Outline<'_>, at: usize, not_before: usize) -> usize {
    let blank = |line: &usize| outline.text[outline.range(*line, *line)].trim().is_empty();
    (not_before..=at).rev().find(blank).unwrap_or(at)
}

fn piece(outline: &Outline<'_>, item: &Item, first: usize, last: usize) -> Piece {
    let text = outline.range(first, last);
    let within = |range: &std::ops::Range<usize>| {
        let start = range.start.clamp(text.start, text.end);
        start..range.end.clamp(start, text.end)
    };
    let number = |line: usize| u32::try_from(line + 1).unwrap_or(u32::MAX);
    Piece {
        kind: item.kind,
        symbol: item.name.clone(),
        container: outline.containers[item.container].name.clone(),
        first_line: number(first),
        last_line: number(last),
        comment: within(&item.comment),
        inner_comment: within(&item.inner_comment),
        header: within(&item.header),
        text,
        test: item.test,
        continued: first > item.first_line,
    }
}
