//! Which lines differ.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

use super::anchors::anchors;

/// A change: lines of the old text, and the lines of the new one in their place.
pub(crate) type Change = (Range<usize>, Range<usize>);

/// How many lines of both sides together are compared at once. The time for more can grow with
/// their square: a hundred thousand lines with a change in each seventh took seven seconds.
const MAX_AT_ONCE: usize = 20_000;

/// What changed between two contents, by lines with their ends. Histogram, because it keeps
/// functions and blocks together where the plain algorithm matches braces; long contents are cut
/// at lines that both have once.
pub(crate) fn changes(old: &[u8], new: &[u8]) -> Vec<Change> {
    changes_within(old, new, MAX_AT_ONCE)
}

fn changes_within(old: &[u8], new: &[u8], most: usize) -> Vec<Change> {
    let (old, new) = (lines(old), lines(new));
    if old.len() + new.len() <= most {
        return compared(&old, &new);
    }
    let mut found = Found::default();
    let (mut from, mut to) = (0, 0);
    let ends = anchors(&old, &new).into_iter().chain([(old.len(), new.len())]);
    for (old_end, new_end) in ends {
        found.stretch(&old, &new, (from..old_end, to..new_end), most);
        (from, to) = (old_end + 1, new_end + 1);
    }
    found.changes
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

fn compared(old: &[&[u8]], new: &[&[u8]]) -> Vec<Change> {
    let mut input = InternedInput::default();
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let range = |range: Range<u32>| range.start as usize..range.end as usize;
    diff.hunks().map(|hunk| (range(hunk.before), range(hunk.after))).collect()
}

#[derive(Default)]
struct Found {
    changes: Vec<Change>,
}

impl Found {
    /// Compares a stretch between two lines that both sides have.
    fn stretch(&mut self, old: &[&[u8]], new: &[&[u8]], (mut from, mut to): Change, most: usize) {
        while !from.is_empty() && !to.is_empty() && old[from.start] == new[to.start] {
            (from.start, to.start) = (from.start + 1, to.start + 1);
        }
        while !from.is_empty() && !to.is_empty() && old[from.end - 1] == new[to.end - 1] {
            (from.end, to.end) = (from.end - 1, to.end - 1);
        }
        if from.is_empty() && to.is_empty() {
            return;
        }
        // Too long and without a line to cut it at: all of it is one change.
        if from.is_empty() || to.is_empty() || from.len() + to.len() > most {
            return self.push(from, to);
        }
        let shift = |range: Range<usize>, by: usize| range.start + by..range.end + by;
        for (gone, come) in compared(&old[from.clone()], &new[to.clone()]) {
            self.push(shift(gone, from.start), shift(come, to.start));
        }
    }

    fn push(&mut self, gone: Range<usize>, come: Range<usize>) {
        match self.changes.last_mut() {
            Some(last) if last.0.end == gone.start && last.1.end == come.start => {
                (last.0.end, last.1.end) = (gone.end, come.end);
            }
            _ => self.changes.push((gone, come)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What the changes make of the old lines, and whether what lies between them is the same.
    fn rebuilt(old: &[u8], new: &[u8], changes: &[Change]) -> Vec<u8> {
        let (old, new) = (lines(old), lines(new));
        let (mut text, mut at) = (Vec::new(), 0);
        for (gone, come) in changes {
            text.extend_from_slice(&old[at..gone.start].concat());
            text.extend_from_slice(&new[come.clone()].concat());
            at = gone.end;
        }
        text.extend_from_slice(&old[at..].concat());
        text
    }

    #[test]
    fn many_changes_in_a_long_text_are_found_one_by_one() {
        let line = |n: usize| format!("line {n}\n");
        let old: String = (0..100_000).map(line).collect();
        let changed = |n: usize| if n % 7 == 3 { format!("changed {n}\n") } else { line(n) };
        let new: String = (0..100_000).map(changed).collect();
        let found = changes(old.as_bytes(), new.as_bytes());
        assert_eq!(found.len(), 14_286);
        assert!(found.iter().all(|(gone, come)| gone.len() == 1 && gone == come));
    }

    #[test]
    fn long_texts_without_unique_lines_are_compared_in_bounded_time() {
        let text = |step: usize| -> String {
            (0..200_000).map(|n| format!("{}\n", n * n / step % 50)).collect()
        };
        let (old, new) = (text(7), text(11));
        let found = changes(old.as_bytes(), new.as_bytes());
        assert_eq!(rebuilt(old.as_bytes(), new.as_bytes(), &found), new.as_bytes());
    }

    proptest! {
        #[test]
        fn changes_make_the_new_text_of_the_old(
            old in "([a-h]\n){0,20}", new in "([a-h]\n){0,20}", most in 0_usize..30,
        ) {
            let found = changes_within(old.as_bytes(), new.as_bytes(), most);
            let made = rebuilt(old.as_bytes(), new.as_bytes(), &found);
            prop_assert_eq!(made, new.as_bytes());
            for pair in found.windows(2) {
                prop_assert!(pair[0].0.end < pair[1].0.start && pair[0].1.end < pair[1].1.start);
                prop_assert_eq!(pair[1].0.start - pair[0].0.end, pair[1].1.start - pair[0].1.end);
            }
        }
    }
}
