//! Changing what a grant covers.
//!
//! A write never opens the file that it replaces: the new content goes to a file of its own in
//! the same folder, complete and on the disk, which then takes the name. Whatever fails before
//! that leaves the old file as it was, and the new one is removed. Folders made on the way stay.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path};

use dogu_tool::{FileKind, ToolError, WriteOptions, Written};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{
    Access, AtFlags, Mode, OFlags, RenameFlags, Stat, accessat, fchmod, mkdirat, openat, renameat,
    renameat_with, statat, unlinkat,
};
use rustix::io::Errno;

use super::beneath::FOLDER;
use super::grant::Spot;
use super::roots::{Place, Roots};
use super::{kind_of_stat, size_of_stat, words};

/// Read, write and execute for all, and the sticky bit. Not set-user-id and set-group-id: as
/// with any write to a file, new content does not inherit another's rights.
const KEPT_MODE: Mode = Mode::RWXU.union(Mode::RWXG).union(Mode::RWXO).union(Mode::SVTX);

/// How a file is written.
#[derive(Clone, Copy)]
pub(super) struct How {
    pub(super) options: WriteOptions,
    /// Wait until the content is on the disk before it takes the name.
    pub(super) durable: bool,
}

/// A file in a folder that is held open.
struct Target<'a> {
    folder: OwnedFd,
    name: &'a OsStr,
    asked: &'a Path,
}

/// Replaces the content of a file, or creates it.
pub(super) fn write(
    roots: &Roots,
    spot: &Spot<'_>,
    content: &[u8],
    how: How,
) -> Result<Written, ToolError> {
    let target = Target::open(roots, spot, how.options.create_folders)?;
    let old = target.stat()?;
    if let Some(old) = &old {
        target.check_replaceable(old, how.options.overwrite)?;
    }
    let failed = |error: std::io::Error| not_written(spot.asked, error);
    let mut temporary = Temporary::create(target.folder.as_fd(), old.is_some()).map_err(failed)?;
    temporary.file.write_all(content).map_err(failed)?;
    if let Some(old) = &old {
        temporary.take_rights_of(old).map_err(failed)?;
    }
    if how.durable {
        temporary.file.sync_all().map_err(failed)?;
    }
    temporary.rename_to(target.name, how.options.overwrite).map_err(|errno| match errno {
        Errno::EXIST => already_exists(spot.asked),
        _ => failed(errno.into()),
    })?;
    Ok(Written { created: old.is_none(), old_size: old.as_ref().map(size_of_stat) })
}

/// Removes a regular file.
pub(super) fn remove(roots: &Roots, spot: &Spot<'_>) -> Result<(), ToolError> {
    let target = Target::open(roots, spot, false)?;
    let Some(stat) = target.stat()? else {
        return Err(words::not_found(spot.asked));
    };
    require_file(spot.asked, &stat)?;
    unlinkat(&target.folder, target.name, AtFlags::empty())
        .map_err(|errno| words::io("remove", spot.asked, errno))
}

impl<'a> Target<'a> {
    fn open(roots: &Roots, spot: &'a Spot<'_>, create: bool) -> Result<Self, ToolError> {
        let place = roots.place(&spot.real);
        let (Some(parent), Some(name)) = (place.below.parent(), spot.real.file_name()) else {
            return Err(words::wrong_kind(spot.asked, FileKind::Folder));
        };
        let folder = match roots.open_below(place.anchor, parent, FOLDER) {
            Err(Errno::NOENT) if create => make_folders(roots, &place, parent),
            answer => answer,
        };
        let folder = folder.map_err(|errno| match errno {
            Errno::NOENT => no_folder(spot.asked),
            _ => words::not_opened("open the folder of", spot.asked, errno, spot.exact),
        })?;
        Ok(Self { folder, name, asked: spot.asked })
    }

    fn stat(&self) -> Result<Option<Stat>, ToolError> {
        match statat(&self.folder, self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(words::io("look at", self.asked, errno)),
        }
    }

    fn check_replaceable(&self, old: &Stat, overwrite: bool) -> Result<(), ToolError> {
        require_file(self.asked, old)?;
        if !overwrite {
            return Err(already_exists(self.asked));
        }
        // Renaming over a file needs no right to it, only to its folder; a person who made it
        // read-only meant more than that. The bit is asked too because all is open to root.
        let writable = accessat(&self.folder, self.name, Access::WRITE_OK, AtFlags::empty());
        let owner_may = Mode::from_raw_mode(old.st_mode).contains(Mode::WUSR);
        if !owner_may || writable == Err(Errno::ACCESS) {
            let shown = words::shown(self.asked);
            return Err(ToolError::failed(format!("{shown} is read-only; nothing was written")));
        }
        writable.map_err(|errno| words::io("write", self.asked, errno))
    }
}

