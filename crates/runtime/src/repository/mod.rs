//! The repository capability: git's objects, index and working tree, read in process.
//!
//! Nothing is started: no filter, no text conversion, no file system monitor, whatever a
//! repository's settings name. Nothing is written. The store must lie in the workspace and is
//! read from the descriptors of its roots without following links, as is the working tree. What
//! may hold secrets, or is shut out by an ignore file, is not shown from either side: a path of
//! the repository is judged as if it was on the disk.
//!
//! Inside: `layout` finds the store, `config`, `refs`, `objects`, `history` and `trees` read it,
//! `worktree`, `line_ends` and `attributes` know what is on the disk as git would store it,
//! `untracked` finds the rest, and `compare` tells the sides apart.

mod attributes;
mod compare;
mod config;
mod disk;
mod history;
mod layout;
mod line_ends;
mod objects;
mod refs;
mod trees;
mod untracked;
mod worktree;

use std::cell::RefCell;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dogu_tool::{
    CancelFlag, Change, Compare, Comparison, NotCompared, Repository, SideContent, ToolError,
};
use gix_hash::ObjectId;

use crate::files::{GrantedFiles, Roots};
use attributes::AttributeFiles;
use compare::{Comparer, Found};
use config::Config;
use layout::Layout;
use objects::Objects;
use refs::Refs;
use trees::{Index, Prefix, Stored};
use worktree::WorkingTree;

/// The only kind of id that is read.
const HASH: gix_hash::Kind = gix_hash::Kind::Sha1;

/// Modes as git writes them.
const REGULAR: u32 = 0o100_644;
const EXECUTABLE: u32 = 0o100_755;
const LINK: u32 = 0o120_000;
const SUBMODULE: u32 = 0o160_000;
const DIRECTORY: u32 = 0o040_000;

/// The repositories that hold what a call was granted.
pub(crate) struct GrantedRepository {
    files: Arc<GrantedFiles>,
    roots: Arc<Roots>,
    /// Where the user's own settings of git are.
    home: Option<PathBuf>,
}

impl GrantedRepository {
    pub(crate) fn new(files: Arc<GrantedFiles>, roots: Arc<Roots>, home: Option<&Path>) -> Self {
        Self { files, roots, home: home.map(Path::to_path_buf) }
    }

    fn config(&self, layout: &Layout) -> Result<Config, ToolError> {
        let read = |path: PathBuf| disk::read(&self.roots, &path, config::MAX_CONFIG_BYTES);
        let mut config = Config::default();
        // The user's own line ends count too; everything else of it is read from nowhere.
        for name in [".config/git/config", ".gitconfig"] {
            let path = self.home.as_ref().map(|home| home.join(name));
            let text = path.and_then(|path| read(path).ok()).flatten();
            config.read(&text.unwrap_or_default());
        }
        config = Config { auto_crlf: config.auto_crlf, ..Config::default() };
        config.read(&read(layout.shared.join("config"))?.unwrap_or_default());
        if config.own_per_worktree {
            config.read(&read(layout.own.join("config.worktree"))?.unwrap_or_default());
        }
        config.check()?;
        self.check_worktree(layout, &config)?;
        Ok(config)
    }

    /// A submodule says where its working tree is; any other place than the one that was found
    /// is not granted.
    fn check_worktree(&self, layout: &Layout, config: &Config) -> Result<(), ToolError> {
        let Some(worktree) = &config.worktree else { return Ok(()) };
        let real = self.roots.judge(&layout.own.join(worktree))?.real;
        if real == layout.top {
            return Ok(());
        }
        Err(config::unsupported("its settings put the working tree elsewhere (core.worktree)"))
    }
}

impl Repository for GrantedRepository {
    fn compare<'a>(
        &'a self,
        path: &Path,
        compare: &Compare,
        cancel: &CancelFlag,
    ) -> Result<Box<dyn Comparison + 'a>, ToolError> {
        let real = self.files.real_of(path)?;
        let layout = layout::find(&self.roots, &real)?;
        let config = self.config(&layout)?;
        let below = real.strip_prefix(&layout.top).unwrap_or(Path::new(""));
        let prefix = Prefix(below.as_os_str().as_bytes().to_vec());
        let mut reader = Reader {
            owner: self,
            objects: Objects::open(&self.roots, &layout.shared)?,
            attributes: AttributeFiles::new(&self.roots, &layout),
            layout,
            config,
            written: (0, 0),
            found: Vec::new(),
            changes: Vec::new(),
            left_out: NotCompared::default(),
        };
        reader.compare(path, &prefix, compare, cancel)?;
        Ok(Box::new(reader))
    }
}

