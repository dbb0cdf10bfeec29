//! Names that may not come to exist: something must stand there for a mount to be put on it.
//!
//! A placeholder is an empty file or folder with permission bits that nothing else has. Whoever
//! needs it holds a shared lock on it, across processes; the last one removes it. It must not go
//! earlier: with it the mounts on it would go, in all namespaces.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::sys::{Errno, Sys, files, process};

/// Permission bits of a placeholder: nobody gives these to a file or a folder that they need.
const FILE_MARK: u32 = 0o1400;
const FOLDER_MARK: u32 = 0o1500;

/// How often a placeholder that others come and go with is tried.
const TRIES: usize = 200;

/// The placeholders of one command.
#[derive(Debug, Default)]
#[must_use = "placeholders stay in the user's folder until they are removed"]
pub struct Placeholders(Vec<Held>);

/// A placeholder, locked as long as this lives.
#[derive(Debug)]
struct Held {
    parent: OwnedFd,
    name: CString,
    file: OwnedFd,
    folder: bool,
}

impl Placeholders {
    /// Removes those that nobody else needs and that are as they were made. To be called when
    /// nothing of the command runs any more.
    pub fn remove(self) {
        for held in self.0.into_iter().rev() {
            // What cannot be removed is adopted by the next command that needs it.
            let _ = held.remove();
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Held {
    fn remove(&self) -> Sys<()> {
        files::lock(self.file.as_fd(), true)?;
        if self.is_there()? {
            files::remove(self.parent.as_fd(), &self.name, self.folder)?;
        }
        Ok(())
    }

    /// Whether the name still leads to it, and it is as it was made.
    fn is_there(&self) -> Sys<bool> {
        let flags = libc::O_PATH | libc::O_NOFOLLOW;
        let now = files::open_at(self.parent.as_raw_fd(), &self.name, flags, 0)?;
        let now = files::facts(now.as_fd())?;
        Ok(now.identity == files::facts(self.file.as_fd())?.identity && is_placeholder(&now))
    }
}

fn is_placeholder(facts: &files::Facts) -> bool {
    let mark = facts.mode & 0o7777;
    let marked = facts.is_file() && mark == FILE_MARK && facts.size == 0
        || facts.is_folder() && mark == FOLDER_MARK;
    marked && facts.owner == process::ids().0
}

/// A path that stays as it is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Guarded {
    /// It is there.
    Present(PathBuf),
    /// It, or a folder on the way to it, is an empty folder that stands for nothing.
    EmptyFolder(PathBuf),
    /// It is an empty file that stands for nothing.
    EmptyFile(PathBuf),
}

impl Guarded {
    /// Where the mount goes.
    pub(crate) fn path(&self) -> &Path {
        let (Self::Present(path) | Self::EmptyFolder(path) | Self::EmptyFile(path)) = self;
        path
    }
}

/// Makes sure that something is there, at the path or at the first name of it that is missing.
pub(crate) fn guard(path: &Path, root: &Path, kept: &mut Placeholders) -> io::Result<Guarded> {
    for _ in 0..TRIES {
        let point = first_missing(path, root)?;
        let folder = point != path || path.extension().is_none();
        match hold(&point, folder) {
            Ok(Some(held)) => {
                let folder = held.folder;
                kept.0.push(held);
                return Ok(if folder {
                    Guarded::EmptyFolder(point)
                } else {
                    Guarded::EmptyFile(point)
                });
            }
            Ok(None) => return Ok(Guarded::Present(path.to_path_buf())),
            // It came or went meanwhile.
            Err(Errno(libc::EEXIST | libc::ENOENT | libc::ESTALE | libc::EWOULDBLOCK)) => {
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(errno) => return Err(errno.into()),
        }
    }
    Err(io::ErrorKind::ResourceBusy.into())
}

/// The first name below the root on the way to the path that is missing or a placeholder; the path
/// itself if all of it is there.
fn first_missing(path: &Path, root: &Path) -> io::Result<PathBuf> {
    let mut point = root.to_path_buf();
    for part in path.strip_prefix(root).map_err(io::Error::other)? {
        point.push(part);
        match point.symlink_metadata() {
            Ok(there)
                if there.mode() & libc::S_IFMT == libc::S_IFDIR
                    && there.mode() & 0o7777 == FOLDER_MARK =>
            {
                break;
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => break,
            // Something on the way is no folder, so the path cannot come to exist below it; that
            // thing has to stay.
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                point.pop();
                break;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(point)
}

/// Holds the placeholder at a path: makes it, or takes part in one that is there. `None` if
/// something else is there.
fn hold(point: &Path, folder: bool) -> Sys<Option<Held>> {
    let (above, name) = split(point)?;
    let parent = files::place_without_links(&above)?;
    if let Some(held) = take_part(&parent, &name)? {
        return Ok(held.into_placeholder());
    }
    let file = if folder { new_folder(&parent, &name)? } else { new_file(&parent, &name)? };
    lock_while_there(Held { parent, name, file, folder }).map(Some)
}

/// What was found at a name.
enum Found {
    Placeholder(Held),
    SomethingElse,
}

impl Found {
    fn into_placeholder(self) -> Option<Held> {
        match self {
            Self::Placeholder(held) => Some(held),
            Self::SomethingElse => None,
        }
    }
}

fn take_part(parent: &OwnedFd, name: &CStr) -> Sys<Option<Found>> {
    let there = match files::open_at(parent.as_raw_fd(), name, libc::O_PATH | libc::O_NOFOLLOW, 0) {
        Err(Errno(libc::ENOENT)) => return Ok(None),
        there => there?,
    };
    let facts = files::facts(there.as_fd())?;
    if !is_placeholder(&facts) {
        return Ok(Some(Found::SomethingElse));
    }
    let file = files::open_at(parent.as_raw_fd(), name, READ, 0)?;
    let parent = files::copy_above(parent.as_raw_fd(), 3)?;
    let held = Held { parent, name: name.to_owned(), file, folder: facts.is_folder() };
    lock_while_there(held).map(|held| Some(Found::Placeholder(held)))
}

const READ: i32 = libc::O_RDONLY | libc::O_NOFOLLOW | libc::O_NONBLOCK;

fn new_folder(parent: &OwnedFd, name: &CStr) -> Sys<OwnedFd> {
    files::make_folder(parent.as_raw_fd(), name, FOLDER_MARK)?;
    let folder = files::open_at(parent.as_raw_fd(), name, READ | libc::O_DIRECTORY, 0)?;
    files::set_mode(folder.as_fd(), FOLDER_MARK)?;
    Ok(folder)
}

fn new_file(parent: &OwnedFd, name: &CStr) -> Sys<OwnedFd> {
    let flags = READ | libc::O_CREAT | libc::O_EXCL;
    let file = files::open_at(parent.as_raw_fd(), name, flags, FILE_MARK)?;
    files::set_mode(file.as_fd(), FILE_MARK)?;
    Ok(file)
}

/// Locks it; it is stale if it was removed between the look and the lock.
fn lock_while_there(held: Held) -> Sys<Held> {
    files::lock(held.file.as_fd(), false)?;
    if held.is_there()? { Ok(held) } else { Err(Errno(libc::ESTALE)) }
}

fn split(point: &Path) -> Sys<(CString, CString)> {
    let text = |bytes: &[u8]| CString::new(bytes).map_err(|_| Errno(libc::EINVAL));
    let above = point.parent().ok_or(Errno(libc::EINVAL))?;
    let name = point.file_name().ok_or(Errno(libc::EINVAL))?;
    Ok((text(above.as_os_str().as_bytes())?, text(name.as_bytes())?))
}
