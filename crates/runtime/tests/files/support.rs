//! A workspace, a folder beside it, and what calls may do in them.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dogu_runtime::files::{GrantedFiles, Roots};
use dogu_tool::{Action, ErrorCode, Files, ReadFiles, ToolError, WriteOptions, Written};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use tempfile::TempDir;

/// `proj` is the workspace, `out` is not.
pub(crate) struct World {
    pub(crate) _base: TempDir,
    pub(crate) base: PathBuf,
    pub(crate) roots: Arc<Roots>,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(|roots| roots)
    }

    pub(crate) fn with(change: impl FnOnce(Roots) -> Roots) -> Self {
        let kept = TempDir::new().unwrap();
        let base = kept.path().canonicalize().unwrap();
        for folder in ["proj/src/deep", "out"] {
            fs::create_dir_all(base.join(folder)).unwrap();
        }
        for file in ["proj/a.txt", "proj/src/b.txt", "proj/src/deep/c.txt", "out/secret"] {
            fs::write(base.join(file), file).unwrap();
        }
        let roots = Arc::new(change(Roots::open(&[base.join("proj")]).unwrap()));
        Self { _base: kept, base, roots }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.base.join(name)
    }

    pub(crate) fn link(&self, target: &str, name: &str) {
        symlink(target, self.path(name)).unwrap();
    }

    pub(crate) fn fifo(&self, name: &str) {
        mknodat(CWD, self.path(name), FileType::Fifo, Mode::RWXU, 0).unwrap();
    }

    /// The files of a call with these actions, all of them granted.
    pub(crate) fn grant(&self, actions: &[Action]) -> GrantedFiles {
        GrantedFiles::new(Arc::clone(&self.roots), self.roots.judge_all(actions).unwrap())
    }

    pub(crate) fn reader(&self, name: &str) -> GrantedFiles {
        self.grant(&[Action::read(self.path(name))])
    }

    pub(crate) fn tree(&self, name: &str) -> GrantedFiles {
        self.grant(&[Action::read_tree(self.path(name))])
    }

    pub(crate) fn writer(&self, name: &str) -> GrantedFiles {
        self.grant(&[Action::write(self.path(name))])
    }

    pub(crate) fn remover(&self, name: &str) -> GrantedFiles {
        self.grant(&[Action::FileDelete { path: self.path(name) }])
    }

    pub(crate) fn write(&self, name: &str, content: &str) -> Result<Written, ToolError> {
        self.writer(name).write(&self.path(name), content.as_bytes(), WriteOptions::default())
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn names(&self, name: &str) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.path(name))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    pub(crate) fn set_mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }
}

pub(crate) fn text_of(files: &dyn ReadFiles, path: &Path) -> Result<String, ToolError> {
    let mut text = String::new();
    files.open(path)?.read_to_string(&mut text).unwrap();
    Ok(text)
}

#[track_caller]
pub(crate) fn assert_denied<T: std::fmt::Debug>(result: Result<T, ToolError>, words: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.code(), ErrorCode::Denied, "{error}");
    assert!(error.to_string().contains(words), "{error}");
}

#[track_caller]
pub(crate) fn assert_failed<T: std::fmt::Debug>(result: Result<T, ToolError>, words: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.code(), ErrorCode::Tool, "{error}");
    assert!(error.to_string().contains(words), "{error}");
}

/// Set for tests that another test starts.
pub(crate) const CHILD: &str = "DOGU_TEST_CHILD";
pub(crate) const NOT_DECLARED: &str = "was not declared by this call";
pub(crate) const CHANGED: &str = "changed while it was being opened; nothing was done";