/// Makes what is missing of the folders on the way, each through the descriptor of the one
/// that holds it, so that a link put there meanwhile is met and refused, not followed.
fn make_folders(roots: &Roots, place: &Place<'_>, below: &Path) -> Result<OwnedFd, Errno> {
    let mut folder = roots.open_below(place.anchor, Path::new(""), FOLDER)?;
    for component in below.components() {
        let Component::Normal(name) = component else { return Err(Errno::XDEV) };
        let next = match roots.open_below(folder.as_fd(), Path::new(name), FOLDER) {
            Err(Errno::NOENT) => make_folder(roots, &folder, name),
            answer => answer,
        };
        folder = next?;
    }
    Ok(folder)
}

fn make_folder(roots: &Roots, folder: &OwnedFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    match mkdirat(folder, name, Mode::RWXU | Mode::RWXG | Mode::RWXO) {
        Ok(()) | Err(Errno::EXIST) => roots.open_below(folder.as_fd(), Path::new(name), FOLDER),
        Err(errno) => Err(errno),
    }
}

/// The new content before it takes its name. Removed when dropped.
struct Temporary<'a> {
    folder: BorrowedFd<'a>,
    name: String,
    file: File,
    in_place: bool,
}

impl<'a> Temporary<'a> {
    /// A file that replaces another is nobody else's to read until it has that one's rights.
    fn create(folder: BorrowedFd<'a>, replaces: bool) -> std::io::Result<Self> {
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(if replaces { 0o600 } else { 0o666 });
        let name = format!(".dogu-{:016x}", getrandom::u64()?);
        let file = File::from(openat(folder, name.as_str(), flags, mode)?);
        Ok(Self { folder, name, file, in_place: false })
    }

    fn take_rights_of(&self, old: &Stat) -> std::io::Result<()> {
        let own = self.file.metadata()?;
        if (own.uid(), own.gid()) != (old.st_uid, old.st_gid) {
            let whole = std::os::unix::fs::fchown(&self.file, Some(old.st_uid), Some(old.st_gid));
            if whole.is_err() {
                // Only root may give files away; the group at least may be one of ours.
                let _ = std::os::unix::fs::fchown(&self.file, None, Some(old.st_gid));
            }
        }
        fchmod(&self.file, Mode::from_raw_mode(old.st_mode) & KEPT_MODE)?;
        Ok(())
    }

    /// A link that took the name meanwhile is replaced, not followed.
    fn rename_to(mut self, name: &OsStr, overwrite: bool) -> Result<(), Errno> {
        if overwrite {
            renameat(self.folder, self.name.as_str(), self.folder, name)?;
        } else {
            self.rename_to_free(name)?;
        }
        self.in_place = true;
        Ok(())
    }

    fn rename_to_free(&self, name: &OsStr) -> Result<(), Errno> {
        let (folder, own) = (self.folder, self.name.as_str());
        match renameat_with(folder, own, folder, name, RenameFlags::NOREPLACE) {
            // The file system cannot; that the name was free a moment ago has to do.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => renameat(folder, own, folder, name),
            answer => answer,
        }
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.in_place {
            let _ = unlinkat(self.folder, self.name.as_str(), AtFlags::empty());
        }
    }
}

fn require_file(path: &Path, stat: &Stat) -> Result<(), ToolError> {
    match kind_of_stat(stat) {
        FileKind::File => Ok(()),
        other => Err(words::wrong_kind(path, other)),
    }
}

fn already_exists(path: &Path) -> ToolError {
    ToolError::failed(format!("{} already exists; nothing was written", words::shown(path)))
}

fn no_folder(path: &Path) -> ToolError {
    ToolError::failed(format!("the folder of {} does not exist", words::shown(path)))
}

fn not_written(path: &Path, error: std::io::Error) -> ToolError {
    let why = match Errno::from_io_error(&error) {
        Some(Errno::NOSPC) => "the disk is full",
        Some(Errno::DQUOT) => "the disk quota is used up",
        Some(Errno::FBIG) => "it would be larger than a file may be here",
        _ => return ToolError::io("write", Path::new(&words::shown(path)), error),
    };
    let shown = words::shown(path);
    ToolError::failed(format!("could not write {shown}: {why}; what was there is unchanged"))
        .because(error)
}
