//! Files that steer others, made by a command that nobody approved for it, are put aside: taken
//! out of the workspace into the journal, from where `dogu undo` brings them back.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use dogu_tool::{Expects, ToolError};
use rustix::fs::{AtFlags, unlinkat};
use rustix::io::Errno;
use serde::Serialize;

use super::super::entry::{Beside, ChangedBy, ChangedFile, Entry, FileState};
use super::super::recover::remove_empty;
use super::super::{Journal, store};
use super::read::{Much, Now, look_at};
use super::steering::Made;
use crate::command_facts::armed_files;
use crate::files::transaction::{self, How, Keep, Spot, Wanted, Wish};
use crate::files::{FOLDER, Roots};

/// The tool that the journal names for it.
const TOOL: &str = "put_aside";
/// More than this is not put aside: it is another branch, or a workspace that was unpacked.
const MOST: usize = 200;

/// What a command may make that steers others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum MayMake {
    /// Whatever it does was approved.
    #[default]
    Everything,
    /// What its line names.
    These(Vec<PathBuf>),
}

impl MayMake {
    /// A file that is, or is in, what was made: approved if that file is named, or a folder
    /// between the two.
    fn allows(&self, file: &Path, made: &Path) -> bool {
        match self {
            Self::Everything => true,
            Self::These(named) => {
                named.iter().any(|named| file.starts_with(named) && named.starts_with(made))
            }
        }
    }
}

/// What a command made that steers others, and what became of it. All paths are real.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SteeringMade {
    /// It was approved, and is there.
    pub approved: Vec<PathBuf>,
    /// Repositories in which nothing runs by itself: nobody approved them, and they are there.
    pub repositories: Vec<PathBuf>,
    /// Files that nobody approved and that were put aside.
    pub put_aside: Vec<PathBuf>,
    /// The entry that `dogu undo` brings those back by.
    pub entry: Option<String>,
    /// Nobody approved it, and it is there, because it could not be put aside.
    pub left: Vec<PathBuf>,
    /// Why it could not.
    pub why: Option<String>,
}

impl SteeringMade {
    /// There is nothing to say.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Who puts aside, and for whom.
pub(super) struct Aside<'a> {
    pub(super) journal: &'a Journal,
    pub(super) roots: &'a Roots,
    pub(super) by: &'a ChangedBy,
    pub(super) may_make: &'a MayMake,
    /// Why nothing may be put aside, whatever it is.
    pub(super) not_because: Option<&'static str>,
}

