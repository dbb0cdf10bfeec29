//! System calls that wait for another process to make them: who waits, what it asked for, and what
//! it gets.
#![expect(unsafe_code, reason = "system calls that no library of the workspace has")]

use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};

use super::confine::{Instruction, with_program};
use super::files::owned;
use super::{Errno, Sys, done, number};

/// A call that waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub(crate) id: u64,
    /// The thread that made it, as this process numbers threads.
    pub(crate) thread: i32,
    pub(crate) number: i64,
    pub(crate) arguments: [u64; 6],
}

/// Puts this process under a filter, and gives the descriptor at which its calls wait.
pub(crate) fn filter_and_listen(instructions: &[Instruction]) -> Sys<OwnedFd> {
    // Without the second flag a signal takes a call back that is being made, and it is made again.
    let both =
        libc::SECCOMP_FILTER_FLAG_NEW_LISTENER | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    with_program(instructions, |program| {
        let apply = |flags: libc::c_ulong| {
            // SAFETY: the program and its instructions live through the call.
            owned(unsafe {
                libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, program)
            })
        };
        match apply(both) {
            Err(Errno(libc::EINVAL)) => apply(libc::SECCOMP_FILTER_FLAG_NEW_LISTENER),
            applied => applied,
        }
    })
}

/// Has the thread that waits run on the processor that answered it, at once: who waits and who
/// answers never work at the same time. Older kernels do not know it.
pub(crate) fn hand_over_at_once(listener: BorrowedFd<'_>) {
    /// `SECCOMP_IOCTL_NOTIF_SET_FLAGS` and `SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP` of the kernel's
    /// headers.
    const SET_FLAGS: libc::c_ulong = 0x4008_2104;
    const SYNC_WAKE_UP: libc::c_ulong = 1;
    // SAFETY: numbers only.
    unsafe { libc::ioctl(listener.as_raw_fd(), SET_FLAGS as _, SYNC_WAKE_UP) };
}

/// The next call that waits.
pub(crate) fn next(listener: BorrowedFd<'_>) -> Sys<Waiting> {
    // SAFETY: all fields are numbers; the kernel wants them to be zero.
    let mut told: libc::seccomp_notif = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel fills the struct that it is given.
    done(libc::c_long::from(unsafe {
        libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut told)
    }))?;
    Ok(Waiting {
        id: told.id,
        thread: told.pid.cast_signed(),
        number: i64::from(told.data.nr),
        arguments: told.data.args,
    })
}

/// Whether a call still waits: otherwise its thread's number may be another's by now.
pub(crate) fn waits(listener: BorrowedFd<'_>, id: u64) -> bool {
    /// `SECCOMP_IOCTL_NOTIF_ID_VALID` of the kernel's headers.
    const ID_VALID: libc::c_ulong = 0x4008_2102;
    // SAFETY: the kernel reads the number that it is given.
    unsafe { libc::ioctl(listener.as_raw_fd(), ID_VALID as _, &raw const id) == 0 }
}

/// Ends a call with an answer, as if the kernel had given it. One that no longer waits needs none.
pub(crate) fn answer(listener: BorrowedFd<'_>, id: u64, answer: Sys<i64>) {
    // SAFETY: all fields are numbers, for which zero is a value.
    let mut response: libc::seccomp_notif_resp = unsafe { std::mem::zeroed() };
    response.id = id;
    match answer {
        Ok(value) => response.val = value,
        Err(Errno(errno)) => response.error = -errno,
    }
    // SAFETY: the kernel reads the struct that it is given.
    unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw mut response) };
}

/// A handle of a thread, or of the process that it belongs to; and whether the thread is the first
/// of its process.
pub(crate) fn process_of(thread: i32) -> Sys<(OwnedFd, bool)> {
    /// `PIDFD_THREAD` of newer kernels.
    const OF_THREAD: i32 = libc::O_EXCL;
    let open = |number: i32, flags: i32| {
        // SAFETY: numbers only.
        owned(unsafe { libc::syscall(libc::SYS_pidfd_open, number, flags) })
    };
    if let Ok(first) = open(thread, 0) {
        return Ok((first, true));
    }
    let other = open(thread, OF_THREAD);
    other.or_else(|errno| open(group_of(thread).ok_or(errno)?, 0)).map(|handle| (handle, false))
}

