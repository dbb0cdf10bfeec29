//! Lines at which two long texts can be cut: those that stand once in each, in the same order.

use std::collections::HashMap;

/// Where a line stands in both texts, if it stands once in each.
#[derive(Clone, Copy, Default)]
struct Seen {
    old: (usize, usize),
    new: (usize, usize),
}

/// The places of such lines in the old and the new text, rising on both sides.
pub(super) fn anchors(old: &[&[u8]], new: &[&[u8]]) -> Vec<(usize, usize)> {
    let mut seen: HashMap<&[u8], Seen> = HashMap::new();
    for (at, line) in old.iter().enumerate() {
        let side = &mut seen.entry(line).or_default().old;
        *side = (side.0 + 1, at);
    }
    for (at, line) in new.iter().enumerate() {
        let side = &mut seen.entry(line).or_default().new;
        *side = (side.0 + 1, at);
    }
    let once = |seen: &&Seen| seen.old.0 == 1 && seen.new.0 == 1;
    let mut pairs: Vec<_> =
        seen.values().filter(once).map(|seen| (seen.old.1, seen.new.1)).collect();
    pairs.sort_unstable();
    longest_rising(&pairs)
}

/// The longest part of the pairs whose second numbers rise (patience sorting).
fn longest_rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // Of all rising parts of a length, the pair that ends the one with the least end.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, (_, second)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *second);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() { ends.push(at) } else { ends[length] = at }
    }
    let mut rising = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(at) = next {
        rising.push(pairs[at]);
        next = before[at];
    }
    rising.reverse();
    rising
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_stand_once_in_the_same_order() {
        let lines =
            |text: &'static str| -> Vec<&[u8]> { text.split(' ').map(str::as_bytes).collect() };
        assert_eq!(anchors(&lines("a x b x c"), &lines("x a c b d")), [(0, 1), (4, 2)]);
        assert!(anchors(&lines("a a"), &lines("a b")).is_empty());
        assert_eq!(
            longest_rising(&[(0, 5), (1, 1), (2, 2), (3, 0), (4, 3)]),
            [(1, 1), (2, 2), (4, 3)]
        );
    }
}
