//! Storing what is new or changed since the last look.

use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use super::baseline::{Baseline, Home};
use super::look::Spotted;
use super::packs::{self, Appender};
use super::read::{Much, Now, ReadFile, is_settled, look_at};
use super::table::{Location, Record, Table, What};
use super::why::Why;
use crate::files::Roots;

/// How much a thread gathers before it writes.
const GATHERED: usize = 1 << 20;
/// More threads than this only wait for the disk.
const MAX_THREADS: usize = 4;

/// What is stored, and what is not.
pub(super) struct Coverage {
    pub(super) baseline: Arc<Baseline>,
    /// Files of the sight that are not in the baseline as they are.
    pub(super) not: Vec<(Spotted, Why)>,
}

/// What storing is bounded by.
pub(super) struct Store<'a> {
    pub(super) roots: &'a Roots,
    pub(super) home: Home<'a>,
    /// The files of secrets, by device and inode, which may have another name too.
    pub(super) secrets: HashSet<(u64, u64)>,
    pub(super) file_bytes: u64,
    pub(super) bytes: u64,
    pub(super) end: Instant,
}

/// A file is in a table as it is now.
pub(super) fn is_current(table: &Table, file: &Spotted) -> bool {
    table.get(&file.path).is_some_and(|record| record.settled && record.stamp == file.stamp)
}

impl Store<'_> {
    /// Brings the baseline up to date with the files that a look found. Where it found all, what
    /// it did not find is forgotten.
    pub(super) fn cover(&self, files: &[Spotted], complete: bool) -> io::Result<Coverage> {
        let (mut not, files) = self.apart(files);
        let baseline = self.home.current();
        if !needs_work(&baseline.table, &files, complete) {
            self.home.touch();
            return Ok(Coverage { baseline, not });
        }
        let Some(storing) = self.home.store(self.end)? else {
            let pending = pending(&baseline.table, &files);
            not.extend(pending.into_iter().map(|file| (file.clone(), Why::NoTime)));
            return Ok(Coverage { baseline, not });
        };
        // Others may have stored meanwhile.
        let baseline = self.home.current();
        let mut table = baseline.table.clone();
        if complete {
            let found: HashSet<_> = files.iter().map(|file| &file.path).collect();
            table.retain(|path, _| found.contains(path));
        }
        let needed = pending(&table, &files).iter().map(|file| file.stamp.size).sum();
        let room = packs::make_room(&self.home.folder, &mut table, needed, self.bytes);
        let mut pending = pending(&table, &files);
        // What was changed last is likely to be changed next.
        pending.sort_unstable_by_key(|file| std::cmp::Reverse(file.stamp.changed));
        let (read, used) = self.read_all(&pending, &table, room);
        for (file, record) in pending.into_iter().zip(read) {
            match record {
                Ok(record) => {
                    table.insert(Arc::clone(&file.path), record);
                }
                Err(why) => {
                    table.remove(&file.path);
                    not.push((file.clone(), why));
                }
            }
        }
        if table == baseline.table {
            return Ok(Coverage { baseline, not });
        }
        let mut packs = packs::open_needed(&self.home.folder, &mut table);
        packs.extend(used);
        Ok(Coverage { baseline: self.home.save(table, packs, &storing)?, not })
    }

    /// What cannot be stored, known without reading it; and the rest.
    fn apart<'f>(&self, files: &'f [Spotted]) -> (Vec<(Spotted, Why)>, Vec<&'f Spotted>) {
        let (mut not, mut rest) = (Vec::new(), Vec::with_capacity(files.len()));
        for file in files {
            if self.secrets.contains(&(file.stamp.device, file.stamp.inode)) {
                not.push((file.clone(), Why::Secret));
            } else if file.stamp.size > self.file_bytes {
                not.push((file.clone(), Why::TooLarge));
            } else {
                rest.push(file);
            }
        }
        (not, rest)
    }

    /// Reads files and stores what is in them, on a few threads; answers in the same order.
    fn read_all(
        &self,
        files: &[&Spotted],
        known: &Table,
        room: u64,
    ) -> (Vec<Result<Record, Why>>, packs::Packs) {
        let shared = Shared {
            next: AtomicUsize::new(0),
            room: AtomicU64::new(room),
            appender: Mutex::new(Appender::new(&self.home.folder)),
        };
        let cores = thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
        let threads = if files.len() < 8 { 1 } else { cores };
        let mut answers: Vec<Result<Record, Why>> = Vec::new();
        answers.resize_with(files.len(), || Err(Why::NoTime));
        let work = || Gathering::new(self, &shared, known).run(files);
        let done = thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut done = vec![work()];
            for other in others {
                done.push(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            done
        });
        for (number, answer) in done.into_iter().flatten() {
            answers[number] = answer;
        }
        let appender = shared.appender.into_inner().unwrap_or_else(PoisonError::into_inner);
        (answers, appender.used)
    }
}

