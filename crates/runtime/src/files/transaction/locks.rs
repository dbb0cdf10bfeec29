//! One at a time for each file: locks that all who change files take.
//!
//! There are 256 of them, and a path has the one that its hash says: as many files as anyone
//! changes need no more lock files than that. With a state folder they are files, so that all
//! processes of the user wait for each other; without, the threads of this process do.

use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::state::{StateDir, open_private};

/// The folder of the lock files, in the state folder.
const FOLDER: &str = "locks";
/// How long a transaction waits for another one.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
/// How often it looks, at first and at most.
const POLL: (Duration, Duration) = (Duration::from_micros(100), Duration::from_millis(5));

/// The locks of some paths, in the order in which everyone takes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stripes(BTreeSet<u8>);

/// Locks that are held until this is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    _files: Vec<File>,
    here: Option<HeldHere>,
}

/// Why locks were not to be had.
#[derive(Debug)]
pub(crate) enum NotHeld {
    /// Somebody else has one of them.
    Busy,
    /// The lock files cannot be used.
    Io(PathBuf, std::io::Error),
}

impl Stripes {
    /// The locks of paths.
    pub(crate) fn of<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Self {
        let stripe = |path: &Path| blake3::hash(path.as_os_str().as_bytes()).as_bytes()[0];
        Self(paths.into_iter().map(stripe).collect())
    }

    /// Whether one lock is in both.
    pub(crate) fn meet(&self, other: &Self) -> bool {
        !self.0.is_disjoint(&other.0)
    }

    /// Those of both.
    pub(crate) fn and(&self, other: &Self) -> Self {
        Self(&self.0 | &other.0)
    }

    /// Whether all of the other's are among these.
    pub(crate) fn cover(&self, other: &Self) -> bool {
        self.0.is_superset(&other.0)
    }

    /// Takes them, waiting as long as said.
    pub(crate) fn take(
        &self,
        state: Option<&StateDir>,
        patience: Duration,
    ) -> Result<Held, NotHeld> {
        let end = Instant::now() + patience;
        let Some(state) = state else {
            let here = HeldHere::take(&self.0, end).ok_or(NotHeld::Busy)?;
            return Ok(Held { _files: Vec::new(), here: Some(here) });
        };
        let folder = state.folder(FOLDER).map_err(|error| {
            NotHeld::Io(state.path().join(FOLDER), std::io::Error::other(error))
        })?;
        let files = self.0.iter().map(|stripe| lock_file(&folder, *stripe, end));
        Ok(Held { _files: files.collect::<Result<_, _>>()?, here: None })
    }
}

fn lock_file(folder: &Path, stripe: u8, end: Instant) -> Result<File, NotHeld> {
    let path = folder.join(format!("{stripe:02x}"));
    let failed = |error| NotHeld::Io(path.clone(), error);
    let file = open_private(&path).map_err(failed)?;
    let mut pause = POLL.0;
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(file),
            Err(Errno::WOULDBLOCK | Errno::INTR) => {}
            Err(errno) => return Err(failed(errno.into())),
        }
        if Instant::now() >= end {
            return Err(NotHeld::Busy);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(POLL.1);
    }
}

/// Who holds what in this process.
static HERE: Mutex<BTreeSet<u8>> = Mutex::new(BTreeSet::new());
static FREED: Condvar = Condvar::new();

#[derive(Debug)]
struct HeldHere(BTreeSet<u8>);

impl HeldHere {
    /// All at once, so that their order does not matter.
    fn take(wanted: &BTreeSet<u8>, end: Instant) -> Option<Self> {
        let mut held = HERE.lock().unwrap_or_else(PoisonError::into_inner);
        while !held.is_disjoint(wanted) {
            let left = end.checked_duration_since(Instant::now())?;
            held = FREED.wait_timeout(held, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        held.extend(wanted);
        Some(Self(wanted.clone()))
    }
}

impl Drop for HeldHere {
    fn drop(&mut self) {
        HERE.lock().unwrap_or_else(PoisonError::into_inner).retain(|held| !self.0.contains(held));
        FREED.notify_all();
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // The files are closed, and with that unlocked, by themselves.
        drop(self.here.take());
    }
}
