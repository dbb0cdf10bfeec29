//! Taking changes back. That is a change itself, and can be taken back in turn.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use dogu_tool::{Expects, ToolError};
use rustix::io::Errno;

use super::entry::{ChangedBy, Entry, FileState};
use super::history::{History, Listed, Which};
use super::{Journal, recover, store};
use crate::files::transaction::{self, How, Keep, Rights, Spot, Wanted, Wish};
use crate::files::{READING, Roots, words};

/// The tool that the journal names for it.
const TOOL: &str = "undo";

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
    mode: Option<u32>,
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// All of it.
    Bytes(Vec<u8>),
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
        let files = merged.into_iter().map(|file| self.reversal(roots, &history, file));
        Ok(UndoPlan { entries, files: files.collect::<Result<_, _>>()? })
    }

    /// Takes changes back, all of a call or none. With `force` also where files have changed since.
    pub fn undo(&self, roots: &Roots, which: &Which, force: bool) -> Result<Undone, ToolError> {
        self.recover().map_err(store::failed("recover", &self.folder()))?;
        let plan = self.plan_undo(roots, which)?;
        refuse(&plan, force)?;
        let wanted: Vec<Wanted<'_>> = plan.files.iter().flat_map(Reversal::wanted).collect();
        let key = plan.entries.first().map(Entry::call_key);
        let by = ChangedBy {
            call: format!("undo-{}", key.unwrap_or_default()).into(),
            tool: TOOL.into(),
            principal: "process".into(),
            session: TOOL.into(),
        };
        let one_file = matches!(which, Which::File(_));
        let undoes = key.map(|key| (key, one_file));
        let keep = Keep { journal: self, by: &by, first: None, undoes };
        let how = How { create_folders: true, durable: true, keep: Some(keep) };
        let written = transaction::run(roots, &wanted, how)?;
        for folder in plan.entries.iter().flat_map(|entry| entry.folders.iter().rev()) {
            recover::remove_empty(roots, folder);
        }
        let id = written.first().and_then(|first| first.journal.clone());
        let id = id.ok_or_else(|| ToolError::failed("all of that is as it was before"))?;
        drop(wanted);
        Ok(Undone { id, plan })
    }

    fn reversal(
        &self,
        roots: &Roots,
        history: &History,
        file: Merged,
    ) -> Result<Reversal, ToolError> {
        let mut problem = outside(roots, &file)?.map(UndoProblem::Impossible);
        let mut now = None;
        if problem.is_none() {
            now = current(roots, &file.now_at, self.bounds.file_bytes)?;
            if !is_as(now.as_ref(), file.after.as_ref()) {
                problem = Some(UndoProblem::Changed(changed(history, &file, now.is_some())));
            }
            let moves = file.now_at != file.then_at;
            if moves && current(roots, &file.then_at, 0)?.is_some() {
                let in_the_way = words::shown(&file.then_at);
                problem = Some(UndoProblem::Impossible(format!("{in_the_way} is in the way")));
            }
            if moves && now.is_none() {
                let gone = words::shown(&file.now_at);
                problem = Some(UndoProblem::Impossible(format!("{gone} is not there any more")));
            }
        }
        let then = match &file.before {
            None => None,
            // It only moves: what is there is what there was.
            Some(state) if file.now_at != file.then_at && same_content(&file) => {
                now.clone().or(Some(Content::Unknown(state.size)))
            }
            Some(state) => Some(self.kept(state)?),
        };
        if let (None, Some(Content::Unknown(size))) = (&problem, &then)
            && !(file.now_at != file.then_at && same_content(&file))
        {
            problem = Some(UndoProblem::Impossible(not_kept(&file, *size)));
        }
        let mode = file.before.as_ref().and_then(|state| state.mode);
        Ok(Reversal { now_at: file.now_at, then_at: file.then_at, now, then, problem, mode })
    }

    fn kept(&self, state: &FileState) -> Result<Content, ToolError> {
        let content = match &state.hash {
            Some(hash) if state.kept => self.blobs().get(hash),
            _ => Ok(None),
        };
        let content = content.map_err(store::failed("read", &self.folder()))?;
        Ok(content.map_or(Content::Unknown(state.size), Content::Bytes))
    }
}

impl Reversal {
    /// Nothing is to be done.
    fn is_done(&self) -> bool {
        self.now_at == self.then_at && self.now == self.then
    }

