//! Where a glob that does not compile is wrong.

use std::ops::Range;

/// A place in a glob, in bytes, and what is wrong there.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) place: Range<usize>,
    pub(super) what: String,
}

/// The first thing that is wrong with a glob, as far as its brackets, ranges and escapes go.
pub(super) fn find(glob: &str) -> Option<Fault> {
    let mut open = Vec::new();
    let mut letters = glob.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' if letters.next().is_none() => {
                return Some(fault(at..at + 1, "nothing follows the backslash"));
            }
            '{' => open.push(at),
            '}' if open.pop().is_none() => {
                return Some(fault(at..at + 1, "no { was opened before this }"));
            }
            '[' => match class(glob, at) {
                Ok(end) => while letters.next_if(|(next, _)| *next < end).is_some() {},
                Err(fault) => return Some(fault),
            },
            _ => {}
        }
    }
    open.pop().map(|at| fault(at..at + 1, "this { is never closed"))
}

fn fault(place: Range<usize>, what: &str) -> Fault {
    Fault { place, what: what.to_owned() }
}

/// Where a class that begins at a byte ends.
fn class(glob: &str, start: usize) -> Result<usize, Fault> {
    let mut letters: Vec<(usize, char)> =
        glob[start..].char_indices().map(|(at, letter)| (start + at, letter)).skip(1).collect();
    if letters.first().is_some_and(|(_, letter)| matches!(letter, '!' | '^')) {
        letters.remove(0);
    }
    // A ] that comes first stands for itself.
    let end = letters.iter().skip(1).position(|(_, letter)| *letter == ']').map(|at| at + 1);
    let Some(end) = end else {
        return Err(fault(start..start + 1, "this [ is never closed"));
    };
    for range in letters[..end].windows(3) {
        if let [(at, low), (_, '-'), (last, high)] = range
            && low > high
        {
            let place = *at..last + high.len_utf8();
            return Err(Fault {
                place,
                what: format!("in a range the first comes first: [{high}-{low}]"),
            });
        }
    }
    Ok(letters[end].0 + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn place(glob: &str) -> Option<(usize, usize)> {
        find(glob).map(|fault| (fault.place.start, fault.place.end))
    }

    #[test]
    fn the_place_is_found() {
        assert_eq!(place("a/{b,c"), Some((2, 3)));
        assert_eq!(place("a}b"), Some((1, 2)));
        assert_eq!(place("é[ab"), Some((2, 3)));
        assert_eq!(place("x[a-cz-y]"), Some((5, 8)));
        assert_eq!(place("ab\\"), Some((2, 3)));
        for good in ["*.{a,b}", "[]a]", "[!]]", "\\{", "[{]", "**/x?", "[a-]", "{a,{b,c}}"] {
            assert_eq!(place(good), None, "{good}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_place_can_be_shown(
            pieces in prop::collection::vec(
                prop::sample::select(vec!["[", "]", "{", "}", "\\", "-", "!", "^", "é", "z", "a", ",", "*", "/"]),
                0..12,
            )
        ) {
            let glob = pieces.concat();
            if let Some(Fault { place, .. }) = find(&glob) {
                prop_assert!(glob.get(place).is_some_and(|text| !text.is_empty()), "{glob}");
            }
        }
    }
}
