//! Makes connections for a command whose network has closed addresses.
//!
//! A filter of system calls sees numbers, not the addresses that they point to, and an address
//! that is looked at and then left to the kernel can be another one by then. So the calls wait, and
//! the first process of the command makes them itself: on the same socket, with the address that
//! it has looked at.
//!
//! It goes on itself for what cannot reach an address of the internet by TCP. That leaves one way:
//! a command whose threads exchange a socket and an address in the right instant can send single
//! messages (UDP) to a closed address.

mod closed;
mod connect;
mod read;
mod send;

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

pub(crate) use self::closed::Closed;
use super::sys::notify::{self, For, Outcome, Waiting};
use super::sys::sockets::{self, Message};
use super::sys::{Errno, Sys};

/// How soon something is tried again that nothing tells of, in milliseconds.
const AGAIN: i32 = 5;
/// Calls that may be under way at once; each holds a socket.
const MOST: usize = 512;

/// Makes the calls of a command that wait for it.
pub(crate) struct Warden {
    listener: OwnedFd,
    signals: OwnedFd,
    closed: Closed,
    /// The numbers in `/proc` are those of this process's namespace.
    has_processes_view: bool,
    under_way: Vec<UnderWay>,
}

/// A call that could not be made at once.
struct UnderWay {
    id: u64,
    socket: OwnedFd,
    left: Left,
}

impl UnderWay {
    fn wants(&self) -> (BorrowedFd<'_>, For) {
        let what = match self.left {
            Left::Connect(_) => For::Nothing,
            Left::Connected | Left::Send(..) => For::Writing,
        };
        (self.socket.as_fd(), what)
    }
}

/// What is left to do of a call.
enum Left {
    /// To hear what became of a connection.
    Connected,
    /// To connect again: the other side takes no more at the moment, and nothing tells when it
    /// does.
    Connect(Vec<u8>),
    /// To send again when there is room; where the length goes, for a list of messages.
    Send(Message, Option<u64>, i32),
}

/// How far a call is.
enum Progress {
    Over(Outcome),
    UnderWay(OwnedFd, Left),
}

impl Warden {
    pub(crate) fn new(listener: OwnedFd, closed: Closed, has_processes_view: bool) -> Sys<Self> {
        let signals = notify::signals()?;
        Ok(Self { listener, signals, closed, has_processes_view, under_way: Vec::new() })
    }

    /// The descriptors that it needs.
    pub(crate) fn descriptors(&self) -> [BorrowedFd<'_>; 2] {
        [self.listener.as_fd(), self.signals.as_fd()]
    }

    /// Makes calls until a signal has come.
    pub(crate) fn serve_until_signal(&mut self) {
        loop {
            let mut wanted =
                vec![(self.signals.as_fd(), For::Reading), (self.listener.as_fd(), For::Reading)];
            wanted.extend(self.under_way.iter().map(UnderWay::wants));
            let retries = wanted.iter().any(|(_, what)| *what == For::Nothing);
            let ready = notify::ready(&wanted, if retries { AGAIN } else { -1 });
            if ready[0] {
                return;
            }
            self.go_on(&ready[2..]);
            if ready[1] {
                self.take_next();
            }
        }
    }

    fn take_next(&mut self) {
        let Ok(waiting) = notify::next(self.listener.as_fd()) else { return };
        if self.under_way.len() >= MOST {
            let listener = self.listener.as_fd();
            self.under_way.retain(|call| notify::waits(listener, call.id));
        }
        let progress = if self.under_way.len() < MOST {
            self.make(&waiting)
        } else {
            Err(Errno(libc::EAGAIN))
        };
        self.note(waiting.id, progress);
    }

    fn make(&self, waiting: &Waiting) -> Sys<Progress> {
        match waiting.number {
            libc::SYS_connect => self.connect(waiting),
            libc::SYS_sendto => self.send_to(waiting),
            libc::SYS_sendmsg => self.send_message(waiting),
            libc::SYS_sendmmsg => self.send_messages(waiting),
            _ => Ok(Progress::Over(Outcome::Proceed)),
        }
    }

    fn note(&mut self, id: u64, progress: Sys<Progress>) {
        match progress {
            Ok(Progress::UnderWay(socket, left)) => {
                self.under_way.push(UnderWay { id, socket, left });
            }
            Ok(Progress::Over(outcome)) => notify::answer(self.listener.as_fd(), id, outcome),
            Err(errno) => notify::answer(self.listener.as_fd(), id, Outcome::Answer(Err(errno))),
        }
    }

    /// Goes on with the calls that something has come for, or may have.
    fn go_on(&mut self, ready: &[bool]) {
        let calls = std::mem::take(&mut self.under_way);
        for (call, ready) in calls.into_iter().zip(ready) {
            if !notify::waits(self.listener.as_fd(), call.id) {
                continue;
            }
            let UnderWay { id, socket, left } = call;
            let progress = match left {
                Left::Connected if *ready => {
                    Ok(over(sockets::error_of(socket.as_fd()).map(|()| 0)))
                }
                Left::Connect(address) => connect::attempt(socket, address),
                Left::Send(message, length_at, thread) if *ready => {
                    send::attempt(socket, message, length_at, thread)
                }
                left => Ok(Progress::UnderWay(socket, left)),
            };
            self.note(id, progress);
        }
    }

    /// The socket that a call is about, and the address it was given, read once.
    fn socket_of(&self, waiting: &Waiting) -> Sys<OwnedFd> {
        let process = notify::process_of(waiting.thread)?;
        let number = i32::try_from(waiting.arguments[0]).map_err(|_| Errno(libc::EBADF))?;
        let socket = notify::descriptor_of(process.as_fd(), number)?;
        // Until here the thread's number could have become another's.
        if notify::waits(self.listener.as_fd(), waiting.id) {
            Ok(socket)
        } else {
            Err(Errno(libc::EINTR))
        }
    }
}

fn over(answer: Sys<i64>) -> Progress {
    Progress::Over(Outcome::Answer(answer))
}

/// What the kernel is left to do itself.
fn proceed() -> Progress {
    Progress::Over(Outcome::Proceed)
}
