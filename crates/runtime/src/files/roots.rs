//! The workspace roots as descriptors, opened once.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dogu_tool::{Action, FileKind, Principal, Scope, ToolError};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{CWD, Mode, OFlags, Stat, openat};
use rustix::io::Errno;

use super::beneath::{FOLDER, Way, open_beneath};
use super::known_secrets::{KnownSecrets, SecretIds};
use super::words;
use crate::ignored::{FolderView, IgnoreFiles};
use crate::paths::{Found, check_declared, plain_join, walk};
use crate::state::{self, StateDir};
use dogu_policy::facts::{JudgedAction, PathFacts};
use dogu_policy::path::{Places, sensitive};

/// The workspace roots, each held by a descriptor: a root that is renamed or replaced by a
/// link later is still the folder that it was when this was opened.
#[derive(Debug)]
pub struct Roots {
    /// The deepest first, so that the first that holds a path is the one to name.
    held: Vec<Root>,
    slash: OwnedFd,
    way: Way,
    /// dogu's own state folder, and the folder in it that calls may be shown.
    private: Option<(PathBuf, PathBuf)>,
    ignores: IgnoreFiles,
    places: Places,
    secrets: KnownSecrets,
}

#[derive(Debug)]
struct Root {
    declared: PathBuf,
    real: PathBuf,
    fd: OwnedFd,
}

/// Where a real path is opened from.
pub(crate) struct Place<'a> {
    /// The descriptor of the root, or of `/`.
    pub(crate) anchor: BorrowedFd<'a>,
    /// The rest of the way; empty for the root itself.
    pub(crate) below: &'a Path,
    /// It is in the workspace.
    pub(crate) inside: bool,
}

impl Roots {
    /// Opens every root. They must be absolute, and folders that exist.
    pub fn open(roots: &[PathBuf]) -> Result<Self, ToolError> {
        let slash = openat(CWD, "/", FOLDER, Mode::empty())
            .map_err(|errno| ToolError::io("open", Path::new("/"), errno.into()))?;
        let mut opened = Vec::with_capacity(roots.len());
        for root in roots {
            opened.push(Root::open(root, slash.as_fd())?);
        }
        opened.sort_by_key(|root| std::cmp::Reverse(root.real.components().count()));
        Ok(Self {
            held: opened,
            slash,
            way: Way::Best,
            private: None,
            ignores: IgnoreFiles::default(),
            places: Places::default(),
            secrets: KnownSecrets::default(),
        })
    }

    /// Opens the roots of a scope.
    pub fn of(scope: &Scope) -> Result<Self, ToolError> {
        Self::open(scope.roots())
    }

    /// Says which places of this machine hold secrets.
    pub(crate) fn with_places(mut self, places: Places) -> Self {
        self.places = places;
        self
    }

    /// The places of this machine that hold secrets.
    pub(crate) fn places(&self) -> &Places {
        &self.places
    }

    /// The files and folders of those places, by which they are known under other names.
    pub(crate) fn known_secrets(&self) -> Arc<SecretIds> {
        self.secrets.now(&self.places)
    }

    /// dogu's own state folder, its real path.
    pub(crate) fn private(&self) -> Option<&Path> {
        self.private.as_ref().map(|(state, _)| state.as_path())
    }

    /// Refuses what may hold secrets: whoever may read a folder as a whole may not read those.
    pub(crate) fn refuse_secret(&self, real: &Path, asked: &Path) -> Result<(), ToolError> {
        match sensitive(real, false, &self.places) {
            Some(why) => Err(ToolError::denied(format!("{} {why}", words::shown(asked)))
                .suggest("Read the file by its own name, which asks the user.")),
            None => Ok(()),
        }
    }

    /// Keeps every call out of dogu's own state, wherever the roots are and whatever is granted:
    /// the token and the record are not for those who are guarded by them. What was spilled of
    /// results may be read.
    pub fn keeping_out_of(mut self, state: &StateDir) -> Self {
        let real = std::fs::canonicalize(state.path());
        let real = real.unwrap_or_else(|_| state.path().to_path_buf());
        let spills = real.join(state::SPILLS);
        self.private = Some((real, spills));
        self
    }

