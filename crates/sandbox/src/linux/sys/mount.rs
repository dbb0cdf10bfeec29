//! Mounts, by the calls that take descriptors instead of paths.
#![expect(unsafe_code, reason = "system calls that no library of the workspace has")]

use std::ffi::{CStr, CString};
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};

use super::files::owned;
use super::{Sys, done};

pub(crate) const READ_ONLY: u64 = 0x1;
pub(crate) const NO_SUID: u64 = 0x2;
pub(crate) const NO_DEVICES: u64 = 0x4;
pub(crate) const NO_EXEC: u64 = 0x8;

const OPEN_TREE_CLONE: libc::c_uint = 1;
const OPEN_TREE_CLOEXEC: libc::c_uint = libc::O_CLOEXEC.cast_unsigned();
const RECURSIVE: libc::c_uint = libc::AT_RECURSIVE.cast_unsigned();
const EMPTY_PATH: libc::c_uint = libc::AT_EMPTY_PATH.cast_unsigned();
const MOVE_BOTH_EMPTY: libc::c_uint = 0x04 | 0x40;
const FSOPEN_CLOEXEC: libc::c_uint = 1;
const FSMOUNT_CLOEXEC: libc::c_uint = 1;
const FSCONFIG_SET_FLAG: libc::c_uint = 0;
const FSCONFIG_SET_STRING: libc::c_uint = 1;
const FSCONFIG_CMD_CREATE: libc::c_uint = 6;

/// `struct mount_attr` of the kernel.
#[repr(C)]
struct Attributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

/// How much of a tree is meant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// The mount itself.
    This,
    /// And all mounts below it.
    All,
}

impl Depth {
    fn flag(self) -> libc::c_uint {
        match self {
            Self::This => 0,
            Self::All => RECURSIVE,
        }
    }
}

/// A copy of the mount that holds this place, rooted there and attached nowhere yet.
pub(crate) fn copy_of(place: BorrowedFd<'_>, depth: Depth) -> Sys<OwnedFd> {
    copy_at(place.as_raw_fd(), c"", EMPTY_PATH | depth.flag())
}

/// The same of a name in a folder.
pub(crate) fn copy_of_name(folder: RawFd, name: &CStr) -> Sys<OwnedFd> {
    copy_at(folder, name, 0)
}

fn copy_at(folder: RawFd, name: &CStr, flags: libc::c_uint) -> Sys<OwnedFd> {
    let flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | flags;
    // SAFETY: the name lives through the call.
    owned(unsafe { libc::syscall(libc::SYS_open_tree, folder, name.as_ptr(), flags) })
}

/// Adds flags to mounts.
pub(crate) fn add_flags(mount: BorrowedFd<'_>, depth: Depth, flags: u64) -> Sys<()> {
    let attributes = Attributes { set: flags, clear: 0, propagation: 0, user_namespace: 0 };
    set_attributes(mount.as_raw_fd(), c"", EMPTY_PATH | depth.flag(), &attributes)
}

/// Adds flags to all mounts that there are, and parts them from those of other namespaces.
pub(crate) fn add_flags_to_all(flags: u64) -> Sys<()> {
    let attributes =
        Attributes { set: flags, clear: 0, propagation: libc::MS_PRIVATE, user_namespace: 0 };
    set_attributes(libc::AT_FDCWD, c"/", RECURSIVE, &attributes)
}

/// From now on nothing that is mounted here is seen outside; what is mounted outside comes in.
pub(crate) fn part_from_outside() -> Sys<()> {
    let attributes =
        Attributes { set: 0, clear: 0, propagation: libc::MS_SLAVE, user_namespace: 0 };
    set_attributes(libc::AT_FDCWD, c"/", RECURSIVE, &attributes)
}

fn set_attributes(
    folder: RawFd,
    name: &CStr,
    flags: libc::c_uint,
    attributes: &Attributes,
) -> Sys<()> {
    // SAFETY: all pointers live through the call, and the size is that of the struct.
    done(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            folder,
            name.as_ptr(),
            flags,
            std::ptr::from_ref(attributes),
            size_of::<Attributes>(),
        )
    })
}

/// Attaches a mount to a place.
pub(crate) fn attach(mount: BorrowedFd<'_>, place: BorrowedFd<'_>) -> Sys<()> {
    // SAFETY: both names are static and empty: only the descriptors count.
    done(unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            mount.as_raw_fd(),
            c"".as_ptr(),
            place.as_raw_fd(),
            c"".as_ptr(),
            MOVE_BOTH_EMPTY,
        )
    })
}

/// A new file system of this kind with these options, attached nowhere yet.
pub(crate) fn new(kind: &CStr, options: &[(&CStr, &CStr)], flags: u64) -> Sys<OwnedFd> {
    // SAFETY: the name lives through the call.
    let context = owned(unsafe { libc::syscall(libc::SYS_fsopen, kind.as_ptr(), FSOPEN_CLOEXEC) })?;
    for (key, value) in options {
        configure(&context, FSCONFIG_SET_STRING, key.as_ptr(), value.as_ptr())?;
    }
    configure(&context, FSCONFIG_CMD_CREATE, std::ptr::null(), std::ptr::null())?;
    // SAFETY: numbers only.
    owned(unsafe { libc::syscall(libc::SYS_fsmount, context.as_raw_fd(), FSMOUNT_CLOEXEC, flags) })
}

/// A file system that shows a folder with a layer over it, attached nowhere yet. All three are
/// named by their descriptors: a name would have to be short and without some characters.
pub(crate) fn overlay(
    lower: BorrowedFd<'_>,
    upper: BorrowedFd<'_>,
    work: BorrowedFd<'_>,
    flags: u64,
) -> Sys<OwnedFd> {
    // SAFETY: the name is static.
    let context =
        owned(unsafe { libc::syscall(libc::SYS_fsopen, c"overlay".as_ptr(), FSOPEN_CLOEXEC) })?;
    for (key, place) in [(c"lowerdir", lower), (c"upperdir", upper), (c"workdir", work)] {
        let path = CString::new(format!("/proc/self/fd/{}", place.as_raw_fd()));
        let path = path.unwrap_or_default();
        configure(&context, FSCONFIG_SET_STRING, key.as_ptr(), path.as_ptr())?;
    }
    // What is noted at files may be so by anybody, not by root alone.
    configure(&context, FSCONFIG_SET_FLAG, c"userxattr".as_ptr(), std::ptr::null())?;
    configure(&context, FSCONFIG_CMD_CREATE, std::ptr::null(), std::ptr::null())?;
    // SAFETY: numbers only.
    owned(unsafe { libc::syscall(libc::SYS_fsmount, context.as_raw_fd(), FSMOUNT_CLOEXEC, flags) })
}

fn configure(
    context: &OwnedFd,
    command: libc::c_uint,
    key: *const libc::c_char,
    value: *const libc::c_char,
) -> Sys<()> {
    // SAFETY: the callers above pass texts that live on, or nothing where nothing is read.
    done(unsafe { libc::syscall(libc::SYS_fsconfig, context.as_raw_fd(), command, key, value, 0) })
}
