//! What the arguments of a call point to.

use super::super::sys::notify::memory_of;
use super::super::sys::{Errno, Sys};

/// Bytes of the longest address that the kernel takes.
const LONGEST_ADDRESS: u64 = 128;
/// More than the longest message that any socket takes whole: its buffer is smaller.
pub(super) const LONGEST_MESSAGE: usize = 1 << 20;
/// How much of what a stream sends is held at once.
pub(super) const PIECE: usize = 256 << 10;
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
        let count = |at| usize::try_from(word(&bytes, at)).unwrap_or(usize::MAX);
        Ok(Self {
            name: (word(&bytes, 0), word(&bytes, 8) & u64::from(u32::MAX)),
            parts: (word(&bytes, 16), count(24)),
            control: (word(&bytes, 32), count(40)),
        })
    }

    pub(super) fn name(&self, thread: i32) -> Sys<Vec<u8>> {
        if self.name.0 == 0 { Ok(Vec::new()) } else { address(thread, self.name.0, self.name.1) }
    }

    pub(super) fn control(&self, thread: i32) -> Sys<Vec<u8>> {
        if self.control.1 > LONGEST_CONTROL {
            return Err(Errno(libc::ENOBUFS));
        }
        memory_of(thread, self.control.0, self.control.1)
    }

    pub(super) fn content(&self, thread: i32) -> Sys<Content> {
        if self.parts.1 > MOST_PARTS {
            return Err(Errno(libc::EMSGSIZE));
        }
        let list = memory_of(thread, self.parts.0, self.parts.1 * 16)?;
        let part = |part: &[u8]| (word(part, 0), word(part, 8));
        Ok(Content { thread, parts: list.chunks_exact(16).map(part).collect() })
    }
}

/// What a message consists of, in the memory of who sends it.
#[derive(Debug)]
pub(super) struct Content {
    thread: i32,
    /// Where each part is and how long.
    parts: Vec<(u64, u64)>,
}

impl Content {
    pub(super) fn one(thread: i32, at: u64, length: u64) -> Self {
        Self { thread, parts: vec![(at, length)] }
    }

    pub(super) fn length(&self) -> u64 {
        self.parts.iter().fold(0, |sum, (_, length)| sum.saturating_add(*length))
    }

    /// The next bytes of it, at most so many.
    pub(super) fn take(&mut self, most: usize) -> Sys<Vec<u8>> {
        let mut all = Vec::new();
        for (at, length) in &mut self.parts {
            let count = usize::try_from(*length).unwrap_or(usize::MAX).min(most - all.len());
            all.extend(memory_of(self.thread, *at, count)?);
            *at = at.saturating_add(count as u64);
            *length -= count as u64;
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

fn word(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |word| u64::from_ne_bytes(*word))
}
