//! The contents of covered files, one after the other in a few files.
//!
//! A file of its own for each content would take most of the time of a first look. A pack is only
//! ever appended to. Whoever needs its contents holds it open: then it may be removed meanwhile.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::table::{Location, Record, Table, What};
use crate::state::{create_private, open_private};

/// A pack that has so much is not appended to.
const FULL: u64 = 16 << 20;
/// What the names of packs end with.
const SUFFIX: &str = ".pack";

/// Packs that are held open.
pub(super) type Packs = HashMap<u64, Arc<File>>;

fn path_of(folder: &Path, pack: u64) -> PathBuf {
    folder.join(format!("{pack:016x}{SUFFIX}"))
}

/// Opens the packs that a table needs; what is in others is forgotten.
pub(super) fn open_needed(folder: &Path, table: &mut Table) -> Packs {
    let mut packs = Packs::new();
    for pack in table.values().filter_map(pack_of) {
        if let std::collections::hash_map::Entry::Vacant(place) = packs.entry(pack)
            && let Ok(file) = File::open(path_of(folder, pack))
        {
            place.insert(Arc::new(file));
        }
    }
    table.retain(|_, record| pack_of(record).is_none_or(|pack| packs.contains_key(&pack)));
    packs
}

fn pack_of(record: &Record) -> Option<u64> {
    match &record.what {
        What::File { at, .. } => Some(at.pack),
        What::Link(_) => None,
    }
}

/// A content, if it is there; the caller compares it with its hash.
pub(super) fn read(packs: &Packs, at: Location, size: u64) -> Option<Vec<u8>> {
    let mut content = vec![0; usize::try_from(size).ok()?];
    packs.get(&at.pack)?.read_exact_at(&mut content, at.offset).ok()?;
    Some(content)
}

/// Appends contents. There is one at a time for a folder.
#[derive(Debug)]
pub(super) struct Appender {
    folder: PathBuf,
    at: Option<(u64, Arc<File>, u64)>,
    /// The packs that were appended to.
    pub(super) used: Packs,
}

impl Appender {
    /// Goes on with a pack that is not full, if there is one.
    pub(super) fn new(folder: &Path) -> Self {
        let packs = sizes(folder).unwrap_or_default();
        let open = packs.into_iter().find(|(_, size)| *size < FULL);
        let at = open.and_then(|(pack, size)| {
            Some((pack, Arc::new(open_private(&path_of(folder, pack)).ok()?), size))
        });
        Self { folder: folder.to_path_buf(), at, used: Packs::new() }
    }

    /// Appends bytes, and says where they begin.
    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<Location> {
        let (pack, file, size) = match self.at.take().filter(|(_, _, size)| *size < FULL) {
            Some(at) => at,
            None => self.begin()?,
        };
        file.write_all_at(bytes, size)?;
        self.used.insert(pack, Arc::clone(&file));
        self.at = Some((pack, file, size + bytes.len() as u64));
        Ok(Location { pack, offset: size })
    }

    fn begin(&self) -> io::Result<(u64, Arc<File>, u64)> {
        let pack = getrandom::u64()?;
        Ok((pack, Arc::new(create_private(&path_of(&self.folder, pack))?), 0))
    }
}

/// The size of each pack on the disk.
pub(super) fn sizes(folder: &Path) -> io::Result<HashMap<u64, u64>> {
    let mut sizes = HashMap::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let digits = name.to_str().and_then(|name| name.strip_suffix(SUFFIX));
        if let Some(pack) = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok()) {
            sizes.insert(pack, entry.metadata()?.len());
        }
    }
    Ok(sizes)
}

/// Makes room for more. Packs of which nothing is needed go; so do, for want of room, those of
/// which most is not: what is needed of them is forgotten, and so read again. Says how much room
/// there is then.
pub(super) fn make_room(folder: &Path, table: &mut Table, needed: u64, budget: u64) -> u64 {
    let mut sizes = sizes(folder).unwrap_or_default();
    let mut live: HashMap<u64, u64> = HashMap::new();
    for record in table.values() {
        if let Some(pack) = pack_of(record) {
            *live.entry(pack).or_default() += record.stamp.size;
        }
    }
    sizes.retain(|pack, _| {
        let used = live.contains_key(pack);
        if !used {
            let _ = fs::remove_file(path_of(folder, *pack));
        }
        used
    });
    loop {
        let room = budget.saturating_sub(sizes.values().sum());
        let dead = |(pack, size): (&u64, &u64)| (size.saturating_sub(live[pack]), *pack);
        match sizes.iter().map(dead).max() {
            Some((dead, pack)) if room < needed && dead > 0 && dead >= live[&pack] => {
                let _ = fs::remove_file(path_of(folder, pack));
                sizes.remove(&pack);
                table.retain(|_, record| pack_of(record) != Some(pack));
            }
            _ => return room,
        }
    }
}
