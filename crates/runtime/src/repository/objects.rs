//! The object database: what the repository has stored, by id. Objects are found in packs and as
//! files of their own, in its store and in those that it borrows from inside of the workspace.

use std::cell::{OnceCell, RefCell};
use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};

use dogu_tool::ToolError;
use gix_hash::{ObjectId, Prefix, oid};
use gix_object::Kind;
use gix_pack::cache::lru::StaticLinkedList;
use gix_pack::data::decode::entry::ResolvedBase;
use gix_pack::data::decode::header::ResolvedBase as HeaderBase;
use gix_pack::{data, index};
use gix_zlib::Inflate;

use super::{HASH, disk, layout};
use crate::files::{Roots, words};

/// The largest object that is read; a diff shows far less.
pub(super) const MAX_OBJECT_BYTES: usize = 32 * 1024 * 1024;
/// What the buffers for one object may take: its deltas are resolved in them.
const MAX_BUFFER_BYTES: usize = 2 * MAX_OBJECT_BYTES + 8 * 1024 * 1024;
/// What is kept of objects that others are deltas of.
const CACHE_BYTES: usize = 16 * 1024 * 1024;
/// How many packs are looked into.
const MAX_PACKS: usize = 10_000;
/// How many stores a repository borrows from, and those again.
const MAX_STORES: usize = 32;
/// `kind size\0` of a loose object is never longer.
const MAX_HEADER_BYTES: usize = 64;

/// What is stored under an id.
pub(super) enum Found {
    Object(Kind, Vec<u8>),
    /// Too large to be read.
    TooLarge(u64),
    Missing,
}

/// All objects of a repository.
pub(super) struct Objects<'r> {
    roots: &'r Roots,
    /// The folders with objects: its own, and those that it borrows from.
    stores: Vec<PathBuf>,
    /// A store outside of the workspace that it borrows from, which is not read.
    refused: Option<String>,
    packs: OnceCell<Vec<Pack>>,
    inflate: RefCell<Inflate>,
    cache: RefCell<StaticLinkedList<64>>,
}

struct Pack {
    index: index::File,
    path: PathBuf,
    data: OnceCell<Option<data::File>>,
}

impl<'r> Objects<'r> {
    pub(super) fn open(roots: &'r Roots, shared: &Path) -> Result<Self, ToolError> {
        let (mut stores, mut refused) = (vec![shared.join("objects")], None);
        let mut next = 0;
        while next < stores.len() {
            for line in alternates(roots, &stores[next])? {
                match layout::inside(roots, &stores[next], Path::new(&line)) {
                    Ok(store) if stores.len() < MAX_STORES && !stores.contains(&store) => {
                        stores.push(store);
                    }
                    Ok(_) => {}
                    Err(_) => refused = Some(line),
                }
            }
            next += 1;
        }
        Ok(Self {
            roots,
            stores,
            refused,
            packs: OnceCell::new(),
            inflate: RefCell::default(),
            cache: RefCell::new(StaticLinkedList::new(CACHE_BYTES)),
        })
    }

    /// What is stored under an id.
    pub(super) fn find(&self, id: &oid) -> Result<Found, ToolError> {
        for pack in self.packs()? {
            if let Some(at) = pack.index.lookup(id) {
                let offset = pack.index.pack_offset_at_index(at);
                return self.packed(pack, offset).map_err(|why| broken(id, &why));
            }
        }
        for store in &self.stores {
            let hex = id.to_hex().to_string();
            let path = store.join(&hex[..2]).join(&hex[2..]);
            if let Some(file) = disk::open(self.roots, &path)? {
                return self.loose(file).map_err(|why| broken(id, &why));
            }
        }
        Ok(Found::Missing)
    }

    /// An object of a kind that must be there.
    pub(super) fn expect(&self, id: &oid, kind: Kind) -> Result<Vec<u8>, ToolError> {
        match self.find(id)? {
            Found::Object(found, bytes) if found == kind => Ok(bytes),
            Found::Object(found, _) => Err(broken(id, &format!("it is a {found}, not a {kind}"))),
            Found::TooLarge(size) => Err(broken(id, &format!("it has {size} bytes"))),
            Found::Missing => Err(ToolError::failed(self.missing(id))),
        }
    }

    /// Why an object is not there.
    pub(super) fn missing(&self, id: &oid) -> String {
        let id = id.to_hex();
        match &self.refused {
            Some(store) => format!(
                "the object {id} is not in the repository, which borrows objects from {}, outside of the workspace; the user can add that folder as another workspace root",
                words::shown(Path::new(store))
            ),
            None => format!(
                "the object {id} is not in the repository (a partial clone, or a damaged one)"
            ),
        }
    }

