//! Where the two parts of a block meet.

use super::error::BlockFault;
use super::marker::{Kind, Marker, marker};

/// The place of the divider among the lines between the first and the last marker of a block, or
/// what is wrong and at which of these lines.
pub(super) fn divider(lines: &[&str], length: usize) -> Result<usize, (usize, BlockFault)> {
    let markers: Vec<(usize, Marker)> = lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| marker(line).map(|marker| (at, marker)))
        .collect();
    let places = |fits: &dyn Fn(usize) -> bool| -> Vec<usize> {
        let is_one = |found: &Marker| found.kind == Kind::Divider && fits(found.length);
        markers.iter().filter(|(_, found)| is_one(found)).map(|(at, _)| *at).collect()
    };
    // A heading of a text can be underlined with such a line, so those as long as the first
    // marker count, and others only if there is none.
    let mut found = places(&|signs| signs == length);
    if found.is_empty() {
        found = places(&|_| true);
    }
    if found.len() > 1 {
        let within = conflicts(&markers);
        let is_within = |at: usize| {
            let behind = within.partition_point(|conflict| conflict.start <= at);
            behind.checked_sub(1).is_some_and(|last| within[last].contains(&at))
        };
        found.retain(|at| !is_within(*at));
    }
    let any = markers.iter().find(|(_, found)| found.kind == Kind::Divider);
    match (&found[..], any) {
        ([only], _) => Ok(*only),
        ([_, second, ..], _) => Err((*second, BlockFault::TwoDividers)),
        ([], Some((at, _))) => Err((*at, BlockFault::TwoDividers)),
        ([], None) => Err((0, BlockFault::Unfinished("======="))),
    }
}

/// Whole merge conflicts among the lines: start, one divider, end.
fn conflicts(markers: &[(usize, Marker)]) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    for window in markers.windows(3) {
        let kinds = [window[0].1.kind, window[1].1.kind, window[2].1.kind];
        if kinds == [Kind::ConflictStart, Kind::Divider, Kind::ConflictEnd] {
            found.push(window[0].0..window[2].0);
        }
    }
    found
}
