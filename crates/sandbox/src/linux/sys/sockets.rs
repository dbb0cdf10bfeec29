//! Sockets of other processes, used for them.
#![expect(unsafe_code, reason = "system calls that the standard library does not have")]

use std::os::fd::{AsRawFd, BorrowedFd};

use super::{Errno, Sys, done, last, number};

/// What kind of socket it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) family: i32,
    pub(crate) kind: i32,
}

impl Kind {
    pub(crate) fn of(socket: BorrowedFd<'_>) -> Sys<Self> {
        Ok(Self { family: option(socket, libc::SO_DOMAIN)?, kind: option(socket, libc::SO_TYPE)? })
    }

    pub(crate) fn is_internet(self) -> bool {
        matches!(self.family, libc::AF_INET | libc::AF_INET6)
    }

    /// Each message has an address of its own.
    pub(crate) fn is_datagram(self) -> bool {
        self.kind == libc::SOCK_DGRAM
    }
}

fn option(socket: BorrowedFd<'_>, option: i32) -> Sys<i32> {
    let mut value: libc::c_int = 0;
    let mut length = libc::socklen_t::try_from(size_of::<libc::c_int>()).unwrap_or(4);
    // SAFETY: the kernel fills the number that it is given, whose size it is told.
    done(libc::c_long::from(unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            option,
            (&raw mut value).cast(),
            &raw mut length,
        )
    }))?;
    Ok(value)
}

/// What became of what was begun at a socket without waiting.
pub(crate) fn error_of(socket: BorrowedFd<'_>) -> Sys<()> {
    match option(socket, libc::SO_ERROR)? {
        0 => Ok(()),
        errno => Err(Errno(errno)),
    }
}

/// Whether calls at a socket wait.
pub(crate) fn is_blocking(socket: BorrowedFd<'_>) -> Sys<bool> {
    Ok(flags(socket)? & libc::O_NONBLOCK == 0)
}

fn flags(socket: BorrowedFd<'_>) -> Sys<i32> {
    // SAFETY: numbers only.
    number(libc::c_long::from(unsafe { libc::fcntl(socket.as_raw_fd(), libc::F_GETFL) }))
}

fn set_flags(socket: BorrowedFd<'_>, flags: i32) -> Sys<()> {
    // SAFETY: numbers only.
    done(libc::c_long::from(unsafe { libc::fcntl(socket.as_raw_fd(), libc::F_SETFL, flags) }))
}

/// Connects without waiting. The flag that says so is of the open file, which is the other
/// process's, too: it has it for no longer than this call.
pub(crate) fn connect(socket: BorrowedFd<'_>, address: &[u8]) -> Sys<()> {
    let before = flags(socket)?;
    if before & libc::O_NONBLOCK == 0 {
        set_flags(socket, before | libc::O_NONBLOCK)?;
    }
    let length = libc::socklen_t::try_from(address.len()).unwrap_or(0);
    // SAFETY: pointer and length are of one slice.
    let answer = unsafe { libc::connect(socket.as_raw_fd(), address.as_ptr().cast(), length) };
    let connected = done(libc::c_long::from(answer));
    if before & libc::O_NONBLOCK == 0 {
        set_flags(socket, before)?;
    }
    connected
}

/// A message to send.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) address: Vec<u8>,
    pub(crate) bytes: Vec<u8>,
    /// What comes with it for the kernel.
    pub(crate) control: Vec<u8>,
    pub(crate) flags: i32,
}

/// Sends without waiting; gives how many bytes.
pub(crate) fn send(socket: BorrowedFd<'_>, message: &Message) -> Sys<i64> {
    let mut part = libc::iovec {
        iov_base: message.bytes.as_ptr().cast_mut().cast(),
        iov_len: message.bytes.len(),
    };
    // SAFETY: all fields are numbers and pointers, for which zero is a value.
    let mut header: libc::msghdr = unsafe { std::mem::zeroed() };
    if !message.address.is_empty() {
        header.msg_name = message.address.as_ptr().cast_mut().cast();
        header.msg_namelen = libc::socklen_t::try_from(message.address.len()).unwrap_or(0);
    }
    header.msg_iov = &raw mut part;
    header.msg_iovlen = 1;
    if !message.control.is_empty() {
        header.msg_control = message.control.as_ptr().cast_mut().cast();
        header.msg_controllen = message.control.len() as _;
    }
    let flags = message.flags | libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
    // SAFETY: all that the header points to lives through the call, and none of it is written to.
    let sent = unsafe { libc::sendmsg(socket.as_raw_fd(), &raw const header, flags) };
    if sent < 0 { Err(last()) } else { Ok(i64::try_from(sent).unwrap_or(i64::MAX)) }
}
