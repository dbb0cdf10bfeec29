//! The newest of all that was found, whatever the order in which it was found.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use dogu_tool::FileKind;

/// Something that matches. Of two the lesser is shown first: the newer, and of one time the one
/// whose path comes first.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Hit {
    /// When it last changed, in nanoseconds since 1970.
    pub(super) modified: i128,
    /// Below the folder that is looked in.
    pub(super) path: Box<[u8]>,
    pub(super) kind: FileKind,
}

impl Ord for Hit {
    fn cmp(&self, other: &Self) -> Ordering {
        rank(self.modified, &self.path, other)
    }
}

impl PartialOrd for Hit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// How something that may not have to be kept compares with a hit.
fn rank(modified: i128, path: &[u8], hit: &Hit) -> Ordering {
    hit.modified.cmp(&modified).then_with(|| path.cmp(&hit.path))
}

/// At the most so many hits, the first by their order.
#[derive(Debug)]
pub(super) struct Newest {
    most: usize,
    /// The last of those that are kept on top.
    kept: BinaryHeap<Hit>,
}

impl Newest {
    pub(super) fn new(most: usize) -> Self {
        Self { most, kept: BinaryHeap::new() }
    }

    /// Keeps a hit if it is among the first; its path is copied only then.
    pub(super) fn offer(&mut self, modified: i128, path: &[u8], kind: FileKind) {
        if self.kept.len() < self.most {
            return self.kept.push(Hit { modified, path: path.into(), kind });
        }
        let Some(mut last) = self.kept.peek_mut() else { return };
        if rank(modified, path, &last).is_lt() {
            *last = Hit { modified, path: path.into(), kind };
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        for hit in other.kept {
            self.offer(hit.modified, &hit.path, hit.kind);
        }
    }

    /// In their order.
    pub(super) fn into_sorted(self) -> Vec<Hit> {
        self.kept.into_sorted_vec()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn paths(hits: Vec<Hit>) -> Vec<(i128, Box<[u8]>)> {
        hits.into_iter().map(|hit| (hit.modified, hit.path)).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// However many finders there were: the same as sorting all of it.
        #[test]
        fn what_is_kept_is_the_beginning_of_all_of_it_sorted(
            all in prop::collection::btree_map("[a-c]{1,5}", 0..4_i128, 0..60),
            most in 0..12_usize,
            finders in 1..4_usize,
        ) {
            let mut kept: Vec<Newest> = (0..finders).map(|_| Newest::new(most)).collect();
            for (at, (path, modified)) in all.iter().enumerate() {
                kept[at % finders].offer(*modified, path.as_bytes(), FileKind::File);
            }
            let mut whole = Newest::new(most);
            for one in kept {
                whole.merge(one);
            }
            let mut expected: Vec<Hit> = all
                .iter()
                .map(|(path, modified)| Hit {
                    modified: *modified,
                    path: path.as_bytes().into(),
                    kind: FileKind::File,
                })
                .collect();
            expected.sort_by(|a, b| b.modified.cmp(&a.modified).then(a.path.cmp(&b.path)));
            expected.truncate(most);
            prop_assert_eq!(paths(whole.into_sorted()), paths(expected));
        }
    }
}
