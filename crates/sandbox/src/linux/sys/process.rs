//! Processes: starting, waiting, ending, and what a process says about itself.
#![expect(unsafe_code, reason = "system calls that the standard library does not have")]

use std::ffi::{CStr, c_void};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use super::{Errno, Sys, done, last, number};

/// The namespaces that a new process gets.
pub(crate) mod namespaces {
    pub(crate) const USER: u64 = 0x1000_0000;
    pub(crate) const PID: u64 = 0x2000_0000;
    pub(crate) const NETWORK: u64 = 0x4000_0000;
    pub(crate) const MOUNT: u64 = 0x0002_0000;
    pub(crate) const IPC: u64 = 0x0800_0000;
}

/// Which of the two processes this is.
pub(crate) enum Forked {
    /// The old one, with the new one's number and a descriptor of it.
    Parent(i32, OwnedFd),
    /// The new one.
    Child,
}

/// A copy of this process in new namespaces.
///
/// The caller has one thread, so that in the copy every lock is free and memory can be had.
pub(crate) fn fork(namespaces: u64) -> Sys<Forked> {
    let mut pidfd: libc::c_int = -1;
    let signal = u64::from(libc::SIGCHLD.cast_unsigned());
    let flags = namespaces | u64::from(libc::CLONE_PIDFD.cast_unsigned()) | signal;
    let none: u64 = 0;
    // Not clone3, which containers refuse because its flags cannot be filtered.
    // SAFETY: without CLONE_VM this is a fork: the new process has its own copy of all memory,
    // and neither frame is left by the other. No stack is given, and `pidfd` lives on.
    let answer = unsafe { libc::syscall(libc::SYS_clone, flags, none, &raw mut pidfd, none, none) };
    match number(answer)? {
        0 => Ok(Forked::Child),
        // SAFETY: the kernel has just opened the descriptor, so nothing else owns it.
        pid => Ok(Forked::Parent(pid, unsafe { OwnedFd::from_raw_fd(pidfd) })),
    }
}

/// Bytes of stack for what runs between the start of a process and its exec.
const STACK: usize = 64 * 1024;

/// A new process that runs `work` in the memory and with the descriptors of this one, which stands
/// still until the new process has started a program or ended. Gives the new process's number.
pub(crate) fn start_in_this_memory(mut work: &mut dyn FnMut()) -> Sys<i32> {
    extern "C" fn run(work: *mut c_void) -> libc::c_int {
        // SAFETY: `work` is the pointer given to `clone` below, and its owner stands still.
        let work = unsafe { &mut *work.cast::<&mut dyn FnMut()>() };
        work();
        // SAFETY: ends this process only; its parent's buffers and destructors are not run.
        unsafe { libc::_exit(127) }
    }
    let mut stack = vec![0_u128; STACK / size_of::<u128>()];
    // SAFETY: one past the end of the stack, which grows downward and is aligned to 16 bytes.
    let top = unsafe { stack.as_mut_ptr().add(stack.len()) };
    let flags = libc::CLONE_VM | libc::CLONE_FILES | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: CLONE_VFORK keeps this process still until the other has given the memory back, so
    // the stack and `work` live long enough and nothing is used by two at once.
    number(libc::c_long::from(unsafe {
        libc::clone(run, top.cast(), flags, (&raw mut work).cast())
    }))
}

/// Replaces the program of this process; comes back only if that failed.
pub(crate) fn execute(
    program: &CStr,
    argv: &[*const libc::c_char],
    env: &[*const libc::c_char],
) -> Errno {
    // SAFETY: both lists end with a null pointer (see `pointers`), and their texts live on.
    unsafe { libc::execve(program.as_ptr(), argv.as_ptr(), env.as_ptr()) };
    last()
}

/// The list of pointers that an exec takes. It is valid as long as the texts.
pub(crate) fn pointers(texts: &[std::ffi::CString]) -> Vec<*const libc::c_char> {
    texts.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect()
}

/// Ends this process at once.
pub(crate) fn exit(code: i32) -> ! {
    // SAFETY: ends the process; nothing is run on the way.
    unsafe { libc::_exit(code) }
}

/// Sends a signal.
pub(crate) fn kill(pid: i32, signal: i32) -> Sys<()> {
    // SAFETY: numbers only.
    done(libc::c_long::from(unsafe { libc::kill(pid, signal) }))
}

/// Sends a signal to the process of a handle.
pub(crate) fn signal(process: BorrowedFd<'_>, signal: i32) -> Sys<()> {
    let nothing: *const libc::siginfo_t = std::ptr::null();
    // SAFETY: numbers, and no further words about the signal.
    done(unsafe {
        libc::syscall(libc::SYS_pidfd_send_signal, process.as_raw_fd(), signal, nothing, 0)
    })
}

/// What a wait found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Waited {
    /// This child ended with this status.
    Ended(i32, i32),
    /// There are children, and none has ended.
    Busy,
    /// There is no child.
    Childless,
}

