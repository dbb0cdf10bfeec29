//! What two sides do not agree on.

use std::fmt;
use std::ops::Range;

use super::walk::{Place, slice};
use crate::lines::Lines;

/// How many places are told in full.
const MAX_REGIONS: usize = 3;
/// How many bytes of each version are shown.
const MAX_SHOWN: usize = 120;

/// One place on which the sides do not agree. Lines count from 1; an empty range stands before
/// its first line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Lines of the base.
    pub base: Range<usize>,
    /// Lines of `ours`.
    pub ours: Range<usize>,
    /// Lines of `theirs`.
    pub theirs: Range<usize>,
    /// What `ours` has there, shortened.
    pub ours_text: String,
    /// What `theirs` has there, shortened.
    pub theirs_text: String,
}

impl Region {
    pub(super) fn new(place: &Place, ours: &Lines<'_>, theirs: &Lines<'_>) -> Self {
        let from_one = |range: &Range<usize>| range.start + 1..range.end + 1;
        Self {
            base: from_one(&place.base),
            ours: from_one(&place.ours),
            theirs: from_one(&place.theirs),
            ours_text: short(slice(ours, &place.ours)),
            theirs_text: short(slice(theirs, &place.theirs)),
        }
    }
}

/// The places on which two sides do not agree; nothing was merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Every such place, in order.
    pub regions: Vec<Region>,
}

impl Conflict {
    pub(super) fn new(regions: Vec<Region>) -> Self {
        Self { regions }
    }
}

impl std::error::Error for Conflict {}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.regions.len();
        let places = if count == 1 { "1 place".to_owned() } else { format!("{count} places") };
        write!(f, "the file changed since it was read, in conflict with this edit in {places}")?;
        for region in self.regions.iter().take(MAX_REGIONS) {
            write!(f, "\n{} now:\n{}", lines(&region.ours), shown(&region.ours_text))?;
            write!(f, "\nthe edit has there:\n{}", shown(&region.theirs_text))?;
        }
        if count > MAX_REGIONS {
            write!(f, "\n(and {} more)", count - MAX_REGIONS)?;
        }
        f.write_str("\nRead the file again and send the edit for what stands there now.")
    }
}

fn lines(range: &Range<usize>) -> String {
    match range.len() {
        0 => format!("before line {}", range.start),
        1 => format!("line {}", range.start),
        _ => format!("lines {}-{}", range.start, range.end - 1),
    }
}

fn shown(text: &str) -> &str {
    if text.is_empty() { "(nothing)" } else { text.trim_end_matches(['\n', '\r']) }
}

/// The beginning of a text, cut between characters.
fn short(text: &str) -> String {
    if text.len() <= MAX_SHOWN {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(MAX_SHOWN);
    format!("{} [... {} bytes more]", &text[..end], text.len() - end)
}
