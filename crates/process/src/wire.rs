//! What dogu and its supervisor say to each other: frames over one Unix socket.
//!
//! A frame is two lengths, a JSON header, and bytes that need not be text: words of a command line,
//! the environment, a folder. Descriptors travel with the first byte of their frame.

use std::collections::VecDeque;
use std::ffi::CString;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use dogu_sandbox::{Confinement, Machine};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Descriptors that a frame can bring: input, output and errors of a command.
const MAX_DESCRIPTORS: usize = 3;
/// The most that a frame may have: the kernel takes at most 2 MB of words and environment.
const MAX_FRAME: usize = 8 * 1024 * 1024;
/// The two lengths.
const PREFIX: usize = 8;
/// How much is read at once.
const CHUNK: usize = 16 * 1024;

/// What dogu wants of its supervisor.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Order {
    /// Say what the kernel offers.
    Probe {
        /// How long that may take.
        within_ms: u64,
    },
    /// Start a command; its three descriptors come along.
    Start(Box<Start>),
    /// Send a signal to all of a command's processes.
    Signal {
        /// Which command.
        id: u64,
        /// The signal.
        signal: i32,
    },
    /// Kill a command that is still there after a while.
    KillAfter {
        /// Which command.
        id: u64,
        /// How long it has.
        after_ms: u64,
    },
    /// The input of a command was closed: it may end by itself, as its start has said.
    LetGo {
        /// Which command.
        id: u64,
    },
    /// End a command: politely, and after a while not so.
    Stop {
        /// Which command.
        id: u64,
        /// How long it may take to end by itself.
        grace_ms: u64,
    },
}

/// A command to start. Words, environment and folder are in the frame's bytes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Start {
    pub(crate) id: u64,
    /// How many of the texts are words; the last is the folder, those between the environment.
    pub(crate) words: usize,
    /// Its descriptors are a terminal of its own.
    pub(crate) terminal: bool,
    pub(crate) confinement: Option<Confinement>,
    /// Without a confinement: its processes get numbers of their own, where that can be.
    pub(crate) apart: bool,
    pub(crate) parting: Option<Parting>,
}

/// How a program ends that reads its input to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parting {
    /// How long it may take to end by itself once its input is closed.
    pub by_itself: Duration,
    /// How long after it was asked to end.
    pub grace: Duration,
}

/// What the supervisor answers.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Answer {
    /// What the kernel offers.
    Machine(Box<Machine>),
    /// A command runs.
    Started {
        /// Which command.
        id: u64,
        /// The process above it.
        pid: i32,
    },
    /// A command could not be started.
    Failed {
        /// Which command.
        id: u64,
        /// What could not be done, and why.
        what: String,
    },
    /// A command and all that it started is gone.
    Ended {
        /// Which command.
        id: u64,
        /// Its exit code.
        exit_code: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
    },
}

/// One end of the socket, with what is not yet sent and what is not yet a whole frame.
pub(crate) struct Wire {
    socket: OwnedFd,
    arrived: Vec<u8>,
    descriptors: VecDeque<OwnedFd>,
    unsent: VecDeque<u8>,
}

/// A frame that arrived.
pub(crate) struct Frame<T> {
    pub(crate) header: T,
    pub(crate) bytes: Vec<u8>,
}

impl Wire {
    /// Over a stream socket, which may be in either mode.
    pub(crate) fn new(socket: OwnedFd) -> Self {
        Self { socket, arrived: Vec::new(), descriptors: VecDeque::new(), unsent: VecDeque::new() }
    }

    /// The oldest descriptors that came with frames.
    pub(crate) fn take_descriptors(&mut self) -> Option<[OwnedFd; 3]> {
        let taken: Vec<OwnedFd> =
            self.descriptors.drain(..MAX_DESCRIPTORS.min(self.descriptors.len())).collect();
        taken.try_into().ok()
    }

    /// Something waits to be sent.
    pub(crate) fn has_unsent(&self) -> bool {
        !self.unsent.is_empty()
    }

