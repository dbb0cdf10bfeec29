//! What a walk came by that is not on the map.

use std::collections::BTreeMap;
use std::path::Path;

use dogu_code::language::Language;

use crate::names::Names;

/// Longer endings are parts of names.
const MAX_ENDING: usize = 12;
/// How many endings are told apart.
const MAX_ENDINGS: usize = 1_000;

/// Counts over all files. Each thread has its own, and they are added up at the end.
#[derive(Debug, Default)]
pub(super) struct Totals {
    /// Files of any kind.
    pub(super) files: u64,
    pub(super) too_large: Names,
    pub(super) too_hard: Names,
    pub(super) binary: Names,
    /// There was no memory for more.
    pub(super) too_many: Names,
    pub(super) unreadable: Names,
    /// Files in no language that is known.
    pub(super) unknown: u64,
    /// The same by ending.
    pub(super) endings: BTreeMap<String, u64>,
}

impl Totals {
    pub(super) fn add_unknown(&mut self, path: &Path) {
        self.unknown += 1;
        let ending = path.extension().and_then(|ending| ending.to_str());
        let ending = ending.filter(|ending| {
            ending.len() <= MAX_ENDING && ending.chars().all(char::is_alphanumeric)
        });
        let Some(ending) = ending else { return };
        if let Some(count) = self.endings.get_mut(ending) {
            *count += 1;
        } else if self.endings.len() < MAX_ENDINGS {
            self.endings.insert(ending.to_owned(), 1);
        }
    }

    /// An empty file defines nothing, and is not worth remembering; one without an ending is in
    /// no language.
    pub(super) fn add_empty(&mut self, path: &Path) {
        if Language::needs_start(path) {
            self.add_unknown(path);
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.files += other.files;
        self.too_large.merge(other.too_large);
        self.too_hard.merge(other.too_hard);
        self.binary.merge(other.binary);
        self.too_many.merge(other.too_many);
        self.unreadable.merge(other.unreadable);
        self.unknown += other.unknown;
        for (ending, count) in other.endings {
            *self.endings.entry(ending).or_default() += count;
        }
    }

    /// The endings that most of the unknown files have: `.md 12, .toml 3`.
    pub(super) fn usual_endings(&self) -> String {
        let mut endings: Vec<_> = self.endings.iter().collect();
        endings.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let first = endings.iter().take(5).map(|(ending, count)| format!(".{ending} {count}"));
        first.collect::<Vec<_>>().join(", ")
    }
}
