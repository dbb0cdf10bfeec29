//! Which entries are meant, and what of them was taken back already.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use dogu_tool::ToolError;
use serde::Serialize;

use super::entry::{ChangedFile, Entry};
use crate::files::{Roots, words};

/// Which changes are taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// Those of the last call in the workspace that changed files and was not undone.
    Last,
    /// Those of one call: the id of an entry or of the call, or the beginning of one.
    Call(String),
    /// The last change of one file.
    File(PathBuf),
}

/// An entry as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Listed {
    /// The entry.
    #[serde(flatten)]
    pub entry: Entry,
    /// The entry that took it back, where one did and was not undone itself.
    pub undone_by: Option<String>,
}

/// All entries, the oldest first, and what is undone of them.
pub(super) struct History {
    entries: Vec<Entry>,
    /// By number of the entry and of the file: the entry that took it back.
    undone: Vec<Vec<Option<usize>>>,
}

impl History {
    pub(super) fn new(entries: Vec<Entry>) -> Self {
        let mut undone: Vec<Vec<Option<usize>>> =
            entries.iter().map(|entry| vec![None; entry.files.len()]).collect();
        // The newest first: whether an undo counts is known before it is asked what it undid.
        for (number, undo) in entries.iter().enumerate().rev() {
            let Some(key) = &undo.undoes else { continue };
            // An undo is itself taken back as a whole.
            if undone[number].iter().all(Option::is_some) {
                continue;
            }
            let touched: HashSet<&Path> = undo.files.iter().flat_map(ChangedFile::paths).collect();
            for (older, entry) in entries[..number].iter().enumerate() {
                if entry.call_key() != key {
                    continue;
                }
                for (file, mark) in entry.files.iter().zip(&mut undone[older]) {
                    // A file that was made and removed again has nothing to be taken back.
                    if !undo.undoes_one_file || file.paths().any(|path| touched.contains(path)) {
                        mark.get_or_insert(number);
                    }
                }
            }
        }
        Self { entries, undone }
    }

    /// The entries that touch the workspace, the newest first.
    pub(super) fn listed(&self, roots: &Roots) -> impl Iterator<Item = Listed> {
        let numbered = self.entries.iter().enumerate().rev();
        numbered.filter(|(_, entry)| touches(entry, roots)).map(|(number, entry)| {
            let all = self.undone[number].iter().copied().collect::<Option<Vec<usize>>>();
            let by = all.and_then(|all| all.into_iter().max());
            let undone_by = by.map(|by| self.entries[by].id.clone());
            Listed { entry: entry.clone(), undone_by }
        })
    }

    /// The files of an entry that were not taken back.
    fn standing(&self, number: usize) -> impl Iterator<Item = &ChangedFile> {
        let files = self.entries[number].files.iter().zip(&self.undone[number]);
        files.filter(|(_, undone)| undone.is_none()).map(|(file, _)| file)
    }

    /// The entries that are meant, the newest first, each with the files that are to be taken back.
    pub(super) fn find(
        &self,
        which: &Which,
        roots: &Roots,
    ) -> Result<Vec<(&Entry, Vec<&ChangedFile>)>, ToolError> {
        let numbers = (0..self.entries.len()).rev();
        let found: Vec<(&Entry, Vec<&ChangedFile>)> = match which {
            Which::File(path) => {
                let real = roots.judge(path)?.real;
                // A link may be there now where the file was.
                let named = match (path.parent(), path.file_name()) {
                    (Some(folder), Some(name)) => roots.judge(folder)?.real.join(name),
                    _ => real.clone(),
                };
                let last_of = |path: &Path| {
                    let own =
                        numbers.clone().filter(|number| self.entries[*number].undoes.is_none());
                    let of = |number: usize| {
                        self.standing(number).find(|file| file.paths().any(|at| at == path))
                    };
                    own.into_iter().find_map(|number| Some((number, of(number)?)))
                };
                let found = last_of(&named).or_else(|| last_of(&real));
                let found = found.ok_or_else(|| no_change_of(path))?;
                vec![(&self.entries[found.0], vec![found.1])]
            }
            Which::Last | Which::Call(_) => {
                let key = match which {
                    Which::Call(id) => self.key_of(id)?,
                    _ => self.last(roots).ok_or_else(nothing_left)?,
                };
                let of_call = numbers.filter(|number| self.entries[*number].call_key() == key);
                let files = |number: usize| self.standing(number).collect::<Vec<_>>();
                let all = of_call.map(|number| (&self.entries[number], files(number)));
                all.filter(|(_, files)| !files.is_empty()).collect()
            }
        };
        if found.is_empty() {
            let all = "all of that was taken back already";
            return Err(ToolError::failed(all).suggest("`dogu undo --list` shows by what."));
        }
        Ok(found)
    }

    /// The last call that changed files of the workspace and was not undone.
    fn last(&self, roots: &Roots) -> Option<&str> {
        let mut numbers = (0..self.entries.len()).rev();
        let found = numbers.find(|number| {
            let entry = &self.entries[*number];
            entry.undoes.is_none()
                && !entry.beside.put_aside
                && touches(entry, roots)
                && self.standing(*number).next().is_some()
        });
        found.map(|number| self.entries[number].call_key())
    }

    /// The call that an id means.
    fn key_of(&self, id: &str) -> Result<&str, ToolError> {
        let keys = |means: &dyn Fn(&Entry) -> bool| -> HashSet<&str> {
            self.entries.iter().filter(|entry| means(entry)).map(Entry::call_key).collect()
        };
        let ways: [&dyn Fn(&Entry) -> bool; 2] =
            [&|entry| entry.id == id || *entry.by.call == *id, &|entry| {
                !id.is_empty() && (entry.id.starts_with(id) || entry.by.call.starts_with(id))
            }];
        for way in ways {
            let found = keys(way);
            let mut sorted: Vec<&str> = found.into_iter().collect();
            sorted.sort_unstable();
            match sorted[..] {
                [] => {}
                [key] => return Ok(key),
                [.., one, other] => {
                    let (id, count) = (words::shown(Path::new(id)), sorted.len());
                    let text = format!("{id} means {count} calls, such as {one} and {other}");
                    return Err(ToolError::failed(text).suggest("Name one of them in full."));
                }
            }
        }
        let text = format!("no change is known as {}", words::shown(Path::new(id)));
        Err(ToolError::failed(text).suggest("`dogu undo --list` shows the last ones."))
    }

    /// The newest entry that touches a path, if it is newer than all of these.
    pub(super) fn newer(&self, path: &Path, than: &str) -> Option<&Entry> {
        let newest = self
            .entries
            .iter()
            .rev()
            .find(|entry| entry.files.iter().any(|file| file.paths().any(|at| at == path)))?;
        (newest.id.as_str() > than).then_some(newest)
    }
}

fn touches(entry: &Entry, roots: &Roots) -> bool {
    let mut paths = entry.files.iter().flat_map(ChangedFile::paths);
    paths.any(|path| roots.real_paths().any(|root| path.starts_with(root)))
}

fn nothing_left() -> ToolError {
    ToolError::failed("no change of this workspace is left to be undone")
        .suggest("`dogu undo --list` shows what there was.")
}

fn no_change_of(path: &Path) -> ToolError {
    let shown = words::shown(path);
    ToolError::failed(format!("no change of {shown} is left to be undone"))
}
