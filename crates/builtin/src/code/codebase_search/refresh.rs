//! Bringing the index of an area up to date: a walk tells what changed, and only that is read.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};

use dogu_code::index::{Catalog, Change, Content};
use dogu_tool::{Ctx, FileKind, Onward, ToolError, Visitor, WalkEntry, WalkOptions, Walked};

use super::area::Area;
use super::reader::{read, stamp_number};
use crate::progress::Progress;

/// So much memory for words is filled before they are put into the index, in bytes.
const BATCH_BYTES: usize = 128 * 1024 * 1024;
/// So many files an index takes: each is some hundred bytes, whatever is in it.
const MAX_FILES: u64 = 250_000;
/// What one thread gathers before it hands it over.
const HAND_OVER_BYTES: usize = 4 * 1024 * 1024;

/// What a walk of an area found.
#[derive(Debug, Default)]
pub(super) struct Refreshed {
    /// The names of all files that are there.
    pub(super) seen: HashSet<Box<[u8]>>,
    /// How many files were read.
    pub(super) read: u64,
    /// How many files could not be read.
    pub(super) unreadable: u64,
    /// How many files there are beyond those that an index takes.
    pub(super) beyond: u64,
    /// What the walk left out.
    pub(super) walked: Walked,
}

/// Walks an area and notes in its catalog what changed. What was read until the call is canceled
/// is noted all the same: the next call goes on from there.
pub(super) fn refresh(
    catalog: &mut Catalog,
    area: &Area,
    ctx: &Ctx,
) -> Result<Refreshed, ToolError> {
    let shared = Shared {
        catalog: RwLock::new(catalog),
        area,
        ctx,
        gathered: Mutex::default(),
        files: AtomicU64::new(0),
        bytes: AtomicU64::new(0),
        progress: Progress::new(ctx),
    };
    let path = area.path(&area.below);
    let options = WalkOptions::default();
    let walked =
        ctx.files().walk(&path, &options, ctx.cancel(), &|| Box::new(Looker::new(&shared)));
    let Shared { catalog, gathered, .. } = shared;
    let catalog = catalog.into_inner().unwrap_or_else(PoisonError::into_inner);
    let gathered = gathered.into_inner().unwrap_or_else(PoisonError::into_inner);
    catalog.apply(gathered.changes).map_err(too_much)?;
    ctx.cancel().check()?;
    let walked = walked?;
    let mut refreshed = gathered.found;
    let gone = |path: &&[u8]| area.holds(path) && !refreshed.seen.contains(*path);
    let gone: Vec<Box<[u8]>> = catalog.paths().filter(gone).map(Into::into).collect();
    catalog.forget(gone).map_err(too_much)?;
    refreshed.walked = walked;
    Ok(refreshed)
}

/// An index has its bounds: its places are numbers of four bytes.
pub(super) fn too_much(_: dogu_code::index::Damaged) -> ToolError {
    ToolError::failed("there is too much code here for one index")
        .suggest("Name a part of it with `path`, or use grep.")
}

/// What the threads of a walk share.
struct Shared<'a> {
    catalog: RwLock<&'a mut Catalog>,
    area: &'a Area,
    ctx: &'a Ctx,
    gathered: Mutex<Gathered>,
    files: AtomicU64,
    bytes: AtomicU64,
    progress: Progress<'a>,
}

impl Shared<'_> {
    fn tell(&self, more: u64) {
        let megabytes = (self.bytes.fetch_add(more, Ordering::Relaxed) + more) / 1_000_000;
        self.progress.add(1, |files| format!("indexing: {files} files, {megabytes} MB read"));
    }
}

#[derive(Default)]
struct Gathered {
    changes: Vec<Change>,
    bytes: usize,
    found: Refreshed,
}

/// Looks at the files that one thread comes by.
struct Looker<'s, 'a> {
    shared: &'s Shared<'a>,
    own: Gathered,
}

impl<'s, 'a> Looker<'s, 'a> {
    fn new(shared: &'s Shared<'a>) -> Self {
        Self { shared, own: Gathered::default() }
    }

    fn look(&mut self, entry: &dyn WalkEntry) -> Result<(), ToolError> {
        let facts = entry.facts()?;
        // There is nothing to be found in it.
        if facts.size == 0 {
            return Ok(());
        }
        if self.shared.files.fetch_add(1, Ordering::Relaxed) >= MAX_FILES {
            self.own.found.beyond += 1;
            return Ok(());
        }
        let key = self.shared.area.key(entry.path());
        let known = {
            let catalog = self.shared.catalog.read().unwrap_or_else(PoisonError::into_inner);
            catalog.entry(&key).copied()
        };
        let stamp = stamp_number(&facts.stamp);
        if !known.is_some_and(|known| known.settled && known.stamp == stamp) {
            let file = entry.open()?;
            let read = read(&file).map_err(|error| ToolError::io("read", entry.path(), error))?;
            self.own.found.read += 1;
            let change = read.change(key.clone(), known.as_ref());
            self.shared.tell(read.content.len() as u64);
            self.own.bytes += match &change.content {
                Content::New(digest) => digest.size(),
                Content::Same | Content::Unsuitable(_) => 100,
            };
            self.own.changes.push(change);
        }
        self.own.found.seen.insert(key);
        Ok(())
    }

    fn hand_over(&mut self) {
        let own = std::mem::take(&mut self.own);
        let mut gathered = self.shared.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        gathered.changes.extend(own.changes);
        gathered.bytes += own.bytes;
        gathered.found.seen.extend(own.found.seen);
        gathered.found.read += own.found.read;
        gathered.found.unreadable += own.found.unreadable;
        gathered.found.beyond += own.found.beyond;
        if gathered.bytes > BATCH_BYTES {
            gathered.bytes = 0;
            let changes = std::mem::take(&mut gathered.changes);
            let mut catalog = self.shared.catalog.write().unwrap_or_else(PoisonError::into_inner);
            // What does not fit is not known, and the last batch says so.
            let _ = catalog.apply(changes);
        }
    }
}

impl Visitor for Looker<'_, '_> {
    fn visit(&mut self, entry: &dyn WalkEntry) -> Onward {
        if self.shared.ctx.cancel().is_canceled() {
            return Onward::Stop;
        }
        if entry.kind() == FileKind::File && self.look(entry).is_err() {
            self.own.found.unreadable += 1;
        }
        if self.own.bytes > HAND_OVER_BYTES {
            self.hand_over();
        }
        Onward::Go
    }
}

impl Drop for Looker<'_, '_> {
    fn drop(&mut self) {
        self.hand_over();
    }
}
