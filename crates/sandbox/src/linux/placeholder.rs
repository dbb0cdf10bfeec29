//! Names that may not come to exist: something must stand there for a mount to be put on it.
//!
//! A placeholder is an empty folder with permission bits that nothing else has; a folder also for
//! the name of a file, because git lists an empty file as a new one, but no empty folder. Whoever
//! needs it holds a shared lock on it, across processes; the last one removes it. It must not go
//! earlier: with it the mounts on it would go, in all namespaces.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::sys::{Errno, Sys, files, process};

/// Permission bits of a placeholder: nobody gives these to a folder that they need.
const MARK: u32 = 0o1500;

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
    folder: OwnedFd,
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
        files::lock(self.folder.as_fd(), true)?;
        if self.is_there()? {
            files::remove_folder(self.parent.as_fd(), &self.name)?;
        }
        Ok(())
    }

    /// Whether the name still leads to it, and it is as it was made.
    fn is_there(&self) -> Sys<bool> {
        let flags = libc::O_PATH | libc::O_NOFOLLOW;
        let now = files::open_at(self.parent.as_raw_fd(), &self.name, flags, 0)?;
        let now = files::facts(now.as_fd())?;
        Ok(now.identity == files::facts(self.folder.as_fd())?.identity && is_placeholder(&now))
    }
}

fn is_placeholder(facts: &files::Facts) -> bool {
    facts.is_folder() && facts.mode & 0o7777 == MARK && facts.owner == process::ids().0
}

/// Makes sure that something is there, at the path or at the first name of it that is missing, and
/// gives where; `None` where nothing can come to exist anyway.
pub(crate) fn guard(
    path: &Path,
    root: &Path,
    kept: &mut Placeholders,
) -> io::Result<Option<PathBuf>> {
    for _ in 0..TRIES {
        let point = first_missing(path, root)?;
        match hold(&point) {
            Ok(held) => {
                kept.0.extend(held);
                return Ok(Some(point));
            }
            // The command will have no more rights than this process.
            Err(Errno(libc::EACCES | libc::EROFS)) if point.symlink_metadata().is_err() => {
                return Ok(None);
            }
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
            Ok(there) if there.is_dir() && there.mode() & 0o7777 == MARK => break,
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
fn hold(point: &Path) -> Sys<Option<Held>> {
    let (above, name) = split(point)?;
    let parent = files::place_without_links(&above)?;
    match files::open_at(parent.as_raw_fd(), &name, libc::O_PATH | libc::O_NOFOLLOW, 0) {
        Ok(there) if !is_placeholder(&files::facts(there.as_fd())?) => return Ok(None),
        Ok(_) => {}
        // With its mark from the beginning, so that nobody takes it for something else.
        Err(Errno(libc::ENOENT)) => files::make_folder(parent.as_raw_fd(), &name, MARK)?,
        Err(errno) => return Err(errno),
    }
    let flags = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NOFOLLOW;
    let folder = files::open_at(parent.as_raw_fd(), &name, flags, 0)?;
    lock_while_there(Held { parent, name, folder }).map(Some)
}

/// Locks it; it is stale if it was removed between the look and the lock.
fn lock_while_there(held: Held) -> Sys<Held> {
    files::lock(held.folder.as_fd(), false)?;
    if held.is_there()? { Ok(held) } else { Err(Errno(libc::ESTALE)) }
}

fn split(point: &Path) -> Sys<(CString, CString)> {
    let text = |bytes: &[u8]| CString::new(bytes).map_err(|_| Errno(libc::EINVAL));
    let above = point.parent().ok_or(Errno(libc::EINVAL))?;
    let name = point.file_name().ok_or(Errno(libc::EINVAL))?;
    Ok((text(above.as_os_str().as_bytes())?, text(name.as_bytes())?))
}
