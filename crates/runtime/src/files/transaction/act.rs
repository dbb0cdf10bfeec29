//! Doing a step, and taking it back.

use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;
use std::rc::Rc;

use rustix::fd::OwnedFd;
use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, RenameFlags, Stat, fstat, fsync, linkat, openat, renameat,
    renameat_with, statat, unlinkat,
};
use rustix::io::Errno;

use super::look::hash_of;
use super::step::{Kind, Mark, Step};
use crate::files::beneath::{LISTING, READING};

/// How often two files change places again until the right one comes out, while somebody else
/// does the same.
const MAX_SWAPS: usize = 1_000;
/// To know a file by, and nothing else.
#[cfg(target_os = "linux")]
const HOLDING: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// To know a file by.
#[cfg(not(target_os = "linux"))]
const HOLDING: OFlags = READING.union(OFlags::NOFOLLOW);
/// What the temporary's name is followed by where files cannot change places.
const ASIDE: &str = "-old";

/// A step with the folders that it happens in, held open: no name of them matters any more.
pub(crate) struct Act {
    pub(crate) step: Step,
    pub(crate) folder: Rc<OwnedFd>,
    /// The folder that a file comes from.
    pub(crate) from: Option<Rc<OwnedFd>>,
    /// Does without what only newer systems have.
    pub(crate) plain: bool,
}

/// Why a step was not done. Nothing of it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotDone {
    /// Something else is there than was.
    Changed,
    /// The system said no.
    Io(Errno),
}

impl From<Errno> for NotDone {
    fn from(errno: Errno) -> Self {
        match errno {
            Errno::NOENT | Errno::EXIST => Self::Changed,
            _ => Self::Io(errno),
        }
    }
}

impl Act {
    pub(super) fn name(&self) -> &OsStr {
        self.step.path.file_name().unwrap_or_default()
    }

    pub(super) fn temporary(&self) -> &str {
        &self.step.temporary
    }

    fn aside(&self) -> String {
        format!("{}{ASIDE}", self.step.temporary)
    }

    fn source_name(&self) -> &OsStr {
        self.step.from.as_deref().and_then(Path::file_name).unwrap_or_default()
    }

    fn source_folder(&self) -> &OwnedFd {
        self.from.as_ref().unwrap_or(&self.folder)
    }

    pub(super) fn stat(&self, name: impl AsRef<OsStr>) -> Result<Option<Stat>, Errno> {
        stat_in(&self.folder, name.as_ref())
    }

    /// Whether a name in the folder is the marked file.
    pub(super) fn is(&self, name: impl AsRef<OsStr>, mark: Option<&Mark>) -> Result<bool, Errno> {
        is_marked(&self.folder, name.as_ref(), mark)
    }

    /// Whether the file is still the one that it was.
    pub(crate) fn is_unchanged(&self) -> Result<bool, Errno> {
        let before = self.step.before.as_ref();
        match self.step.kind {
            Kind::Put => Ok(self.stat(self.name())?.is_none()),
            Kind::Swap | Kind::Take => self.is(self.name(), before),
            Kind::Move => {
                let free = self.stat(self.name())?.is_none();
                Ok(free && is_marked(self.source_folder(), self.source_name(), before)?)
            }
        }
    }

    /// Whether a name is now the file that was there a moment ago. Where nobody needed to know its
    /// content, what looks like it has to do.
    fn is_still_before(&self, name: impl AsRef<OsStr>) -> Result<bool, Errno> {
        let before = self.step.before.as_ref();
        match before.filter(|mark| mark.hash.is_none()) {
            Some(mark) => Ok(self.stat(name)?.is_some_and(|found| mark.is_like(&found))),
            None => self.is(name, before),
        }
    }