    /// The changes that do it, each only if the file is still as it was looked at.
    fn wanted(&self) -> Vec<Wanted<'_>> {
        if self.is_done() {
            return Vec::new();
        }
        let expects = match &self.now {
            None => Expects::Nothing,
            Some(Content::Bytes(bytes)) => Expects::Content(*blake3::hash(bytes).as_bytes()),
            Some(Content::Unknown(_)) => Expects::Anything,
        };
        let change = |path, expects, becomes| Wanted { spot: spot(path), expects, becomes };
        let rights = || self.mode.map_or(Rights::New, Rights::Mode);
        let moves = self.now_at != self.then_at;
        match &self.then {
            None if self.now.is_none() => Vec::new(),
            None => vec![change(&self.now_at, expects, Wish::Nothing)],
            Some(then) if moves && self.now.as_ref() == Some(then) => {
                vec![change(&self.then_at, expects, Wish::MovedFrom(spot(&self.now_at)))]
            }
            Some(Content::Bytes(bytes)) if moves => vec![
                change(&self.then_at, Expects::Nothing, Wish::Content(bytes, rights())),
                change(&self.now_at, expects, Wish::Nothing),
            ],
            Some(Content::Bytes(bytes)) => {
                vec![change(&self.then_at, expects, Wish::Content(bytes, rights()))]
            }
            Some(Content::Unknown(_)) => Vec::new(),
        }
    }
}

fn spot(path: &Path) -> Spot<'_> {
    Spot { asked: path, real: path.to_path_buf(), exact: true }
}

/// What a call did to each file, from the entries that it made, the newest first.
fn merge(found: &[(&Entry, Vec<&super::ChangedFile>)]) -> Vec<Merged> {
    let mut merged: Vec<Merged> = Vec::new();
    for (entry, files) in found {
        for file in files {
            let then_at = file.moved_from.as_ref().unwrap_or(&file.path);
            let later = merged.iter_mut().find(|later| later.then_at == file.path);
            if let Some(later) = later {
                later.then_at.clone_from(then_at);
                later.before.clone_from(&file.before);
                continue;
            }
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

/// Whether the content before and after is the same.
fn same_content(file: &Merged) -> bool {
    match (&file.before, &file.after) {
        (Some(before), Some(after)) => before.hash == after.hash && before.size == after.size,
        _ => false,
    }
}

/// Why a path cannot be used: it is in none of the roots, or a link is on its way now.
fn outside(roots: &Roots, file: &Merged) -> Result<Option<String>, ToolError> {
    for path in [&file.now_at, &file.then_at] {
        let shown = words::shown(path);
        if !roots.real_paths().any(|root| path.starts_with(root)) {
            return Ok(Some(format!(
                "{shown} is not in this workspace; name its folder with --root"
            )));
        }
        if roots.judge(path)?.real != *path {
            return Ok(Some(format!("{shown} is behind a symbolic link now")));
        }
    }
    Ok(None)
}

/// What is at a path now, if it is a file.
fn current(roots: &Roots, path: &Path, largest: u64) -> Result<Option<Content>, ToolError> {
    let file = match roots.open_real(path, READING) {
        Ok(file) => std::fs::File::from(file),
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        Err(errno) => return Err(words::not_opened("read", path, errno, true)),
    };
    let failed = |error: io::Error| ToolError::io("read", words::shown(path).as_ref(), error);
    let facts = file.metadata().map_err(failed)?;
    if !facts.is_file() || facts.len() > largest {
        return Ok(Some(Content::Unknown(facts.len())));
    }
    let mut bytes = Vec::new();
    file.take(largest + 1).read_to_end(&mut bytes).map_err(failed)?;
    Ok(Some(Content::Bytes(bytes)))
}

/// Whether what is there is what a change left.
fn is_as(now: Option<&Content>, after: Option<&FileState>) -> bool {
    match (now, after) {
        (None, None) => true,
        (Some(Content::Bytes(bytes)), Some(FileState { hash: Some(hash), .. })) => {
            blake3::hash(bytes).to_hex().as_str() == hash
        }
        // Too large for anyone to know more.
        (Some(Content::Unknown(size)), Some(state)) => *size == state.size,
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

/// Refuses as a whole, and says all reasons.
fn refuse(plan: &UndoPlan, force: bool) -> Result<(), ToolError> {
    let problems = || plan.files.iter().filter_map(|file| file.problem.as_ref());
    let hard: Vec<&str> = problems()
        .filter(|problem| !force || matches!(problem, UndoProblem::Impossible(_)))
        .map(UndoProblem::text)
        .collect();
    if hard.is_empty() {
        return Ok(());
    }
    let error = ToolError::failed(format!("nothing was undone: {}", hard.join("; ")));
    if problems().all(|problem| matches!(problem, UndoProblem::Changed(_))) {
        return Err(error.suggest("--dry-run shows what would be lost; --force undoes it anyway"));
    }
    Err(error)
}
