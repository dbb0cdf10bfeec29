//! Reading one file for the index.

use std::fs::File;
use std::io::Read as _;
use std::time::{Duration, SystemTime};

use dogu_code::index::{Change, Content, Entry, digest};
use dogu_code::pieces::{MAX_BYTES, Unsuitable, unsuitable};
use dogu_tool::FileStamp;

/// A file that was changed so shortly before it was read may be changed again without its times
/// telling it: some file systems only count seconds.
const UNSETTLED: Duration = Duration::from_secs(2);

/// A file as it was read.
pub(super) struct ReadFile {
    pub(super) content: Vec<u8>,
    pub(super) hash: u128,
    stamp: FileStamp,
    settled: bool,
    too_large: bool,
}

/// Reads an open file, unless it is too large for an index.
pub(super) fn read(file: &File) -> std::io::Result<ReadFile> {
    let stamp = FileStamp::from(&file.metadata()?);
    let too_large = stamp.size > MAX_BYTES as u64;
    let mut content = Vec::new();
    if !too_large {
        content.reserve_exact(usize::try_from(stamp.size).unwrap_or(0) + 1);
        file.take(MAX_BYTES as u64 + 1).read_to_end(&mut content)?;
    }
    let after = FileStamp::from(&file.metadata()?);
    let settled = stamp == after && stamp.size == content.len() as u64 || too_large;
    let settled = settled && is_old(&stamp);
    let hash = hash(&content);
    Ok(ReadFile { content, hash, stamp, settled, too_large })
}

impl ReadFile {
    /// What it means for the index, which knows this of the file.
    pub(super) fn change(&self, key: Box<[u8]>, known: Option<&Entry>) -> Change {
        let content = match known {
            Some(known) if self.is_as(known) => Content::Same,
            _ => self.digested(&key),
        };
        let stamp = stamp_number(&self.stamp);
        Change { path: key, stamp, hash: self.hash, settled: self.settled, content }
    }

    /// Whether it is what the index knows.
    pub(super) fn is_as(&self, known: &Entry) -> bool {
        let was_too_large = known.unsuitable() == Some(Unsuitable::TooLarge);
        known.hash == self.hash && was_too_large == self.is_too_large()
    }

    fn is_too_large(&self) -> bool {
        self.too_large || self.content.len() > MAX_BYTES
    }

    fn digested(&self, key: &[u8]) -> Content {
        if self.is_too_large() {
            return Content::Unsuitable(Unsuitable::TooLarge);
        }
        let path = String::from_utf8_lossy(key);
        match (unsuitable(&path, &self.content), std::str::from_utf8(&self.content)) {
            (None, Ok(text)) => Content::New(digest(&path, text)),
            (why, _) => Content::Unsuitable(why.unwrap_or(Unsuitable::Binary)),
        }
    }
}

/// The stamp as the index keeps it.
pub(super) fn stamp_number(stamp: &FileStamp) -> u128 {
    let mut hasher = blake3::Hasher::new();
    for number in [stamp.device, stamp.inode, stamp.size] {
        hasher.update(&number.to_le_bytes());
    }
    for time in [stamp.modified, stamp.changed] {
        hasher.update(&time.to_le_bytes());
    }
    first_half(&hasher.finalize())
}

pub(super) fn hash(content: &[u8]) -> u128 {
    first_half(&blake3::hash(content))
}

fn first_half(hash: &blake3::Hash) -> u128 {
    let mut half = [0; 16];
    half.copy_from_slice(&hash.as_bytes()[..16]);
    u128::from_le_bytes(half)
}

fn is_old(stamp: &FileStamp) -> bool {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let now = i128::try_from(now.as_nanos()).unwrap_or(0);
    let unsettled = i128::try_from(UNSETTLED.as_nanos()).unwrap_or(0);
    stamp.changed.max(stamp.modified) + unsettled < now
}