    /// Does it. What comes out is looked at afterwards, when nobody can swap it any more: where
    /// that is not what was there, it goes back, and nothing that somebody else wrote is lost.
    pub(crate) fn apply(&self) -> Result<(), NotDone> {
        match self.step.kind {
            Kind::Put => Ok(to_free(&self.folder, self.temporary(), &self.folder, self.name())?),
            Kind::Swap => self.swap(),
            Kind::Take => {
                to_free(&self.folder, self.name(), &self.folder, self.temporary())?;
                if self.is_still_before(self.temporary())? {
                    return Ok(());
                }
                match to_free(&self.folder, self.temporary(), &self.folder, self.name()) {
                    // Somebody saved over what was there a moment ago.
                    Err(Errno::EXIST) => {
                        unlinkat(&*self.folder, self.temporary(), AtFlags::empty())?;
                    }
                    answer => answer?,
                }
                Err(NotDone::Changed)
            }
            Kind::Move => {
                to_free(self.source_folder(), self.source_name(), &self.folder, self.name())?;
                if self.is_still_before(self.name())? {
                    return Ok(());
                }
                to_free(&self.folder, self.name(), self.source_folder(), self.source_name())?;
                Err(NotDone::Changed)
            }
        }
    }

    fn swap(&self) -> Result<(), NotDone> {
        let ours = openat(&*self.folder, self.temporary(), HOLDING, Mode::empty());
        match self.exchange() {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => return self.replace(),
            answer => answer?,
        }
        if self.is_still_before(self.temporary())? {
            return Ok(());
        }
        self.swap_back(ours.ok().as_ref())?;
        Err(NotDone::Changed)
    }

    fn exchange(&self) -> Result<(), Errno> {
        if self.plain {
            return Err(Errno::NOSYS);
        }
        let folder = &*self.folder;
        renameat_with(folder, self.temporary(), folder, self.name(), RenameFlags::EXCHANGE)
    }

    /// Gives back what is not ours. What somebody saves over our file meanwhile is newer than what
    /// we gave back, so it has to go back in turn, until what comes out is what went in before:
    /// then nobody came between. That one is ours, or was saved over like ours.
    fn swap_back(&self, ours: Option<&OwnedFd>) -> Result<(), NotDone> {
        let mut went_in = self.step.after.clone();
        for _ in 0..MAX_SWAPS {
            let Some(in_hand) = self.stat(self.temporary())? else { return Ok(()) };
            match self.exchange() {
                // Somebody removed what was there, and would have removed this.
                Err(Errno::NOENT) => {
                    return Ok(to_free(&self.folder, self.temporary(), &self.folder, self.name())?);
                }
                answer => answer?,
            }
            if self.is(self.temporary(), self.step.after.as_ref())? {
                return Ok(());
            }
            // Where our file has only been moved, nothing was saved over it: it may come back.
            let gone =
                ours.and_then(|ours| fstat(ours).ok()).is_some_and(|ours| ours.st_nlink == 0);
            if gone && self.is(self.temporary(), went_in.as_ref())? {
                unlinkat(&*self.folder, self.temporary(), AtFlags::empty())?;
                return Ok(());
            }
            went_in = Some(Mark::of(&in_hand));
            std::thread::yield_now();
        }
        Err(NotDone::Changed)
    }

    /// For file systems where files cannot change places: what is replaced keeps another name, if
    /// it can have one.
    fn replace(&self) -> Result<(), NotDone> {
        let (folder, aside) = (&*self.folder, self.aside());
        match linkat(folder, self.name(), folder, aside.as_str(), AtFlags::empty()) {
            Ok(()) if !self.is_still_before(&aside)? => {
                unlinkat(folder, aside.as_str(), AtFlags::empty())?;
                return Err(NotDone::Changed);
            }
            Err(Errno::NOENT) => return Err(NotDone::Changed),
            // The aside of an earlier try, or a file system without hard links.
            Ok(()) | Err(_) => {}
        }
        Ok(renameat(folder, self.temporary(), folder, self.name())?)
    }

