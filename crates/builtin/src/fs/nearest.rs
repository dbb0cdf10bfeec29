//! The names that are nearest to where a walk starts, whatever the order in which it finds them.
//!
//! All names of a level come before any of the next. Folders of the first level come before
//! everything: they are kept though there is room for nothing else, and know how much is below
//! them. Beyond what is kept, names are counted and forgotten.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;

use dogu_tool::{FileKind, LeftOut, WalkEntry};

/// How many folders of the first level are kept, whatever the limit.
const MAX_FIRST: usize = 1_000;

/// How much is in a folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Below {
    /// Files, links and the like, at any depth.
    pub(super) files: u64,
    /// Folders, at any depth.
    pub(super) folders: u64,
    /// Names in the folder itself.
    pub(super) own: u64,
}

impl Below {
    fn count(&mut self, kind: FileKind, own: bool) {
        match kind {
            FileKind::Folder => self.folders += 1,
            _ => self.files += 1,
        }
        self.own += u64::from(own);
    }

    fn add(&mut self, other: Self) {
        self.files += other.files;
        self.folders += other.folders;
        self.own += other.own;
    }

    /// All names.
    pub(super) fn names(self) -> u64 {
        self.files + self.folders
    }
}

/// What is known of a name.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    /// None where a thread came only by what is below it.
    kind: Option<FileKind>,
    pub(super) left_out: Option<LeftOut>,
    pub(super) size: Option<u64>,
    pub(super) below: Below,
}

impl Node {
    pub(super) fn kind(&self) -> FileKind {
        self.kind.unwrap_or(FileKind::Folder)
    }

    fn describe(&mut self, entry: &dyn WalkEntry) {
        self.kind = Some(entry.kind());
        self.left_out = entry.left_out();
        let readable = entry.kind() == FileKind::File && self.left_out != Some(LeftOut::ShutOut);
        let facts = readable.then(|| entry.facts().ok()).flatten();
        self.size = facts.map(|facts| facts.size);
    }

    fn merge(&mut self, other: &Self) {
        self.kind = self.kind.or(other.kind);
        self.left_out = self.left_out.or(other.left_out);
        self.size = self.size.or(other.size);
        self.below.add(other.below);
    }
}

/// Which names are wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// How many, but for the folders of the first level.
    pub(super) most: usize,
    /// How many names deep.
    pub(super) depth: usize,
    /// Down to which depth folders know how much is below them.
    pub(super) counted: usize,
}

/// The nearest names.
#[derive(Debug)]
pub(super) struct Nearest {
    wanted: Wanted,
    /// Folders of the first level.
    first: BTreeMap<Box<[u8]>, Node>,
    /// All others, by their depth and then by their path.
    rest: BTreeMap<Box<[u8]>, Node>,
    /// All that was found.
    all: Below,
    key: Vec<u8>,
}

/// A name that was kept.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) path: Vec<u8>,
    pub(super) depth: usize,
    pub(super) node: Node,
}

impl Row {
    /// By this rows are in the order of a tree: a folder, what is in it, what comes after it.
    pub(super) fn tree_order(&self) -> Vec<u8> {
        self.path.iter().copied().map(separator_first).collect()
    }
}

/// A slash comes before all that can be in a name.
fn separator_first(byte: u8) -> u8 {
    if byte == b'/' { 0 } else { byte }
}

impl Nearest {
    pub(super) fn new(wanted: Wanted) -> Self {
        let (first, rest) = (BTreeMap::new(), BTreeMap::new());
        Self { wanted, first, rest, all: Below::default(), key: Vec::new() }
    }

    /// All that was found, kept or not.
    pub(super) fn all(&self) -> Below {
        self.all
    }

    /// Takes an entry of the walk.
    pub(super) fn offer(&mut self, entry: &dyn WalkEntry) {
        let path = entry.path().as_os_str().as_bytes();
        let depth = depth_of(path);
        let folder = entry.kind() == FileKind::Folder;
        self.all.count(entry.kind(), depth == 1);
        self.count_above(path, depth, entry.kind());
        if depth > self.wanted.depth {
            return;
        }
        if let Some(node) = self.node(path, depth, folder) {
            node.describe(entry);
        }
        self.trim();
    }

    /// Counts a name in the folders that it is below.
    fn count_above(&mut self, path: &[u8], depth: usize, kind: FileKind) {
        let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        for (level, (end, _)) in slashes.take(self.wanted.counted).enumerate() {
            if let Some(node) = self.node(&path[..end], level + 1, true) {
                node.below.count(kind, level + 2 == depth);
            }
        }
    }

    /// The place of a name, if it is among the nearest.
    fn node(&mut self, path: &[u8], depth: usize, folder: bool) -> Option<&mut Node> {
        if depth == 1 && folder {
            return place(&mut self.first, path, MAX_FIRST);
        }
        self.key.clear();
        self.key.extend(u32::try_from(depth).unwrap_or(u32::MAX).to_be_bytes());
        self.key.extend(path.iter().copied().map(separator_first));
        place(&mut self.rest, &self.key, self.wanted.most.saturating_sub(self.first.len()))
    }

    fn trim(&mut self) {
        while self.first.len() > MAX_FIRST {
            self.first.pop_last();
        }
        while self.first.len() + self.rest.len() > self.wanted.most
            && self.rest.pop_last().is_some()
        {}
    }

    /// Takes what another thread found.
    pub(super) fn merge(&mut self, other: Self) {
        self.all.add(other.all);
        for (mine, others) in [(&mut self.first, other.first), (&mut self.rest, other.rest)] {
            for (key, node) in others {
                mine.entry(key).or_default().merge(&node);
            }
        }
        self.trim();
    }

    /// What was kept, the nearest first.
    pub(super) fn into_rows(self) -> Vec<Row> {
        let first =
            self.first.into_iter().map(|(path, node)| Row { path: path.into(), depth: 1, node });
        let rest = self.rest.into_iter().map(|(key, node)| {
            let bytes = key[4..].iter().map(|byte| if *byte == 0 { b'/' } else { *byte });
            let path: Vec<u8> = bytes.collect();
            Row { depth: depth_of(&path), path, node }
        });
        let mut rows: Vec<Row> = first.chain(rest).collect();
        rows.sort_by_cached_key(|row| (row.depth, row.tree_order()));
        rows
    }
}

fn depth_of(path: &[u8]) -> usize {
    1 + memchr::memchr_iter(b'/', path).count()
}

/// The node of a key, made where it is among the first so many keys.
fn place<'a>(
    nodes: &'a mut BTreeMap<Box<[u8]>, Node>,
    key: &[u8],
    most: usize,
) -> Option<&'a mut Node> {
    let full = nodes.len() >= most;
    let past_the_last = || nodes.last_key_value().is_none_or(|(last, _)| key > last.as_ref());
    if full && past_the_last() {
        return None;
    }
    // Twice looked up only where it is new.
    if !nodes.contains_key(key) {
        nodes.insert(key.into(), Node::default());
    }
    nodes.get_mut(key)
}