/// The number that the process of a thread has for itself, of a thread with this number in `/proc`.
pub(crate) fn group_of(thread: i32) -> Option<i32> {
    let status = std::fs::read_to_string(format!("/proc/{thread}/status")).ok()?;
    let numbers = status.lines().find_map(|line| line.strip_prefix("NStgid:"))?;
    numbers.split_ascii_whitespace().last()?.parse().ok()
}

/// The number under which `/proc` has the process or thread of a handle, whatever namespace `/proc`
/// is of.
pub(crate) fn number_in_view(process: BorrowedFd<'_>) -> Option<i32> {
    let path = format!("/proc/self/fdinfo/{}", process.as_raw_fd());
    let facts = std::fs::read_to_string(path).ok()?;
    let number = facts.lines().find_map(|line| line.strip_prefix("Pid:"))?.trim().parse().ok()?;
    (number > 0).then_some(number)
}

/// The same open file as a descriptor of another process.
pub(crate) fn descriptor_of(process: BorrowedFd<'_>, descriptor: RawFd) -> Sys<OwnedFd> {
    // SAFETY: numbers only.
    owned(unsafe { libc::syscall(libc::SYS_pidfd_getfd, process.as_raw_fd(), descriptor, 0) })
}

/// Memory of another process, all of it.
pub(crate) fn memory_of(thread: i32, address: u64, length: usize) -> Sys<Vec<u8>> {
    let mut bytes = vec![0; length];
    if length == 0 {
        return Ok(bytes);
    }
    let (here, there) = (span(bytes.as_mut_ptr() as u64, length), span(address, length));
    // SAFETY: the first span is the vector's own; the kernel checks the other, which is not ours.
    let count =
        unsafe { libc::process_vm_readv(thread, &raw const here, 1, &raw const there, 1, 0) };
    whole(count, length).map(|()| bytes)
}

/// Writes to the memory of another process.
pub(crate) fn put_into(thread: i32, address: u64, bytes: &[u8]) -> Sys<()> {
    let (here, there) = (span(bytes.as_ptr() as u64, bytes.len()), span(address, bytes.len()));
    // SAFETY: the first span is the slice, which is only read; the kernel checks the other.
    let count =
        unsafe { libc::process_vm_writev(thread, &raw const here, 1, &raw const there, 1, 0) };
    whole(count, bytes.len())
}

fn span(address: u64, length: usize) -> libc::iovec {
    libc::iovec { iov_base: address as *mut libc::c_void, iov_len: length }
}

fn whole(count: libc::ssize_t, wanted: usize) -> Sys<()> {
    match number(libc::c_long::try_from(count).unwrap_or(-1)) {
        Ok(_) if count.cast_unsigned() == wanted => Ok(()),
        Ok(_) => Err(Errno(libc::EFAULT)),
        Err(errno) => Err(errno),
    }
}

/// A descriptor that can be read from when one of the signals that are held back has come.
pub(crate) fn signals() -> Sys<OwnedFd> {
    let held = super::signals::Signals::waited_for();
    // SAFETY: the set lives through the call.
    owned(libc::c_long::from(unsafe {
        libc::signalfd(-1, held.as_ptr(), libc::SFD_CLOEXEC | libc::SFD_NONBLOCK)
    }))
}

/// What to wait for at a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum For {
    Reading,
    Writing,
    /// Nothing: it has its place in the list only.
    Nothing,
}

/// Waits until something can be done at one of these, or for so many milliseconds; -1 is forever.
/// Gives for each whether there is something.
pub(crate) fn ready(wanted: &[(BorrowedFd<'_>, For)], milliseconds: i32) -> Vec<bool> {
    let poll = |(file, what): &(BorrowedFd<'_>, For)| libc::pollfd {
        fd: if *what == For::Nothing { -1 } else { file.as_raw_fd() },
        events: if *what == For::Reading { libc::POLLIN } else { libc::POLLOUT },
        revents: 0,
    };
    let mut polled: Vec<libc::pollfd> = wanted.iter().map(poll).collect();
    let count = libc::nfds_t::try_from(polled.len()).unwrap_or(0);
    // SAFETY: pointer and count are of one vector.
    unsafe { libc::poll(polled.as_mut_ptr(), count, milliseconds) };
    polled.iter().map(|one| one.revents != 0).collect()
}
