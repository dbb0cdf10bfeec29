//! The files of one call: which paths it was granted, and for what.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use dogu_tool::{
    Action, Becomes, CancelFlag, ChangeOptions, Expects, FileChange, FileFacts, Files, FolderEntry,
    Principal, ReadFiles, Seen, ToolError, Visitors, WalkOptions, Walked, WriteOptions, Written,
};

use super::roots::Roots;
use super::transaction::{self, How, Keep, Rights, Wanted, Wish};
use super::{read, walk, words};
use crate::journal::{ChangedBy, Journal};
use crate::paths::plain_join;
use crate::reads::{MAX_CONTENT, ReadLog};
use dogu_policy::facts::{JudgedAction, PathFacts};

/// The files capability of one call. It admits the paths of the actions that were judged and
/// granted, each for what its action says, and opens only their real paths:
///
/// A walk needs a tree; of a plain read it sees the names in a folder, or a file by itself.
///
/// | action | `open`, `list` | `facts` | content, move target | removal, move source |
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
    journaled: Option<Journaled>,
}

/// Where the changes of a call are written down.
#[derive(Debug)]
struct Journaled {
    journal: Arc<Journal>,
    by: ChangedBy,
    /// The first entry of the call.
    first: OnceLock<String>,
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
pub(crate) struct Spot<'a> {
    /// As the tool asked for it, for messages.
    pub(crate) asked: &'a Path,
    /// What is opened.
    pub(crate) real: PathBuf,
    /// The path was judged by itself, not found below a judged folder.
    pub(crate) exact: bool,
}

impl GrantedFiles {
    /// The files of a call whose actions were granted.
    pub fn new(roots: Arc<Roots>, granted: Vec<JudgedAction>) -> Self {
        Self { roots, admitted: RwLock::new(granted), durable: true, caller: None, journaled: None }
    }

    /// Says who calls: what was spilled of results is shown to those alone who got them, and
    /// what was read is remembered for the same one.
    pub(crate) fn called_by(mut self, who: Principal, reads: Arc<ReadLog>) -> Self {
        self.caller = Some(Caller { who, reads });
        self
    }

    /// Writes every change down, so that it can be finished after a crash, and undone.
    pub fn journaled(mut self, journal: Arc<Journal>, by: ChangedBy) -> Self {
        self.journaled = Some(Journaled { journal, by, first: OnceLock::new() });
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

    /// Keeps the content that was seen, if it is small: what the tool holds, or what is there.
    fn keep_seen(&self, reads: &ReadLog, path: &Path, seen: Seen, content: Option<&[u8]>) {
        let small = seen.hash.filter(|_| seen.stamp.size <= MAX_CONTENT);
        let Some(hash) = small.filter(|hash| !reads.keeps(hash)) else { return };
        let content = match content {
            Some(content) => Some(Cow::Borrowed(content)),
            None => self.content_now(path).map(Cow::Owned),
        };
        // Callers share what is kept: a content under the hash of another one would mislead them.
        let is_seen = |content: &Cow<'_, [u8]>| {
            content.len() as u64 <= MAX_CONTENT && *blake3::hash(content).as_bytes() == hash
        };
        if let Some(content) = content.filter(is_seen) {
            reads.keep(hash, &content);
        }
    }

