//! The places where one side or both differ from the base.

use std::ops::Range;

use crate::diff::{Change, changes};
use crate::lines::Lines;

/// Lines of the base, and what became of them on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) base: Range<usize>,
    pub(super) ours: Range<usize>,
    pub(super) theirs: Range<usize>,
    pub(super) ours_changed: bool,
    pub(super) theirs_changed: bool,
}

/// The text of a range of lines.
pub(super) fn slice<'a>(lines: &Lines<'a>, range: &Range<usize>) -> &'a str {
    &lines.text()[lines.start(range.start)..lines.start(range.end)]
}

/// All places in order. Changes of the two sides that overlap or touch are one place: with no
/// unchanged line between them, neither side has seen what the other put beside its own.
pub(super) fn places(base: &str, ours: &str, theirs: &str) -> Vec<Place> {
    let mut ours = Side::new(changes(base.as_bytes(), ours.as_bytes()));
    let mut theirs = Side::new(changes(base.as_bytes(), theirs.as_bytes()));
    let mut places = Vec::new();
    while let Some(start) = ours.next_start().into_iter().chain(theirs.next_start()).min() {
        let mut range = start..start;
        let (before_ours, before_theirs) = (ours.drift, theirs.drift);
        let (first_ours, first_theirs) = (ours.next, theirs.next);
        while ours.take(&mut range) || theirs.take(&mut range) {}
        places.push(Place {
            ours: shifted(&range, before_ours, ours.drift),
            theirs: shifted(&range, before_theirs, theirs.drift),
            ours_changed: ours.next > first_ours,
            theirs_changed: theirs.next > first_theirs,
            base: range,
        });
    }
    places
}

/// The changes of one side, of which some are taken.
struct Side {
    changes: Vec<Change>,
    next: usize,
    /// How many lines the taken changes added (less those they removed).
    drift: isize,
}

impl Side {
    fn new(changes: Vec<Change>) -> Self {
        Self { changes, next: 0, drift: 0 }
    }

    fn next_start(&self) -> Option<usize> {
        self.changes.get(self.next).map(|change| change.0.start)
    }

    /// Takes the next change if it touches the range, which then covers it.
    fn take(&mut self, range: &mut Range<usize>) -> bool {
        let Some((gone, come)) = self.changes.get(self.next).filter(|c| c.0.start <= range.end)
        else {
            return false;
        };
        range.end = range.end.max(gone.end);
        self.drift += come.len().cast_signed() - gone.len().cast_signed();
        self.next += 1;
        true
    }
}

fn shifted(range: &Range<usize>, before: isize, after: isize) -> Range<usize> {
    range.start.saturating_add_signed(before)..range.end.saturating_add_signed(after)
}
