//! What each thread of the walk does.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use dogu_tool::{Ctx, FileKind, Onward, Visitor, WalkEntry};
use grep_regex::RegexMatcher;

use super::file::{FileSearcher, Outcome};
use super::filter::Filter;
use super::input::OutputMode;
use super::kept::{ByFolder, FileHits, Kept};
use super::query::Query;
use super::totals::Totals;
use crate::names;
use crate::progress::Progress;

/// How many files a thread searches between two looks at the clock.
const FILES_BETWEEN_LOOKS: u64 = 64;

/// What the threads of a search share.
pub(super) struct Shared<'a> {
    pub(super) query: &'a Query,
    pub(super) ctx: &'a Ctx,
    pub(super) matcher: &'a RegexMatcher,
    pub(super) filter: &'a Filter,
    /// How the folder that is searched is shown, with a slash.
    pub(super) prefix: &'a str,
    /// Held while a big file is in memory.
    pub(super) big: Mutex<()>,
    pub(super) gathered: Mutex<(Kept, Totals)>,
    pub(super) progress: Progress<'a>,
}

/// Searches the files that one thread comes by. What it found is handed over when it is dropped.
pub(super) struct Finder<'a> {
    shared: &'a Shared<'a>,
    searcher: FileSearcher<'a>,
    kept: Kept,
    totals: Totals,
    hits: FileHits,
    /// Files that it came by.
    opened: u64,
}

impl<'a> Finder<'a> {
    pub(super) fn new(shared: &'a Shared<'a>, named: bool) -> Self {
        let Shared { query, matcher, ctx, big, .. } = shared;
        Self {
            shared,
            searcher: FileSearcher::new(query, matcher, named, ctx.cancel(), big),
            kept: Kept::new(query.needed()),
            totals: Totals::default(),
            hits: FileHits::default(),
            opened: 0,
        }
    }

    fn name(&self, path: &[u8]) -> String {
        names::shown(self.shared.prefix, path)
    }

    /// Searches an open file, which was so large when it was opened; says whether to go on.
    pub(super) fn search(&mut self, file: &std::fs::File, size: u64, path: &Path) -> Onward {
        let path = path.as_os_str().as_bytes();
        self.hits.clear();
        let wanted = self.kept.wants(path);
        let keep = if wanted { self.shared.query.needed() } else { 0 };
        let outcome = self.searcher.search(file, size, keep, &mut self.hits);
        let canceled = matches!(outcome, Outcome::Canceled);
        self.note(outcome, path);
        if self.hits.matches > 0 {
            self.take_hits(path, wanted);
        }
        if canceled { Onward::Stop } else { Onward::Go }
    }

    /// Counts how the search of a file ended, and takes back what must not count.
    fn note(&mut self, outcome: Outcome, path: &[u8]) {
        let name = || names::shown(self.shared.prefix, path);
        let totals = &mut self.totals;
        match outcome {
            Outcome::Searched => totals.searched += 1,
            Outcome::Binary if self.hits.matches == 0 => totals.binary.add(name),
            // The number of lines before a NUL byte says nothing about the file.
            Outcome::Binary if self.shared.query.mode == OutputMode::Count => {
                self.hits.clear();
                totals.binary.add(name);
            }
            Outcome::Binary | Outcome::MatchesInBinary => {
                totals.searched += 1;
                totals.binary_later.add(name);
            }
            Outcome::TooLarge => totals.too_large.add(name),
            Outcome::LongLine => {
                totals.searched += 1;
                totals.long_lines.add(name);
            }
            Outcome::Unreadable(error) => totals.unreadable.add(|| format!("{} ({error})", name())),
            Outcome::Canceled => {}
        }
    }

    fn take_hits(&mut self, path: &[u8], wanted: bool) {
        let Self { kept, totals, hits, .. } = self;
        if self.shared.query.mode != OutputMode::Content {
            hits.entries = 1;
        }
        totals.files += 1;
        totals.matches += hits.matches;
        totals.entries += hits.entries;
        if wanted {
            kept.add(ByFolder(path.into()), std::mem::take(hits));
        }
    }
}

impl Visitor for Finder<'_> {
    fn visit(&mut self, entry: &dyn WalkEntry) -> Onward {
        let Shared { ctx, filter, progress, .. } = self.shared;
        if ctx.cancel().is_canceled() {
            return Onward::Stop;
        }
        match entry.kind() {
            FileKind::Folder if filter.enters(entry.path()) => return Onward::Go,
            FileKind::Folder => return Onward::Skip,
            FileKind::File if filter.takes(entry.path()) => {}
            _ => return Onward::Go,
        }
        self.opened += 1;
        if self.opened.is_multiple_of(FILES_BETWEEN_LOOKS) {
            progress.add(FILES_BETWEEN_LOOKS, |files| format!("{files} files searched"));
        }
        match entry.open_sized() {
            Ok((file, size)) => self.search(&file, size, entry.path()),
            Err(error) => {
                let name = self.name(entry.path().as_os_str().as_bytes());
                self.totals.unreadable.add(|| format!("{name} ({error})"));
                Onward::Go
            }
        }
    }
}

impl Drop for Finder<'_> {
    fn drop(&mut self) {
        let kept = std::mem::replace(&mut self.kept, Kept::new(0));
        let totals = std::mem::take(&mut self.totals);
        let mut gathered = self.shared.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        gathered.0.merge(kept);
        gathered.1.merge(totals);
    }
}
