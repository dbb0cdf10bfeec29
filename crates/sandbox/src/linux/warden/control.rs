//! What comes with a message on a Unix socket: descriptors, and who sent it.

use std::os::fd::{AsRawFd, OwnedFd};

use super::super::sys::{Errno, Sys, process};
use super::caller::Caller;

/// Bytes of a `struct cmsghdr`, and what they are padded to.
const HEAD: usize = 16;
const STEP: usize = 8;

/// What comes with a message, with this process's numbers for what the sender's stood for.
#[derive(Debug, Default)]
pub(super) struct Control {
    pub(super) bytes: Vec<u8>,
    /// The descriptors in it, open until it is sent.
    pub(super) descriptors: Vec<OwnedFd>,
}

impl Control {
    /// For a socket whose messages bring nothing that is a process's own.
    pub(super) fn plain(bytes: Vec<u8>) -> Self {
        Self { bytes, descriptors: Vec::new() }
    }

    /// For a Unix socket. With `as_caller` whoever asks who sent the message is told the caller, as
    /// if it had sent it itself.
    pub(super) fn of_unix(bytes: Vec<u8>, caller: &Caller, as_caller: bool) -> Sys<Self> {
        let mut control = Self::plain(bytes);
        let (mut at, mut says_who) = (0, false);
        while control.bytes.len().saturating_sub(at) >= HEAD {
            let Some(item) = Item::at(&control.bytes, at) else { return Err(Errno(libc::EINVAL)) };
            match (item.level, item.kind) {
                (libc::SOL_SOCKET, libc::SCM_RIGHTS) => control.fetch(&item, caller)?,
                (libc::SOL_SOCKET, libc::SCM_CREDENTIALS) => {
                    says_who = true;
                    check_sender(&control.bytes[item.start..item.end], caller)?;
                }
                _ => {}
            }
            at = item.end.next_multiple_of(STEP);
        }
        if as_caller && !says_who {
            control.bytes.resize(control.bytes.len().next_multiple_of(STEP), 0);
            control.bytes.extend(credentials(caller.process()?));
        }
        Ok(control)
    }

    /// Puts this process's numbers for the caller's descriptors.
    fn fetch(&mut self, item: &Item, caller: &Caller) -> Sys<()> {
        for number in self.bytes[item.start..item.end].chunks_exact_mut(size_of::<i32>()) {
            let theirs = number.first_chunk().map_or(-1, |bytes| i32::from_ne_bytes(*bytes));
            let own = caller.descriptor(theirs)?;
            number.copy_from_slice(&own.as_raw_fd().to_ne_bytes());
            self.descriptors.push(own);
        }
        Ok(())
    }
}

/// One thing that comes with a message: what it is, and where its data are.
#[derive(Debug, PartialEq, Eq)]
struct Item {
    level: i32,
    kind: i32,
    start: usize,
    end: usize,
}

impl Item {
    /// `None` where its length makes no sense.
    fn at(bytes: &[u8], at: usize) -> Option<Self> {
        let head = bytes.get(at..at + HEAD)?;
        let length = usize::try_from(u64::from_ne_bytes(*head.first_chunk()?)).ok()?;
        let number = |at: usize| Some(i32::from_ne_bytes(*head.get(at..)?.first_chunk()?));
        let fits = length >= HEAD && length <= bytes.len() - at;
        let (level, kind) = (number(8)?, number(12)?);
        fits.then_some(Self { level, kind, start: at + HEAD, end: at + length })
    }
}

/// Nobody may say that another sent something. Who the user is, the kernel looks at.
fn check_sender(said: &[u8], caller: &Caller) -> Sys<()> {
    let process = said.first_chunk().map(|bytes| i32::from_ne_bytes(*bytes));
    match process {
        Some(process) if process != caller.process()? => Err(Errno(libc::EPERM)),
        _ => Ok(()),
    }
}

/// That a process of this user sent something.
fn credentials(process: i32) -> Vec<u8> {
    const LENGTH: u64 = 28;
    let (user, group) = process::ids();
    let mut bytes = LENGTH.to_ne_bytes().to_vec();
    bytes.extend(libc::SOL_SOCKET.to_ne_bytes());
    bytes.extend(libc::SCM_CREDENTIALS.to_ne_bytes());
    bytes.extend(process.to_ne_bytes());
    bytes.extend(user.to_ne_bytes());
    bytes.extend(group.to_ne_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(length: u64, level: i32, kind: i32, data: &[u8]) -> Vec<u8> {
        let mut bytes = length.to_ne_bytes().to_vec();
        bytes.extend(level.to_ne_bytes());
        bytes.extend(kind.to_ne_bytes());
        bytes.extend(data);
        bytes
    }

    #[test]
    fn an_item_must_lie_within_what_was_given() {
        let whole = item(20, 1, 2, &[7, 0, 0, 0]);
        let found = Item::at(&whole, 0).unwrap();
        assert_eq!(found, Item { level: 1, kind: 2, start: 16, end: 20 });
        for length in [0, 15, 21, u64::MAX] {
            assert_eq!(Item::at(&item(length, 1, 2, &[7, 0, 0, 0]), 0), None, "{length}");
        }
        assert_eq!(Item::at(&whole, 8), None);
    }

    #[test]
    fn credentials_are_an_item() {
        let bytes = credentials(77);
        let found = Item::at(&bytes, 0).unwrap();
        assert_eq!((found.level, found.kind), (libc::SOL_SOCKET, libc::SCM_CREDENTIALS));
        assert_eq!(bytes[found.start..found.start + 4], 77_i32.to_ne_bytes());
        assert_eq!(found.end, bytes.len());
    }
}
