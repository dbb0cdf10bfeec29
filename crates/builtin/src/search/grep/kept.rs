//! What was found and can still be shown: the first entries in the order of the output, whatever
//! the order in which they were found. The rest is counted elsewhere, and dropped.

use std::cmp::Ordering;
use std::collections::BTreeMap;

/// How many bytes one store holds. Each thread has one.
pub(super) const MAX_KEPT_BYTES: usize = 16 * 1024 * 1024;
/// What a file costs beside its lines.
const BYTES_PER_FILE: usize = 200;

/// A line of a file, its text in [`FileHits::text`].
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is said of a line by itself")]
pub(crate) struct Line {
    /// Its number, from 1; 0 where lines are not counted.
    pub(crate) number: u64,
    /// It matches, or it stands near one that does.
    pub(crate) is_match: bool,
    /// It does not follow the line before it in the file.
    pub(crate) new_group: bool,
    /// It was cut.
    pub(super) cut: bool,
    /// Some of its bytes are no UTF-8.
    pub(super) replaced: bool,
    /// Where its text ends; it begins where the one before ends.
    pub(super) end: usize,
}

/// What was found in one file.
#[derive(Debug, Default)]
pub(crate) struct FileHits {
    /// Matching lines, or matches where they span lines.
    pub(super) matches: u64,
    /// Lines of output, or 1 where only the file is shown.
    pub(super) entries: u64,
    /// The first of those lines.
    pub(super) lines: Vec<Line>,
    /// Their texts, one after the other.
    pub(super) text: String,
}

impl FileHits {
    pub(super) fn clear(&mut self) {
        self.matches = 0;
        self.entries = 0;
        self.lines.clear();
        self.text.clear();
    }

    fn bytes(&self) -> usize {
        self.text.len() + self.lines.len() * size_of::<Line>() + BYTES_PER_FILE
    }
}

/// A path below the folder that is searched. Paths are in the order of `rg --sort path`: that of
/// the names in each folder, so that what is in `a/` stands before `a.rs`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ByFolder(pub(super) Box<[u8]>);

impl Ord for ByFolder {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(&self.0, &other.0)
    }
}

impl PartialOrd for ByFolder {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn compare(one: &[u8], other: &[u8]) -> Ordering {
    // The end of a name is less than any byte of one; no name has a NUL.
    let key = |byte: &u8| if *byte == b'/' { 0 } else { *byte };
    one.iter().map(key).cmp(other.iter().map(key))
}

/// The first entries, by path.
#[derive(Debug)]
pub(super) struct Kept {
    /// How many entries are wanted.
    need: u64,
    entries: u64,
    bytes: usize,
    files: BTreeMap<ByFolder, FileHits>,
}

impl Kept {
    pub(super) fn new(need: u64) -> Self {
        Self { need, entries: 0, bytes: 0, files: BTreeMap::new() }
    }

    /// Whether something found at this path could still be shown.
    pub(super) fn wants(&self, path: &[u8]) -> bool {
        self.entries < self.need
            || self.files.last_key_value().is_none_or(|(last, _)| compare(path, &last.0).is_lt())
    }

    pub(super) fn add(&mut self, path: ByFolder, hits: FileHits) {
        self.entries += hits.entries;
        self.bytes += hits.bytes() + path.0.len();
        self.files.insert(path, hits);
        while let Some(last) = self.files.last_entry() {
            let (entries, bytes) = (last.get().entries, last.get().bytes() + last.key().0.len());
            let not_needed = self.entries - entries >= self.need;
            if !not_needed && (self.bytes <= MAX_KEPT_BYTES || bytes == self.bytes) {
                break;
            }
            last.remove();
            self.entries -= entries;
            self.bytes -= bytes;
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        for (path, hits) in other.files {
            self.add(path, hits);
        }
    }

    pub(super) fn into_files(self) -> Vec<(Box<[u8]>, FileHits)> {
        self.files.into_iter().map(|(path, hits)| (path.0, hits)).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hits(entries: u64) -> FileHits {
        FileHits { entries, ..FileHits::default() }
    }

    proptest! {
        /// Whatever the order and however many stores: what is kept holds the first entries.
        #[test]
        fn the_first_entries_are_kept(
            files in prop::collection::btree_map("[a-d/.]{1,6}", 1..5_u64, 0..30),
            order in any::<prop::sample::Index>(),
            need in 1..20_u64,
        ) {
            let mut all: Vec<_> = files.into_iter().collect();
            all.sort_by(|one, other| one.0.split('/').cmp(other.0.split('/')));
            let mut stores = [Kept::new(need), Kept::new(need)];
            let turn = if all.is_empty() { 0 } else { order.index(all.len()) };
            for (place, (path, entries)) in all[turn..].iter().chain(&all[..turn]).enumerate() {
                let store = &mut stores[place % 2];
                if store.wants(path.as_bytes()) {
                    store.add(ByFolder(path.as_bytes().into()), hits(*entries));
                }
            }
            let [mut one, other] = stores;
            one.merge(other);
            let mut before = 0;
            let expected: Vec<_> = all
                .iter()
                .filter(|(_, entries)| {
                    let needed = before < need;
                    before += entries;
                    needed
                })
                .map(|(path, _)| path.clone().into_bytes().into_boxed_slice())
                .collect();
            let kept: Vec<_> = one.into_files().into_iter().map(|(path, _)| path).collect();
            prop_assert_eq!(kept, expected);
        }
    }
}
