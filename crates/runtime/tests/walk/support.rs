//! A tree on the disk, and walks of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use dogu_runtime::files::{GrantedFiles, Roots};
use dogu_tool::{
    Action, CancelFlag, FileKind, LeftOut, Onward, ReadFiles as _, ToolError, Visitor, Visitors,
    WalkEntry, WalkOptions, Walked,
};
use tempfile::TempDir;

/// A workspace, gone after the test.
pub(crate) struct Tree {
    _folder: TempDir,
    pub(crate) root: PathBuf,
}

/// What was shown of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) kind: FileKind,
    pub(crate) left_out: Option<LeftOut>,
}

/// All that was shown, by path below the start.
pub(crate) type All = BTreeMap<PathBuf, Shown>;

impl Tree {
    pub(crate) fn new() -> Self {
        Self::of(TempDir::new().unwrap())
    }

    pub(crate) fn of(folder: TempDir) -> Self {
        let root = folder.path().canonicalize().unwrap();
        Self { _folder: folder, root }
    }

    pub(crate) fn with<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let tree = Self::new();
        for (name, text) in files {
            tree.write(name, text);
        }
        tree
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn folder(&self, name: &str) {
        fs::create_dir_all(self.path(name)).unwrap();
    }

    /// The files of a call that may read a folder and all below it.
    pub(crate) fn files(&self, start: &str) -> GrantedFiles {
        let roots = Arc::new(Roots::open(std::slice::from_ref(&self.root)).unwrap());
        granted(&roots, &Action::read_tree(self.path(start)))
    }

    pub(crate) fn walk(&self, start: &str, options: &WalkOptions) -> (All, Walked) {
        collect(&self.files(start), &self.path(start), options).unwrap()
    }

    /// The paths that a walk with these options shows, folders with a `/`.
    pub(crate) fn names(&self, start: &str, options: &WalkOptions) -> Vec<String> {
        self.walk(start, options).0.iter().map(|(path, shown)| spelled(path, *shown)).collect()
    }
}

fn spelled(path: &Path, shown: Shown) -> String {
    let end = match shown.kind {
        FileKind::Folder => "/",
        FileKind::File => "",
        FileKind::Link => "@",
        FileKind::Other => "?",
    };
    let mark = shown.left_out.map_or(String::new(), |why| format!(" {why:?}"));
    format!("{}{end}{mark}", path.display())
}

pub(crate) fn granted(roots: &Arc<Roots>, action: &Action) -> GrantedFiles {
    let judged = roots.judge_all(std::slice::from_ref(action)).unwrap();
    GrantedFiles::new(Arc::clone(roots), judged)
}

/// A visitor that is a function.
pub(crate) struct With<F>(pub(crate) F);

impl<F: FnMut(&dyn WalkEntry) -> Onward + Send> Visitor for With<F> {
    fn visit(&mut self, entry: &dyn WalkEntry) -> Onward {
        (self.0)(entry)
    }
}

/// Walks with one function for all threads.
pub(crate) fn walk_with(
    files: &GrantedFiles,
    start: &Path,
    options: &WalkOptions,
    cancel: &CancelFlag,
    visit: impl Fn(&dyn WalkEntry) -> Onward + Sync,
) -> Result<Walked, ToolError> {
    let visit = &visit;
    let visitors = move || Box::new(With(move |entry: &dyn WalkEntry| visit(entry))) as Box<_>;
    let visitors: &Visitors<'_> = &visitors;
    files.walk(start, options, cancel, visitors)
}

/// All that a walk shows; no path comes twice.
pub(crate) fn collect(
    files: &GrantedFiles,
    start: &Path,
    options: &WalkOptions,
) -> Result<(All, Walked), ToolError> {
    let all = Mutex::new(All::new());
    let walked = walk_with(files, start, options, &CancelFlag::new(), |entry| {
        let shown = Shown { kind: entry.kind(), left_out: entry.left_out() };
        let before = all.lock().unwrap().insert(entry.path().to_path_buf(), shown);
        assert_eq!(before, None, "{} came twice", entry.path().display());
        Onward::Go
    })?;
    Ok((all.into_inner().unwrap(), walked))
}

pub(crate) fn all_of_it() -> WalkOptions {
    WalkOptions { git_ignores: false, ..WalkOptions::default() }
}

pub(crate) fn marked() -> WalkOptions {
    WalkOptions { show_left_out: true, ..WalkOptions::default() }
}
