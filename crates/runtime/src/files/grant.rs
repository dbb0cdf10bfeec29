//! The files of one call: which paths it was granted, and for what.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use dogu_tool::{
    Action, FileFacts, Files, FolderEntry, ReadFiles, ToolError, WriteOptions, Written,
};

use super::roots::Roots;
use super::{read, words, write};
use crate::paths::plain_join;
use dogu_policy::facts::{JudgedAction, PathFacts};

/// The files capability of one call. It admits the paths of the actions that were judged and
/// granted, each for what its action says, and opens only their real paths:
///
/// | action | `open`, `list` | `facts` | `write` | `remove` |
/// | --- | --- | --- | --- | --- |
/// | `FileRead`, `FileReadSensitive` | yes | yes | | |
/// | `FileRead` of a tree | and below | and below | | |
/// | `FileWrite` | yes: what it replaces | yes | yes | |
/// | `FileDelete` | | yes | | yes |
#[derive(Debug)]
pub struct GrantedFiles {
    roots: Arc<Roots>,
    admitted: RwLock<Vec<JudgedAction>>,
    durable: bool,
}

/// What a path is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    Look,
    Facts,
    Write,
    Remove,
}

/// A path that a grant covers.
pub(super) struct Spot<'a> {
    /// As the tool asked for it, for messages.
    pub(super) asked: &'a Path,
    /// What is opened.
    pub(super) real: PathBuf,
    /// The path was judged by itself, not found below a judged folder.
    pub(super) exact: bool,
}

impl GrantedFiles {
    /// The files of a call whose actions were granted.
    pub fn new(roots: Arc<Roots>, granted: Vec<JudgedAction>) -> Self {
        Self { roots, admitted: RwLock::new(granted), durable: true }
    }

    /// Admits more, granted while the call runs.
    pub fn admit(&self, granted: Vec<JudgedAction>) {
        self.admitted.write().unwrap_or_else(PoisonError::into_inner).extend(granted);
    }

    /// Admits nothing any more: the call has ended, but its tool may still be running somewhere.
    pub fn revoke(&self) {
        self.admitted.write().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Does not wait for the disk after a write: for tests that write very often.
    #[doc(hidden)]
    pub fn without_sync(mut self) -> Self {
        self.durable = false;
        self
    }

    fn find<'a>(&self, path: &'a Path, need: Need) -> Result<Spot<'a>, ToolError> {
        let admitted = self.admitted.read().unwrap_or_else(PoisonError::into_inner);
        // What was admitted last was judged last, and knows best where a name leads.
        let mut granted = admitted.iter().rev().filter(|judged| need.met_by(&judged.action));
        let found = granted.find_map(|judged| {
            let facts = judged.path.as_ref()?;
            exact(facts, path).or_else(|| below(judged, facts, path))
        });
        let (real, exact) = found.ok_or_else(|| need.not_declared(path))?;
        // What was judged by itself was refused then; what is below a folder is met only here.
        self.roots.refuse_private(&real, path)?;
        if !exact {
            self.roots.refuse_ignored(&real, path)?;
            if need == Need::Look {
                self.roots.refuse_secret(&real, path)?;
            }
        }
        Ok(Spot { asked: path, real, exact })
    }
}

fn exact(facts: &PathFacts, path: &Path) -> Option<(PathBuf, bool)> {
    (path == facts.declared || path == facts.real).then(|| (facts.real.clone(), true))
}

fn below(judged: &JudgedAction, facts: &PathFacts, path: &Path) -> Option<(PathBuf, bool)> {
    if !matches!(judged.action, Action::FileRead { tree: true, .. }) {
        return None;
    }
    let rest = path.strip_prefix(&facts.declared).or_else(|_| path.strip_prefix(&facts.real));
    Some((plain_join(&facts.real, rest.ok()?)?, false))
}

impl Need {
    fn met_by(self, action: &Action) -> bool {
        match action {
            Action::FileRead { .. } | Action::FileReadSensitive { .. } => {
                matches!(self, Self::Look | Self::Facts)
            }
            Action::FileWrite { .. } => self != Self::Remove,
            Action::FileDelete { .. } => matches!(self, Self::Facts | Self::Remove),
            _ => false,
        }
    }

    fn not_declared(self, path: &Path) -> ToolError {
        let doing = match self {
            Self::Look => "reading",
            Self::Facts => "looking at",
            Self::Write => "writing",
            Self::Remove => "removing",
        };
        ToolError::denied(format!("{doing} {} was not declared by this call", words::shown(path)))
    }
}

impl ReadFiles for GrantedFiles {
    fn open(&self, path: &Path) -> Result<File, ToolError> {
        read::open(&self.roots, &self.find(path, Need::Look)?)
    }

    fn facts(&self, path: &Path) -> Result<Option<FileFacts>, ToolError> {
        read::facts(&self.roots, &self.find(path, Need::Facts)?)
    }

    fn list(&self, path: &Path) -> Result<Vec<FolderEntry>, ToolError> {
        read::list(&self.roots, &self.find(path, Need::Look)?)
    }
}

impl Files for GrantedFiles {
    fn write(
        &self,
        path: &Path,
        content: &[u8],
        options: WriteOptions,
    ) -> Result<Written, ToolError> {
        let spot = self.find(path, Need::Write)?;
        write::write(&self.roots, &spot, content, write::How { options, durable: self.durable })
    }

    fn remove(&self, path: &Path) -> Result<(), ToolError> {
        write::remove(&self.roots, &self.find(path, Need::Remove)?)
    }
}
