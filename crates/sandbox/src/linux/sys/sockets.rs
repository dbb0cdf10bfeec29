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

    pub(crate) fn is_unix(self) -> bool {
        self.family == libc::AF_UNIX
    }

    /// Each message has an address of its own.
    pub(crate) fn is_datagram(self) -> bool {
        self.kind == libc::SOCK_DGRAM
    }

    /// Messages have no borders: one can be sent in pieces.
    pub(crate) fn is_stream(self) -> bool {
        self.kind == libc::SOCK_STREAM
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

/// A message, or a piece of what a stream sends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'a> {
    pub(crate) address: &'a [u8],
    pub(crate) bytes: &'a [u8],
    /// What comes with it for the kernel.
    pub(crate) control: &'a [u8],
    pub(crate) flags: i32,
}

/// Sends without waiting; gives how many bytes.
pub(crate) fn send(socket: BorrowedFd<'_>, piece: Piece<'_>) -> Sys<usize> {
    let mut part = libc::iovec {
        iov_base: piece.bytes.as_ptr().cast_mut().cast(),
        iov_len: piece.bytes.len(),
    };
    // SAFETY: all fields are numbers and pointers, for which zero is a value.
    let mut header: libc::msghdr = unsafe { std::mem::zeroed() };
    if !piece.address.is_empty() {
        header.msg_name = piece.address.as_ptr().cast_mut().cast();
        header.msg_namelen = libc::socklen_t::try_from(piece.address.len()).unwrap_or(0);
    }
    header.msg_iov = &raw mut part;
    header.msg_iovlen = 1;
    if !piece.control.is_empty() {
        header.msg_control = piece.control.as_ptr().cast_mut().cast();
        header.msg_controllen = piece.control.len() as _;
    }
    let flags = piece.flags | libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
    // SAFETY: all that the header points to lives through the call, and none of it is written to.
    let sent = unsafe { libc::sendmsg(socket.as_raw_fd(), &raw const header, flags) };
    usize::try_from(sent).map_err(|_| last())
}
