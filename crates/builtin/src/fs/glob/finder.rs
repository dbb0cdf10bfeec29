//! The walk, and what each thread of it does.

use std::os::unix::ffi::OsStrExt as _;
use std::sync::{Mutex, PoisonError};

use dogu_tool::{
    Ctx, FileKind, LeftOut, Onward, ToolError, Visitor, WalkEntry, WalkOptions, Walked,
};

use super::super::folder_at::{folder_at, prefix_of};
use super::input::Query;
use super::newest::{Hit, Newest};
use super::pattern::Pattern;
use crate::progress::Progress;

/// What was found.
pub(super) struct Found {
    /// The newest, in their order.
    pub(super) hits: Vec<Hit>,
    pub(super) totals: Totals,
    pub(super) walked: Walked,
    /// How the folder is shown, with a slash.
    pub(super) prefix: String,
}

/// Counts over all that was looked at. Each thread has its own, and they are added up at the end.
#[derive(Debug, Default)]
pub(super) struct Totals {
    /// Names that were compared with the pattern.
    pub(super) seen: u64,
    /// What matches.
    pub(super) matched: u64,
    /// Folders that would match if the pattern asked for folders.
    pub(super) folders: u64,
    /// What matches and git ignores.
    pub(super) ignored: u64,
    /// Folders that git ignores, which were not entered.
    pub(super) ignored_folders: u64,
    /// What matches and may hold secrets.
    pub(super) secret: u64,
    /// What matches and agents are shut out of.
    pub(super) shut_out: u64,
    /// Folders that are closed for one of these reasons.
    pub(super) closed_folders: u64,
}

impl Totals {
    fn merge(&mut self, other: &Self) {
        self.seen += other.seen;
        self.matched += other.matched;
        self.folders += other.folders;
        self.ignored += other.ignored;
        self.ignored_folders += other.ignored_folders;
        self.secret += other.secret;
        self.shut_out += other.shut_out;
        self.closed_folders += other.closed_folders;
    }
}

/// Looks through the folder of a query.
pub(super) fn find(query: &Query, ctx: &Ctx) -> Result<Found, ToolError> {
    let path = ctx.scope().resolve(&query.path);
    let pattern = Pattern::new(query, &path, ctx)?;
    folder_at(&path, &query.path, ctx)?;
    let shared = Shared {
        pattern: &pattern,
        most: query.needed(),
        gathered: Mutex::new((Newest::new(query.needed()), Totals::default())),
        progress: Progress::new(ctx),
    };
    let options = WalkOptions {
        git_ignores: !query.include_ignored,
        hidden: query.hidden,
        show_left_out: true,
        ..WalkOptions::default()
    };
    let visitors = || Box::new(Finder::new(&shared)) as Box<dyn Visitor>;
    let walked = ctx.files().walk(&path, &options, ctx.cancel(), &visitors)?;
    let (newest, totals) = shared.gathered.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Found { hits: newest.into_sorted(), totals, walked, prefix: prefix_of(&path, ctx) })
}

/// What the threads share.
struct Shared<'a> {
    pattern: &'a Pattern,
    most: usize,
    gathered: Mutex<(Newest, Totals)>,
    progress: Progress<'a>,
}

/// Looks at what one thread comes by. What it found is handed over when it is dropped.
struct Finder<'a> {
    shared: &'a Shared<'a>,
    newest: Newest,
    totals: Totals,
}

impl<'a> Finder<'a> {
    fn new(shared: &'a Shared<'a>) -> Self {
        Self { shared, newest: Newest::new(shared.most), totals: Totals::default() }
    }

    fn take(&mut self, entry: &dyn WalkEntry) {
        self.totals.matched += 1;
        // What cannot be asked for its time comes last.
        let modified = entry.facts().map_or(i128::MIN, |facts| facts.stamp.modified);
        self.newest.offer(modified, entry.path().as_os_str().as_bytes(), entry.kind());
    }

    /// An entry that is closed, and not entered if it is a folder.
    fn leave(&mut self, entry: &dyn WalkEntry, why: LeftOut) {
        let Self { shared, totals, .. } = self;
        let folder = entry.kind() == FileKind::Folder;
        if folder && why != LeftOut::VersionControl && shared.pattern.enters(entry.path()) {
            match why {
                LeftOut::GitIgnored => totals.ignored_folders += 1,
                _ => totals.closed_folders += 1,
            }
        }
        if folder == shared.pattern.folders && shared.pattern.takes(entry.path(), folder) {
            match why {
                LeftOut::GitIgnored => totals.ignored += 1,
                LeftOut::Secret => totals.secret += 1,
                LeftOut::ShutOut => totals.shut_out += 1,
                LeftOut::VersionControl => {}
            }
        }
    }

    fn folder(&mut self, entry: &dyn WalkEntry) -> Onward {
        let pattern = self.shared.pattern;
        if pattern.takes_folder(entry.path()) {
            if pattern.folders { self.take(entry) } else { self.totals.folders += 1 }
        }
        if pattern.enters(entry.path()) { Onward::Go } else { Onward::Skip }
    }
}

impl Visitor for Finder<'_> {
    fn visit(&mut self, entry: &dyn WalkEntry) -> Onward {
        self.totals.seen += 1;
        self.shared.progress.count(self.totals.seen, "names looked at");
        if let Some(why) = entry.left_out() {
            self.leave(entry, why);
            return Onward::Go;
        }
        match entry.kind() {
            FileKind::Folder => return self.folder(entry),
            FileKind::File | FileKind::Link
                if !self.shared.pattern.folders
                    && self.shared.pattern.takes(entry.path(), false) =>
            {
                self.take(entry);
            }
            _ => {}
        }
        Onward::Go
    }
}

impl Drop for Finder<'_> {
    fn drop(&mut self) {
        let newest = std::mem::replace(&mut self.newest, Newest::new(0));
        let mut gathered = self.shared.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        gathered.0.merge(newest);
        gathered.1.merge(&self.totals);
    }
}