/// Files are to be stored, or some that are stored are gone.
fn needs_work(table: &Table, files: &[&Spotted], complete: bool) -> bool {
    let current = files.iter().filter(|file| is_current(table, file)).count();
    current < files.len() || (complete && current < table.len())
}

/// The files that a table does not have as they are.
fn pending<'f>(table: &Table, files: &[&'f Spotted]) -> Vec<&'f Spotted> {
    files.iter().filter(|file| !is_current(table, file)).copied().collect()
}

/// What the threads share.
struct Shared {
    next: AtomicUsize,
    room: AtomicU64,
    appender: Mutex<Appender>,
}

/// A thread that reads.
struct Gathering<'a> {
    store: &'a Store<'a>,
    shared: &'a Shared,
    known: &'a Table,
    /// Contents that are not written yet, and whose they are.
    bytes: Vec<u8>,
    waiting: Vec<(usize, Record)>,
    answers: Vec<(usize, Result<Record, Why>)>,
}

impl<'a> Gathering<'a> {
    fn new(store: &'a Store<'a>, shared: &'a Shared, known: &'a Table) -> Self {
        let (bytes, waiting, answers) = (Vec::new(), Vec::new(), Vec::new());
        Self { store, shared, known, bytes, waiting, answers }
    }

    fn run(mut self, files: &[&Spotted]) -> Vec<(usize, Result<Record, Why>)> {
        while Instant::now() < self.store.end {
            let number = self.shared.next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = files.get(number) else { break };
            match self.one(file) {
                Ok((record, None)) => self.answers.push((number, Ok(record))),
                Ok((record, Some(content))) => {
                    self.bytes.extend_from_slice(&content);
                    self.waiting.push((number, record));
                }
                Err(why) => self.answers.push((number, Err(why))),
            }
            if self.bytes.len() >= GATHERED {
                self.write();
            }
        }
        self.write();
        self.answers
    }

    /// A record, and the content if that is to be stored.
    fn one(&self, file: &Spotted) -> Result<(Record, Option<Vec<u8>>), Why> {
        let much = Much { largest: self.store.file_bytes, content: true };
        match look_at(self.store.roots, &file.path, much) {
            Now::File(read) => self.file(file, read),
            Now::Link(stamp, target) => {
                let settled = is_settled(&stamp);
                let what = What::Link(target.into());
                Ok((Record { stamp, settled, mode: 0, what }, None))
            }
            Now::Unknown(why) => Err(why),
            // It is another one than a moment ago: the next look will tell.
            Now::Nothing | Now::Folder => Err(Why::Unreadable),
        }
    }

    fn file(&self, file: &Spotted, read: ReadFile) -> Result<(Record, Option<Vec<u8>>), Why> {
        let Some(hash) = read.hash else { return Err(Why::TooLarge) };
        let hash = *hash.as_bytes();
        let mut record = Record {
            stamp: read.stamp,
            settled: read.settled,
            mode: read.mode,
            what: What::File { hash, at: Location { pack: 0, offset: 0 } },
        };
        // Often only the times changed.
        if let Some(What::File { hash: before, at }) = self.known.get(&file.path).map(|at| &at.what)
            && *before == hash
        {
            record.what = What::File { hash, at: *at };
            return Ok((record, None));
        }
        let size = read.content.len() as u64;
        let less = |room: u64| room.checked_sub(size);
        let room = self.shared.room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        if room.is_err() {
            return Err(Why::NoRoom);
        }
        Ok((record, Some(read.content)))
    }

    /// Stores what was gathered.
    fn write(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        let appended = {
            let mut appender = self.shared.appender.lock().unwrap_or_else(PoisonError::into_inner);
            appender.append(&self.bytes)
        };
        self.bytes.clear();
        let mut offset = 0;
        for (number, mut record) in self.waiting.drain(..) {
            let answer = match (&appended, &mut record.what) {
                (Ok(appended), What::File { at, .. }) => {
                    *at = Location { offset: appended.offset + offset, ..*appended };
                    offset += record.stamp.size;
                    Ok(record)
                }
                // The disk is full.
                _ => Err(Why::NoRoom),
            };
            self.answers.push((number, answer));
        }
    }
}
