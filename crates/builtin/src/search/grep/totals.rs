//! What a search came by, counted.

use crate::names::Names;

/// Counts over all files. Each thread has its own, and they are added up at the end.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    /// Files that were searched, to their end or as far as they are text.
    pub(super) searched: u64,
    /// Files with a match.
    pub(crate) files: u64,
    /// Matching lines, or matches where they span lines.
    pub(crate) matches: u64,
    /// Lines of output, or files where only those are shown.
    pub(crate) entries: u64,
    /// Files that hold a NUL byte and were not looked at further.
    pub(super) binary: Names,
    /// Files that are binary from some place on, and matched before.
    pub(super) binary_later: Names,
    /// Files that are larger than the call allows.
    pub(super) too_large: Names,
    /// Files with a line that is longer than the memory allows.
    pub(super) long_lines: Names,
    /// Files that could not be opened or read.
    pub(super) unreadable: Names,
    /// Lines that were cut.
    pub(super) cut: u64,
    /// Lines that are no UTF-8.
    pub(super) replaced: u64,
}

impl Totals {
    pub(super) fn merge(&mut self, other: Self) {
        self.searched += other.searched;
        self.files += other.files;
        self.matches += other.matches;
        self.entries += other.entries;
        self.binary.merge(other.binary);
        self.binary_later.merge(other.binary_later);
        self.too_large.merge(other.too_large);
        self.long_lines.merge(other.long_lines);
        self.unreadable.merge(other.unreadable);
        self.cut += other.cut;
        self.replaced += other.replaced;
    }
}
