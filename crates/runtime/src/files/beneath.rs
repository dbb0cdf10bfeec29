//! Opening below a descriptor without following a link, wherever it points.

use std::path::{Component, Path};

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, openat, statat};
use rustix::io::{Errno, Result};

/// A folder to work in. `O_PATH` needs no right to list it, only to pass through.
#[cfg(target_os = "linux")]
pub(crate) const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// A folder to work in.
#[cfg(not(target_os = "linux"))]
pub(crate) const FOLDER: OFlags = LISTING;

/// A folder to list.
pub(crate) const LISTING: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NONBLOCK);

/// A file to read. Without `O_NONBLOCK` a pipe would wait for its writer, without `O_NOCTTY`
/// a terminal could become ours.
pub(crate) const READING: OFlags =
    OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// `openat2` may answer "try again" when something is renamed meanwhile.
#[cfg(target_os = "linux")]
const MAX_TRIES: usize = 32;

/// Who walks the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// The kernel in one call where it can, otherwise we.
    Best,
    /// We, a descriptor for each component: for kernels without `openat2`, and its test.
    Steps,
}

/// Opens `below`, a path of plain names, from `anchor`. A link anywhere on the way, the last
/// name included, is `ELOOP`; a way out is `EXDEV`. `flags` never create.
pub(crate) fn open_beneath(
    anchor: BorrowedFd<'_>,
    below: &Path,
    flags: OFlags,
    way: Way,
) -> Result<OwnedFd> {
    if way == Way::Steps {
        return by_steps(anchor, below, flags);
    }
    match by_kernel(anchor, below, flags) {
        // Not there, or forbidden as a whole by a seccomp filter. If the file itself is what
        // is not permitted, the steps say so too.
        Err(Errno::NOSYS | Errno::PERM) => by_steps(anchor, below, flags),
        answer => answer,
    }
}

/// `.` for the anchor itself: an empty name is `ENOENT` to the kernel.
fn or_dot(below: &Path) -> &Path {
    if below.as_os_str().is_empty() { Path::new(".") } else { below }
}

#[cfg(target_os = "linux")]
fn by_kernel(anchor: BorrowedFd<'_>, below: &Path, flags: OFlags) -> Result<OwnedFd> {
    use rustix::fs::{ResolveFlags, openat2};
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    for _ in 0..MAX_TRIES {
        match openat2(anchor, or_dot(below), flags, Mode::empty(), resolve) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            answer => return answer,
        }
    }
    Err(Errno::AGAIN)
}

#[cfg(not(target_os = "linux"))]
fn by_kernel(_: BorrowedFd<'_>, _: &Path, _: OFlags) -> Result<OwnedFd> {
    Err(Errno::NOSYS)
}

fn by_steps(anchor: BorrowedFd<'_>, below: &Path, flags: OFlags) -> Result<OwnedFd> {
    let mut names = Vec::new();
    for component in below.components() {
        match component {
            Component::Normal(name) => names.push(Path::new(name)),
            Component::CurDir => {}
            _ => return Err(Errno::XDEV),
        }
    }
    let last = names.pop().unwrap_or(Path::new("."));
    let mut folder: Option<OwnedFd> = None;
    for name in names {
        let from = folder.as_ref().map_or(anchor, AsFd::as_fd);
        folder = Some(step(from, name, FOLDER)?);
    }
    step(folder.as_ref().map_or(anchor, AsFd::as_fd), last, flags)
}

/// One name. Kernels disagree on the error for a link that `O_NOFOLLOW` meets (`ELOOP`,
/// `EMLINK`, `ENOTDIR` with `O_DIRECTORY`), and with `O_PATH` there is none, so look.
fn step(folder: BorrowedFd<'_>, name: &Path, flags: OFlags) -> Result<OwnedFd> {
    match openat(folder, name, flags | OFlags::NOFOLLOW, Mode::empty()) {
        Err(Errno::MLINK) => Err(Errno::LOOP),
        Err(Errno::NOTDIR) => {
            let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
            // A folder now that was none a moment ago is as much of a mismatch as a link.
            let mismatch = matches!(type_of(&stat), FileType::Symlink | FileType::Directory);
            Err(if mismatch { Errno::LOOP } else { Errno::NOTDIR })
        }
        Ok(fd) if !flags.contains(OFlags::DIRECTORY) => {
            let link = type_of(&fstat(&fd)?) == FileType::Symlink;
            if link { Err(Errno::LOOP) } else { Ok(fd) }
        }
        answer => answer,
    }
}

fn type_of(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}
