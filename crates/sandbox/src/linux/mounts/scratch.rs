//! One file system in memory that all private and empty things of a command are parts of: making
//! one costs as much as ten copies of a part.

use std::ffi::CStr;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use super::super::fault::{At, Step};
use super::super::sys::mount::{self, Depth};
use super::super::sys::{Errno, Sys, files};
use super::{FIXED, HARMLESS, Writable};
use crate::report::Stage;

/// Files and folders in all private folders of a command.
const FILES: &CStr = c"1048576";

/// The file system, attached below the private `/tmp`, where nobody gets to.
pub(super) struct Scratch {
    root: OwnedFd,
}

impl Scratch {
    pub(super) fn new(size: &CStr) -> Step<Self> {
        let options = [(c"size", size), (c"nr_inodes", FILES), (c"mode", c"755")];
        let new = || {
            let root = mount::new(c"tmpfs", &options, HARMLESS)?;
            let place = files::open(c"/tmp", libc::O_PATH)?;
            mount::attach(root.as_fd(), place.as_fd())?;
            files::make_folder(root.as_raw_fd(), c"empty", 0o555)?;
            files::open_at(root.as_raw_fd(), c"nothing", libc::O_CREAT | libc::O_WRONLY, 0o444)?;
            Ok(Self { root })
        };
        new().at_path(Stage::Private, c"/tmp")
    }

    /// A new folder, as a mount that is attached nowhere yet.
    pub(super) fn folder(&self, name: &CStr, mode: u32) -> Sys<OwnedFd> {
        files::make_folder(self.root.as_raw_fd(), name, 0o700)?;
        let folder = mount::copy_of_name(self.root.as_raw_fd(), name)?;
        // The copy is a place only; the mode is set through the name, whatever the umask is.
        files::set_mode_at(self.root.as_raw_fd(), name, mode)?;
        Ok(folder)
    }

    /// New folders as places of the one file system.
    pub(super) fn folders<const N: usize>(&self, names: [&CStr; N]) -> Sys<[OwnedFd; N]> {
        let mut made = Vec::new();
        for name in names {
            files::make_folder(self.root.as_raw_fd(), name, 0o700)?;
            made.push(files::open_at(self.root.as_raw_fd(), name, libc::O_PATH, 0)?);
        }
        made.try_into().map_err(|_| Errno(libc::EINVAL))
    }

    /// `/tmp`, `/var/tmp` and `/run`, as far as the system has them.
    pub(super) fn place_private_folders(&self, writable: &mut Writable) -> Step {
        // `/tmp` is last: there the file system itself is attached.
        for (path, name, mode) in
            [(c"/run", c"run", 0o755), (c"/var/tmp", c"var-tmp", 0o1777), (c"/tmp", c"tmp", 0o1777)]
        {
            let place = match files::place_without_links(path) {
                Err(Errno(libc::ENOENT | libc::ELOOP)) if name != c"tmp" => continue,
                Err(Errno(libc::ELOOP)) => files::open(path, libc::O_PATH),
                place => place,
            };
            let put = |place: OwnedFd| {
                let folder = self.folder(name, mode)?;
                mount::attach(folder.as_fd(), place.as_fd())?;
                Ok(folder)
            };
            writable.push(place.and_then(put).at_path(Stage::Private, path)?);
        }
        Ok(())
    }

    /// Covers a place with an empty folder or an empty file.
    pub(super) fn mask(&self, place: &OwnedFd) -> Sys<()> {
        let folder = files::facts(place.as_fd())?.is_folder();
        let name = if folder { c"empty" } else { c"nothing" };
        let mask = mount::copy_of_name(self.root.as_raw_fd(), name)?;
        mount::add_flags(mask.as_fd(), Depth::This, FIXED)?;
        mount::attach(mask.as_fd(), place.as_fd())
    }
}