    /// The objects whose ids begin so.
    pub(super) fn with_prefix(&self, hex: &str) -> Result<Vec<ObjectId>, ToolError> {
        let mut found = Vec::new();
        let Ok(prefix) = Prefix::from_hex(hex) else { return Ok(found) };
        for pack in self.packs()? {
            let mut range = 0..0;
            pack.index.lookup_prefix(prefix, Some(&mut range));
            found.extend(range.take(2).map(|at| pack.index.oid_at_index(at).to_owned()));
        }
        let (folder, rest) = hex.split_at(2);
        for store in &self.stores {
            for name in disk::names(self.roots, &store.join(folder), usize::MAX)? {
                let id = name.starts_with(rest).then(|| format!("{folder}{name}"));
                found.extend(id.and_then(|id| ObjectId::from_hex(id.as_bytes()).ok()));
            }
        }
        found.sort();
        found.dedup();
        Ok(found)
    }

    fn packs(&self) -> Result<&[Pack], ToolError> {
        if let Some(packs) = self.packs.get() {
            return Ok(packs);
        }
        let mut packs = Vec::new();
        for store in &self.stores {
            let folder = store.join("pack");
            let names = disk::names(self.roots, &folder, MAX_PACKS * 8)?;
            let indexes = names.iter().filter_map(|name| name.strip_suffix(".idx"));
            for name in indexes.take(MAX_PACKS) {
                let path = folder.join(format!("{name}.idx"));
                let Some(file) = disk::open(self.roots, &path)? else { continue };
                // One that cannot be read is one whose objects are missing.
                if let Ok(index) = index::File::at(held(&file), HASH) {
                    let path = folder.join(format!("{name}.pack"));
                    packs.push(Pack { index, path, data: OnceCell::new() });
                }
            }
        }
        Ok(self.packs.get_or_init(|| packs))
    }

    fn packed(&self, pack: &Pack, offset: u64) -> Result<Found, String> {
        let data = pack.data.get_or_init(|| {
            let file = disk::open(self.roots, &pack.path).ok()??;
            let data = data::File::at(held(&file), HASH).ok()?;
            Some(data.with_alloc_limit_bytes(Some(MAX_BUFFER_BYTES)))
        });
        let data = data.as_ref().ok_or("its pack cannot be read")?;
        let in_pack = |id: &oid| {
            let found = pack.index.lookup(id).map(|at| pack.index.pack_offset_at_index(at));
            found.map(|offset| data.entry(offset)).transpose()
        };
        let mut inflate = self.inflate.borrow_mut();
        let entry = data.entry(offset).map_err(|error| error.to_string())?;
        let size = data
            .decode_header(entry.clone(), &mut inflate, &|id| {
                Ok(in_pack(id)?.map(HeaderBase::InPack))
            })
            .map_err(|error| error.to_string())?
            .object_size;
        if size > MAX_OBJECT_BYTES as u64 {
            return Ok(Found::TooLarge(size));
        }
        let mut bytes = Vec::new();
        let decoded = data.decode_entry(
            entry,
            &mut bytes,
            &mut inflate,
            &|id, _| Ok(in_pack(id)?.map(ResolvedBase::InPack)),
            &mut *self.cache.borrow_mut(),
        );
        let kind = decoded.map_err(|error| error.to_string())?.kind;
        Ok(Found::Object(kind, bytes))
    }

    fn loose(&self, file: File) -> Result<Found, String> {
        let packed = disk::read_file(file, MAX_OBJECT_BYTES).map_err(|error| error.to_string())?;
        let packed = packed.ok_or("it is too large")?;
        let mut inflate = self.inflate.borrow_mut();
        let mut header = [0; MAX_HEADER_BYTES];
        inflate.reset();
        let (_, _, length) =
            inflate.once(&packed, &mut header).map_err(|error| error.to_string())?;
        let (kind, size, begin) = gix_object::decode::loose_header(&header[..length])
            .map_err(|error| error.to_string())?;
        if size > MAX_OBJECT_BYTES as u64 {
            return Ok(Found::TooLarge(size));
        }
        let whole = begin + usize::try_from(size).unwrap_or(0);
        let mut bytes = vec![0; whole];
        inflate.reset();
        let (_, _, length) =
            inflate.once(&packed, &mut bytes).map_err(|error| error.to_string())?;
        if length != whole {
            return Err("it is cut off".to_owned());
        }
        bytes.drain(..begin);
        Ok(Found::Object(kind, bytes))
    }
}

/// The stores that one borrows from, a line each.
fn alternates(roots: &Roots, store: &Path) -> Result<Vec<String>, ToolError> {
    const MAX_BYTES: usize = 64 * 1024;
    let list = disk::read(roots, &store.join("info/alternates"), MAX_BYTES)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&list).into_owned();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(str::to_owned).collect())
}

/// A name for exactly the file that was opened, whatever happened to its own name since.
fn held(file: &File) -> PathBuf {
    let folder = if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };
    Path::new(folder).join(file.as_raw_fd().to_string())
}

fn broken(id: &oid, why: &str) -> ToolError {
    ToolError::failed(format!("the object {} of the repository cannot be read", id.to_hex()))
        .because(std::io::Error::other(why.to_owned()))
}