/// Collects an ended child: any for -1. Waits for one if `block`.
pub(crate) fn wait(pid: i32, block: bool) -> Waited {
    let mut status = 0;
    let flags = libc::__WALL | if block { 0 } else { libc::WNOHANG };
    loop {
        // SAFETY: the kernel fills the number that it is given.
        match unsafe { libc::waitpid(pid, &raw mut status, flags) } {
            0 => return Waited::Busy,
            pid if pid > 0 => return Waited::Ended(pid, status),
            _ if last() == Errno(libc::EINTR) => {}
            _ => return Waited::Childless,
        }
    }
}

/// The exit code, or the signal that ended it.
pub(crate) fn exit_of(status: i32) -> (Option<i32>, Option<i32>) {
    if libc::WIFSIGNALED(status) {
        (None, Some(libc::WTERMSIG(status)))
    } else {
        (Some(libc::WEXITSTATUS(status)), None)
    }
}

/// A session of its own, without a terminal.
pub(crate) fn new_session() -> Sys<()> {
    // SAFETY: takes nothing.
    done(libc::c_long::from(unsafe { libc::setsid() }))
}

/// A process group of its own, so that the keys of the caller's terminal do not reach it. A session
/// would cost the scheduler a group of its own.
pub(crate) fn new_group() -> Sys<()> {
    // SAFETY: numbers only.
    done(libc::c_long::from(unsafe { libc::setpgid(0, 0) }))
}

/// Makes the terminal on descriptor 0 the one that controls this session.
pub(crate) fn take_terminal() -> Sys<()> {
    // SAFETY: the request takes a number.
    done(libc::c_long::from(unsafe { libc::ioctl(0, libc::TIOCSCTTY, 0) }))
}

/// The folder that relative paths start from.
pub(crate) fn change_folder(path: &CStr) -> Sys<()> {
    // SAFETY: the path lives through the call.
    done(libc::c_long::from(unsafe { libc::chdir(path.as_ptr()) }))
}

/// The number of the parent, or 0 if it is outside of this process's namespace.
pub(crate) fn parent() -> i32 {
    // SAFETY: takes nothing.
    unsafe { libc::getppid() }
}

/// The number of this process.
pub(crate) fn own() -> i32 {
    // SAFETY: takes nothing.
    unsafe { libc::getpid() }
}

/// The user and group that files are made as.
pub(crate) fn ids() -> (u32, u32) {
    // SAFETY: take nothing.
    unsafe { (libc::geteuid(), libc::getegid()) }
}

/// One setting of this process.
pub(super) fn setting(option: libc::c_int, value: libc::c_ulong) -> Sys<()> {
    let none: libc::c_ulong = 0;
    // SAFETY: the options that are used here take numbers.
    done(libc::c_long::from(unsafe { libc::prctl(option, value, none, none, none) }))
}

/// Gets a signal when the parent ends.
pub(crate) fn at_parents_end(signal: i32) -> Sys<()> {
    setting(libc::PR_SET_PDEATHSIG, libc::c_ulong::from(signal.cast_unsigned()))
}

/// Orphans below this process become its children.
pub(crate) fn adopt_orphans() -> Sys<()> {
    setting(libc::PR_SET_CHILD_SUBREAPER, 1)
}

/// No other process of the same user may look into this one.
pub(crate) fn be_opaque() -> Sys<()> {
    setting(libc::PR_SET_DUMPABLE, 0)
}

/// Processes of the same user may look into this one.
pub(crate) fn be_transparent() -> Sys<()> {
    setting(libc::PR_SET_DUMPABLE, 1)
}

/// The name that lists of processes show.
pub(crate) fn set_name(name: &CStr) {
    // SAFETY: the kernel reads up to 16 bytes of a text that ends before.
    unsafe { libc::prctl(libc::PR_SET_NAME, name.as_ptr()) };
}

/// Sets a limit, soft and hard, never above the hard one that is there.
pub(crate) fn limit(resource: libc::__rlimit_resource_t, soft: u64, hard: u64) -> Sys<()> {
    let mut old = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the kernel fills the struct that it is given.
    done(libc::c_long::from(unsafe { libc::getrlimit(resource, &raw mut old) }))?;
    let new = libc::rlimit { rlim_cur: soft.min(old.rlim_max), rlim_max: hard.min(old.rlim_max) };
    // SAFETY: the kernel reads the struct that it is given.
    done(libc::c_long::from(unsafe { libc::setrlimit(resource, &raw const new) }))
}

/// Brings up the loopback of this process's network namespace.
pub(crate) fn loopback_up() -> Sys<()> {
    // SAFETY: numbers only.
    let socket = super::files::owned(libc::c_long::from(unsafe {
        libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0)
    }))?;
    // SAFETY: all fields are numbers, for which zero is a value.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    request.ifr_name[0] = libc::c_char::from_ne_bytes([b'l']);
    request.ifr_name[1] = libc::c_char::from_ne_bytes([b'o']);
    request.ifr_ifru.ifru_flags = libc::c_short::try_from(libc::IFF_UP).unwrap_or(1);
    // SAFETY: the kernel reads the struct that it is given.
    done(libc::c_long::from(unsafe {
        libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request)
    }))
}
