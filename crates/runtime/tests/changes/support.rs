//! A workspace on a disk.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use dogu_runtime::StateDir;
use dogu_runtime::files::{GrantedFiles, Roots};
use dogu_runtime::journal::{Bounds, ChangedBy, Journal, Undone, Which};
use dogu_tool::{Action, ChangeOptions, Expects, FileChange, Files as _, ToolError, Written};
use tempfile::TempDir;

/// `proj` is the workspace, `out` is not.
pub(crate) struct World {
    _kept: TempDir,
    pub(crate) base: PathBuf,
    pub(crate) roots: Arc<Roots>,
    pub(crate) journal: Arc<Journal>,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(|roots| roots)
    }

    pub(crate) fn with(change: impl FnOnce(Roots) -> Roots) -> Self {
        let memory = Path::new("/dev/shm");
        let small = std::env::var_os("DOGU_TEST_CHILD").is_some();
        // Where waiting for the disk takes no time, unless a test says where.
        let kept = if memory.is_dir() && !small { TempDir::new_in(memory) } else { TempDir::new() };
        let kept = kept.unwrap();
        let base = kept.path().canonicalize().unwrap();
        for folder in ["proj/d", "out"] {
            fs::create_dir_all(base.join(folder)).unwrap();
        }
        for name in ["a", "b", "c", "d/e"] {
            fs::write(base.join("proj").join(name), format!("old {name}")).unwrap();
        }
        let roots = Arc::new(change(Roots::open(&[base.join("proj")]).unwrap()));
        let journal = Arc::new(journal_of(&base));
        Self { _kept: kept, base, roots, journal }
    }

    /// The same with a journal that keeps less.
    pub(crate) fn bounded(bounds: Bounds) -> Self {
        let world = Self::new();
        let journal = journal_of(&world.base).with_bounds(bounds);
        world.with_journal(journal)
    }

    pub(crate) fn with_journal(self, journal: Journal) -> Self {
        Self { journal: Arc::new(journal), ..self }
    }

    /// Changes that the journal knows, made by a call with this id.
    pub(crate) fn journaled(
        &self,
        call: &str,
        changes: &[FileChange],
    ) -> Result<Vec<Written>, ToolError> {
        self.journaling(call, changes).change(changes, ChangeOptions::default())
    }

    /// The files of such a call.
    pub(crate) fn journaling(&self, call: &str, changes: &[FileChange]) -> GrantedFiles {
        self.granted(changes).journaled(Arc::clone(&self.journal), by(call))
    }

    pub(crate) fn undo(&self, which: &Which) -> Result<Undone, ToolError> {
        self.journal.undo(&self.roots, which, false)
    }

    /// The same, the newest first: which tool, and whether it is undone.
    pub(crate) fn listed(&self) -> Vec<(String, bool)> {
        let all = self.journal.list(&self.roots).unwrap();
        all.into_iter()
            .map(|listed| (listed.entry.by.call.to_string(), listed.undone_by.is_some()))
            .collect()
    }

    /// With openat2 and exchanging names, and without.
    pub(crate) fn both_ways() -> [Self; 2] {
        [Self::new(), Self::with(Roots::stepwise)]
    }

    /// A path in the workspace.
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.base.join("proj").join(name)
    }

    /// The files of a call that may do all that these changes need.
    pub(crate) fn granted(&self, changes: &[FileChange]) -> GrantedFiles {
        let actions: Vec<Action> = changes.iter().flat_map(actions).collect();
        GrantedFiles::new(Arc::clone(&self.roots), self.roots.judge_all(&actions).unwrap())
    }

    pub(crate) fn change(&self, changes: &[FileChange]) -> Result<Vec<Written>, ToolError> {
        self.granted(changes).change(changes, ChangeOptions::default())
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap()
    }

    pub(crate) fn mode(&self, name: &str) -> u32 {
        fs::metadata(self.at(name)).unwrap().permissions().mode() & 0o7777
    }

    pub(crate) fn set_mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.at(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Every path of the workspace with its content.
    pub(crate) fn snapshot(&self) -> BTreeMap<PathBuf, String> {
        snapshot(&self.base.join("proj"))
    }
}

/// The journal of a world that another process made.
pub(crate) fn journal_of(base: &Path) -> Journal {
    Journal::new(StateDir::open(base.join("state")).unwrap())
}

/// Who made a call with this id.
pub(crate) fn by(call: &str) -> ChangedBy {
    ChangedBy {
        call: call.into(),
        tool: "test".into(),
        principal: "process".into(),
        session: "s".into(),
    }
}

/// Starts an ignored test of this program in a process of its own.
pub(crate) fn start(test: &str, base: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", test, "--ignored", "--test-threads=1", "--nocapture"])
        .env(BASE, base)
        .stdout(Stdio::null());
    command
}

/// The folder of the world, where this process was started by a test.
pub(crate) fn started_in() -> Option<PathBuf> {
    std::env::var_os(BASE).map(PathBuf::from)
}

/// The files of a call in the world of another process.
pub(crate) fn files_in(base: &Path, changes: &[FileChange]) -> GrantedFiles {
    let roots = Arc::new(Roots::open(&[base.join("proj")]).unwrap());
    let actions: Vec<Action> = changes.iter().flat_map(actions).collect();
    let judged = roots.judge_all(&actions).unwrap();
    GrantedFiles::new(roots, judged).journaled(Arc::new(journal_of(base)), by("call"))
}

const BASE: &str = "DOGU_TEST_BASE";

/// What a change needs.
fn actions(change: &FileChange) -> Vec<Action> {
    match &change.becomes {
        dogu_tool::Becomes::Content(_) => vec![Action::write(&change.path)],
        dogu_tool::Becomes::MovedFrom(from) => {
            vec![Action::write(&change.path), Action::FileDelete { path: from.clone() }]
        }
        dogu_tool::Becomes::Nothing => vec![Action::FileDelete { path: change.path.clone() }],
    }
}

/// Every path below a folder with its content; links by their target.
pub(crate) fn snapshot(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_symlink() {
            let target = fs::read_link(&path).unwrap();
            found.insert(path, format!("-> {}", target.display()));
        } else if path.is_dir() {
            found.extend(snapshot(&path));
            found.insert(path, String::new());
        } else {
            let content = fs::read(&path).unwrap();
            found.insert(path, String::from_utf8_lossy(&content).into_owned());
        }
    }
    found
}

/// The content that must be there.
pub(crate) fn content(text: &str) -> Expects {
    Expects::Content(*blake3::hash(text.as_bytes()).as_bytes())
}

#[track_caller]
pub(crate) fn assert_refused<T: std::fmt::Debug>(result: Result<T, ToolError>, words: &str) {
    let error = result.unwrap_err();
    assert!(error.to_string().contains(words), "{error}");
}
