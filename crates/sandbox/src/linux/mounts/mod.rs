//! What a command sees of the file system.
//!
//! In this order, because each step covers the one before:
//! 1. copies of the writable trees, of the devices and of what is shown are taken;
//! 2. every mount that there is becomes read-only, without set-uid programs and devices;
//! 3. private folders, devices, the view of the processes, the empty home are put on top;
//! 4. then what is shown, the writable trees at their places, what is fixed and held in them
//!    read-only; layers over folders outside;
//! 5. last what is hidden, with an empty file or folder, and sockets outside.

mod devices;
mod layers;
mod scratch;

use std::ffi::{CStr, CString, OsStr};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::fault::{At, Step};
use super::plan::MountPlan;
use super::sys::mount::{self, Depth};
use super::sys::{Errno, files};
use crate::Machine;
use crate::report::Stage;
use scratch::Scratch;

const HARMLESS: u64 = mount::NO_SUID | mount::NO_DEVICES;
const FIXED: u64 = mount::READ_ONLY | HARMLESS;

/// Places below which a command may write, for Landlock.
pub(crate) type Writable = Vec<OwnedFd>;

/// Makes the file system of this process's mount namespace what the plan says.
pub(crate) fn set_up(plan: &MountPlan, machine: &Machine) -> Step<Writable> {
    let roots = copies(&plan.writable, Stage::Writable, HARMLESS)?;
    let shown = copies(&plan.shown, Stage::Shown, FIXED)?;
    let devices = devices::copies()?;
    mount::add_flags_to_all(FIXED).at(Stage::ReadOnly)?;

    let scratch = Scratch::new(&plan.scratch)?;
    let mut writable = Writable::new();
    devices::place(&scratch, devices, machine, &mut writable)?;
    if machine.own_processes_view {
        own_processes_view()?;
    }
    scratch.place_private_folders(&mut writable)?;
    let home = empty_home(&scratch, plan)?;
    for (mount, path) in shown.iter().zip(&plan.shown) {
        put(mount, path, Stage::Shown)?;
    }
    for (mount, path) in roots.iter().zip(&plan.writable) {
        put(mount, path, Stage::Writable)?;
    }
    if let Some(home) = home {
        mount::add_flags(home.as_fd(), Depth::This, FIXED).at(Stage::Home)?;
    }
    writable.extend(roots);
    if plan.tries_overlay && machine.overlays {
        layers::attempt(&scratch).at(Stage::Overlay)?;
    }
    layers::place(plan, machine, &mut writable);
    for path in &plan.anchored {
        anchor(path)?;
    }
    for path in &plan.fixed {
        fix(path).at_path(Stage::Fixed, path)?;
    }
    for path in &plan.held {
        unless_gone(fix(path)).at_path(Stage::Fixed, path)?;
    }
    hide(plan, &scratch)?;
    Ok(writable)
}

fn copies(paths: &[CString], stage: Stage, flags: u64) -> Step<Vec<OwnedFd>> {
    let copy = |path: &CString| {
        let place = files::place_without_links(path)?;
        let copy = mount::copy_of(place.as_fd(), Depth::All)?;
        mount::add_flags(copy.as_fd(), Depth::All, flags)?;
        Ok(copy)
    };
    paths.iter().map(|path| copy(path).at_path(stage, path)).collect()
}

/// Attaches a mount at a path, which is made where it is in a private folder.
fn put(mount: &OwnedFd, path: &CStr, stage: Stage) -> Step {
    let place = match files::place_without_links(path) {
        Err(Errno(libc::ENOENT)) => {
            let folder = files::facts(mount.as_fd()).at_path(stage, path)?.is_folder();
            make_point(path, folder).at_path(stage, path)?;
            files::place_without_links(path)
        }
        place => place,
    };
    let place = place.at_path(stage, path)?;
    mount::attach(mount.as_fd(), place.as_fd()).at_path(stage, path)
}

