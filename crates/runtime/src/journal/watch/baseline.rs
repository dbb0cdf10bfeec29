//! What is stored of a workspace's files, shared by all that run commands in it.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use dogu_tool::FileStamp;
use filetime::FileTime;
use rustix::fs::{FlockOperation, flock};

use super::super::store;
use super::packs::{self, Packs};
use super::table::{self, Table};
use crate::files::Roots;
use crate::state::open_private;

const TABLE: &str = "table";
const LOCK: &str = "lock";
const RUNNING: &str = "running";
/// How often somebody who waits looks again.
const POLL: Duration = Duration::from_millis(1);
/// So often it is noted on the disk that a workspace is still worked in.
const TOUCHED_EVERY: Duration = Duration::from_hours(24);

/// What is stored, as it was at one time. It is replaced, never changed.
#[derive(Debug, Default)]
pub(super) struct Baseline {
    pub(super) table: Table,
    pub(super) packs: Packs,
    /// The file that it was read from, or written to.
    stamp: Option<FileStamp>,
}

/// What this process has read of baselines, by their folder.
#[derive(Debug, Default)]
pub(in super::super) struct Baselines(Mutex<HashMap<PathBuf, Arc<Baseline>>>);

/// The folder of a workspace's baseline.
#[derive(Debug)]
pub(super) struct Home<'a> {
    pub(super) folder: PathBuf,
    journal: PathBuf,
    read: &'a Baselines,
}

/// A lock of a file. It is given back by name, not by closing the file: a process that was just
/// forked has that open too, until it becomes another program.
#[derive(Debug)]
struct Lock(File);

impl Lock {
    fn take(path: &Path, how: FlockOperation) -> io::Result<Self> {
        let file = open_private(path)?;
        flock(&file, how)?;
        Ok(Self(file))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = flock(&self.0, FlockOperation::Unlock);
    }
}

/// While it is held nobody else stores.
pub(super) struct Storing {
    _lock: Lock,
}

/// While it is held others can see that a command runs.
#[derive(Debug)]
pub(super) struct Running {
    path: PathBuf,
    _lock: Option<Lock>,
    /// Another one ran when this one began.
    pub(super) overlapped: bool,
}

/// The name of the folder for these roots.
pub(super) fn name_of(roots: &Roots) -> String {
    let mut paths: Vec<&Path> = roots.real_paths().collect();
    paths.sort();
    let mut hasher = blake3::Hasher::new();
    for path in paths {
        hasher.update(path.as_os_str().as_bytes());
        hasher.update(&[0]);
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

impl<'a> Home<'a> {
    pub(super) fn new(journal: &Path, folder: PathBuf, read: &'a Baselines) -> Self {
        Self { folder, journal: journal.to_path_buf(), read }
    }

    /// What is stored now.
    pub(super) fn current(&self) -> Arc<Baseline> {
        let path = self.folder.join(TABLE);
        let stamp = fs::metadata(&path).ok().map(|facts| FileStamp::from(&facts));
        let mut all = self.read.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = all.get(&self.folder).filter(|known| known.stamp == stamp) {
            return Arc::clone(known);
        }
        let mut table = fs::read(&path).ok().and_then(|bytes| table::decode(&bytes));
        let mut table = table.take().unwrap_or_default();
        let packs = packs::open_needed(&self.folder, &mut table);
        let read = Arc::new(Baseline { table, packs, stamp });
        all.insert(self.folder.clone(), Arc::clone(&read));
        read
    }

    /// Keeps others from storing; none where somebody did for all of the time.
    pub(super) fn store(&self, end: Instant) -> io::Result<Option<Storing>> {
        let path = self.folder.join(LOCK);
        loop {
            match Lock::take(&path, FlockOperation::NonBlockingLockExclusive) {
                Ok(lock) => return Ok(Some(Storing { _lock: lock })),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
            if Instant::now() >= end {
                return Ok(None);
            }
            std::thread::sleep(POLL);
        }
    }

    /// Replaces what is stored.
    pub(super) fn save(
        &self,
        table: Table,
        packs: Packs,
        _storing: &Storing,
    ) -> io::Result<Arc<Baseline>> {
        let path = self.folder.join(TABLE);
        let bytes = table::encode(&table);
        store::write(&self.journal, &path, false, |file| io::Write::write_all(file, &bytes))?;
        let stamp = fs::metadata(&path).ok().map(|facts| FileStamp::from(&facts));
        let saved = Arc::new(Baseline { table, packs, stamp });
        let mut all = self.read.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(self.folder.clone(), Arc::clone(&saved));
        Ok(saved)
    }

    /// Notes that the workspace is worked in, for whoever sweeps.
    pub(super) fn touch(&self) {
        let path = self.folder.join(TABLE);
        let touched = fs::metadata(&path).and_then(|facts| facts.modified());
        let age = touched.ok().and_then(|at| SystemTime::now().duration_since(at).ok());
        if age.is_some_and(|age| age > TOUCHED_EVERY) {
            let _ = filetime::set_file_mtime(&path, FileTime::now());
        }
    }

    /// Lets others see that a command runs.
    pub(super) fn run(&self) -> Running {
        let path = self.folder.join(RUNNING);
        let overlapped = !is_free(&path);
        let lock = Lock::take(&path, FlockOperation::LockShared).ok();
        Running { path, _lock: lock, overlapped }
    }
}

impl Running {
    /// It has ended; says whether another one ran at its beginning or its end.
    pub(super) fn end(self) -> bool {
        let Self { path, _lock: lock, overlapped } = self;
        drop(lock);
        overlapped || !is_free(&path)
    }
}

/// Nobody runs a command.
fn is_free(path: &Path) -> bool {
    match Lock::take(path, FlockOperation::NonBlockingLockExclusive) {
        Err(error) => error.kind() != io::ErrorKind::WouldBlock,
        Ok(_) => true,
    }
}

/// Removes what is stored of workspaces that nobody works in any more, and of the least lately
/// used while all together is too much.
pub(in super::super) fn sweep(folder: &Path, age: Duration, most: u64) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        answer => answer?,
    };
    let mut homes = Vec::new();
    for entry in entries {
        let home = entry?.path();
        let used = fs::metadata(home.join(TABLE)).or_else(|_| fs::metadata(&home))?.modified()?;
        let size: u64 = packs::sizes(&home)?.values().sum();
        homes.push((used, size, home));
    }
    homes.sort();
    let mut total: u64 = homes.iter().map(|(_, size, _)| size).sum();
    for (used, size, home) in homes {
        let unused = SystemTime::now().duration_since(used).unwrap_or_default();
        // Whoever works there holds what it needs open, and reads the rest again.
        if unused > age || total > most {
            total -= size;
            fs::remove_dir_all(home)?;
        }
    }
    Ok(())
}
