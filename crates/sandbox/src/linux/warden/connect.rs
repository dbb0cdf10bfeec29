//! Connecting for a command.

use std::ffi::CString;
use std::os::fd::{AsFd, OwnedFd};

use super::super::sys::notify::Waiting;
use super::super::sys::sockets::{self, Kind};
use super::super::sys::{Errno, Sys, process};
use super::{Left, Progress, Warden, over, read};

impl Warden {
    pub(super) fn connect(&self, waiting: &Waiting) -> Sys<Progress> {
        let [_, at, length, ..] = waiting.arguments;
        let address = read::address(waiting.thread, at, length)?;
        let socket = self.socket_of(waiting)?;
        let kind = Kind::of(socket.as_fd())?;
        if kind.is_internet() && self.closed.holds(&address, kind.is_datagram()) {
            return Err(Errno(libc::EACCES));
        }
        if kind.family == libc::AF_UNIX && is_relative(&address) {
            return self.connect_from_its_folder(waiting.thread, socket, address);
        }
        attempt(socket, address)
    }

    /// A relative name means the folder of the one who asked.
    fn connect_from_its_folder(
        &self,
        thread: i32,
        socket: OwnedFd,
        address: Vec<u8>,
    ) -> Sys<Progress> {
        let folder = CString::new(format!("/proc/{thread}/cwd")).unwrap_or_default();
        if !self.has_processes_view {
            return Err(Errno(libc::EACCES));
        }
        process::change_folder(&folder)?;
        let progress = attempt(socket, address);
        process::change_folder(c"/")?;
        match progress {
            // The next attempt would be made from elsewhere.
            Ok(Progress::UnderWay(_, Left::Connect(_))) => Err(Errno(libc::EAGAIN)),
            progress => progress,
        }
    }
}

/// A name in a folder: neither absolute nor without a file.
fn is_relative(address: &[u8]) -> bool {
    address.get(2).is_some_and(|first| !matches!(first, 0 | b'/'))
}

pub(super) fn attempt(socket: OwnedFd, address: Vec<u8>) -> Sys<Progress> {
    let waits = sockets::is_blocking(socket.as_fd())?;
    match sockets::connect(socket.as_fd(), &address) {
        Err(Errno(libc::EINPROGRESS | libc::EALREADY)) if waits => {
            Ok(Progress::UnderWay(socket, Left::Connected))
        }
        Err(Errno(libc::EAGAIN)) if waits => Ok(Progress::UnderWay(socket, Left::Connect(address))),
        connected => Ok(over(connected.map(|()| 0))),
    }
}