/// Makes the folders on the way to a path, and a folder or a file there.
fn make_point(path: &CStr, folder: bool) -> Result<(), Errno> {
    let whole = Path::new(OsStr::from_bytes(path.to_bytes()));
    let above: Vec<_> = whole.ancestors().skip(1).collect();
    for part in above.into_iter().rev() {
        let part = CString::new(part.as_os_str().as_bytes()).map_err(|_| Errno(libc::EINVAL))?;
        ignore_existing(files::make_folder(libc::AT_FDCWD, &part, 0o755))?;
    }
    if folder {
        return ignore_existing(files::make_folder(libc::AT_FDCWD, path, 0o755));
    }
    let flags = libc::O_CREAT | libc::O_EXCL | libc::O_WRONLY;
    ignore_existing(files::open_at(libc::AT_FDCWD, path, flags, 0o644).map(|_| ()))
}

/// A folder that is there is there, also where none could be made.
fn ignore_existing(made: Result<(), Errno>) -> Result<(), Errno> {
    match made {
        Err(Errno(libc::EEXIST | libc::EROFS)) => Ok(()),
        made => made,
    }
}

/// All that there is stays, but `/proc` shows only the processes of this namespace. What is mounted
/// outside later comes in, what is mounted here does not go out.
pub(crate) fn show_own_processes() -> Step {
    mount::part_from_outside().at(Stage::Processes)?;
    processes_view(HARMLESS)
}

fn own_processes_view() -> Step {
    // Root's numbers are not mapped away, so that `/proc/sys` would be writable to it.
    processes_view(FIXED)
}

fn processes_view(flags: u64) -> Step {
    let flags = flags | mount::NO_EXEC;
    let view = mount::new(c"proc", &[], flags).at(Stage::Processes)?;
    let place = files::open(c"/proc", libc::O_PATH).at(Stage::Processes)?;
    mount::attach(view.as_fd(), place.as_fd()).at(Stage::Processes)
}

fn empty_home(scratch: &Scratch, plan: &MountPlan) -> Step<Option<OwnedFd>> {
    let Some(path) = &plan.home else { return Ok(None) };
    let home = scratch.folder(c"home", 0o755).at_path(Stage::Home, path)?;
    put(&home, path, Stage::Home)?;
    Ok(Some(home))
}

/// Puts a folder onto itself: nobody can rename what something is mounted on.
fn anchor(path: &CStr) -> Step {
    let anchor = || {
        let place = files::place_without_links(path)?;
        let copy = mount::copy_of(place.as_fd(), Depth::All)?;
        mount::attach(copy.as_fd(), place.as_fd())
    };
    anchor().at_path(Stage::Fixed, path)
}

/// Puts something onto itself, read-only. A link is fixed as the link that it is.
fn fix(path: &CStr) -> Result<(), Errno> {
    let whole = Path::new(OsStr::from_bytes(path.to_bytes()));
    let text = |part: &OsStr| CString::new(part.as_bytes()).unwrap_or_default();
    let parent = text(whole.parent().unwrap_or(whole).as_os_str());
    let name = text(whole.file_name().unwrap_or_default());
    let parent = files::place_without_links(&parent)?;
    let flags = libc::O_PATH | libc::O_NOFOLLOW;
    let place = files::open_at(parent.as_raw_fd(), &name, flags, 0)?;
    let copy = mount::copy_of(place.as_fd(), Depth::All)?;
    mount::add_flags(copy.as_fd(), Depth::All, FIXED)?;
    mount::attach(copy.as_fd(), place.as_fd())
}

fn hide(plan: &MountPlan, scratch: &Scratch) -> Step {
    for path in &plan.hidden {
        // What cannot be reached from here, with more rights, need not be hidden.
        let place = match files::open(path, libc::O_PATH) {
            Err(Errno(libc::ENOENT | libc::ENOTDIR | libc::EACCES)) => continue,
            place => place.at_path(Stage::Hidden, path)?,
        };
        unless_gone(scratch.mask(&place)).at_path(Stage::Hidden, path)?;
    }
    for path in &plan.sockets {
        let Ok(place) = files::place_without_links(path) else { continue };
        if files::facts(place.as_fd()).is_ok_and(|facts| facts.is_socket()) {
            unless_gone(scratch.mask(&place)).at_path(Stage::Sockets, path)?;
        }
    }
    Ok(())
}

/// What was removed meanwhile needs no mask.
fn unless_gone(masked: Result<(), Errno>) -> Result<(), Errno> {
    match masked {
        Err(Errno(libc::ENOENT)) => Ok(()),
        masked => masked,
    }
}
