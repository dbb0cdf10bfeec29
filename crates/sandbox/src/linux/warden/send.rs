//! Sending single messages for a command.

use std::os::fd::{AsFd, OwnedFd};

use super::super::sys::notify::{self, Waiting};
use super::super::sys::sockets::{self, Kind, Message};
use super::super::sys::{Errno, Sys};
use super::read::{self, HEADER, Header};
use super::{Left, Progress, Warden, over, proceed};

impl Warden {
    pub(super) fn send_to(&self, waiting: &Waiting) -> Sys<Progress> {
        let [_, at, length, flags, name, name_length] = waiting.arguments;
        let address = read::address(waiting.thread, name, name_length)?;
        let Some(socket) = self.datagrams_of(waiting)? else { return Ok(proceed()) };
        let bytes = read::message(waiting.thread, at, length)?;
        let message = Message { address, bytes, control: Vec::new(), flags: number(flags) };
        self.send(socket, message, None, waiting)
    }

    pub(super) fn send_message(&self, waiting: &Waiting) -> Sys<Progress> {
        let [_, header, flags, ..] = waiting.arguments;
        let header = Header::of(waiting.thread, header)?;
        if !header.has_name() {
            return Ok(proceed());
        }
        let Some(socket) = self.datagrams_of(waiting)? else { return Ok(proceed()) };
        let message = message_of(&header, waiting.thread, number(flags))?;
        self.send(socket, message, None, waiting)
    }

    /// The first of a list: who sends more than one goes on after the first, as when there is no
    /// room for the others.
    pub(super) fn send_messages(&self, waiting: &Waiting) -> Sys<Progress> {
        let [_, list, count, flags, ..] = waiting.arguments;
        let Some(socket) = self.datagrams_of(waiting)? else { return Ok(proceed()) };
        if count == 0 {
            return Ok(over(Ok(0)));
        }
        let header = Header::of(waiting.thread, list)?;
        let message = message_of(&header, waiting.thread, number(flags))?;
        let length_at = list.checked_add(HEADER as u64).ok_or(Errno(libc::EFAULT))?;
        self.send(socket, message, Some(length_at), waiting)
    }

    /// The socket, if it sends messages over the internet; others are left to the kernel.
    fn datagrams_of(&self, waiting: &Waiting) -> Sys<Option<OwnedFd>> {
        let socket = self.socket_of(waiting)?;
        let kind = Kind::of(socket.as_fd())?;
        Ok((kind.is_internet() && kind.is_datagram()).then_some(socket))
    }

    fn send(
        &self,
        socket: OwnedFd,
        message: Message,
        length_at: Option<u64>,
        waiting: &Waiting,
    ) -> Sys<Progress> {
        if self.closed.holds(&message.address, true) {
            return Err(Errno(libc::EACCES));
        }
        attempt(socket, message, length_at, waiting.thread)
    }
}

fn message_of(header: &Header, thread: i32, flags: i32) -> Sys<Message> {
    Ok(Message {
        address: header.name(thread)?,
        bytes: header.bytes(thread)?,
        control: header.control(thread)?,
        flags,
    })
}

pub(super) fn attempt(
    socket: OwnedFd,
    message: Message,
    length_at: Option<u64>,
    thread: i32,
) -> Sys<Progress> {
    let waits = message.flags & libc::MSG_DONTWAIT == 0 && sockets::is_blocking(socket.as_fd())?;
    match (sockets::send(socket.as_fd(), &message), length_at) {
        (Err(Errno(libc::EAGAIN)), _) if waits => {
            Ok(Progress::UnderWay(socket, Left::Send(message, length_at, thread)))
        }
        (Ok(sent), Some(length_at)) => {
            let sent = u32::try_from(sent).unwrap_or(u32::MAX);
            notify::put_into(thread, length_at, &sent.to_ne_bytes())?;
            Ok(over(Ok(1)))
        }
        (answer, _) => Ok(over(answer)),
    }
}

/// Flags are 32 bits, whatever stands above them.
fn number(argument: u64) -> i32 {
    #[expect(clippy::cast_possible_truncation, reason = "the kernel takes the lower half")]
    let low = argument as u32;
    low.cast_signed()
}
