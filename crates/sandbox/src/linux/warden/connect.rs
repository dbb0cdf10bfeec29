//! Connecting for a command.

use std::os::fd::{AsFd, OwnedFd};

use super::super::sys::notify::Waiting;
use super::super::sys::sockets::{self, Kind};
use super::super::sys::{Errno, Sys};
use super::caller::Caller;
use super::place::Target;
use super::{Left, Progress, Warden, read};

impl Warden {
    pub(super) fn connect(&self, waiting: &Waiting) -> Sys<Progress> {
        let [_, at, length, ..] = waiting.arguments;
        let caller = Caller::of(waiting)?;
        let address = read::address(waiting.thread, at, length)?;
        let socket = self.socket_of(waiting, &caller)?;
        let kind = Kind::of(socket.as_fd())?;
        let target = self.target(address, kind, &caller)?;
        self.check_waits(waiting)?;
        attempt(socket, target)
    }
}

pub(super) fn attempt(socket: OwnedFd, target: Target) -> Sys<Progress> {
    let waits = sockets::is_blocking(socket.as_fd())?;
    match sockets::connect(socket.as_fd(), &target.address) {
        Err(Errno(libc::EINPROGRESS | libc::EALREADY)) if waits => {
            Ok(Progress::UnderWay(socket, Left::Connected))
        }
        Err(Errno(libc::EAGAIN)) if waits => Ok(Progress::UnderWay(socket, Left::Connect(target))),
        connected => Ok(Progress::Over(connected.map(|()| 0))),
    }
}
