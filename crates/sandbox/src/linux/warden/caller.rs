//! Who made a call that waits.

use std::ffi::CString;
use std::os::fd::{AsFd, OwnedFd};

use super::super::sys::notify::{self, Waiting};
use super::super::sys::{Errno, Sys, files, process};

/// A thread of the command. All that is learnt of it counts only while its call still waits: then
/// its number cannot have become another's.
pub(super) struct Caller {
    pub(super) thread: i32,
    handle: OwnedFd,
    /// It is the first thread of its process, which has its number.
    is_first: bool,
}

impl Caller {
    pub(super) fn of(waiting: &Waiting) -> Sys<Self> {
        let (handle, is_first) = notify::process_of(waiting.thread)?;
        Ok(Self { thread: waiting.thread, handle, is_first })
    }

    /// The same open file as one of its descriptors.
    pub(super) fn descriptor(&self, number: i32) -> Sys<OwnedFd> {
        notify::descriptor_of(self.handle.as_fd(), number)
    }

    /// The folder that its relative paths start from.
    pub(super) fn folder(&self) -> Sys<OwnedFd> {
        let number = self.number_in_view()?;
        let path = CString::new(format!("/proc/{number}/cwd")).unwrap_or_default();
        files::open(&path, libc::O_PATH | libc::O_DIRECTORY)
    }

    /// The number that its process has for itself.
    pub(super) fn process(&self) -> Sys<i32> {
        if self.is_first {
            return Ok(self.thread);
        }
        notify::group_of(self.number_in_view()?).ok_or(Errno(libc::ESRCH))
    }

    fn number_in_view(&self) -> Sys<i32> {
        notify::number_in_view(self.handle.as_fd()).ok_or(Errno(libc::ESRCH))
    }

    /// Tells it that nobody reads any more what it writes, as the kernel does.
    pub(super) fn break_its_pipe(&self) {
        let _ = process::signal(self.handle.as_fd(), libc::SIGPIPE);
    }
}
