//! What is known of each covered file, and how that is written down between processes.
//!
//! A file of records: a line that says what it is, the number of records, the records, and the
//! BLAKE3 hash of all that. Whatever is not exactly that counts as nothing, which costs a cold
//! start and no more.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dogu_tool::FileStamp;

const HEAD: &[u8] = b"dogu watched files 1\n";
const HASH: usize = 32;

/// The covered files by their real path. Paths are compared as bytes, which is much faster than
/// name by name; all come from walks, which write a path in one way only.
pub(super) type Table = HashMap<Arc<OsStr>, Record>;

/// A file as it was when it was last read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) stamp: FileStamp,
    /// Its stamp was old enough when it was read: any later change gives it another one.
    pub(super) settled: bool,
    pub(super) mode: u32,
    pub(super) what: What,
}

/// What it held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// So many bytes as the stamp says, in a pack.
    File { hash: [u8; HASH], at: Location },
    /// A symbolic link.
    Link(Arc<Path>),
}

/// Where a content begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Location {
    pub(super) pack: u64,
    pub(super) offset: u64,
}

/// The table as bytes.
pub(super) fn encode(table: &Table) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEAD.len() + table.len() * 200);
    bytes.extend_from_slice(HEAD);
    bytes.extend_from_slice(&(table.len() as u64).to_le_bytes());
    for (path, record) in table {
        put_text(&mut bytes, path.as_bytes());
        let FileStamp { device, inode, size, modified, changed } = record.stamp;
        for number in [device, inode, size] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for time in [modified, changed] {
            bytes.extend_from_slice(&time.to_le_bytes());
        }
        bytes.extend_from_slice(&record.mode.to_le_bytes());
        bytes.push(u8::from(record.settled));
        match &record.what {
            What::File { hash, at } => {
                bytes.push(0);
                bytes.extend_from_slice(hash);
                bytes.extend_from_slice(&at.pack.to_le_bytes());
                bytes.extend_from_slice(&at.offset.to_le_bytes());
            }
            What::Link(target) => {
                bytes.push(1);
                put_text(&mut bytes, target.as_os_str().as_bytes());
            }
        }
    }
    let hash = blake3::hash(&bytes);
    bytes.extend_from_slice(hash.as_bytes());
    bytes
}

fn put_text(bytes: &mut Vec<u8>, text: &[u8]) {
    bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
    bytes.extend_from_slice(text);
}

/// The table that bytes say; none where they are not what [`encode`] made.
pub(super) fn decode(bytes: &[u8]) -> Option<Table> {
    let (body, hash) = bytes.split_last_chunk::<HASH>()?;
    if blake3::hash(body).as_bytes() != hash {
        return None;
    }
    let mut rest = Rest(body.strip_prefix(HEAD)?);
    let count = usize::try_from(rest.number()?).ok()?;
    // A record takes more bytes than one: no number makes this more memory than the file has.
    let mut table = Table::with_capacity(count.min(body.len() / 100));
    for _ in 0..count {
        let path = Arc::from(OsStr::from_bytes(rest.text()?));
        table.insert(path, rest.record()?);
    }
    rest.0.is_empty().then_some(table)
}

/// What is not read yet.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    fn number(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn text(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(text)
    }

    fn record(&mut self) -> Option<Record> {
        let stamp = FileStamp {
            device: self.number()?,
            inode: self.number()?,
            size: self.number()?,
            modified: i128::from_le_bytes(self.take()?),
            changed: i128::from_le_bytes(self.take()?),
        };
        let mode = u32::from_le_bytes(self.take()?);
        let settled = self.take::<1>()? != [0];
        let what = match self.take::<1>()? {
            [0] => {
                let hash = self.take()?;
                What::File { hash, at: Location { pack: self.number()?, offset: self.number()? } }
            }
            [1] => {
                let target = PathBuf::from(OsString::from_vec(self.text()?.to_vec()));
                What::Link(target.into())
            }
            _ => return None,
        };
        Some(Record { stamp, settled, mode, what })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn record() -> impl Strategy<Value = Record> {
        let stamp = (any::<[u64; 3]>(), any::<[i128; 2]>()).prop_map(|(numbers, times)| {
            let ([device, inode, size], [modified, changed]) = (numbers, times);
            FileStamp { device, inode, size, modified, changed }
        });
        let file = (any::<[u8; 32]>(), any::<[u64; 2]>())
            .prop_map(|(hash, [pack, offset])| What::File { hash, at: Location { pack, offset } });
        let link = prop::collection::vec(1_u8.., 1..20)
            .prop_map(|target| What::Link(PathBuf::from(OsString::from_vec(target)).into()));
        (stamp, any::<bool>(), any::<u32>(), prop_oneof![file, link])
            .prop_map(|(stamp, settled, mode, what)| Record { stamp, settled, mode, what })
    }

    proptest! {
        #[test]
        fn what_was_written_is_read_again(
            records in prop::collection::hash_map(
                prop::collection::vec(1_u8.., 1..30), record(), 0..8),
        ) {
            let table: Table = records
                .into_iter()
                .map(|(path, record)| (Arc::from(OsString::from_vec(path)), record))
                .collect();
            prop_assert_eq!(decode(&encode(&table)), Some(table));
        }

        #[test]
        fn what_is_damaged_is_nothing(
            records in prop::collection::vec(record(), 1..4),
            at in any::<prop::sample::Index>(),
            flip in 1_u8..,
        ) {
            let named = records.into_iter().enumerate();
            let table: Table = named
                .map(|(name, record)| (Arc::from(OsString::from(name.to_string())), record))
                .collect();
            let mut bytes = encode(&table);
            let at = at.index(bytes.len());
            prop_assert_eq!(decode(&bytes[..at]), None);
            bytes[at] ^= flip;
            prop_assert_eq!(decode(&bytes), None);
        }

        #[test]
        fn nonsense_with_the_right_hash_does_no_harm(
            body in prop::collection::vec(any::<u8>(), 0..300),
        ) {
            let mut bytes = HEAD.to_vec();
            bytes.extend(body);
            let hash = blake3::hash(&bytes);
            bytes.extend_from_slice(hash.as_bytes());
            let _ = decode(&bytes);
        }
    }
}
