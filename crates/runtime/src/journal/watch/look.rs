//! A look over the workspace: which files there are, by their stamps alone.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use dogu_policy::path::{may_steer, steers};
use dogu_tool::{
    CancelFlag, FileKind, FileStamp, LeftOut, Onward, ToolError, Visitor, WalkEntry, WalkOptions,
};

use super::why::{Counts, Why};
use crate::files::transaction::{Spot, is_temporary};
use crate::files::{Roots, walk_real};

/// A path that is known already, so that it is not written down a second time.
pub(super) type Known<'a> = dyn Fn(&OsStr) -> Option<Arc<OsStr>> + Sync + 'a;

/// What bounds a look.
pub(super) struct Bound<'a> {
    /// How many files that are not known are looked at.
    pub(super) unknown: u64,
    pub(super) end: Instant,
    pub(super) cancel: &'a CancelFlag,
}

/// A file or a symbolic link.
#[derive(Clone, Debug)]
pub(super) struct Spotted {
    pub(super) path: Arc<OsStr>,
    pub(super) stamp: FileStamp,
}

/// What was seen.
#[derive(Debug, Default)]
pub(super) struct Sight {
    pub(super) files: Vec<Spotted>,
    /// Files that may hold secrets: only that they are there.
    pub(super) secrets: Vec<(Arc<OsStr>, FileStamp)>,
    pub(super) folders: Vec<PathBuf>,
    /// The stores of repositories: with them come and go the rules of what is ignored.
    pub(super) stores: Vec<PathBuf>,
    /// Files and folders that steer others, whatever else they are.
    pub(super) steering: Vec<PathBuf>,
    pub(super) counts: Counts,
    /// Nothing was left out because of a bound.
    pub(super) complete: bool,
    /// All names were seen.
    pub(super) all_names: bool,
}

impl Sight {
    fn count(&mut self, why: Why, more: u64) {
        if more > 0 {
            *self.counts.entry(why).or_default() += more;
        }
    }

    fn add(&mut self, other: Self) {
        self.files.extend(other.files);
        self.secrets.extend(other.secrets);
        self.folders.extend(other.folders);
        self.stores.extend(other.stores);
        self.steering.extend(other.steering);
        for (why, count) in other.counts {
            self.count(why, count);
        }
    }
}

/// Looks over all roots, until the time is over.
pub(super) fn look(
    roots: &Roots,
    known: &Known<'_>,
    bound: &Bound<'_>,
) -> Result<Sight, ToolError> {
    let all = All {
        roots: roots.real_paths().map(Path::to_path_buf).collect(),
        known,
        bound,
        left: AtomicU64::new(bound.unknown),
        late: AtomicBool::new(false),
        seen: Mutex::default(),
    };
    let options = WalkOptions { show_left_out: true, ..WalkOptions::default() };
    let mut unreadable = 0;
    for root in &all.roots {
        let spot = Spot { asked: root, real: root.clone(), exact: true };
        let visitors = || Box::new(Looker::new(&all, root)) as Box<dyn Visitor + '_>;
        let walked = walk_real(roots, &spot, true, &options, bound.cancel, &visitors);
        bound.cancel.check()?;
        // A root that cannot be read is as a folder that cannot be.
        unreadable += walked.map_or(1, |walked| walked.unreadable);
        if all.late.load(Ordering::Relaxed) {
            break;
        }
    }
    let mut sight = all.seen.into_inner().unwrap_or_else(PoisonError::into_inner);
    sight.count(Why::Unreadable, unreadable);
    sight.all_names = !all.late.load(Ordering::Relaxed);
    // How many it would have been nobody knows.
    sight.count(Why::NoTime, u64::from(all.late.into_inner()));
    sight.complete = [Why::NoTime, Why::TooMany].iter().all(|why| !sight.counts.contains_key(why));
    Ok(sight)
}

/// What the threads of a look share.
struct All<'a> {
    roots: Vec<PathBuf>,
    known: &'a Known<'a>,
    bound: &'a Bound<'a>,
    left: AtomicU64,
    late: AtomicBool,
    seen: Mutex<Sight>,
}

