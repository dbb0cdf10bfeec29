//! Taking changes back. That is a change itself, and can be taken back in turn.
//!
//! - `now`: what is there, and whether it is what a change left.
//! - `run`: the changes that do it. Files are changed by transactions.
//! - `around`: what a transaction does not do, and only commands make necessary: symbolic links,
//!   modes, folders.

mod around;
mod now;
mod run;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use dogu_tool::{Expects, ToolError};

use self::now::{At, is_as};
use super::entry::{Entry, FileState};
use super::history::{History, Listed, Which};
use super::{Journal, store};
use crate::files::transaction::{Rights, Spot, Wanted, Wish};
use crate::files::{Roots, words};

/// What taking back some changes would do.
#[derive(Clone, Debug)]
pub struct UndoPlan {
    /// The entries, the newest first.
    pub entries: Vec<Entry>,
    /// The files.
    pub files: Vec<Reversal>,
}

/// What would be done to one file.
#[derive(Clone, Debug)]
pub struct Reversal {
    /// Where the file is now, or was.
    pub now_at: PathBuf,
    /// Where it would be.
    pub then_at: PathBuf,
    /// What is there now; none where there is nothing.
    pub now: Option<Content>,
    /// What would be there.
    pub then: Option<Content>,
    /// Why it is not done.
    pub problem: Option<UndoProblem>,
    /// The mode of a file that is put back.
    mode: Option<u32>,
    /// The mode of a file that is there: what it is, and what it becomes where a command may have
    /// changed it. An edit leaves modes alone, and so does taking it back.
    now_mode: Option<u32>,
    sets_mode: Option<u32>,
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// All of it.
    Bytes(Vec<u8>),
    /// It is a symbolic link that says this.
    Link(PathBuf),
    /// It is too large to be kept, or not kept any more; so many bytes.
    Unknown(u64),
}

/// Why a change of a file is not taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UndoProblem {
    /// The file has changed since, which whoever asks may overrule.
    Changed(String),
    /// It cannot be done.
    Impossible(String),
}

/// What was taken back.
#[derive(Clone, Debug)]
pub struct Undone {
    /// The entry of the undo itself.
    pub id: String,
    /// What was done.
    pub plan: UndoPlan,
}

/// A change of one file by a whole call, put together from its entries.
struct Merged {
    now_at: PathBuf,
    after: Option<FileState>,
    then_at: PathBuf,
    before: Option<FileState>,
    newest: String,
}

impl UndoProblem {
    /// What is the matter.
    pub fn text(&self) -> &str {
        match self {
            Self::Changed(text) | Self::Impossible(text) => text,
        }
    }
}

impl Journal {
    /// The entries of a workspace, the newest first.
    pub fn list(&self, roots: &Roots) -> Result<Vec<Listed>, ToolError> {
        Ok(self.history()?.listed(roots).collect())
    }

    fn history(&self) -> Result<History, ToolError> {
        let entries = self.entries().map_err(store::failed("read", &self.folder()))?;
        Ok(History::new(entries))
    }

    /// What an undo would do, and what keeps it from that.
    pub fn plan_undo(&self, roots: &Roots, which: &Which) -> Result<UndoPlan, ToolError> {
        let history = self.history()?;
        let found = history.find(which, roots)?;
        let merged = merge(&found);
        let entries: Vec<Entry> = found.iter().map(|(entry, _)| (*entry).clone()).collect();
        let (links, at) = (links(&merged), merged.iter().map(|file| file.now_at.clone()).collect());
        let plan = Planning { journal: self, roots, history: &history, links, at };
        let mut files =
            merged.into_iter().map(|file| plan.reversal(file)).collect::<Result<Vec<_>, _>>()?;
        now::refuse_full_folders(roots, &mut files)?;
        Ok(UndoPlan { entries, files })
    }

    fn kept(&self, state: &FileState) -> Result<Content, ToolError> {
        if let Some(target) = &state.link {
            return Ok(Content::Link(target.clone()));
        }
        let content = match &state.hash {
            Some(hash) if state.kept => self.blobs().get(hash),
            _ => Ok(None),
        };
        let content = content.map_err(store::failed("read", &self.folder()))?;
        Ok(content.map_or(Content::Unknown(state.size), Content::Bytes))
    }
}

/// What is needed to say what would be done to a file.
struct Planning<'a> {
    journal: &'a Journal,
    roots: &'a Roots,
    history: &'a History,
    /// Symbolic links that go.
    links: HashSet<PathBuf>,
    /// All places where something is changed: what is above another one goes before that.
    at: HashSet<PathBuf>,
}

