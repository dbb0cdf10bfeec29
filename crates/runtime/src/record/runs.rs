//! Who is alive: each process holds a lock file for as long as it lives.
//!
//! The kernel gives a lock back however its holder ends, SIGKILL included, so a lock that can
//! be taken is the proof that its run is over. The ids are random and never used twice.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use super::columns::RowWrite;
use super::error::RecordError;
use super::starts::{self, Starts};
use crate::state::{self, StateDir};

const EXTENSION: &str = "lock";

/// The folder of the lock files, which may not exist.
pub(super) fn folder(state: &StateDir) -> PathBuf {
    state.path().join("runs")
}

/// Where a run notes starts that have no row yet.
fn starts_path(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.{}", starts::EXTENSION))
}

/// The starts that a run noted and may have written no row for.
pub(super) fn noted(folder: &Path, id: &str) -> Vec<RowWrite> {
    starts::read(&starts_path(folder, id))
}

/// Whether a run that is over left starts behind.
pub(super) fn any_dead_left_starts(folder: &Path) -> bool {
    let left = |id: &String| starts_path(folder, id).exists() && is_dead(folder, id);
    ids(folder).iter().any(left)
}

/// This process, alive.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) id: String,
    path: PathBuf,
    /// Holds the lock until it is closed.
    _lock: File,
}

impl Run {
    /// Begins a run. The caller holds the open lock, so nobody mistakes the file for a dead one
    /// before it is locked.
    pub(super) fn begin(state: &StateDir) -> Result<Self, RecordError> {
        let folder = state.folder("runs")?;
        let id = state::random_hex().map_err(|error| RecordError::io("name", &folder, error))?;
        let path = lock_path(&folder, &id);
        let lock = state::create_private(&path)
            .and_then(|file| Ok(flock(&file, FlockOperation::LockExclusive).map(|()| file)?))
            .map_err(|error| RecordError::io("lock", &path, error))?;
        Ok(Self { id, path, _lock: lock })
    }

    /// The file for its starts.
    pub(super) fn starts(&self) -> Starts {
        Starts::new(self.path.with_extension(starts::EXTENSION))
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // Still locked here: the file goes before the lock does. A file that stays is harmless.
        let _ = fs::remove_file(self.path.with_extension(starts::EXTENSION));
        let _ = fs::remove_file(&self.path);
    }
}

/// A run that is over, held so that nobody else buries it.
#[derive(Debug)]
pub(super) struct DeadRun {
    pub(super) id: String,
    lock: Option<(File, PathBuf)>,
}

impl DeadRun {
    /// Takes the lock of a run that is over; nothing if it lives, or another process is at it.
    pub(super) fn take(folder: &Path, id: &str) -> Option<Self> {
        let path = lock_path(folder, id);
        let lock = match File::open(&path) {
            Ok(file) => {
                flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
                Some((file, path))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(_) => return None,
        };
        Some(Self { id: id.to_owned(), lock })
    }

    /// Removes the lock file, once the run's calls are marked.
    pub(super) fn bury(self) {
        if let Some((file, path)) = self.lock {
            let _ = fs::remove_file(path.with_extension(starts::EXTENSION));
            let _ = fs::remove_file(path);
            drop(file);
        }
    }
}

/// Whether a run is over, without touching anything: a shared lock disturbs no other reader.
pub(super) fn is_dead(folder: &Path, id: &str) -> bool {
    match File::open(lock_path(folder, id)) {
        Ok(file) => flock(&file, FlockOperation::NonBlockingLockShared).is_ok(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// The ids of all lock files.
pub(super) fn ids(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| Some(name.strip_suffix(EXTENSION)?.strip_suffix('.')?.to_owned()))
        .collect()
}

fn lock_path(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.{EXTENSION}"))
}