    /// The beginning of what is there now, which is all of it where that is small.
    fn content_now(&self, path: &Path) -> Option<Vec<u8>> {
        let mut content = Vec::new();
        self.open(path).ok()?.take(MAX_CONTENT + 1).read_to_end(&mut content).ok()?;
        Some(content)
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

    fn remember(&self, path: &Path, seen: Seen, content: Option<&[u8]>) -> Result<(), ToolError> {
        let spot = self.find(path, Need::Facts)?;
        if let Some(caller) = &self.caller {
            caller.reads.remember(&caller.who, &spot.real, seen);
            self.keep_seen(&caller.reads, path, seen, content);
        }
        Ok(())
    }

    fn last_content(&self, path: &Path) -> Result<Option<Arc<[u8]>>, ToolError> {
        let spot = self.find(path, Need::Facts)?;
        let caller = self.caller.as_ref();
        Ok(caller.and_then(|caller| caller.reads.last_content(&caller.who, &spot.real)))
    }

    fn last_hash(&self, path: &Path, content: &[u8]) -> Result<Option<[u8; 32]>, ToolError> {
        let spot = self.find(path, Need::Facts)?;
        let caller = self.caller.as_ref();
        Ok(caller.and_then(|caller| caller.reads.last_hash(&caller.who, &spot.real, content)))
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
        let expects = if options.overwrite { Expects::Anything } else { Expects::Nothing };
        let spot = self.find(path, Need::Write)?;
        let becomes = Wish::Content(content, Rights::New);
        let done = self.run(&[Wanted { spot, expects, becomes }], options.create_folders)?;
        done.into_iter().next().ok_or_else(|| ToolError::failed("nothing was written"))
    }

    fn change(
        &self,
        changes: &[FileChange],
        options: ChangeOptions,
    ) -> Result<Vec<Written>, ToolError> {
        let wanted: Result<Vec<_>, _> = changes.iter().map(|change| self.wanted(change)).collect();
        self.run(&wanted?, options.create_folders)
    }

    fn remove(&self, path: &Path) -> Result<(), ToolError> {
        let spot = self.find(path, Need::Remove)?;
        let wanted = Wanted { spot, expects: Expects::Anything, becomes: Wish::Nothing };
        self.run(&[wanted], false).map(|_| ())
    }
}

impl GrantedFiles {
    /// A change, its paths found in the grants.
    fn wanted<'a>(&self, change: &'a FileChange) -> Result<Wanted<'a>, ToolError> {
        let need = match change.becomes {
            Becomes::Nothing => Need::Remove,
            Becomes::Content(_) | Becomes::MovedFrom(_) => Need::Write,
        };
        let spot = self.find(&change.path, need)?;
        let becomes = match &change.becomes {
            Becomes::Content(content) => {
                let like = change.like.as_deref().map(|like| self.find(like, Need::Facts));
                Wish::Content(content, like.transpose()?.map_or(Rights::New, Rights::Like))
            }
            Becomes::MovedFrom(from) => Wish::MovedFrom(self.find(from, Need::Remove)?),
            Becomes::Nothing => Wish::Nothing,
        };
        Ok(Wanted { spot, expects: change.expects, becomes })
    }

    fn run(&self, wanted: &[Wanted<'_>], create_folders: bool) -> Result<Vec<Written>, ToolError> {
        let journaled = self.journaled.as_ref();
        let keep = journaled.map(|journaled| Keep {
            journal: &journaled.journal,
            by: &journaled.by,
            first: journaled.first.get().map(String::as_str),
            undoes: None,
        });
        let how = How { create_folders, durable: self.durable, keep };
        let written = transaction::run(&self.roots, wanted, how)?;
        if let (Some(journaled), Some(id)) =
            (journaled, written.first().and_then(|first| first.journal.clone()))
        {
            journaled.first.get_or_init(|| id);
        }
        Ok(written)
    }
}

#[cfg(test)]
mod tests {
    use dogu_tool::FileStamp;

    use super::*;

    /// What is kept after `seen` of a file with the content `there` was remembered with `handed`.
    fn kept(there: &[u8], seen: &[u8], handed: Option<&[u8]>) -> Option<Arc<[u8]>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("f");
        std::fs::write(&path, there).unwrap();
        let roots = Arc::new(Roots::open(&[folder.path().to_path_buf()]).unwrap());
        let granted = roots.judge_all(&[Action::read(&path)]).unwrap();
        let who = Principal::process("s");
        let files = GrantedFiles::new(roots, granted).called_by(who, Arc::default());
        let stamp = FileStamp { size: seen.len() as u64, ..FileStamp::default() };
        let seen = Seen { hash: Some(*blake3::hash(seen).as_bytes()), stamp };
        files.remember(&path, seen, handed).unwrap();
        assert_eq!(files.last_seen(&path).unwrap(), Some(seen));
        files.last_content(&path).unwrap()
    }

    #[test]
    fn the_content_that_was_seen_is_kept_and_no_other() {
        let kept = |there: &str, seen: &str, handed: Option<&str>| {
            kept(there.as_bytes(), seen.as_bytes(), handed.map(str::as_bytes))
                .map(|content| String::from_utf8_lossy(&content).into_owned())
        };
        assert_eq!(kept("a", "a", None).as_deref(), Some("a"));
        assert_eq!(kept("changed since", "a", None), None);
        assert_eq!(kept("changed since", "a", Some("a")).as_deref(), Some("a"));
        assert_eq!(kept("a", "a", Some("something else")), None);
    }

    #[test]
    fn a_large_content_is_not_kept() {
        let most = vec![b'a'; usize::try_from(MAX_CONTENT).unwrap()];
        let more = [most.as_slice(), b"a"].concat();
        for handed in [false, true] {
            let kept = |content: &[u8]| kept(content, content, handed.then_some(content));
            assert_eq!((kept(&most).is_some(), kept(&more).is_some()), (true, false));
        }
    }
}
