//! Descriptors, files and pipes.
#![expect(unsafe_code, reason = "system calls that the standard library does not have")]

use std::ffi::CStr;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

use super::{Errno, Sys, done, number};

/// A descriptor that the kernel has just given out.
pub(super) fn owned(answer: libc::c_long) -> Sys<OwnedFd> {
    let number = number(answer)?;
    // SAFETY: the kernel has just opened it, so nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

/// What a path is: its type bits, permission bits, device and inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) mode: u32,
    pub(crate) owner: u32,
    pub(crate) identity: (u64, u64),
}

impl Facts {
    fn kind(&self) -> u32 {
        self.mode & libc::S_IFMT
    }

    pub(crate) fn is_folder(&self) -> bool {
        self.kind() == libc::S_IFDIR
    }

    pub(crate) fn is_socket(&self) -> bool {
        self.kind() == libc::S_IFSOCK
    }
}

/// A path without any link in it, opened only as a place.
pub(crate) fn place_without_links(path: &CStr) -> Sys<OwnedFd> {
    place(libc::AT_FDCWD, path, libc::RESOLVE_NO_SYMLINKS)
}

/// A path from a folder, opened only as a place. Links are followed, but none of `/proc` that lead
/// to what a process has open.
pub(crate) fn place_from(folder: RawFd, path: &CStr) -> Sys<OwnedFd> {
    place(folder, path, libc::RESOLVE_NO_MAGICLINKS)
}

fn place(folder: RawFd, path: &CStr, resolve: u64) -> Sys<OwnedFd> {
    // SAFETY: all fields are numbers, for which zero is a value.
    let mut how: libc::open_how = unsafe { std::mem::zeroed() };
    how.flags = u64::from((libc::O_PATH | libc::O_CLOEXEC).cast_unsigned());
    how.resolve = resolve;
    // SAFETY: both pointers live through the call, and the size is that of the struct.
    owned(unsafe {
        libc::syscall(
            libc::SYS_openat2,
            folder,
            path.as_ptr(),
            &raw const how,
            size_of::<libc::open_how>(),
        )
    })
}

/// A path opened with these flags; close-on-exec is added.
pub(crate) fn open(path: &CStr, flags: i32) -> Sys<OwnedFd> {
    open_at(libc::AT_FDCWD, path, flags, 0)
}

/// A name in a folder opened with these flags; close-on-exec is added.
pub(crate) fn open_at(folder: RawFd, name: &CStr, flags: i32, mode: u32) -> Sys<OwnedFd> {
    // SAFETY: the name lives through the call.
    owned(libc::c_long::from(unsafe {
        libc::openat(folder, name.as_ptr(), flags | libc::O_CLOEXEC, mode)
    }))
}

/// What stands behind a descriptor.
pub(crate) fn facts(file: BorrowedFd<'_>) -> Sys<Facts> {
    // SAFETY: all fields are numbers, for which zero is a value.
    let mut stat: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel fills the struct that it is given.
    done(libc::c_long::from(unsafe { libc::fstat(file.as_raw_fd(), &raw mut stat) }))?;
    Ok(Facts { mode: stat.st_mode, owner: stat.st_uid, identity: (stat.st_dev, stat.st_ino) })
}

/// Whether nothing can be changed through the mount that a descriptor was opened on.
pub(crate) fn is_read_only(file: BorrowedFd<'_>) -> Sys<bool> {
    // SAFETY: all fields are numbers, for which zero is a value.
    let mut facts: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel fills the struct that it is given.
    done(libc::c_long::from(unsafe { libc::fstatvfs(file.as_raw_fd(), &raw mut facts) }))?;
    Ok(facts.f_flag & libc::ST_RDONLY != 0)
}

/// A new folder.
pub(crate) fn make_folder(parent: RawFd, name: &CStr, mode: u32) -> Sys<()> {
    // SAFETY: the name lives through the call.
    done(libc::c_long::from(unsafe { libc::mkdirat(parent, name.as_ptr(), mode) }))
}

/// A new symbolic link.
pub(crate) fn make_link(target: &CStr, parent: RawFd, name: &CStr) -> Sys<()> {
    // SAFETY: both names live through the call.
    done(libc::c_long::from(unsafe { libc::symlinkat(target.as_ptr(), parent, name.as_ptr()) }))
}

/// Removes an empty folder.
pub(crate) fn remove_folder(parent: BorrowedFd<'_>, name: &CStr) -> Sys<()> {
    // SAFETY: the name lives through the call.
    done(libc::c_long::from(unsafe {
        libc::unlinkat(parent.as_raw_fd(), name.as_ptr(), libc::AT_REMOVEDIR)
    }))
}

/// A lock on an open file, without waiting: shared or exclusive.
pub(crate) fn lock(file: BorrowedFd<'_>, exclusive: bool) -> Sys<()> {
    let kind = if exclusive { libc::LOCK_EX } else { libc::LOCK_SH };
    // SAFETY: numbers only.
    done(libc::c_long::from(unsafe { libc::flock(file.as_raw_fd(), kind | libc::LOCK_NB) }))
}

/// Writes all of it to a file of the kernel, which takes it at once or not at all.
pub(crate) fn put(path: &CStr, text: &[u8]) -> Sys<()> {
    let file = open(path, libc::O_WRONLY)?;
    write(file.as_raw_fd(), text)
}