    pub(crate) fn refuse_private(&self, real: &Path, asked: &Path) -> Result<(), ToolError> {
        match &self.private {
            Some((state, spills)) if real.starts_with(state) && !real.starts_with(spills) => {
                let shown = words::shown(asked);
                Err(ToolError::denied(format!(
                    "{shown} is dogu's own state, which no call may touch"
                )))
            }
            _ => Ok(()),
        }
    }

    /// What was spilled of another caller's result does not exist for this one.
    pub(crate) fn refuse_foreign_spill(
        &self,
        real: &Path,
        asked: &Path,
        who: Option<&Principal>,
    ) -> Result<(), ToolError> {
        match &self.private {
            Some((_, spills)) if real.starts_with(spills) => {
                let own = who.map(|who| spills.join(state::spill_folder(who)));
                match own {
                    Some(own) if real.starts_with(&own) => Ok(()),
                    _ => Err(words::not_found(asked)),
                }
            }
            _ => Ok(()),
        }
    }

    /// Opens component by component even where the kernel could do it in one call.
    #[doc(hidden)]
    pub fn stepwise(mut self) -> Self {
        self.way = Way::Steps;
        self
    }

    /// Whether it does without what only newer kernels have.
    pub(crate) fn is_stepwise(&self) -> bool {
        self.way == Way::Steps
    }

    /// The real paths of the roots, the deepest first.
    pub fn real_paths(&self) -> impl Iterator<Item = &Path> {
        self.held.iter().map(|root| root.real.as_path())
    }

    /// The facts of a path as it was declared.
    pub fn judge(&self, path: &Path) -> Result<PathFacts, ToolError> {
        check_declared(path)?;
        let found = match self.find_plain(path) {
            Some(found) => Ok(found),
            None => self.find_by_walking(path),
        }?;
        self.refuse_private(&found.real, path)?;
        let folder = found.kind == Some(FileKind::Folder);
        Ok(PathFacts {
            declared: path.to_path_buf(),
            root: self.holding(&found.real).map(|root| root.real.clone()),
            ignored_by: self.ignored_by(&found.real, folder),
            real: found.real,
            exists: found.kind.is_some(),
            kind: found.kind,
            other_names: found.other_names,
        })
    }

    /// The ignore file of the workspace that shuts agents out of a real path, if one does.
    pub(crate) fn ignored_by(&self, real: &Path, folder: bool) -> Option<PathBuf> {
        self.ignores.shutting_out(self.outermost(real)?, real, folder)
    }

    /// Refuses what an ignore file shuts agents out of, as a file and as a folder.
    pub(crate) fn refuse_ignored(&self, real: &Path, asked: &Path) -> Result<(), ToolError> {
        let ignored = self.ignored_by(real, false).or_else(|| self.ignored_by(real, true));
        match ignored {
            Some(_) => Err(ToolError::denied(format!("File is ignored: {}", words::shown(asked)))),
            None => Ok(()),
        }
    }

    /// What ignore files say of the entries of a real folder, if that is in the workspace.
    pub(crate) fn ignored_in(&self, folder: &Path) -> Option<FolderView> {
        Some(self.ignores.in_folder(self.outermost(folder)?, folder))
    }

    /// Where roots are inside of each other, the ignore files of the outer one count too.
    pub(crate) fn outermost(&self, real: &Path) -> Option<&Path> {
        self.real_paths().filter(|root| real.starts_with(root)).last()
    }

    /// Every action with the facts of its path.
    pub fn judge_all(&self, actions: &[Action]) -> Result<Vec<JudgedAction>, ToolError> {
        let judge = |action: &Action| {
            let path = action.path().map(|path| self.judge(path)).transpose()?;
            Ok(JudgedAction { path, ..JudgedAction::plain(action.clone()) })
        };
        actions.iter().map(judge).collect()
    }

