//! What the arguments of a call point to.

use super::super::sys::notify::memory_of;
use super::super::sys::{Errno, Sys};

/// Bytes of the longest address that the kernel takes.
const LONGEST_ADDRESS: u64 = 128;
/// More than the longest message of one packet, so that a longer one is refused as too long.
const LONGEST_MESSAGE: usize = 66_000;
const LONGEST_CONTROL: usize = 4096;
const MOST_PARTS: usize = 1024;

/// `struct msghdr`, as far as it matters here.
pub(super) struct Header {
    name: (u64, u64),
    parts: (u64, usize),
    control: (u64, usize),
}

/// Bytes of a `struct msghdr`.
pub(super) const HEADER: usize = 56;

impl Header {
    pub(super) fn of(thread: i32, address: u64) -> Sys<Self> {
        let bytes = memory_of(thread, address, HEADER)?;
        let word =
            |at: usize| bytes[at..].first_chunk().map_or(0, |word| u64::from_ne_bytes(*word));
        let count = |at| usize::try_from(word(at)).unwrap_or(usize::MAX);
        Ok(Self {
            name: (word(0), word(8) & u64::from(u32::MAX)),
            parts: (word(16), count(24)),
            control: (word(32), count(40)),
        })
    }

    pub(super) fn has_name(&self) -> bool {
        self.name.0 != 0
    }

    pub(super) fn name(&self, thread: i32) -> Sys<Vec<u8>> {
        if self.has_name() { address(thread, self.name.0, self.name.1) } else { Ok(Vec::new()) }
    }

    pub(super) fn control(&self, thread: i32) -> Sys<Vec<u8>> {
        if self.control.1 > LONGEST_CONTROL {
            return Err(Errno(libc::ENOBUFS));
        }
        memory_of(thread, self.control.0, self.control.1)
    }

    /// All parts of the message as one.
    pub(super) fn bytes(&self, thread: i32) -> Sys<Vec<u8>> {
        if self.parts.1 > MOST_PARTS {
            return Err(Errno(libc::EMSGSIZE));
        }
        let list = memory_of(thread, self.parts.0, self.parts.1 * 16)?;
        let mut all = Vec::new();
        for part in list.chunks_exact(16) {
            let word = |at: usize| part[at..].first_chunk().map_or(0, |w| u64::from_ne_bytes(*w));
            let left = LONGEST_MESSAGE - all.len();
            all.extend(bytes_up_to(thread, word(0), word(8), left)?);
        }
        Ok(all)
    }
}

/// An address that a call was given.
pub(super) fn address(thread: i32, at: u64, length: u64) -> Sys<Vec<u8>> {
    if length > LONGEST_ADDRESS {
        return Err(Errno(libc::EINVAL));
    }
    memory_of(thread, at, usize::try_from(length).unwrap_or(0))
}

/// A message that a call was given.
pub(super) fn message(thread: i32, at: u64, length: u64) -> Sys<Vec<u8>> {
    bytes_up_to(thread, at, length, LONGEST_MESSAGE)
}

fn bytes_up_to(thread: i32, at: u64, length: u64, most: usize) -> Sys<Vec<u8>> {
    memory_of(thread, at, usize::try_from(length).unwrap_or(usize::MAX).min(most))
}