    /// Reads what is there, once; false at the end.
    pub(crate) fn receive(&mut self) -> io::Result<bool> {
        let mut chunk = [0; CHUNK];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
        let received =
            match recvmsg(&self.socket, &mut [IoSliceMut::new(&mut chunk)], &mut control, flags) {
                Ok(received) => received,
                Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => return Ok(true),
                Err(error) => return Err(error.into()),
            };
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(descriptors) = message {
                self.descriptors.extend(descriptors);
            }
        }
        self.arrived.extend_from_slice(&chunk[..received.bytes]);
        Ok(received.bytes > 0)
    }

    /// The next whole frame.
    pub(crate) fn next<T: DeserializeOwned>(&mut self) -> io::Result<Option<Frame<T>>> {
        let Some(prefix) = self.arrived.first_chunk::<PREFIX>() else { return Ok(None) };
        let (header, bytes) = lengths(*prefix)?;
        let end = PREFIX + header + bytes;
        if self.arrived.len() < end {
            return Ok(None);
        }
        let frame = Frame {
            header: serde_json::from_slice(&self.arrived[PREFIX..PREFIX + header])?,
            bytes: self.arrived[PREFIX + header..end].to_vec(),
        };
        self.arrived.drain(..end);
        Ok(Some(frame))
    }

    /// Sends a frame whole, waiting where the other side is slow: for orders.
    pub(crate) fn send(
        socket: &OwnedFd,
        frame: &[u8],
        descriptors: &[BorrowedFd<'_>],
    ) -> io::Result<()> {
        let mut sent = send_some(socket, frame, descriptors, SendFlags::NOSIGNAL)?;
        while sent < frame.len() {
            sent += send_some(socket, &frame[sent..], &[], SendFlags::NOSIGNAL)?;
        }
        Ok(())
    }

    /// Sends a frame as far as that goes now, and keeps the rest: for answers.
    pub(crate) fn queue(&mut self, header: &impl Serialize) -> io::Result<()> {
        self.unsent.extend(frame(header, &[])?);
        self.flush()
    }

    /// Sends what waits, as far as that goes now.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        while !self.unsent.is_empty() {
            let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
            match send_some(&self.socket, self.unsent.make_contiguous(), &[], flags) {
                Ok(sent) => drop(self.unsent.drain(..sent)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl AsFd for Wire {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Texts of a frame's bytes; each ends with a NUL.
pub(crate) fn texts(bytes: &[u8]) -> Vec<CString> {
    let ended = bytes.strip_suffix(&[0]).unwrap_or(bytes);
    if ended.is_empty() && bytes.is_empty() {
        return Vec::new();
    }
    ended.split(|byte| *byte == 0).filter_map(|text| CString::new(text).ok()).collect()
}

/// A frame as it is sent.
pub(crate) fn frame(header: &impl Serialize, bytes: &[u8]) -> io::Result<Vec<u8>> {
    let header = serde_json::to_vec(header)?;
    let too_long = || io::Error::new(io::ErrorKind::InvalidInput, "it is too long");
    if header.len() + bytes.len() > MAX_FRAME {
        return Err(too_long());
    }
    let length = |of: &[u8]| u32::try_from(of.len()).map_err(|_| too_long());
    let mut frame = Vec::with_capacity(PREFIX + header.len() + bytes.len());
    frame.extend(length(&header)?.to_le_bytes());
    frame.extend(length(bytes)?.to_le_bytes());
    frame.extend(header);
    frame.extend(bytes);
    Ok(frame)
}

fn lengths(prefix: [u8; PREFIX]) -> io::Result<(usize, usize)> {
    let both = u64::from_le_bytes(prefix);
    let header = usize::try_from(both & u64::from(u32::MAX)).unwrap_or(usize::MAX);
    let bytes = usize::try_from(both >> 32).unwrap_or(usize::MAX);
    if header.saturating_add(bytes) > MAX_FRAME {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a frame is too long"));
    }
    Ok((header, bytes))
}

fn send_some(
    socket: &OwnedFd,
    bytes: &[u8],
    descriptors: &[BorrowedFd<'_>],
    flags: SendFlags,
) -> io::Result<usize> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() {
        control.push(SendAncillaryMessage::ScmRights(descriptors));
    }
    loop {
        match sendmsg(socket, &[IoSlice::new(bytes)], &mut control, flags) {
            Err(rustix::io::Errno::INTR) => {}
            sent => return Ok(sent?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

    fn pair() -> (OwnedFd, OwnedFd) {
        socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None).unwrap()
    }

    #[test]
    fn a_frame_arrives_with_its_bytes_and_descriptors() {
        let (ours, theirs) = pair();
        let mut wire = Wire::new(theirs);
        let parting =
            Parting { by_itself: Duration::from_secs(2), grace: Duration::from_millis(3) };
        let start = Start {
            id: 7,
            words: 2,
            terminal: false,
            confinement: None,
            apart: true,
            parting: Some(parting),
        };
        let given = [ours.as_fd(), ours.as_fd(), ours.as_fd()];
        let sent = frame(&Order::Start(Box::new(start)), b"a\0\xff\0/\0").unwrap();
        Wire::send(&ours, &sent, &given).unwrap();
        assert!(wire.receive().unwrap());
        let frame = wire.next::<Order>().unwrap().unwrap();
        let Order::Start(start) = frame.header else { panic!("{:?}", frame.header) };
        assert_eq!((start.id, start.apart, start.parting), (7, true, Some(parting)));
        assert_eq!(texts(&frame.bytes), [c"a".to_owned(), c"\xff".to_owned(), c"/".to_owned()]);
        assert!(wire.take_descriptors().is_some());
        assert!(wire.next::<Order>().unwrap().is_none());
    }

    #[test]
    fn a_frame_in_pieces_is_one() {
        let (ours, theirs) = pair();
        let mut wire = Wire::new(theirs);
        let whole = frame(&Order::Signal { id: 1, signal: 2 }, b"x").unwrap();
        for byte in &whole {
            assert!(wire.next::<Order>().unwrap().is_none());
            rustix::io::write(&ours, &[*byte]).unwrap();
            assert!(wire.receive().unwrap());
        }
        assert_eq!(wire.next::<Order>().unwrap().unwrap().bytes, b"x");
        drop(ours);
        assert!(!wire.receive().unwrap());
    }

    #[test]
    fn nonsense_is_an_error() {
        let (ours, theirs) = pair();
        let mut wire = Wire::new(theirs);
        rustix::io::write(&ours, &[0xff; 16]).unwrap();
        assert!(wire.receive().unwrap());
        assert!(wire.next::<Order>().is_err());
    }

    #[test]
    fn texts_may_be_empty() {
        assert_eq!(texts(b""), Vec::<CString>::new());
        assert_eq!(texts(b"\0"), [c"".to_owned()]);
        assert_eq!(texts(b"a\0\0"), [c"a".to_owned(), c"".to_owned()]);
    }
}