    /// The usual case in one call of the kernel: the path is below a root, exists, and has
    /// neither links nor `..`, so that its real path is the root's with the rest appended.
    fn find_plain(&self, path: &Path) -> Option<Found> {
        let (start, rest) = self.declared_under(path)?;
        let real = plain_join(start, rest)?;
        let seen = self.peek(&self.place(&real))?;
        Some(Found::of(real, Some(&seen)))
    }

    /// Every other case: links are followed one by one.
    fn find_by_walking(&self, path: &Path) -> Result<Found, ToolError> {
        let (start, rest) = self.declared_under(path).unwrap_or((Path::new("/"), path));
        walk(path, start, rest)
    }

    #[cfg(target_os = "linux")]
    fn peek(&self, place: &Place<'_>) -> Option<Stat> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let fd = open_beneath(place.anchor, place.below, flags, self.way).ok()?;
        rustix::fs::fstat(&fd).ok()
    }

    #[cfg(not(target_os = "linux"))]
    fn peek(&self, _: &Place<'_>) -> Option<Stat> {
        None // There is no way to open without the right to read.
    }

    /// The real path of the root that a declared path starts with, and what follows. A root
    /// may be declared through a link, and then means where that led when it was opened.
    fn declared_under<'a>(&'a self, path: &'a Path) -> Option<(&'a Path, &'a Path)> {
        self.held.iter().find_map(|root| {
            let rest = path.strip_prefix(&root.declared).or_else(|_| path.strip_prefix(&root.real));
            Some((root.real.as_path(), rest.ok()?))
        })
    }

    fn holding(&self, real: &Path) -> Option<&Root> {
        self.held.iter().find(|root| real.starts_with(&root.real))
    }

    /// Where a real path is opened from.
    pub(crate) fn place<'a>(&'a self, real: &'a Path) -> Place<'a> {
        for root in &self.held {
            if let Ok(below) = real.strip_prefix(&root.real) {
                return Place { anchor: root.fd.as_fd(), below, inside: true };
            }
        }
        let below = real.strip_prefix("/").unwrap_or(real);
        Place { anchor: self.slash.as_fd(), below, inside: false }
    }

    /// Opens a real path without links.
    pub(crate) fn open_real(&self, real: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        let place = self.place(real);
        self.open_below(place.anchor, place.below, flags)
    }

    /// Opens below a descriptor without links.
    pub(crate) fn open_below(
        &self,
        anchor: BorrowedFd<'_>,
        below: &Path,
        flags: OFlags,
    ) -> Result<OwnedFd, Errno> {
        let fd = open_beneath(anchor, below, flags, self.way)?;
        refuse_procfs(&fd)?;
        Ok(fd)
    }
}

impl Root {
    fn open(declared: &Path, slash: BorrowedFd<'_>) -> Result<Self, ToolError> {
        check_declared(declared)?;
        let failed = |error| ToolError::io("open the workspace root", declared, error);
        let real = declared.canonicalize().map_err(failed)?;
        let below = real.strip_prefix("/").unwrap_or(&real);
        let fd = open_beneath(slash, below, FOLDER, Way::Best)
            .and_then(|fd| refuse_procfs(&fd).map(|()| fd))
            .map_err(|errno| failed(errno.into()))?;
        Ok(Self { declared: declared.to_path_buf(), real, fd })
    }
}

/// Files of `/proc` are no files: they show and change other processes, whatever their path.
#[cfg(target_os = "linux")]
pub(crate) fn refuse_procfs(fd: &OwnedFd) -> Result<(), Errno> {
    let kind = rustix::fs::fstatfs(fd)?.f_type;
    if kind == rustix::fs::PROC_SUPER_MAGIC { Err(words::PROCFS) } else { Ok(()) }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn refuse_procfs(_: &OwnedFd) -> Result<(), Errno> {
    Ok(())
}
