//! Landlock: a second wall behind the mounts, and the first where there are none.
//!
//! Where mounts hide what is hidden only writing is handled, so that nothing has to be allowed for
//! reading. Landlock can only add rights below a folder: what is fixed in a writable one is the
//! mounts' work, and without them what is hidden is what is left when all around it was allowed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{CStr, CString, OsStr};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::fault::{At, Step};
use super::plan::MountPlan;
use super::sys::confine::{self, Handled};
use super::sys::{Errno, Sys, files};
use crate::report::Stage;

// `LANDLOCK_ACCESS_FS_*`.
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const REMOVE_AND_MAKE: u64 = 0x1ff0;
const REFER: u64 = 1 << 13;
const TRUNCATE: u64 = 1 << 14;
const IOCTL_DEV: u64 = 1 << 15;
/// What a rule may say about something that is no folder.
const OF_FILES: u64 = READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV;
/// `LANDLOCK_ACCESS_NET_CONNECT_TCP`.
const CONNECT_TCP: u64 = 1 << 1;
/// `LANDLOCK_SCOPE_*`: abstract Unix sockets, and signals.
const SCOPES: u64 = 3;

/// The first version under which files can be moved from one folder to another.
pub(crate) const MOVES: u32 = 2;
/// The first version that knows ports.
const PORTS: u32 = 4;
/// The first version that knows scopes.
pub(crate) const SCOPES_SINCE: u32 = 6;

/// Where a command may write when it sees the machine's own files.
const SHARED: [&CStr; 11] = [
    c"/tmp",
    c"/var/tmp",
    c"/dev/shm",
    c"/dev/null",
    c"/dev/zero",
    c"/dev/full",
    c"/dev/random",
    c"/dev/urandom",
    c"/dev/tty",
    c"/dev/ptmx",
    c"/dev/pts",
];

fn handled(version: u32) -> Handled {
    let since = |first, rights| if version >= first { rights } else { 0 };
    Handled {
        files: WRITE_FILE
            | REMOVE_AND_MAKE
            | since(2, REFER)
            | since(3, TRUNCATE)
            | since(5, IOCTL_DEV),
        network: 0,
        scopes: since(SCOPES_SINCE, SCOPES),
    }
}

/// Rules that allow writing below these places only, and reading everywhere but below `unread`.
pub(crate) fn rules(writable: &[OwnedFd], unread: &[PathBuf], version: u32) -> Step<OwnedFd> {
    let rules = || {
        let mut handled = handled(version);
        if !unread.is_empty() {
            handled.files |= READ_FILE;
        }
        let rules = confine::new_rules(&handled, version)?;
        for place in writable {
            allow(rules.as_fd(), place.as_fd(), handled.files)?;
        }
        if !unread.is_empty() {
            allow_reading_around(rules.as_fd(), Path::new("/"), unread);
        }
        Ok(rules)
    };
    rules().at(Stage::Landlock)
}

/// Allows reading the files below a folder, but for what is unread. Names can still be listed: to
/// allow that for a folder would allow it for all below. What cannot be opened stays unreadable.
fn allow_reading_around(rules: BorrowedFd<'_>, at: &Path, unread: &[PathBuf]) {
    if unread.iter().any(|path| path == at) {
        return;
    }
    if unread.iter().any(|path| path.starts_with(at)) {
        for entry in std::fs::read_dir(at).into_iter().flatten().flatten() {
            if !entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                allow_reading_around(rules, &entry.path(), unread);
            }
        }
        return;
    }
    let path = CString::new(at.as_os_str().as_bytes()).unwrap_or_default();
    if let Ok(place) = files::open(&path, libc::O_PATH | libc::O_NOFOLLOW) {
        let _ = confine::allow_beneath(rules, place.as_fd(), READ_FILE);
    }
}

fn allow(rules: BorrowedFd<'_>, place: BorrowedFd<'_>, rights: u64) -> Sys<()> {
    let folder = files::facts(place)?.is_folder();
    let rights = if folder { rights } else { rights & OF_FILES };
    confine::allow_beneath(rules, place, rights)
}

/// The places below which a command may write where nothing is mounted for it.
pub(crate) fn shared_places(plan: &MountPlan) -> Step<Vec<OwnedFd>> {
    let mut places = Vec::new();
    for path in SHARED {
        match files::open(path, libc::O_PATH) {
            Err(Errno(libc::ENOENT)) => {}
            place => places.push(place.at_path(Stage::Landlock, path)?),
        }
    }
    for path in &plan.writable {
        places.push(files::place_without_links(path).at_path(Stage::Writable, path)?);
    }
    Ok(places)
}

/// The folders among them.
pub(crate) fn shared_paths(plan: &MountPlan) -> Vec<PathBuf> {
    let shared = SHARED.iter().copied().filter(|path| !path.to_bytes().starts_with(b"/dev/"));
    let all = shared.chain([c"/dev/shm"]).chain(plan.writable.iter().map(CString::as_c_str));
    all.map(|path| PathBuf::from(OsStr::from_bytes(path.to_bytes()))).collect()
}

/// Rules that close ports to TCP connections; `None` where the version cannot. As rules only
/// allow, that is one for each of the other 65,000; they are made once in a process.
pub(crate) fn closed_ports(ports: &[u16], version: u32) -> Sys<Option<Rc<OwnedFd>>> {
    thread_local! {
        static MADE: RefCell<HashMap<Vec<u16>, Rc<OwnedFd>>> = RefCell::default();
    }
    if ports.is_empty() || version < PORTS {
        return Ok(None);
    }
    let mut ports = ports.to_vec();
    ports.sort_unstable();
    ports.dedup();
    MADE.with_borrow_mut(|made| {
        if let Some(rules) = made.get(&ports) {
            return Ok(Some(Rc::clone(rules)));
        }
        let handled = Handled { network: CONNECT_TCP, ..Handled::default() };
        let rules = Rc::new(confine::new_rules(&handled, version)?);
        for port in (0..=u16::MAX).filter(|port| ports.binary_search(port).is_err()) {
            confine::allow_port(rules.as_fd().as_fd(), port, CONNECT_TCP)?;
        }
        // A process of dogu closes the same ports all its life.
        made.clear();
        made.insert(ports, Rc::clone(&rules));
        Ok(Some(rules))
    })
}
