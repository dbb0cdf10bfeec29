//! The comments that an edit is not about.

use std::ops::Range;

use crate::lcs;
use crate::remarks::remarks;

/// The comments of old that are not among the shared ones.
pub(super) fn own_remarks<'t>(old: &'t str, shared: &[Range<usize>]) -> Vec<&'t str> {
    remarks(old)
        .into_iter()
        .filter(|range| !shared.contains(range))
        .map(|range| old[range].trim())
        .collect()
}

/// The comments that old and new both have, in each of them; those that only one has are what
/// the edit is about, and one at an edge has nothing beyond it that would hold it in place.
pub(super) fn shared_remarks(old: &str, new: &str) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let (in_old, in_new) = (remarks(old), remarks(new));
    let texts = |text: &str, found: &[Range<usize>]| -> Vec<String> {
        found.iter().map(|range| text[range.clone()].to_owned()).collect()
    };
    let inside = |text: &str, range: &Range<usize>| {
        range.start > text.len() - text.trim_start().len() && range.end < text.trim_end().len()
    };
    let mut pairs = lcs::pairs(&texts(old, &in_old), &texts(new, &in_new));
    pairs.retain(|(i, j)| inside(old, &in_old[*i]) && inside(new, &in_new[*j]));
    let pick = |found: &[Range<usize>], index: fn(&(usize, usize)) -> usize| -> Vec<Range<usize>> {
        pairs.iter().map(|pair| found[index(pair)].clone()).collect()
    };
    (pick(&in_old, |pair| pair.0), pick(&in_new, |pair| pair.1))
}

/// Those of these comments of old that a place does not have.
pub(super) fn missing<'t>(old: &'t str, remarks: &[Range<usize>], place: &str) -> Vec<&'t str> {
    let said = remarks.iter().map(|range| old[range.clone()].trim());
    said.filter(|remark| !place.contains(remark)).collect()
}
