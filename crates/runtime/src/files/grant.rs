//! The files of one call: which paths it was granted, and for what.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use dogu_tool::{
    Action, CancelFlag, FileFacts, Files, FolderEntry, Principal, ReadFiles, Seen, ToolError,
    Visitors, WalkOptions, Walked, WriteOptions, Written,
};

use super::roots::Roots;
use super::{read, walk, words, write};
use crate::paths::plain_join;
use crate::reads::ReadLog;
use dogu_policy::facts::{JudgedAction, PathFacts};

/// The files capability of one call. It admits the paths of the actions that were judged and
/// granted, each for what its action says, and opens only their real paths:
///
/// A walk needs a tree; of a plain read it sees the names in a folder, or a file by itself.
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
    caller: Option<Caller>,
}

/// Who calls, and what is known of all callers.
#[derive(Debug)]
struct Caller {
    who: Principal,
    reads: Arc<ReadLog>,
}

/// What a path is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    Look,
    Walk,
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
        Self { roots, admitted: RwLock::new(granted), durable: true, caller: None }
    }

    /// Says who calls: what was spilled of results is shown to those alone who got them, and
    /// what was read is remembered for the same one.
    pub(crate) fn called_by(mut self, who: Principal, reads: Arc<ReadLog>) -> Self {
        self.caller = Some(Caller { who, reads });
        self
    }

    /// Admits more, granted while the call runs.
    pub fn admit(&self, granted: Vec<JudgedAction>) {
        self.admitted.write().unwrap_or_else(PoisonError::into_inner).extend(granted);
    }

    /// The facts of actions that nobody has to rule on.
    pub(crate) fn judge_all(&self, actions: &[Action]) -> Result<Vec<JudgedAction>, ToolError> {
        actions.iter().try_for_each(Action::check)?;
        self.roots.judge_all(actions)
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

    /// The real path of one that may be looked at.
    pub(crate) fn real_of(&self, path: &Path) -> Result<PathBuf, ToolError> {
        Ok(self.find(path, Need::Look)?.real)
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
        self.roots.refuse_foreign_spill(&real, path, self.caller.as_ref().map(|by| &by.who))?;
        if !exact {
            self.roots.refuse_ignored(&real, path)?;
            if matches!(need, Need::Look | Need::Walk) {
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

/// All that is below a folder is wanted, and only its names were granted.
pub(super) fn not_declared(path: &Path) -> ToolError {
    Need::Walk.not_declared(path)
}

impl Need {
    fn met_by(self, action: &Action) -> bool {
        match action {
            Action::FileRead { tree: true, .. } if self == Self::Walk => true,
            Action::FileRead { .. } | Action::FileReadSensitive { .. } => {
                matches!(self, Self::Look | Self::Facts)
            }
            Action::FileWrite { .. } => !matches!(self, Self::Walk | Self::Remove),
            Action::FileDelete { .. } => matches!(self, Self::Facts | Self::Remove),
            _ => false,
        }
    }

    fn not_declared(self, path: &Path) -> ToolError {
        let doing = match self {
            Self::Look => "reading",
            Self::Walk => "reading all of",
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

    fn walk(
        &self,
        path: &Path,
        options: &WalkOptions,
        cancel: &CancelFlag,
        visitors: &Visitors<'_>,
    ) -> Result<Walked, ToolError> {
        match self.find(path, Need::Walk) {
            Ok(spot) => walk::walk(&self.roots, &spot, true, options, cancel, visitors),
            // Who may only read a folder may see its names, and who may read a file visit it.
            Err(denied) => {
                let spot = self.find(path, Need::Look).map_err(|_| denied)?;
                walk::walk(&self.roots, &spot, false, options, cancel, visitors)
            }
        }
    }

    fn remember(&self, path: &Path, seen: Seen) -> Result<(), ToolError> {
        let spot = self.find(path, Need::Facts)?;
        if let Some(caller) = &self.caller {
            caller.reads.remember(&caller.who, &spot.real, seen);
        }
        Ok(())
    }

    fn last_seen(&self, path: &Path) -> Result<Option<Seen>, ToolError> {
        let spot = self.find(path, Need::Facts)?;
        let caller = self.caller.as_ref();
        Ok(caller.and_then(|caller| caller.reads.last_seen(&caller.who, &spot.real)))
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