impl Aside<'_> {
    /// Puts aside what nobody approved.
    pub(super) fn put(&self, made: &[Made]) -> SteeringMade {
        let mut result = SteeringMade::default();
        let mut files = Vec::new();
        for made in made {
            let unapproved: Vec<PathBuf> = (files_of(made).into_iter())
                .filter(|file| !self.may_make.allows(file, &made.path))
                .collect();
            match (unapproved.is_empty(), made.is_repository) {
                (false, _) => files.extend(unapproved),
                (true, true) if *self.may_make != MayMake::Everything => {
                    result.repositories.push(made.path.clone());
                }
                (true, true) => {}
                (true, false) => result.approved.push(made.path.clone()),
            }
        }
        if files.is_empty() {
            return result;
        }
        let why = self.not_because.or((files.len() > MOST).then_some("there are too many of them"));
        let done = match why {
            Some(why) => Err(why.to_owned()),
            None => self.take_out(&files).map_err(|error| error.to_string()),
        };
        match done {
            Ok((entry, gone)) => {
                self.remove_folders(&gone, made);
                result.left = files.iter().filter(|file| !gone.contains(*file)).cloned().collect();
                result.put_aside = files.into_iter().filter(|file| gone.contains(file)).collect();
                result.entry = entry;
            }
            Err(why) => (result.left, result.why) = (files, Some(why)),
        }
        result
    }

    /// Takes files out of the workspace; says by which entry, and which are gone.
    fn take_out(&self, files: &[PathBuf]) -> Result<(Option<String>, HashSet<PathBuf>), ToolError> {
        let much = Much { largest: self.journal.file_bytes(), content: false };
        let (mut wanted, mut links) = (Vec::new(), Vec::new());
        for path in files {
            match look_at(self.roots, path.as_os_str(), much) {
                Now::File(file) => wanted.extend(file.hash.map(|hash| removal(path, hash))),
                Now::Link(_, target) => links.push((path.clone(), target)),
                Now::Nothing | Now::Folder | Now::Unknown(_) => {}
            }
        }
        let by = ChangedBy {
            call: format!("{}-aside", self.by.call).into(),
            tool: TOOL.into(),
            ..self.by.clone()
        };
        let keep = Keep { journal: self.journal, by: &by, first: None, undoes: None };
        let how = How { create_folders: false, durable: false, keep: Some(keep) };
        let written = transaction::run(self.roots, &wanted, how)?;
        let id = written.first().and_then(|first| first.journal.clone());
        let mut gone: HashSet<PathBuf> =
            wanted.iter().map(|change| change.spot.real.clone()).collect();
        links.retain(|(path, _)| self.remove_link(path).is_ok());
        gone.extend(links.iter().map(|(path, _)| path.clone()));
        let entry = self.note(id, &by, links)?;
        Ok((entry, gone))
    }

    /// Removes what is left of a folder that steers others, if nothing is in it.
    fn remove_folders(&self, gone: &HashSet<PathBuf>, made: &[Made]) {
        let mut folders = HashSet::new();
        for made in made.iter().filter(|made| !made.is_repository) {
            let inside = gone.iter().flat_map(|file| file.ancestors().skip(1));
            folders.extend(inside.filter(|folder| folder.starts_with(&made.path)));
        }
        let mut folders: Vec<&Path> = folders.into_iter().collect();
        folders.sort_unstable_by_key(|folder| std::cmp::Reverse(folder.components().count()));
        for folder in folders {
            remove_empty(self.roots, folder);
        }
    }

    fn remove_link(&self, path: &Path) -> Result<(), Errno> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(Errno::INVAL);
        };
        unlinkat(&self.roots.open_real(folder, FOLDER)?, name, AtFlags::empty())
    }

    /// Says in the entry that it is one of this kind, and adds the links.
    fn note(
        &self,
        id: Option<String>,
        by: &ChangedBy,
        links: Vec<(PathBuf, PathBuf)>,
    ) -> Result<Option<String>, ToolError> {
        let failed = |error| store::failed("write to", &self.journal.folder())(error);
        let _unswept = self.journal.open()?;
        let entry = id.and_then(|id| self.journal.read_entry(&id));
        let mut entry = match entry {
            Some(entry) => entry,
            None if links.is_empty() => return Ok(None),
            None => self.empty_entry(by)?,
        };
        entry.beside.put_aside = true;
        entry.files.extend(links.into_iter().map(|(path, target)| ChangedFile {
            path,
            moved_from: None,
            before: Some(FileState::of_link(target)),
            after: None,
        }));
        self.journal.write_entry(&entry).map_err(failed)?;
        Ok(Some(entry.id))
    }

    fn empty_entry(&self, by: &ChangedBy) -> Result<Entry, ToolError> {
        let (id, time) = self.journal.next_id()?;
        Ok(Entry {
            id,
            time,
            by: by.clone(),
            roots: self.roots.real_paths().map(Path::to_path_buf).collect(),
            files: Vec::new(),
            folders: Vec::new(),
            first: None,
            undoes: None,
            undoes_one_file: false,
            conflicts: Vec::new(),
            beside: Beside::default(),
        })
    }
}

/// The files of something that steers others; of a repository only those that run something.
fn files_of(made: &Made) -> Vec<PathBuf> {
    if made.is_repository {
        return armed_files(&made.path);
    }
    let mut files = Vec::new();
    let mut folders = vec![made.path.clone()];
    while let Some(path) = folders.pop() {
        match path.symlink_metadata() {
            Ok(facts) if facts.is_dir() && files.len() <= MOST => {
                let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
                folders.extend(entries.map(|entry| entry.path()));
            }
            Ok(facts) if !facts.is_dir() => files.push(path),
            _ => {}
        }
    }
    files.sort();
    files
}

/// The removal of a file, if it still has this content.
fn removal(path: &Path, hash: blake3::Hash) -> Wanted<'_> {
    let spot = Spot { asked: path, real: path.to_path_buf(), exact: true };
    Wanted { spot, expects: Expects::Content(*hash.as_bytes()), becomes: Wish::Nothing }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_named_is_approved() {
        let these = MayMake::These(vec!["/w/CLAUDE.md".into(), "/w/.claude/commands".into()]);
        let allows = |file: &str, made: &str| these.allows(Path::new(file), Path::new(made));
        assert!(allows("/w/CLAUDE.md", "/w/CLAUDE.md"));
        assert!(allows("/w/.claude/commands/a.md", "/w/.claude"));
        assert!(!allows("/w/.claude/settings.json", "/w/.claude"));
        assert!(!allows("/w/sub/CLAUDE.md", "/w/sub/CLAUDE.md"));
        // A folder that holds it is not it.
        let folder = MayMake::These(vec!["/w/sub".into()]);
        assert!(!folder.allows(Path::new("/w/sub/CLAUDE.md"), Path::new("/w/sub/CLAUDE.md")));
        assert!(MayMake::Everything.allows(Path::new("/w/x"), Path::new("/w/x")));
    }
}
