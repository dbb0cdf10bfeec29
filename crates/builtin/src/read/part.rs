//! Which lines of a file are wanted, and the call that reads on.

use serde_json::{Value, json};

/// What to show of a file.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    Slices(Slices),
    Block(Block),
}

/// Lines by their numbers.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Slices {
    /// From a line on, so many.
    Counted { start: Start, limit: Option<u64> },
    /// These ranges, rising and apart from each other.
    Listed { slices: Vec<Slice>, style: Style },
}

/// The first line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// From 1.
    Line(u64),
    /// The last line is 1.
    FromEnd(u64),
}

/// A range of lines from 1, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slice {
    pub(super) first: u64,
    pub(super) last: u64,
}

/// How the call names ranges, and so the one that reads on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// `start_line` and `end_line` of `read_file`.
    Range,
    /// `startLine` and `endLine` of `read_file_range`.
    Continue,
}

/// The block around a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) anchor: u64,
    /// How many levels out; 0 for all.
    pub(super) max_levels: usize,
    pub(super) siblings: bool,
    pub(super) header: bool,
    pub(super) most: u64,
}

impl Part {
    /// Wants more of the same file.
    pub(super) fn add(&mut self, more: &Slices) {
        let Self::Slices(own) = self else { return };
        match (&mut *own, more) {
            (Slices::Listed { slices, .. }, Slices::Listed { slices: more, .. }) => {
                slices.extend(more);
                *slices = merged(std::mem::take(slices));
            }
            // All of it was wanted once: no range adds to that.
            _ => *own = Slices::Counted { start: Start::Line(1), limit: None },
        }
    }
}

impl Slices {
    /// Ranges in any order, overlapping or not.
    pub(super) fn of(slices: Vec<Slice>, style: Style) -> Self {
        Self::Listed { slices: merged(slices), style }
    }
}

fn merged(mut slices: Vec<Slice>) -> Vec<Slice> {
    slices.sort_by_key(|slice| slice.first);
    let mut apart: Vec<Slice> = Vec::with_capacity(slices.len());
    for slice in slices {
        match apart.last_mut() {
            Some(before) if slice.first <= before.last.saturating_add(1) => {
                before.last = before.last.max(slice.last);
            }
            _ => apart.push(slice),
        }
    }
    apart
}

/// What of `slices` comes after line `shown`.
pub(super) fn after(slices: &[Slice], shown: u64) -> Vec<Slice> {
    let rest = slices.iter().filter(|slice| slice.last > shown);
    rest.map(|slice| Slice { first: slice.first.max(shown + 1), ..*slice }).collect()
}

/// The input of the call that shows these lines.
pub(super) fn call_for(path: &str, slices: &[Slice], style: Style) -> Value {
    match (slices, style) {
        ([one], Style::Continue) => {
            json!({"filepath": path, "startLine": one.first, "endLine": one.last})
        }
        ([one], Style::Range) if one.last == u64::MAX => json!({"path": path, "offset": one.first}),
        ([one], Style::Range) => {
            json!({"path": path, "start_line": one.first, "end_line": one.last})
        }
        (many, _) => {
            let pairs: Vec<_> =
                many.iter().map(|slice| json!([slice.first, bounded(slice.last)])).collect();
            json!({"files": [{"path": path, "line_ranges": pairs}]})
        }
    }
}

/// A line number that every reader of JSON holds exactly.
fn bounded(line: u64) -> u64 {
    line.min(1 << 53)
}
