//! Makes the calls of a command that give an address: it connects and sends for it.
//!
//! A filter of system calls sees numbers, not the addresses that they point to, and an address
//! that is looked at and then left to the kernel can be another one by then. So the calls wait, and
//! the first process of the command makes them itself: on the same socket, with the address that
//! it has looked at, or to the socket file that it has opened and looked at. None of them is ever
//! left to the kernel: whatever another thread does meanwhile, what was looked at is what happens.
//!
//! What the other side can tell: of a connection, that the first process made it (the user is the
//! same); of messages, that their sender sent them.

mod caller;
mod closed;
mod connect;
mod control;
mod place;
mod read;
mod send;

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

pub(crate) use self::closed::Closed;
pub(crate) use self::place::Places;
use super::sys::notify::{self, For, Waiting};
use super::sys::process::{self, Forked};
use super::sys::sockets::{self, Kind};
use super::sys::{Errno, Sys, files};
use caller::Caller;
use place::Target;
use send::Sending;

/// How soon something is tried again that nothing tells of, in milliseconds.
const AGAIN: i32 = 5;
/// Calls that may be under way at once; each holds a socket.
const MOST: usize = 512;

/// What a command may reach by an address.
#[derive(Clone, Debug)]
pub(crate) struct Reach {
    /// Addresses of the internet that it does not reach.
    pub(crate) closed: Closed,
    /// Unix sockets that it does.
    pub(crate) places: Places,
    /// Names without a file are its own, or held by Landlock.
    pub(crate) abstract_names: bool,
}

/// Makes the calls of a command that wait for it.
pub(crate) struct Warden {
    listener: OwnedFd,
    signals: OwnedFd,
    reach: Reach,
    /// This process may say that another sent something.
    speaks_for_others: bool,
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
        let what = match &self.left {
            Left::Connect(_) => For::Nothing,
            Left::Send(sending) if sending.has_to_ask_again() => For::Nothing,
            Left::Connected | Left::Send(_) => For::Writing,
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
    Connect(Target),
    /// To send again, or on, when there is room.
    Send(Box<Sending>),
}

/// How far a call is.
enum Progress {
    Over(Sys<i64>),
    UnderWay(OwnedFd, Left),
}

impl Warden {
    pub(crate) fn new(listener: OwnedFd, reach: Reach, speaks_for_others: bool) -> Sys<Self> {
        let signals = notify::signals()?;
        notify::hand_over_at_once(listener.as_fd());
        Ok(Self { listener, signals, reach, speaks_for_others, under_way: Vec::new() })
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
            _ => Err(Errno(libc::ENOSYS)),
        }
    }

    fn note(&mut self, id: u64, progress: Sys<Progress>) {
        match progress {
            Ok(Progress::UnderWay(socket, left)) => {
                self.under_way.push(UnderWay { id, socket, left });
            }
            Ok(Progress::Over(answer)) => notify::answer(self.listener.as_fd(), id, answer),
            Err(errno) => notify::answer(self.listener.as_fd(), id, Err(errno)),
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
                    Ok(Progress::Over(sockets::error_of(socket.as_fd()).map(|()| 0)))
                }
                Left::Connect(target) => connect::attempt(socket, target),
                Left::Send(sending) if *ready || sending.has_to_ask_again() => {
                    Ok(send::attempt(socket, *sending))
                }
                left => Ok(Progress::UnderWay(socket, left)),
            };
            self.note(id, progress);
        }
    }

    /// The socket that a call is about.
    fn socket_of(&self, waiting: &Waiting, caller: &Caller) -> Sys<OwnedFd> {
        let socket = caller.descriptor(number(waiting.arguments[0]))?;
        self.check_waits(waiting)?;
        Ok(socket)
    }

    /// Until here the thread's number could have become another's.
    fn check_waits(&self, waiting: &Waiting) -> Sys<()> {
        if notify::waits(self.listener.as_fd(), waiting.id) {
            Ok(())
        } else {
            Err(Errno(libc::EINTR))
        }
    }

    /// Where an address leads, if the command may go there.
    fn target(&self, address: Vec<u8>, kind: Kind, caller: &Caller) -> Sys<Target> {
        let Reach { closed, places, abstract_names } = &self.reach;
        if kind.is_unix() {
            return place::target(address, caller, places, *abstract_names);
        }
        if kind.is_internet() && closed.holds(&address, kind.is_datagram()) {
            return Err(Errno(libc::EACCES));
        }
        Ok(Target::plain(address))
    }
}

/// Descriptors and flags are 32 bits, whatever stands above them.
fn number(argument: u64) -> i32 {
    #[expect(clippy::cast_possible_truncation, reason = "the kernel takes the lower half")]
    let low = argument as u32;
    low.cast_signed()
}

/// Whether this process can look into another one as it has to, tried on a copy of itself.
pub(crate) fn try_out() -> Sys<()> {
    let (told, telling) = files::pipe()?;
    let (held, holding) = files::pipe()?;
    let (pid, handle) = match process::fork(0)? {
        Forked::Child => {
            drop(holding);
            let _ = process::be_transparent();
            let _ = files::write(telling.as_raw_fd(), b"!");
            // It ends with whoever tries it.
            let _ = files::read_some(held.as_raw_fd());
            process::exit(0);
        }
        Forked::Parent(pid, handle) => (pid, handle),
    };
    let look = || {
        files::read_some(told.as_raw_fd())?;
        notify::descriptor_of(handle.as_fd(), held.as_raw_fd())?;
        notify::memory_of(pid, std::ptr::from_ref(&AGAIN) as u64, size_of::<i32>()).map(|_| ())
    };
    let looked = look();
    drop(holding);
    process::wait(pid, true);
    looked
}
