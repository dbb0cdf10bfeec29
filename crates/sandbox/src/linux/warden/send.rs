//! Sending messages for a command.

use std::os::fd::{AsFd, OwnedFd};

use super::super::sys::notify::{self, Waiting};
use super::super::sys::sockets::{self, Kind, Piece};
use super::super::sys::{Errno, Sys};
use super::caller::Caller;
use super::control::Control;
use super::place::Target;
use super::read::{self, Content, HEADER, Header, LONGEST_MESSAGE, PIECE};
use super::{Left, Progress, Warden, number};

/// Bytes of a `struct mmsghdr`: a header, the length that was sent, and a gap.
const LIST_STEP: u64 = HEADER as u64 + 8;
/// How many messages of a list the kernel looks at.
const LONGEST_LIST: u64 = 1024;

/// A message that is being sent.
pub(super) struct Sending {
    caller: Caller,
    target: Target,
    bytes: Vec<u8>,
    /// What of a stream is still with its sender.
    rest: Content,
    control: Control,
    flags: i32,
    is_stream: bool,
    /// Its sender waits until all of it is sent.
    waits: bool,
    sent: usize,
    /// Where the length goes, for a list of messages.
    length_at: Option<u64>,
}

/// The parts of a call that sends.
struct Asked {
    name: Vec<u8>,
    content: Content,
    control: Vec<u8>,
    flags: i32,
}

impl Warden {
    pub(super) fn send_to(&self, waiting: &Waiting) -> Sys<Progress> {
        let [_, at, length, flags, name, name_length] = waiting.arguments;
        let caller = Caller::of(waiting)?;
        let socket = self.socket_of(waiting, &caller)?;
        let asked = Asked {
            name: read::address(waiting.thread, name, name_length)?,
            content: Content::one(waiting.thread, at, length),
            control: Vec::new(),
            flags: number(flags),
        };
        let sending = self.sending(asked, caller, &socket)?;
        self.check_waits(waiting)?;
        Ok(attempt(socket, sending))
    }

    pub(super) fn send_message(&self, waiting: &Waiting) -> Sys<Progress> {
        let [_, header, flags, ..] = waiting.arguments;
        let caller = Caller::of(waiting)?;
        let socket = self.socket_of(waiting, &caller)?;
        let asked = asked(waiting.thread, header, number(flags))?;
        let sending = self.sending(asked, caller, &socket)?;
        self.check_waits(waiting)?;
        Ok(attempt(socket, sending))
    }

    /// As many of a list as can be sent at once, or the first. Of a stream only the first: nothing
    /// may follow one that was sent in part.
    pub(super) fn send_messages(&self, waiting: &Waiting) -> Sys<Progress> {
        let [_, list, count, flags, ..] = waiting.arguments;
        let socket = self.socket_of(waiting, &Caller::of(waiting)?)?;
        let most = if Kind::of(socket.as_fd())?.is_stream() { 1 } else { LONGEST_LIST };
        let mut done = 0;
        for at in (0..count.min(most)).map(|index| list.checked_add(index * LIST_STEP)) {
            match self.send_one_of_list(waiting, &socket, at, number(flags), done == 0) {
                Ok(Progress::Over(Ok(_))) => done += 1,
                _ if done > 0 => break,
                stopped => return stopped,
            }
        }
        Ok(Progress::Over(Ok(done)))
    }

    fn send_one_of_list(
        &self,
        waiting: &Waiting,
        socket: &OwnedFd,
        at: Option<u64>,
        flags: i32,
        may_wait: bool,
    ) -> Sys<Progress> {
        let at = at.ok_or(Errno(libc::EFAULT))?;
        let asked = asked(waiting.thread, at, flags)?;
        let mut sending = self.sending(asked, Caller::of(waiting)?, socket)?;
        sending.length_at = Some(at.checked_add(HEADER as u64).ok_or(Errno(libc::EFAULT))?);
        sending.waits &= may_wait;
        self.check_waits(waiting)?;
        Ok(attempt(socket.try_clone()?, sending))
    }

    fn sending(&self, asked: Asked, caller: Caller, socket: &OwnedFd) -> Sys<Sending> {
        let Asked { name, mut content, control, flags } = asked;
        // The pages would have to stay as they are until the other side has them.
        if flags & libc::MSG_ZEROCOPY != 0 {
            return Err(Errno(libc::ENOBUFS));
        }
        let kind = Kind::of(socket.as_fd())?;
        if !kind.is_stream() && content.length() > LONGEST_MESSAGE as u64 {
            return Err(Errno(libc::EMSGSIZE));
        }
        let target =
            if name.is_empty() { Target::default() } else { self.target(name, kind, &caller)? };
        let control = if kind.is_unix() {
            Control::of_unix(control, &caller, self.speaks_for_others)?
        } else {
            Control::plain(control)
        };
        Ok(Sending {
            bytes: content.take(if kind.is_stream() { PIECE } else { LONGEST_MESSAGE })?,
            rest: content,
            target,
            control,
            flags,
            is_stream: kind.is_stream(),
            waits: flags & libc::MSG_DONTWAIT == 0 && sockets::is_blocking(socket.as_fd())?,
            sent: 0,
            length_at: None,
            caller,
        })
    }
}

fn asked(thread: i32, header: u64, flags: i32) -> Sys<Asked> {
    let header = Header::of(thread, header)?;
    Ok(Asked {
        name: header.name(thread)?,
        content: header.content(thread)?,
        control: header.control(thread)?,
        flags,
    })
}

impl Sending {
    /// Nothing tells when a socket that is no peer takes a message again.
    pub(super) fn has_to_ask_again(&self) -> bool {
        self.target.is_place()
    }

    /// Sends until all is sent, or no more can be.
    fn go_on(&mut self, socket: &OwnedFd) -> Sys<()> {
        loop {
            let piece = Piece {
                address: &self.target.address,
                bytes: &self.bytes,
                control: &self.control.bytes,
                flags: self.flags,
            };
            let count = sockets::send(socket.as_fd(), piece)?;
            self.sent += count;
            self.control = Control::default();
            self.bytes.drain(..count.min(self.bytes.len()));
            if self.bytes.is_empty() && self.is_stream {
                self.bytes = self.rest.take(PIECE)?;
            }
            if self.bytes.is_empty() || !self.is_stream {
                return Ok(());
            }
        }
    }

    /// What the sender gets when nothing more is sent.
    fn answer(&self, stopped: Option<Errno>) -> Sys<i64> {
        match stopped {
            Some(errno) if self.sent == 0 => {
                if errno == Errno(libc::EPIPE)
                    && self.is_stream
                    && self.flags & libc::MSG_NOSIGNAL == 0
                {
                    self.caller.break_its_pipe();
                }
                Err(errno)
            }
            _ => match self.length_at {
                Some(length_at) => {
                    let sent = u32::try_from(self.sent).unwrap_or(u32::MAX);
                    notify::put_into(self.caller.thread, length_at, &sent.to_ne_bytes())?;
                    Ok(1)
                }
                None => Ok(i64::try_from(self.sent).unwrap_or(i64::MAX)),
            },
        }
    }
}

pub(super) fn attempt(socket: OwnedFd, mut sending: Sending) -> Progress {
    match sending.go_on(&socket) {
        Ok(()) => Progress::Over(sending.answer(None)),
        Err(Errno(libc::EAGAIN)) if sending.waits => {
            Progress::UnderWay(socket, Left::Send(Box::new(sending)))
        }
        Err(errno) => Progress::Over(sending.answer(Some(errno))),
    }
}
