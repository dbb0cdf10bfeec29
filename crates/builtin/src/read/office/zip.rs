//! The files in a ZIP archive: as much of the format as office documents use.
//!
//! All sizes that an archive declares are only hints here: what is unpacked is bounded by what
//! comes out, and every offset is looked up, never trusted.

use std::io::Read as _;

use flate2::read::DeflateDecoder;

/// How many files an archive may have.
const MAX_ENTRIES: usize = 10_000;
/// The end of the directory is at most so far from the end of the file: its comment.
const MAX_TAIL_BYTES: usize = 66 * 1024;

/// An archive, held in memory.
pub(super) struct Archive<'a> {
    bytes: &'a [u8],
    entries: Vec<Entry>,
}

struct Entry {
    name: String,
    packed: usize,
    header: usize,
    method: u16,
    encrypted: bool,
}

/// Why a file of an archive cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    Broken,
    Encrypted,
    /// It unpacks to more than was asked for.
    TooLarge,
}

impl<'a> Archive<'a> {
    /// Reads the directory, which is at the end.
    pub(super) fn new(bytes: &'a [u8]) -> Option<Self> {
        let tail = bytes.len().saturating_sub(MAX_TAIL_BYTES);
        let end = tail + memchr::memmem::rfind(bytes.get(tail..)?, b"PK\x05\x06")?;
        let mut at = number4(bytes, end + 16)?;
        let mut entries = Vec::new();
        while bytes.get(at..at + 4) == Some(b"PK\x01\x02") && entries.len() < MAX_ENTRIES {
            let name = number2(bytes, at + 28)?;
            let rest = number2(bytes, at + 30)? + number2(bytes, at + 32)?;
            entries.push(Entry {
                name: String::from_utf8_lossy(bytes.get(at + 46..at + 46 + name)?).into_owned(),
                packed: number4(bytes, at + 20)?,
                header: number4(bytes, at + 42)?,
                method: u16::try_from(number2(bytes, at + 10)?).ok()?,
                encrypted: number2(bytes, at + 8)? & 1 == 1,
            });
            at += 46 + name + rest;
        }
        Some(Self { bytes, entries })
    }

    /// Whether there is such a file.
    pub(super) fn has(&self, name: &str) -> bool {
        self.entry(name).is_some()
    }

    /// The content of a file, of at most so many bytes; none where there is no such file.
    pub(super) fn read(&self, name: &str, most: usize) -> Result<Option<Vec<u8>>, Problem> {
        let Some(entry) = self.entry(name) else { return Ok(None) };
        if entry.encrypted {
            return Err(Problem::Encrypted);
        }
        let packed = self.packed(entry).ok_or(Problem::Broken)?;
        let mut content = Vec::new();
        let limit = most as u64 + 1;
        match entry.method {
            0 => packed.take(limit).read_to_end(&mut content),
            8 => DeflateDecoder::new(packed).take(limit).read_to_end(&mut content),
            _ => return Err(Problem::Broken),
        }
        .map_err(|_| Problem::Broken)?;
        if content.len() > most { Err(Problem::TooLarge) } else { Ok(Some(content)) }
    }

    fn entry(&self, name: &str) -> Option<&Entry> {
        let name = name.trim_start_matches('/');
        self.entries.iter().find(|entry| entry.name.eq_ignore_ascii_case(name))
    }

    fn packed(&self, entry: &Entry) -> Option<&'a [u8]> {
        let at = entry.header;
        if self.bytes.get(at..at.checked_add(4)?)? != b"PK\x03\x04" {
            return None;
        }
        let start = at + 30 + number2(self.bytes, at + 26)? + number2(self.bytes, at + 28)?;
        self.bytes.get(start..start.checked_add(entry.packed)?)
    }
}

fn number2(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(2)?)?;
    Some(usize::from(u16::from_le_bytes(bytes.try_into().ok()?)))
}

fn number4(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    usize::try_from(u32::from_le_bytes(bytes.try_into().ok()?)).ok()
}
