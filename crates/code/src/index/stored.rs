//! A catalog as bytes: one piece for the base, one for the delta. They are kept under two names
//! and replaced one by one, also by several processes at once, so a delta says which base it
//! belongs to; beside another one it is nothing.
//!
//! ```text
//! magic and version, checksum of what follows up to the segment, id of the base, length of the catalog
//! catalog   number of entries, entries; number of paths that are gone, paths
//! segment
//! ```

use std::collections::HashSet;

use super::catalog::{Catalog, Entry, Place};
use super::{Damaged, Segment};
use crate::bytes::{checksum, u32_at, u64_at};
use crate::pieces::Unsuitable;

const MAGIC: &[u8; 8] = b"dogucc01";
const HEADER: usize = 32;
/// Place, settled, stamp, hash, file, length of the path.
const ENTRY: usize = 42;

impl Catalog {
    /// Takes what [`Catalog::base_to_keep`] and [`Catalog::delta_to_keep`] gave.
    pub fn read(base: Vec<u8>, delta: Option<Vec<u8>>) -> Result<Self, Damaged> {
        let base = Stored::read(base)?;
        let mut catalog = Self::new()?;
        catalog.base = base.segment;
        for (path, entry) in base.entries {
            let as_in_base = true;
            catalog.entries.insert(path, Entry { as_in_base, ..entry });
        }
        if let Some(Ok(delta)) = delta.map(Stored::read)
            && delta.base == catalog.base.id()
        {
            catalog.delta = delta.segment;
            for path in &delta.gone {
                catalog.entries.remove(path);
            }
            catalog.entries.extend(delta.entries);
            catalog.gone = delta.gone;
        }
        let (base, delta) = (catalog.base.file_count(), catalog.delta.file_count());
        let sound = |entry: &Entry| match entry.place {
            Place::Base(file) => (file as usize) < base,
            Place::Delta(file) => (file as usize) < delta,
            Place::Nowhere(_) => true,
        };
        if catalog.entries.values().all(sound) { Ok(catalog) } else { Err(Damaged) }
    }

    /// The base, where it is not kept yet. Whoever takes it keeps it.
    pub fn base_to_keep(&mut self) -> Option<Vec<u8>> {
        std::mem::take(&mut self.base_is_new).then(|| {
            let entries = self.entries.iter().filter(|(_, entry)| entry.as_in_base);
            write(0, entries, std::iter::empty(), &self.base)
        })
    }

    /// The delta, where it is not kept yet. Whoever takes it keeps it.
    pub fn delta_to_keep(&mut self) -> Option<Vec<u8>> {
        std::mem::take(&mut self.delta_is_new).then(|| {
            let entries = self.entries.iter().filter(|(_, entry)| !entry.as_in_base);
            write(self.base.id(), entries, self.gone.iter(), &self.delta)
        })
    }
}

struct Stored {
    base: u64,
    entries: Vec<(Box<[u8]>, Entry)>,
    gone: HashSet<Box<[u8]>>,
    segment: Segment,
}

impl Stored {
    fn read(bytes: Vec<u8>) -> Result<Self, Damaged> {
        Self::parse(bytes).ok_or(Damaged)
    }

    fn parse(mut bytes: Vec<u8>) -> Option<Self> {
        let length = usize::try_from(u64_at(&bytes, 24)?).ok()?;
        let end = HEADER.checked_add(length)?;
        let sum = checksum(bytes.get(16..end)?);
        if bytes.get(..8)? != MAGIC || u64_at(&bytes, 8)? != sum {
            return None;
        }
        let segment = Segment::read(bytes.split_off(end)).ok()?;
        let mut rest = bytes.get(HEADER..)?;
        let mut entries = Vec::new();
        for _ in 0..take_u32(&mut rest)? {
            entries.push(take_entry(&mut rest)?);
        }
        let mut gone = HashSet::new();
        for _ in 0..take_u32(&mut rest)? {
            let length = take_u32(&mut rest)? as usize;
            gone.insert(rest.split_off(..length)?.into());
        }
        Some(Self { base: u64_at(&bytes, 16)?, entries, gone, segment })
    }
}

fn take_u32(rest: &mut &[u8]) -> Option<u32> {
    u32_at(rest.split_off(..4)?, 0)
}

fn take_u128(rest: &mut &[u8]) -> Option<u128> {
    Some(u128::from_le_bytes(rest.split_off(..16)?.try_into().ok()?))
}

fn take_entry(rest: &mut &[u8]) -> Option<(Box<[u8]>, Entry)> {
    let [kind, settled] = *rest.split_off(..2)? else { return None };
    let (stamp, hash) = (take_u128(rest)?, take_u128(rest)?);
    let (file, length) = (take_u32(rest)?, take_u32(rest)?);
    let place = match kind {
        0 => Place::Base(file),
        1 => Place::Delta(file),
        _ => Place::Nowhere(*Unsuitable::ALL.get(usize::from(kind - 2))?),
    };
    let path = rest.split_off(..length as usize)?.into();
    Some((path, Entry { stamp, hash, settled: settled != 0, place, as_in_base: false }))
}

fn write<'a>(
    base: u64,
    entries: impl Iterator<Item = (&'a Box<[u8]>, &'a Entry)>,
    gone: impl Iterator<Item = &'a Box<[u8]>>,
    segment: &Segment,
) -> Vec<u8> {
    let mut bytes = vec![0; HEADER + 4];
    let mut count = 0_u32;
    for (path, entry) in entries {
        bytes.reserve(ENTRY + path.len());
        put_entry(&mut bytes, path, entry);
        count += 1;
    }
    bytes[HEADER..HEADER + 4].copy_from_slice(&count.to_le_bytes());
    let gone: Vec<_> = gone.collect();
    bytes.extend(length(&gone).to_le_bytes());
    for path in gone {
        bytes.extend(length(path).to_le_bytes());
        bytes.extend(path.iter());
    }
    let catalog = (bytes.len() - HEADER) as u64;
    bytes[16..24].copy_from_slice(&base.to_le_bytes());
    bytes[24..32].copy_from_slice(&catalog.to_le_bytes());
    bytes[..8].copy_from_slice(MAGIC);
    let sum = checksum(&bytes[16..]);
    bytes[8..16].copy_from_slice(&sum.to_le_bytes());
    bytes.extend(segment.as_bytes());
    bytes
}

fn put_entry(bytes: &mut Vec<u8>, path: &[u8], entry: &Entry) {
    let (kind, file) = match entry.place {
        Place::Base(file) => (0, file),
        Place::Delta(file) => (1, file),
        Place::Nowhere(why) => {
            let number = Unsuitable::ALL.iter().position(|one| *one == why).unwrap_or(0);
            (2 + u8::try_from(number).unwrap_or(0), 0)
        }
    };
    bytes.extend([kind, u8::from(entry.settled)]);
    bytes.extend(entry.stamp.to_le_bytes());
    bytes.extend(entry.hash.to_le_bytes());
    bytes.extend(file.to_le_bytes());
    bytes.extend(length(path).to_le_bytes());
    bytes.extend(path);
}

fn length<T>(all: &[T]) -> u32 {
    u32::try_from(all.len()).unwrap_or(u32::MAX)
}