    /// Undoes what [`apply`](Self::apply) did, unless somebody else changed the file since.
    pub(crate) fn take_back(&self) -> Result<(), NotDone> {
        let folder = &*self.folder;
        match self.step.kind {
            Kind::Put => {
                self.require(self.name(), self.step.after.as_ref())?;
                Ok(to_free(folder, self.name(), folder, self.temporary())?)
            }
            Kind::Swap => {
                self.require(self.name(), self.step.after.as_ref())?;
                let aside = self.aside();
                if self.is(&aside, self.step.before.as_ref())? {
                    return Ok(renameat(folder, aside.as_str(), folder, self.name())?);
                }
                self.require(OsStr::new(self.temporary()), self.step.before.as_ref())?;
                Ok(self.exchange()?)
            }
            Kind::Take => {
                self.require(OsStr::new(self.temporary()), self.step.before.as_ref())?;
                Ok(to_free(folder, self.temporary(), folder, self.name())?)
            }
            Kind::Move => {
                self.require(self.name(), self.step.before.as_ref())?;
                Ok(to_free(folder, self.name(), self.source_folder(), self.source_name())?)
            }
        }
    }

    fn require(&self, name: &OsStr, mark: Option<&Mark>) -> Result<(), NotDone> {
        if self.is(name, mark)? { Ok(()) } else { Err(NotDone::Changed) }
    }

    /// Removes what is not needed any more: our new file that was not used, or the old one.
    pub(crate) fn clean(&self) {
        if self.step.temporary.is_empty() {
            return;
        }
        for name in [self.aside(), self.step.temporary.clone()] {
            let Ok(Some(stat)) = self.stat(&name) else { continue };
            let is = |mark: &Option<Mark>| self.is(&name, mark.as_ref()).unwrap_or(false);
            let regular = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
            // While the new content is being written its mark is not known, and no old file was
            // touched yet. Nobody has linked it.
            let new = matches!(self.step.kind, Kind::Put | Kind::Swap);
            let being_written = new && self.step.after.is_none() && stat.st_nlink == 1 && regular;
            if being_written || is(&self.step.before) || is(&self.step.after) {
                let _ = unlinkat(&*self.folder, name.as_str(), AtFlags::empty());
            }
        }
    }

    /// Waits until the names are on the disk.
    pub(crate) fn sync_folders(&self) {
        for folder in [Some(&self.folder), self.from.as_ref()].into_iter().flatten() {
            // A folder that we may write to and not read cannot be waited for.
            let opened = openat(&**folder, ".", LISTING | OFlags::NOFOLLOW, Mode::empty());
            let _ = opened.map(|folder| fsync(&folder));
        }
    }
}

/// Whether a name in a folder is the marked file.
fn is_marked(folder: &OwnedFd, name: &OsStr, mark: Option<&Mark>) -> Result<bool, Errno> {
    let (Some(mark), Some(found)) = (mark, stat_in(folder, name)?) else { return Ok(false) };
    if mark.is(&found) {
        return Ok(true);
    }
    let Some(hash) = mark.hash.as_ref().filter(|_| mark.is_like(&found)) else { return Ok(false) };
    let file = openat(folder, name, READING | OFlags::NOFOLLOW, Mode::empty());
    let read = file.ok().and_then(|file| hash_of(&mut File::from(file)).ok());
    Ok(read.is_some_and(|read| read.to_hex().as_str() == hash))
}

/// What a name is, without following it.
pub(super) fn stat_in(folder: &OwnedFd, name: &OsStr) -> Result<Option<Stat>, Errno> {
    match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(stat)),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(errno),
    }
}

/// Renames to a name that must be free.
fn to_free(
    from: &OwnedFd,
    name: impl AsRef<OsStr>,
    to: &OwnedFd,
    new: impl AsRef<OsStr>,
) -> Result<(), Errno> {
    let (name, new) = (name.as_ref(), new.as_ref());
    match renameat_with(from, name, to, new, RenameFlags::NOREPLACE) {
        // The file system cannot; that the name was free a moment ago has to do.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => match stat_in(to, new)? {
            Some(_) => Err(Errno::EXIST),
            None => renameat(from, name, to, new),
        },
        answer => answer,
    }
}
