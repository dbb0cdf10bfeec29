//! A workspace in which commands run.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use dogu_runtime::StateDir;
use dogu_runtime::files::Roots;
use dogu_runtime::journal::{
    Before, Bounds, ChangeKind, ChangedBy, CommandChanges, Journal, Undone, Which, Why,
};
use dogu_tool::{CancelFlag, ToolError};
use tempfile::TempDir;

/// Long enough for whatever else the machine does.
pub(crate) const LIMIT: Duration = Duration::from_mins(1);

/// `proj` is the workspace, `out` is not.
pub(crate) struct World {
    kept: TempDir,
    pub(crate) base: PathBuf,
    pub(crate) roots: Arc<Roots>,
    pub(crate) journal: Arc<Journal>,
    calls: AtomicUsize,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::bounded(Bounds::default())
    }

    pub(crate) fn bounded(bounds: Bounds) -> Self {
        let memory = Path::new("/dev/shm");
        let kept = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() }.unwrap();
        let base = kept.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("proj/d")).unwrap();
        fs::create_dir_all(base.join("out")).unwrap();
        for name in ["a", "b", "d/e"] {
            fs::write(base.join("proj").join(name), format!("old {name}\n")).unwrap();
        }
        let roots = Arc::new(Roots::open(&[base.join("proj")]).unwrap());
        let journal = Arc::new(journal_of(&base).with_bounds(bounds));
        Self { kept, base, roots, journal, calls: AtomicUsize::new(1) }
    }

    /// A path in the workspace.
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.base.join("proj").join(name)
    }

    pub(crate) fn before(&self) -> Before {
        self.journal.watch_before(&self.roots, LIMIT, &CancelFlag::new()).unwrap()
    }

    /// Runs a command in a real shell and waits for it.
    pub(crate) fn shell(&self, line: &str) {
        let mut shell = Command::new("sh");
        shell.args(["-ec", line]).current_dir(self.base.join("proj")).stdin(Stdio::null());
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// What a command changes; the calls are numbered from 1.
    pub(crate) fn run(&self, line: &str) -> CommandChanges {
        let before = self.before();
        self.shell(line);
        let number = self.calls.fetch_add(1, Ordering::Relaxed);
        before.finish(&by(&format!("call-{number}"))).unwrap()
    }

    pub(crate) fn undo(&self, which: &Which) -> Result<Undone, ToolError> {
        self.journal.undo(&self.roots, which, false)
    }

    /// What changed, by names below the workspace.
    pub(crate) fn changed(&self, changes: &CommandChanges) -> Vec<(String, ChangeKind)> {
        let files = changes.changed.iter();
        files.map(|change| (self.name(&change.path), change.how)).collect()
    }

    /// What changed and is not covered.
    pub(crate) fn named(&self, changes: &CommandChanges) -> Vec<(String, Why)> {
        let named = changes.not_covered.named.iter();
        named.map(|change| (self.name(&change.path), change.why)).collect()
    }

    fn name(&self, path: &Path) -> String {
        path.strip_prefix(self.base.join("proj")).unwrap().to_string_lossy().into_owned()
    }

    pub(crate) fn snapshot(&self) -> BTreeMap<PathBuf, String> {
        snapshot(&self.base.join("proj"))
    }

    /// All bytes that the state folder holds, wherever.
    pub(crate) fn stored(&self, text: &str) -> bool {
        let mut folders = vec![self.base.join("state")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if contains(&fs::read(path).unwrap(), text.as_bytes()) {
                    return true;
                }
            }
        }
        false
    }
}

fn contains(all: &[u8], part: &[u8]) -> bool {
    all.windows(part.len()).any(|window| window == part)
}

/// No command of a test is left behind.
impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        for process in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let folder = fs::read_link(process.path().join("cwd")).unwrap_or_default();
            assert!(!folder.starts_with(self.kept.path()), "{}", process.path().display());
        }
    }
}

/// The journal of a world as another process would open it.
pub(crate) fn journal_of(base: &Path) -> Journal {
    Journal::new(StateDir::open(base.join("state")).unwrap())
}

/// Who made a call with this id.
pub(crate) fn by(call: &str) -> ChangedBy {
    ChangedBy {
        call: call.into(),
        tool: "execute_command".into(),
        principal: "process".into(),
        session: "s".into(),
    }
}

/// Every path below a folder with its content; files with their mode, links by their target.
pub(crate) fn snapshot(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_symlink() {
            let target = fs::read_link(&path).unwrap();
            found.insert(path, format!("-> {}", target.display()));
        } else if path.is_dir() {
            found.extend(snapshot(&path));
            found.insert(path, "folder".to_owned());
        } else {
            let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
            let content = fs::read(&path).unwrap();
            found.insert(path, format!("{mode:o} {}", String::from_utf8_lossy(&content)));
        }
    }
    found
}

#[track_caller]
pub(crate) fn assert_refused<T: std::fmt::Debug>(result: Result<T, ToolError>, words: &str) {
    let error = result.unwrap_err();
    assert!(error.to_string().contains(words), "{error}");
}