/// A comparison that was made, and what it takes to read the content of its changes.
struct Reader<'a> {
    owner: &'a GrantedRepository,
    layout: Layout,
    config: Config,
    objects: Objects<'a>,
    attributes: AttributeFiles<'a>,
    /// When the index was written.
    written: (i64, i64),
    /// Sorted by path, as are the changes.
    found: Vec<Found>,
    changes: Vec<Change>,
    left_out: NotCompared,
}

impl Reader<'_> {
    fn compare(
        &mut self,
        path: &Path,
        prefix: &Prefix,
        compare: &Compare,
        cancel: &CancelFlag,
    ) -> Result<(), ToolError> {
        let GrantedRepository { files, roots, .. } = self.owner;
        let index = Index::read(roots, &self.layout, &self.objects, cancel)?;
        self.written = index.written;
        let mut left_out = NotCompared::default();
        let on_disk = !matches!(compare, Compare::Staged { .. });
        let mut untracked = Vec::new();
        if on_disk {
            let staged = &index.entries;
            untracked = untracked::find(files, path, prefix, staged, cancel, &mut left_out)?;
        }
        let wanted = |entry: &trees::Staged| prefix.holds(&entry.stored.path);
        let staged: Vec<_> = index.entries.into_iter().filter(wanted).collect();
        let tree = self.working_tree();
        let mut comparer = Comparer { tree: &tree, on_disk, found: Vec::new(), left_out };
        match compare {
            Compare::Unstaged => comparer.unstaged(&staged, untracked, cancel)?,
            Compare::Staged { base } | Compare::All { base } => {
                let commit = self.base_files(base.as_deref(), prefix, cancel)?;
                comparer.against(&commit, &staged, untracked, cancel)?;
            }
        }
        let Comparer { found, left_out, .. } = comparer;
        (self.found, self.left_out) = (found, left_out);
        self.changes = self.found.iter().map(|found| found.change.clone()).collect();
        Ok(())
    }

    fn working_tree(&self) -> WorkingTree<'_> {
        WorkingTree {
            roots: &self.owner.roots,
            files: &self.owner.files,
            top: &self.layout.top,
            config: &self.config,
            objects: &self.objects,
            attributes: &self.attributes,
            written: self.written,
            last: RefCell::default(),
        }
    }

    /// The files of the commit that is compared with; none where there is no commit yet.
    fn base_files(
        &self,
        base: Option<&str>,
        prefix: &Prefix,
        cancel: &CancelFlag,
    ) -> Result<Vec<Stored>, ToolError> {
        let refs = Refs { roots: &self.owner.roots, layout: &self.layout, objects: &self.objects };
        let Some(commit) = base_commit(&refs, base, cancel)? else { return Ok(Vec::new()) };
        let tree = refs.tree_of(commit)?;
        trees::files_of(&self.objects, tree, b"", prefix, cancel)
    }

    fn stored(&self, mode: u32, id: ObjectId) -> SideContent {
        if mode == SUBMODULE {
            return SideContent::Submodule(id.to_hex().to_string());
        }
        match self.objects.find(&id) {
            Ok(objects::Found::Object(_, bytes)) => SideContent::Bytes(bytes),
            Ok(objects::Found::TooLarge(size)) => SideContent::TooLarge(size),
            Ok(objects::Found::Missing) => SideContent::Unreadable(self.objects.missing(&id)),
            Err(error) => SideContent::Unreadable(error.info().message.clone()),
        }
    }
}

impl Comparison for Reader<'_> {
    fn top(&self) -> &Path {
        &self.layout.top
    }

    fn changes(&self) -> &[Change] {
        &self.changes
    }

    fn left_out(&self) -> &NotCompared {
        &self.left_out
    }

    fn content(&self, change: &Change) -> (Option<SideContent>, Option<SideContent>) {
        let at = self.found.binary_search_by(|found| found.change.path.cmp(&change.path));
        let Some(found) = at.ok().and_then(|at| self.found.get(at)) else { return (None, None) };
        let old = found.old.map(|(mode, id)| self.stored(mode, id));
        let new = found.new.map(|(mode, id)| match id {
            Some(id) => self.stored(mode, id),
            None => self.working_tree().content(&change.path, mode, found.staged),
        });
        (old, new)
    }
}

fn base_commit(
    refs: &Refs<'_>,
    base: Option<&str>,
    cancel: &CancelFlag,
) -> Result<Option<ObjectId>, ToolError> {
    let Some(base) = base else { return refs.head() };
    let Some(name) = base.strip_suffix("...") else { return refs.commit(base).map(Some) };
    let theirs = refs.commit(name)?;
    let ours = refs.commit("HEAD")?;
    match history::parted(refs, ours, theirs, cancel)? {
        Some(commit) => Ok(Some(commit)),
        None => Err(ToolError::invalid(format!("HEAD and {name} have no commit in common"))
            .suggest("Send the base without `...` to compare with the commit itself.")),
    }
}
