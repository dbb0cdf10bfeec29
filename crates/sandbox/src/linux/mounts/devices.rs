//! A `/dev` with what every program may have, and no disk, memory or terminal of the machine.

use std::ffi::CStr;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use super::super::fault::{At, Step};
use super::super::sys::mount::{self, Depth};
use super::super::sys::{Sys, files};
use super::scratch::Scratch;
use super::{HARMLESS, Writable};
use crate::Machine;
use crate::report::Stage;

const DEVICES: [(&CStr, &CStr); 6] = [
    (c"/dev/null", c"null"),
    (c"/dev/zero", c"zero"),
    (c"/dev/full", c"full"),
    (c"/dev/random", c"random"),
    (c"/dev/urandom", c"urandom"),
    (c"/dev/tty", c"tty"),
];

const LINKS: [(&CStr, &CStr); 5] = [
    (c"/proc/self/fd", c"fd"),
    (c"/proc/self/fd/0", c"stdin"),
    (c"/proc/self/fd/1", c"stdout"),
    (c"/proc/self/fd/2", c"stderr"),
    (c"pts/ptmx", c"ptmx"),
];

/// Copies of the machine's harmless devices. To be taken before devices are switched off.
pub(super) fn copies() -> Step<Vec<OwnedFd>> {
    let copy = |path: &CStr| {
        let place = files::open(path, libc::O_PATH)?;
        let copy = mount::copy_of(place.as_fd(), Depth::This)?;
        // Read-only keeps the mode and times of the machine's own devices; what is written to a
        // device does not count.
        let flags = mount::READ_ONLY | mount::NO_SUID | mount::NO_EXEC;
        mount::add_flags(copy.as_fd(), Depth::This, flags)?;
        Ok(copy)
    };
    DEVICES.iter().map(|(path, _)| copy(path).at_path(Stage::Devices, path)).collect()
}

/// Puts the new `/dev` over the old one.
pub(super) fn place(
    scratch: &Scratch,
    devices: Vec<OwnedFd>,
    machine: &Machine,
    writable: &mut Writable,
) -> Step {
    let folder = scratch.folder(c"dev", 0o755).at(Stage::Devices)?;
    let old = files::open(c"/dev", libc::O_PATH).at(Stage::Devices)?;
    mount::attach(folder.as_fd(), old.as_fd()).at(Stage::Devices)?;
    for (mount, (path, name)) in devices.iter().zip(DEVICES) {
        device(&folder, mount, name).at_path(Stage::Devices, path)?;
    }
    for (target, name) in LINKS {
        files::make_link(target, folder.as_raw_fd(), name).at_path(Stage::Devices, name)?;
    }
    writable.push(shared_memory(scratch, &folder).at_path(Stage::Devices, c"/dev/shm")?);
    if machine.own_terminals {
        writable.push(terminals(&folder).at_path(Stage::Devices, c"/dev/pts")?);
    }
    mount::add_flags(folder.as_fd(), Depth::This, mount::READ_ONLY | HARMLESS)
        .at(Stage::Devices)?;
    writable.extend(devices);
    Ok(())
}

fn device(folder: &OwnedFd, mount: &OwnedFd, name: &CStr) -> Sys<()> {
    let place = files::open_at(folder.as_raw_fd(), name, libc::O_CREAT | libc::O_RDONLY, 0o444)?;
    mount::attach(mount.as_fd(), place.as_fd())
}

fn shared_memory(scratch: &Scratch, folder: &OwnedFd) -> Sys<OwnedFd> {
    let memory = scratch.folder(c"shm", 0o1777)?;
    attach_in(folder, c"shm", &memory)?;
    Ok(memory)
}

fn terminals(folder: &OwnedFd) -> Sys<OwnedFd> {
    let options = [(c"ptmxmode", c"0666"), (c"mode", c"620")];
    let terminals = mount::new(c"devpts", &options, mount::NO_SUID | mount::NO_EXEC)?;
    attach_in(folder, c"pts", &terminals)?;
    Ok(terminals)
}

fn attach_in(folder: &OwnedFd, name: &CStr, mount: &OwnedFd) -> Sys<()> {
    files::make_folder(folder.as_raw_fd(), name, 0o755)?;
    let place = files::open_at(folder.as_raw_fd(), name, libc::O_PATH, 0)?;
    mount::attach(mount.as_fd(), place.as_fd())
}
