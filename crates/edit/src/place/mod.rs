//! Where the pieces of a change belong, and what they make of a text.
//!
//! Every piece is looked for in the text as it was: first as whole lines, byte for byte, then with
//! other line ends, then through the ladder of [`crate::apply`]. Several places that fit are told
//! apart by what the piece says about where it belongs, or it fails. One failure and nothing is
//! changed; all failures are told.

mod build;
mod choose;
mod failure;
mod hunk;
mod ladder;
mod locate;
mod scope;
mod similar;
mod splice;

pub use failure::{Failure, Piece, Problem};
pub use hunk::{Hunk, HunkLine, Mark};

use std::collections::HashMap;

use crate::{Level, Repair};
use locate::Locator;
use splice::{Splice, splice_all};

/// What became of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placed {
    /// It was put in its place.
    Applied {
        /// The line of the old text where its change begins, from 1.
        line: usize,
        /// How its text was found.
        level: Level,
        /// What was repaired before.
        repair: Repair,
    },
    /// What it would make stands there already.
    AlreadyApplied {
        /// Where, from 1.
        line: usize,
    },
}

/// A text with all pieces in their places, and what became of each.
pub(crate) struct Result {
    pub(crate) text: String,
    pub(crate) placed: Vec<Placed>,
}

/// Puts all pieces in their places.
pub(crate) fn place_all(
    content: &str,
    hunks: &[Hunk],
    piece: Piece,
) -> std::result::Result<Result, Vec<Failure>> {
    let mut locator = Locator::new(content, piece);
    let mut failures = Vec::new();
    let mut placed = Vec::new();
    let mut splices = Vec::new();
    let fail = |number: usize, problem| Failure {
        piece,
        number: number + 1,
        line: hunks[number].line,
        problem,
    };
    for (number, (hunk, twin)) in hunks.iter().zip(twins(hunks)).enumerate() {
        match locator.locate(hunk, twin) {
            Ok((done, splice)) => {
                placed.push(done);
                splices.extend(splice.map(|splice| (number, splice)));
            }
            Err(problem) => failures.push(fail(number, problem)),
        }
    }
    let (numbers, splices): (Vec<usize>, Vec<Splice>) = splices.into_iter().unzip();
    let outcome = splice_all(content, &splices).map_err(|overlaps| {
        let overlap = |(one, other): (usize, usize)| {
            fail(numbers[other], Problem::Overlaps { other: numbers[one] + 1 })
        };
        overlaps.into_iter().map(overlap).collect()
    });
    let text = outcome.unwrap_or_else(|overlaps: Vec<Failure>| {
        failures.extend(overlaps);
        failures.sort_by_key(|failure| failure.number);
        String::new()
    });
    if failures.is_empty() { Ok(Result { text, placed }) } else { Err(failures) }
}

/// For each piece, which of its equals it is and how many there are: as many equal pieces as there
/// are places are meant for one place each.
fn twins(hunks: &[Hunk]) -> Vec<(usize, usize)> {
    let mut counts = HashMap::new();
    let key = |hunk: &Hunk| {
        let marks: Vec<Mark> = hunk.lines.iter().map(|line| line.mark).collect();
        (Hunk::joined(hunk.lines.iter()), marks)
    };
    let keys: Vec<_> = hunks.iter().map(key).collect();
    let mut twins = Vec::with_capacity(hunks.len());
    for key in &keys {
        let count = counts.entry(key).or_insert(0);
        twins.push((*count, 0));
        *count += 1;
    }
    for (twin, key) in twins.iter_mut().zip(&keys) {
        twin.1 = counts.get(key).copied().unwrap_or(1);
    }
    twins
}