/// A thread of a look.
struct Looker<'a> {
    all: &'a All<'a>,
    root: &'a Path,
    /// The path at hand, and how much of it is the root.
    path: Vec<u8>,
    base: usize,
    own: Sight,
}

impl<'a> Looker<'a> {
    fn new(all: &'a All<'a>, root: &'a Path) -> Self {
        let mut path = root.as_os_str().as_bytes().to_vec();
        if path.last() != Some(&b'/') {
            path.push(b'/');
        }
        Self { all, root, base: path.len(), path, own: Sight::default() }
    }

    fn at(&self) -> &OsStr {
        OsStr::from_bytes(&self.path)
    }

    fn path(&self) -> PathBuf {
        OsString::from_vec(self.path.clone()).into()
    }

    /// Takes note of what steers others.
    fn steering(&mut self, kind: FileKind) {
        let name = self.path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let folder = kind == FileKind::Folder;
        if may_steer(name) && steers(Path::new(self.at()), folder, self.root) {
            let path = self.path();
            self.own.steering.push(path);
        }
    }

    fn left_out(&mut self, entry: &dyn WalkEntry, why: LeftOut) {
        match why {
            LeftOut::VersionControl => {
                let path = self.path();
                self.own.stores.push(path);
            }
            LeftOut::GitIgnored => self.own.count(Why::Ignored, 1),
            LeftOut::ShutOut => self.own.count(Why::ShutOut, 1),
            LeftOut::Secret => {
                self.own.count(Why::Secret, 1);
                if entry.kind() == FileKind::File
                    && let Ok(facts) = entry.facts()
                {
                    let path = self.at().into();
                    self.own.secrets.push((path, facts.stamp));
                }
            }
        }
    }

    fn folder(&mut self) -> Onward {
        let path = self.path();
        // It is looked at by itself.
        if self.all.roots.contains(&path) {
            return Onward::Skip;
        }
        self.own.folders.push(path);
        Onward::Go
    }

    fn file(&mut self, entry: &dyn WalkEntry) {
        if is_own_temporary(entry.path()) {
            return;
        }
        let known = (self.all.known)(self.at());
        if known.is_none() && !self.all.has_room() {
            return self.own.count(Why::TooMany, 1);
        }
        match entry.facts() {
            Ok(facts) => {
                let path = known.unwrap_or_else(|| self.at().into());
                self.own.files.push(Spotted { path, stamp: facts.stamp });
            }
            // It is gone again, or is in a folder that nobody may look into.
            Err(_) => self.own.count(Why::Unreadable, 1),
        }
    }
}

impl All<'_> {
    /// Takes the place of one more file, if there is one.
    fn has_room(&self) -> bool {
        let less = |left: u64| left.checked_sub(1);
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }
}

impl Visitor for Looker<'_> {
    fn visit(&mut self, entry: &dyn WalkEntry) -> Onward {
        if Instant::now() >= self.all.bound.end {
            self.all.late.store(true, Ordering::Relaxed);
            return Onward::Stop;
        }
        self.path.truncate(self.base);
        self.path.extend_from_slice(entry.path().as_os_str().as_bytes());
        self.steering(entry.kind());
        if let Some(why) = entry.left_out() {
            self.left_out(entry, why);
            return Onward::Skip;
        }
        match entry.kind() {
            FileKind::Folder => return self.folder(),
            FileKind::File | FileKind::Link => self.file(entry),
            FileKind::Other => self.own.count(Why::Special, 1),
        }
        Onward::Go
    }
}

impl Drop for Looker<'_> {
    fn drop(&mut self) {
        let own = std::mem::take(&mut self.own);
        self.all.seen.lock().unwrap_or_else(PoisonError::into_inner).add(own);
    }
}

/// A file that a change of dogu's own is being made with.
fn is_own_temporary(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    is_temporary(name.strip_suffix("-old").unwrap_or(name))
}
