//! The folders of a walk: each held open by a descriptor, or to be found again by its identity.
//!
//! A folder is opened from the descriptor of the one above it, by one name, without following a
//! link. A tree can be deeper than there are descriptors: then those of far folders are closed,
//! and when they are needed again they are opened name by name from the nearest that is open.
//! What is found must be the same folder, by device and inode, or it is given up.

use std::collections::VecDeque;
use std::ffi::{CStr, CString};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use dogu_policy::path::SecretsBelow;
use rustix::fd::{AsFd as _, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, Stat, fstat, openat};
use rustix::io::Errno;

use super::super::beneath::LISTING;
use super::levels::Level;
use crate::ignored::ShutOut;

/// How many descriptors of folders wait for what is below them.
const MAX_HELD: usize = 128;
/// How many folders on the way to one that was opened again stay open.
const KEPT_ON_THE_WAY: usize = 64;

/// The same folder, whatever its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Identity {
    pub(super) device: u64,
    pub(super) inode: u64,
}

impl Identity {
    pub(super) fn of(stat: &Stat) -> Self {
        Self { device: stat.st_dev, inode: stat.st_ino }
    }
}

/// What holds for all entries of a folder.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    /// The ignore files of git and ripgrep.
    pub(super) ignores: Option<Arc<Level>>,
    /// The ignore files that shut agents out.
    pub(super) shut_out: Option<Arc<ShutOut>>,
    pub(super) secrets: SecretsBelow,
}

/// A folder that was entered.
#[derive(Debug)]
pub(super) struct Folder {
    above: Option<Arc<Folder>>,
    name: CString,
    pub(super) depth: usize,
    pub(super) identity: Identity,
    pub(super) rules: Rules,
    open: Mutex<Option<Arc<OwnedFd>>>,
}

impl Folder {
    pub(super) fn new(
        above: Option<(Arc<Folder>, &CStr)>,
        identity: Identity,
        rules: Rules,
        fd: Arc<OwnedFd>,
    ) -> Arc<Self> {
        let (above, name) = above.map_or((None, c""), |(above, name)| (Some(above), name));
        Arc::new(Self {
            depth: above.as_ref().map_or(0, |above| above.depth + 1),
            above,
            name: name.to_owned(),
            identity,
            rules,
            open: Mutex::new(Some(fd)),
        })
    }

    /// Appends its path below the start, each name with a `/` after it.
    pub(super) fn write_path(&self, path: &mut Vec<u8>) {
        let mut names = Vec::with_capacity(self.depth);
        let mut at = Some(self);
        while let Some(folder) = at {
            names.push(folder.name.as_bytes());
            at = folder.above.as_deref();
        }
        for name in names.into_iter().rev().filter(|name| !name.is_empty()) {
            path.extend_from_slice(name);
            path.push(b'/');
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<OwnedFd>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its descriptor, opened again where it was closed.
    pub(super) fn descriptor(self: &Arc<Self>, held: &Held) -> Result<Arc<OwnedFd>, Errno> {
        if let Some(fd) = &*self.lock() {
            return Ok(Arc::clone(fd));
        }
        let (mut fd, closed) = self.nearest_open()?;
        let kept_from = closed.len().saturating_sub(KEPT_ON_THE_WAY);
        for (at, folder) in closed.iter().rev().enumerate() {
            fd = Arc::new(open_folder(fd.as_fd(), &folder.name)?);
            if Identity::of(&fstat(&fd)?) != folder.identity {
                return Err(Errno::STALE);
            }
            if at >= kept_from {
                *folder.lock() = Some(Arc::clone(&fd));
                held.add(folder);
            }
        }
        Ok(fd)
    }

    /// The descriptor of the nearest open folder above, and those between, this one first.
    fn nearest_open(self: &Arc<Self>) -> Result<(Arc<OwnedFd>, Vec<Arc<Folder>>), Errno> {
        let mut closed = vec![Arc::clone(self)];
        let mut at = self;
        while let Some(above) = &at.above {
            if let Some(fd) = &*above.lock() {
                return Ok((Arc::clone(fd), closed));
            }
            closed.push(Arc::clone(above));
            at = above;
        }
        // The start is never closed.
        Err(Errno::STALE)
    }

    fn close(&self) {
        drop(self.lock().take());
    }
}

/// Without this a deep tree would be dropped one stack frame a level.
impl Drop for Folder {
    fn drop(&mut self) {
        let mut above = self.above.take();
        while let Some(mut folder) = above.and_then(Arc::into_inner) {
            above = folder.above.take();
        }
    }
}

/// Opens a folder by one name.
pub(super) fn open_folder(above: BorrowedFd<'_>, name: &CStr) -> Result<OwnedFd, Errno> {
    openat(above, name, LISTING | rustix::fs::OFlags::NOFOLLOW, Mode::empty())
}

/// The folders whose descriptors wait, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Held(Mutex<VecDeque<Weak<Folder>>>);

impl Held {
    /// A folder waits. The start does not count.
    pub(super) fn add(&self, folder: &Arc<Folder>) {
        if folder.above.is_none() {
            return;
        }
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if held.len() >= MAX_HELD {
            held.retain(|folder| folder.strong_count() > 0);
        }
        if held.len() >= MAX_HELD {
            // Half of them at once, or each further folder would look through all.
            for folder in held.drain(..MAX_HELD / 2).filter_map(|folder| folder.upgrade()) {
                folder.close();
            }
        }
        held.push_back(Arc::downgrade(folder));
    }
}