impl Planning<'_> {
    fn reversal(&self, file: Merged) -> Result<Reversal, ToolError> {
        let mut problem = self.outside(&file)?.map(UndoProblem::Impossible);
        let mut now = At::default();
        let moves = file.now_at != file.then_at;
        if problem.is_none() {
            now = now::at(self.roots, &file.now_at, self.journal.bounds.file_bytes)?;
            let there = now.content.is_some();
            if !is_as(now.content.as_ref(), file.after.as_ref()) {
                problem = Some(UndoProblem::Changed(changed(self.history, &file, there)));
            }
            if moves && now::at(self.roots, &file.then_at, 0)?.is_there() {
                let in_the_way = words::shown(&file.then_at);
                problem = Some(UndoProblem::Impossible(format!("{in_the_way} is in the way")));
            }
            if moves && !there {
                let gone = words::shown(&file.now_at);
                problem = Some(UndoProblem::Impossible(format!("{gone} is not there any more")));
            }
        }
        let only_moves = moves && same_content(&file);
        let then = match &file.before {
            None => None,
            // What is there is what there was.
            Some(state) if only_moves => now.content.clone().or(Some(Content::Unknown(state.size))),
            Some(state) => Some(self.journal.kept(state)?),
        };
        if let (None, Some(Content::Unknown(size))) = (&problem, &then)
            && !only_moves
        {
            problem = Some(UndoProblem::Impossible(not_kept(&file, *size)));
        }
        let mode = file.before.as_ref().and_then(|state| state.mode);
        let by_command = file.after.as_ref().is_some_and(|state| state.mode.is_some());
        Ok(Reversal {
            now_at: file.now_at,
            then_at: file.then_at,
            now: now.content,
            then,
            problem,
            mode,
            now_mode: now.mode,
            sets_mode: mode.filter(|_| by_command && !moves),
        })
    }

    /// Why a path cannot be used: it is in none of the roots, or a link is on its way now.
    fn outside(&self, file: &Merged) -> Result<Option<String>, ToolError> {
        for path in [&file.now_at, &file.then_at] {
            let shown = words::shown(path);
            if !self.roots.real_paths().any(|root| path.starts_with(root)) {
                return Ok(Some(format!(
                    "{shown} is not in this workspace; name its folder with --root"
                )));
            }
            let mut above = path.ancestors().skip(1);
            let goes = self.links.contains(path) || above.any(|above| self.at.contains(above));
            if !goes && self.roots.judge(path)?.real != *path {
                return Ok(Some(format!("{shown} is behind a symbolic link now")));
            }
        }
        Ok(None)
    }
}

impl Reversal {
    /// Nothing is to be done.
    fn is_done(&self) -> bool {
        let mode = self.sets_mode.is_none() || self.sets_mode == self.now_mode;
        self.now_at == self.then_at && self.now == self.then && mode
    }

    /// The changes of files that do it, each only if the file is still as it was looked at. Links
    /// are no files.
    fn wanted(&self) -> Vec<Wanted<'_>> {
        if self.is_done() {
            return Vec::new();
        }
        let (now, then) = (file(self.now.as_ref()), file(self.then.as_ref()));
        let expects = match now {
            None => Expects::Nothing,
            Some(Content::Bytes(bytes)) => Expects::Content(*blake3::hash(bytes).as_bytes()),
            Some(_) => Expects::Anything,
        };
        let change = |path, expects, becomes| Wanted { spot: spot(path), expects, becomes };
        let rights = || self.mode.map_or(Rights::New, Rights::Mode);
        let moves = self.now_at != self.then_at;
        match then {
            None if now.is_none() => Vec::new(),
            None => vec![change(&self.now_at, expects, Wish::Nothing)],
            Some(then) if moves && now == Some(then) => {
                vec![change(&self.then_at, expects, Wish::MovedFrom(spot(&self.now_at)))]
            }
            Some(Content::Bytes(bytes)) if moves => vec![
                change(&self.then_at, Expects::Nothing, Wish::Content(bytes, rights())),
                change(&self.now_at, expects, Wish::Nothing),
            ],
            Some(Content::Bytes(bytes)) => {
                vec![change(&self.then_at, expects, Wish::Content(bytes, rights()))]
            }
            Some(_) => Vec::new(),
        }
    }
}

/// A content that is a regular file's.
fn file(content: Option<&Content>) -> Option<&Content> {
    content.filter(|content| !matches!(content, Content::Link(_)))
}

fn spot(path: &Path) -> Spot<'_> {
    Spot { asked: path, real: path.to_path_buf(), exact: true }
}

/// What a call did to each file, from the entries that it made, the newest first.
fn merge(found: &[(&Entry, Vec<&super::ChangedFile>)]) -> Vec<Merged> {
    let mut merged: Vec<Merged> = Vec::new();
    // Where each file was before all that is merged already.
    let mut at: HashMap<PathBuf, usize> = HashMap::new();
    for (entry, files) in found {
        for file in files {
            let then_at = file.moved_from.as_ref().unwrap_or(&file.path);
            if let Some(number) = at.remove(&file.path) {
                let later = &mut merged[number];
                later.then_at.clone_from(then_at);
                later.before.clone_from(&file.before);
                at.insert(then_at.clone(), number);
                continue;
            }
            at.insert(then_at.clone(), merged.len());
            merged.push(Merged {
                now_at: file.path.clone(),
                after: file.after.clone(),
                then_at: then_at.clone(),
                before: file.before.clone(),
                newest: entry.id.clone(),
            });
        }
    }
    merged
}

/// Where there are symbolic links that a call left, and that go.
fn links(merged: &[Merged]) -> HashSet<PathBuf> {
    let left = |file: &&Merged| file.after.as_ref().is_some_and(|state| state.link.is_some());
    merged.iter().filter(left).map(|file| file.now_at.clone()).collect()
}

/// Whether the content before and after is the same.
fn same_content(file: &Merged) -> bool {
    match (&file.before, &file.after) {
        (Some(before), Some(after)) => before.hash == after.hash && before.size == after.size,
        _ => false,
    }
}

fn changed(history: &History, file: &Merged, there: bool) -> String {
    let shown = words::shown(&file.now_at);
    let how = match (there, &file.after) {
        (false, _) => "was removed since",
        (true, None) => "is there again",
        (true, Some(_)) => "has changed since",
    };
    match history.newer(&file.now_at, &file.newest) {
        Some(entry) => {
            format!("{shown} {how}, by {} ({}, {})", entry.by.tool, entry.id, entry.time)
        }
        None => format!("{shown} {how}, not by dogu"),
    }
}

fn not_kept(file: &Merged, size: u64) -> String {
    let shown = words::shown(&file.then_at);
    match &file.before {
        Some(state) if !state.kept => {
            format!("what {shown} held ({size} bytes) was too large to be kept")
        }
        _ => format!("what {shown} held is not kept any more"),
    }
}
