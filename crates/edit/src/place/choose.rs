//! Which of several places is meant.

use super::hunk::Hunk;
use super::scope::{contains, scopes};
use crate::lines::Lines;

/// How far from where it is said to be a place may be, in lines, to be taken for the one meant.
const NEAR: usize = 40;

/// Which of some places are meant; none where the rule cannot tell.
type Rule<T> = fn(&T, &[usize]) -> Vec<usize>;

/// What is known about where a hunk belongs.
pub(super) struct Hints<'a> {
    pub(super) lines: &'a Lines<'a>,
    pub(super) hunk: &'a Hunk,
    /// Lines of the file that the hunk covers.
    pub(super) height: usize,
    /// The first line behind the hunk before this one; hunks are in order.
    pub(super) after: usize,
    /// How far from where it was said to be the hunk before this one was.
    pub(super) drift: isize,
    /// Which of the pieces that are equal to this one it is, and how many there are.
    pub(super) twin: (usize, usize),
}

impl Hints<'_> {
    /// The one that is meant of places that all fit; those that are left if that is not known.
    pub(super) fn choose(&self, places: Vec<usize>) -> Result<usize, Vec<usize>> {
        let all = places.len();
        let of_twin = places.get(self.twin.0).copied();
        let mut places = places;
        let rules: [Rule<Self>; 5] = [
            Self::at_end_of_file,
            Self::where_it_is_said_to_be,
            Self::behind_the_one_before,
            Self::under_the_heading,
            Self::nearest,
        ];
        for rule in rules {
            if let [only] = places[..] {
                return Ok(only);
            }
            let left = rule(self, &places);
            if !left.is_empty() {
                places = left;
            }
        }
        match (&places[..], of_twin) {
            ([only], _) => Ok(*only),
            (_, Some(place)) if all > 1 && all == self.twin.1 => Ok(place),
            _ => Err(places),
        }
    }

    fn at_end_of_file(&self, places: &[usize]) -> Vec<usize> {
        let ends = |place: &usize| self.hunk.end_of_file && place + self.height == self.lines.len();
        places.iter().copied().filter(ends).collect()
    }

    /// The line that is told, from 0, moved as the hunk before was.
    fn told(&self) -> Option<usize> {
        let told = self.hunk.start?.checked_sub(1)?;
        Some(told.saturating_add_signed(self.drift))
    }

    fn where_it_is_said_to_be(&self, places: &[usize]) -> Vec<usize> {
        let unmoved = self.hunk.start.and_then(|start| start.checked_sub(1));
        let mut found = [self.told(), unmoved].into_iter().flatten();
        found.find(|told| places.binary_search(told).is_ok()).into_iter().collect()
    }

    fn behind_the_one_before(&self, places: &[usize]) -> Vec<usize> {
        places.iter().copied().filter(|place| *place >= self.after).collect()
    }

    fn under_the_heading(&self, places: &[usize]) -> Vec<usize> {
        let Some(heading) = &self.hunk.heading else { return Vec::new() };
        let Ok(scopes) = scopes(self.lines, std::slice::from_ref(heading)) else {
            return Vec::new();
        };
        places.iter().copied().filter(|place| contains(&scopes, *place)).collect()
    }

    /// The nearest to the line that is told, if it is near and no other is nearly as near.
    fn nearest(&self, places: &[usize]) -> Vec<usize> {
        let Some(told) = self.told() else { return Vec::new() };
        let mut by_distance: Vec<_> =
            places.iter().map(|place| (place.abs_diff(told), *place)).collect();
        by_distance.sort_unstable();
        match by_distance[..] {
            [(first, place), (second, _), ..] if first <= NEAR && first * 2 < second => vec![place],
            _ => Vec::new(),
        }
    }
}
