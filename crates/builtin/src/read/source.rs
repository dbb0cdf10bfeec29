//! The bytes of a file, hashed while they are read, and as UTF-8 where they come in wide units.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Result, Seek, SeekFrom};

use dogu_tool::CancelFlag;

use super::encoding::{Coding, Wide};
use super::plain::is_plain;

/// Larger files are not read to their end for a hash.
pub(super) const MAX_HASHED_BYTES: u64 = 64 * 1024 * 1024;
/// How much of a file is read at once.
const BLOCK_BYTES: usize = 256 * 1024;
/// How much is decoded at once.
const PIECE_BYTES: usize = 32 * 1024;

/// The bytes of a file from its beginning, as lines are read from it.
pub(super) enum Source<'f> {
    /// As they are.
    Plain(BufReader<Hashing<'f>>),
    /// Decoded to UTF-8.
    Wide(Box<Decoded<Hashing<'f>>>),
    /// As they are, in memory already: no buffer and no copy of them.
    Held(&'f [u8]),
    /// Decoded to UTF-8 from memory.
    HeldWide(Box<Decoded<&'f [u8]>>),
}

/// Where lines come from.
#[derive(Clone, Copy)]
pub(super) enum Origin<'a> {
    /// A file, and its size.
    File(&'a File, u64),
    /// All of a small file, or the text that was made of a document.
    Held(&'a [u8]),
    /// The same, where it is plain.
    Plain(&'a [u8]),
}

impl<'a> Origin<'a> {
    /// All of a file.
    pub(super) fn of_held(bytes: &'a [u8]) -> Self {
        if is_plain(bytes) { Self::Plain(bytes) } else { Self::Held(bytes) }
    }
}

impl<'f> Source<'f> {
    /// Reads from the beginning, again.
    pub(super) fn start(origin: Origin<'f>, coding: Coding) -> Result<Self> {
        match (origin, coding) {
            (Origin::Held(bytes), Coding::Wide(wide)) => {
                Ok(Self::HeldWide(Box::new(Decoded::new(bytes, wide))))
            }
            (Origin::Held(bytes) | Origin::Plain(bytes), _) => Ok(Self::Held(bytes)),
            (Origin::File(mut file, size), coding) => {
                file.seek(SeekFrom::Start(0))?;
                let bytes = Hashing::new(file, size);
                Ok(match coding {
                    Coding::Wide(wide) => Self::Wide(Box::new(Decoded::new(bytes, wide))),
                    _ => Self::Plain(BufReader::with_capacity(BLOCK_BYTES, bytes)),
                })
            }
        }
    }

    /// The hash of the whole file, where all of it was read from there and it is not too large.
    pub(super) fn hash(&self) -> Option<[u8; 32]> {
        match self {
            Self::Plain(bytes) => bytes.get_ref().hash(),
            Self::Wide(decoded) => decoded.inner.hash(),
            Self::Held(_) | Self::HeldWide(_) => None,
        }
    }

    /// Some units could not be decoded.
    pub(super) fn had_errors(&self) -> bool {
        match self {
            Self::Wide(decoded) => decoded.had_errors,
            Self::HeldWide(decoded) => decoded.had_errors,
            Self::Plain(_) | Self::Held(_) => false,
        }
    }
}

impl BufRead for Source<'_> {
    #[inline]
    fn fill_buf(&mut self) -> Result<&[u8]> {
        match self {
            Self::Plain(bytes) => bytes.fill_buf(),
            Self::Wide(decoded) => decoded.fill_buf(),
            Self::Held(bytes) => bytes.fill_buf(),
            Self::HeldWide(decoded) => decoded.fill_buf(),
        }
    }

    #[inline]
    fn consume(&mut self, amount: usize) {
        match self {
            Self::Plain(bytes) => bytes.consume(amount),
            Self::Wide(decoded) => decoded.consume(amount),
            Self::Held(bytes) => bytes.consume(amount),
            Self::HeldWide(decoded) => decoded.consume(amount),
        }
    }
}

impl Read for Source<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        let size = self.fill_buf()?.read(into)?;
        self.consume(size);
        Ok(size)
    }
}

/// The hash of all of a file.
pub(super) fn hash(mut file: &File, cancel: &CancelFlag) -> Result<[u8; 32]> {
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Hashing::new(file, 0);
    let mut piece = vec![0; PIECE_BYTES];
    while bytes.read(&mut piece)? > 0 {
        if cancel.is_canceled() {
            return Err(ErrorKind::Interrupted.into());
        }
    }
    bytes.hash().ok_or_else(|| ErrorKind::UnexpectedEof.into())
}

/// A file that is hashed while it is read.
pub(super) struct Hashing<'f> {
    file: &'f File,
    hasher: Option<Box<blake3::Hasher>>,
    at_end: bool,
}

impl<'f> Hashing<'f> {
    fn new(file: &'f File, size: u64) -> Self {
        let small = size <= MAX_HASHED_BYTES;
        Self { file, hasher: small.then(Box::default), at_end: false }
    }

    fn hash(&self) -> Option<[u8; 32]> {
        let hasher = self.hasher.as_ref().filter(|_| self.at_end)?;
        Some(*hasher.finalize().as_bytes())
    }
}

impl Read for Hashing<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        loop {
            match self.file.read(into) {
                // A signal, which is not the end of the call.
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(size) => {
                    self.at_end |= size == 0 && !into.is_empty();
                    if let Some(hasher) = &mut self.hasher {
                        hasher.update(&into[..size]);
                    }
                    return Ok(size);
                }
                error => return error,
            }
        }
    }
}

/// Wide units as UTF-8; what cannot be decoded becomes U+FFFD.
pub(super) struct Decoded<R> {
    inner: R,
    wide: Wide,
    /// Bytes of a unit, or of a pair of units, that is not whole yet.
    open: Vec<u8>,
    ready: Vec<u8>,
    given: usize,
    at_start: bool,
    ended: bool,
    had_errors: bool,
}

impl<R: Read> Decoded<R> {
    pub(super) fn new(inner: R, wide: Wide) -> Self {
        let open = Vec::with_capacity(PIECE_BYTES);
        let (ready, given) = (Vec::new(), 0);
        Self { inner, wide, open, ready, given, at_start: true, ended: false, had_errors: false }
    }

    fn fill(&mut self) -> Result<()> {
        let kept = self.open.len();
        self.open.resize(PIECE_BYTES, 0);
        let size = self.inner.read(&mut self.open[kept..])?;
        self.open.truncate(kept + size);
        self.ended = size == 0;
        let (text, used, errors) = self.wide.decode(&self.open, self.ended);
        self.open.drain(..used);
        self.had_errors |= errors;
        let mark = text.strip_prefix('\u{feff}').filter(|_| self.at_start);
        self.at_start &= text.is_empty();
        (self.ready, self.given) = (mark.unwrap_or(&text).as_bytes().to_vec(), 0);
        Ok(())
    }
}

impl<R: Read> BufRead for Decoded<R> {
    fn fill_buf(&mut self) -> Result<&[u8]> {
        while self.given == self.ready.len() && !self.ended {
            self.fill()?;
        }
        Ok(&self.ready[self.given..])
    }

    fn consume(&mut self, amount: usize) {
        self.given = self.ready.len().min(self.given + amount);
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        let size = self.fill_buf()?.read(into)?;
        self.consume(size);
        Ok(size)
    }
}