/// One write.
pub(crate) fn write(file: RawFd, bytes: &[u8]) -> Sys<()> {
    // SAFETY: pointer and length are of one slice.
    let answer = unsafe { libc::write(file, bytes.as_ptr().cast(), bytes.len()) };
    done(libc::c_long::try_from(answer).unwrap_or(-1))
}

/// What a pipe has, waiting for it; nothing at its end.
pub(crate) fn read_some(file: RawFd) -> Sys<Vec<u8>> {
    let mut bytes = vec![0; crate::report::LONGEST];
    let mut poll = libc::pollfd { fd: file, events: libc::POLLIN, revents: 0 };
    loop {
        // SAFETY: one struct, and the count says one.
        unsafe { libc::poll(&raw mut poll, 1, -1) };
        // SAFETY: pointer and length are of one vector.
        let count = unsafe { libc::read(file, bytes.as_mut_ptr().cast(), bytes.len()) };
        match number(libc::c_long::try_from(count).unwrap_or(-1)) {
            Ok(count) => {
                bytes.truncate(usize::try_from(count).unwrap_or(0));
                return Ok(bytes);
            }
            Err(Errno(libc::EINTR | libc::EAGAIN)) => {}
            Err(errno) => return Err(errno),
        }
    }
}

/// A pipe whose ends close on exec: to read from without waiting, and to write to.
pub(crate) fn pipe() -> Sys<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: the kernel fills both numbers.
    done(libc::c_long::from(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) }))?;
    // SAFETY: the kernel has just opened them, so nothing else owns them.
    let (read, write) = unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) };
    // SAFETY: numbers only.
    done(libc::c_long::from(unsafe {
        libc::fcntl(read.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK)
    }))?;
    Ok((read, write))
}

/// Whether the other end of a pipe that is written to is gone.
pub(crate) fn reader_is_gone(pipe: RawFd) -> bool {
    let mut poll = libc::pollfd { fd: pipe, events: 0, revents: 0 };
    // SAFETY: one struct, and the count says one.
    let ready = unsafe { libc::poll(&raw mut poll, 1, 0) };
    ready > 0 && poll.revents & libc::POLLERR != 0
}

/// The same open file under a certain number, which stays open on exec.
pub(crate) fn copy_to(from: RawFd, to: RawFd) -> Sys<()> {
    // SAFETY: numbers only.
    done(libc::c_long::from(unsafe { libc::dup2(from, to) }))
}

/// The same open file under another number of at least `least`, which closes on exec.
pub(crate) fn copy_above(from: RawFd, least: RawFd) -> Sys<OwnedFd> {
    // SAFETY: numbers only.
    owned(libc::c_long::from(unsafe { libc::fcntl(from, libc::F_DUPFD_CLOEXEC, least) }))
}

/// Makes all descriptors from `first` on close on exec.
pub(crate) fn close_on_exec_from(first: RawFd) -> Sys<()> {
    /// `CLOSE_RANGE_CLOEXEC` of the kernel's headers.
    const CLOEXEC: u32 = 4;
    // SAFETY: numbers only; nothing is closed now.
    let ranged = unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, CLOEXEC) };
    if ranged == 0 {
        return Ok(());
    }
    // Kernels before 5.11 do not have it.
    for file in open_descriptors()?.into_iter().filter(|file| *file >= first) {
        // SAFETY: numbers only.
        unsafe { libc::fcntl(file, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
    Ok(())
}

/// Closes all descriptors but these. Only for a process that owns nothing else any more.
pub(crate) fn close_all_but(kept: &[RawFd]) {
    let mut kept: Vec<u32> = kept.iter().map(|file| file.cast_unsigned()).collect();
    kept.sort_unstable();
    let mut first = 0;
    for file in kept.iter().copied().chain([u32::MAX]) {
        if file > first && !close_range(first, file - 1) {
            return close_one_by_one(&kept);
        }
        first = file.saturating_add(1);
    }
}

fn close_range(first: u32, last: u32) -> bool {
    // SAFETY: numbers only. The caller is a process of its own that uses none of them.
    unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) == 0 }
}

fn close_one_by_one(kept: &[u32]) {
    let open = open_descriptors().unwrap_or_default();
    for file in open.into_iter().filter(|file| !kept.contains(&file.cast_unsigned())) {
        // SAFETY: as above.
        unsafe { libc::close(file) };
    }
}

fn open_descriptors() -> Sys<Vec<RawFd>> {
    let list = std::fs::read_dir("/proc/self/fd")?;
    Ok(list.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect())
}

/// Permission bits of a name in a folder, whatever the umask is.
pub(crate) fn set_mode_at(folder: RawFd, name: &CStr, mode: u32) -> Sys<()> {
    // SAFETY: the name lives through the call.
    done(libc::c_long::from(unsafe { libc::fchmodat(folder, name.as_ptr(), mode, 0) }))
}

/// Waits until there is something to read, or its end; false at the deadline.
pub(crate) fn readable_until(file: RawFd, end: std::time::Instant) -> bool {
    let mut poll = libc::pollfd { fd: file, events: libc::POLLIN, revents: 0 };
    loop {
        let left = end.saturating_duration_since(std::time::Instant::now()).as_millis();
        let left = libc::c_int::try_from(left).unwrap_or(libc::c_int::MAX);
        // SAFETY: one struct, and the count says one.
        match unsafe { libc::poll(&raw mut poll, 1, left) } {
            0 => return false,
            ready if ready > 0 => return true,
            _ => {}
        }
    }
}
