//! The kernel's calls as safe functions: the only place of this crate that is not safe Rust.
//!
//! Most of them have no wrapper in any library that works between a fork and an exec.

pub(crate) mod confine;
pub(crate) mod files;
pub(crate) mod mount;
pub(crate) mod notify;
pub(crate) mod process;
pub(crate) mod signals;
pub(crate) mod sockets;

/// What the kernel answered instead of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Errno(pub(crate) i32);

impl From<Errno> for std::io::Error {
    fn from(errno: Errno) -> Self {
        Self::from_raw_os_error(errno.0)
    }
}

impl From<std::io::Error> for Errno {
    fn from(error: std::io::Error) -> Self {
        Self(error.raw_os_error().unwrap_or(libc::EIO))
    }
}

/// A call's result.
pub(crate) type Sys<T> = Result<T, Errno>;

/// The error of the last call.
pub(crate) fn last() -> Errno {
    Errno::from(std::io::Error::last_os_error())
}

/// The number that a call gave, where negative numbers are errors.
fn number(answer: libc::c_long) -> Sys<i32> {
    if answer < 0 {
        return Err(last());
    }
    Ok(i32::try_from(answer).unwrap_or(i32::MAX))
}

/// Nothing, of a call that only succeeds or fails.
fn done(answer: libc::c_long) -> Sys<()> {
    number(answer).map(|_| ())
}
