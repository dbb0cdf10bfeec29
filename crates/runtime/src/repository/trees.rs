//! The files of a commit, and those that are staged, as lists sorted by path.

use std::path::Path;

use dogu_tool::{CancelFlag, ToolError};
use gix_hash::ObjectId;
use gix_index::entry::{Flags, Stage, Stat};
use gix_index::{State, decode};
use gix_object::{Kind, TreeRefIter};

use super::config::unsupported;
use super::layout::Layout;
use super::objects::Objects;
use super::{DIRECTORY, HASH, disk};
use crate::files::Roots;

/// The largest index that is read: more than a million files.
const MAX_INDEX_BYTES: usize = 256 * 1024 * 1024;
/// How many files of a commit are looked at.
const MAX_FILES: usize = 2_000_000;
/// How deep folders are inside of each other.
const MAX_DEPTH: usize = 1_024;

/// A file that is stored.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub(super) path: Vec<u8>,
    pub(super) mode: u32,
    pub(super) id: ObjectId,
}

/// A file that is staged.
#[derive(Clone, Debug)]
pub(super) struct Staged {
    pub(super) stored: Stored,
    /// 0, or during a merge 1 for the common ancestor, 2 for ours and 3 for theirs.
    pub(super) stage: u8,
    pub(super) stat: Stat,
    pub(super) flags: Flags,
}

/// All that is staged, and when the index was written.
pub(super) struct Index {
    pub(super) entries: Vec<Staged>,
    /// Seconds and nanoseconds.
    pub(super) written: (i64, i64),
}

/// Which paths are wanted: all, one, or all below one.
#[derive(Clone, Debug, Default)]
pub(super) struct Prefix(pub(super) Vec<u8>);

impl Prefix {
    /// Whether a path is wanted.
    pub(super) fn holds(&self, path: &[u8]) -> bool {
        match path.strip_prefix(&*self.0) {
            Some(rest) => self.0.is_empty() || rest.is_empty() || rest[0] == b'/',
            None => false,
        }
    }

    /// Whether something wanted may be below a folder.
    fn leads_through(&self, folder: &[u8]) -> bool {
        self.holds(folder) || self.0.strip_prefix(folder).is_some_and(|rest| rest[0] == b'/')
    }
}

/// The files of a tree, with `prefix` only those that are wanted.
pub(super) fn files_of(
    objects: &Objects<'_>,
    tree: ObjectId,
    below: &[u8],
    prefix: &Prefix,
    cancel: &CancelFlag,
) -> Result<Vec<Stored>, ToolError> {
    let mut files = Vec::new();
    // Folders that are open: their entries that are left, the next one last.
    let mut open = vec![entries(objects, tree, below)?];
    while let Some(folder) = open.last_mut() {
        let Some(entry) = folder.pop() else {
            open.pop();
            continue;
        };
        if entry.mode == DIRECTORY {
            cancel.check()?;
            if prefix.leads_through(&entry.path) {
                let inner = entries(objects, entry.id, &entry.path)?;
                open.push(inner);
            }
        } else if prefix.holds(&entry.path) {
            files.push(entry);
        }
        if open.len() > MAX_DEPTH || files.len() > MAX_FILES {
            return Err(unsupported("it has too many files, or folders too deep inside of others"));
        }
    }
    Ok(files)
}

/// The entries of one folder, the first one last.
fn entries(objects: &Objects<'_>, tree: ObjectId, below: &[u8]) -> Result<Vec<Stored>, ToolError> {
    let bytes = objects.expect(&tree, Kind::Tree)?;
    let mut entries = Vec::new();
    for entry in TreeRefIter::from_bytes(&bytes, HASH) {
        let entry =
            entry.map_err(|_| unsupported(&format!("the folder {} is damaged", tree.to_hex())))?;
        let mut path = Vec::with_capacity(below.len() + entry.filename.len() + 1);
        path.extend_from_slice(below);
        if !below.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(entry.filename);
        let mode = u32::from(entry.mode.value());
        entries.push(Stored { path, mode: usual(mode), id: entry.oid.to_owned() });
    }
    entries.reverse();
    Ok(entries)
}

/// Old repositories have modes such as `0o100664`; what counts is the executable bit.
fn usual(mode: u32) -> u32 {
    match mode & 0o170_000 {
        0o100_000 if mode & 0o100 != 0 => 0o100_755,
        0o100_000 => 0o100_644,
        kind => kind,
    }
}

impl Index {
    /// Reads what is staged; nothing where nothing was ever staged.
    pub(super) fn read(
        roots: &Roots,
        layout: &Layout,
        objects: &Objects<'_>,
        cancel: &CancelFlag,
    ) -> Result<Self, ToolError> {
        let path = layout.own.join("index");
        let Some(file) = disk::open(roots, &path)? else {
            return Ok(Self { entries: Vec::new(), written: (0, 0) });
        };
        let written = written(&path, &file)?;
        let bytes = disk::read_file(file, MAX_INDEX_BYTES)
            .map_err(|error| ToolError::io("read", &path, error))?
            .ok_or_else(|| unsupported("its index is too large"))?;
        let state = parse(&bytes)?;
        if state.link().is_some() {
            return Err(unsupported(
                "its index is split (`git update-index --no-split-index` joins it)",
            ));
        }
        let mut index = Self { entries: Vec::new(), written };
        for entry in state.entries() {
            index.take(entry, &state, objects, cancel)?;
        }
        // What a sparse index keeps as a folder is in its place by the folder's name.
        index.entries.sort_by(|a, b| (&a.stored.path, a.stage).cmp(&(&b.stored.path, b.stage)));
        Ok(index)
    }

    fn take(
        &mut self,
        entry: &gix_index::Entry,
        state: &State,
        objects: &Objects<'_>,
        cancel: &CancelFlag,
    ) -> Result<(), ToolError> {
        let path: &[u8] = entry.path(state);
        let staged = |stored: Stored| Staged {
            stored,
            stage: number(entry.stage()),
            stat: entry.stat,
            flags: entry.flags,
        };
        if entry.mode.is_sparse() {
            let folder = path.strip_suffix(b"/").unwrap_or(path);
            let files = files_of(objects, entry.id, folder, &Prefix::default(), cancel)?;
            self.entries.extend(files.into_iter().map(staged));
            return Ok(());
        }
        let stored = Stored { path: path.to_vec(), mode: entry.mode.bits(), id: entry.id };
        self.entries.push(staged(stored));
        Ok(())
    }
}

fn written(path: &Path, file: &std::fs::File) -> Result<(i64, i64), ToolError> {
    use std::os::unix::fs::MetadataExt as _;
    let found = file.metadata().map_err(|error| ToolError::io("look at", path, error))?;
    Ok((found.mtime(), found.mtime_nsec()))
}

fn parse(bytes: &[u8]) -> Result<State, ToolError> {
    let options = decode::Options {
        thread_limit: Some(1),
        alloc_limit_bytes: Some(2 * MAX_INDEX_BYTES),
        ..decode::Options::default()
    };
    let (state, _) = State::from_bytes(bytes, filetime::FileTime::zero(), HASH, options)
        .map_err(|error| unsupported(&format!("its index cannot be read: {error}")))?;
    Ok(state)
}

fn number(stage: Stage) -> u8 {
    match stage {
        Stage::Unconflicted => 0,
        Stage::Base => 1,
        Stage::Ours => 2,
        Stage::Theirs => 3,
    }
}
