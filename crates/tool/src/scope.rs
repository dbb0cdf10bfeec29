//! Where a call happens: the working folder and the roots that it may touch without asking.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::shell::ShellKind;

/// The working folder and the workspace roots of a call. Only names: nothing here touches a disk.
#[derive(Clone, Debug)]
pub struct Scope {
    workdir: PathBuf,
    roots: Arc<[PathBuf]>,
    home: Option<PathBuf>,
    shell: ShellKind,
}

impl Scope {
    /// One folder that is both the working folder and the only root.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        let workdir = folder.into();
        let roots = Arc::from([workdir.clone()]);
        Self { workdir, roots, home: None, shell: ShellKind::Bash }
    }

    /// Replaces the roots.
    pub fn with_roots(mut self, roots: impl Into<Arc<[PathBuf]>>) -> Self {
        self.roots = roots.into();
        self
    }

    /// Says what `~` means.
    pub fn with_home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// Says which shell lines are given to.
    pub fn with_shell(mut self, shell: ShellKind) -> Self {
        self.shell = shell;
        self
    }

    /// The shell that lines are given to.
    pub fn shell(&self) -> ShellKind {
        self.shell
    }

    /// The folder that relative paths start from.
    pub fn workdir(&self) -> &Path {
        &self.workdir
    }

    /// The folders that make up the workspace.
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// What `~` means.
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// The absolute path that a model means: `~` expanded, relative ones from the working
    /// folder. `..` stays, because only the disk knows where it leads.
    pub fn resolve(&self, path: &str) -> PathBuf {
        if path.is_empty() {
            // Joining would give the folder itself; an empty path must stay recognisably empty.
            return PathBuf::new();
        }
        match (path.strip_prefix('~'), &self.home) {
            (Some(""), Some(home)) => home.clone(),
            (Some(rest), Some(home)) if rest.starts_with('/') => {
                home.join(rest.trim_start_matches('/'))
            }
            _ => self.workdir.join(path),
        }
    }

    /// The path as a person in the working folder would write it.
    pub fn display(&self, path: &Path) -> String {
        match path.strip_prefix(&self.workdir) {
            Ok(below) if below.as_os_str().is_empty() => ".".to_owned(),
            Ok(below) => below.display().to_string(),
            Err(_) => path.display().to_string(),
        }
    }
}
