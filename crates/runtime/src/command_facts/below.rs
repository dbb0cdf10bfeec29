//! The search for secrets below a folder.

use std::ffi::OsStr;
use std::fs::{self, DirEntry, FileType};
use std::io;
use std::path::{Path, PathBuf};

use dogu_policy::path::{Places, classify, sensitive};

use crate::files::Roots;

/// How many names are looked at for one command line.
pub(super) const MAX_ENTRIES: usize = 100_000;
/// How many secrets are named; one is enough to ask.
pub(super) const MAX_SECRETS: usize = 5;

const TOO_MANY: &str = "too many files to look for secrets";
const FOLDER_SPLIT: &str = "a folder's name would be split";
const FILE_SPLIT: &str = "a file's name would be split into something else";

/// Searches for one command line.
pub(super) struct Search<'a> {
    roots: &'a Roots,
    places: &'a Places,
    /// How many names may still be looked at.
    left: usize,
}

/// What is still to be done of one search.
struct Walk {
    folders: Vec<PathBuf>,
    secrets: Vec<PathBuf>,
    /// Names reach the command as they are.
    exact: bool,
}

impl<'a> Search<'a> {
    pub(super) fn new(roots: &'a Roots, places: &'a Places) -> Self {
        Self { roots, places, left: MAX_ENTRIES }
    }

    /// Looks at no more names than these.
    #[cfg(test)]
    pub(super) fn limit(&mut self, left: usize) {
        self.left = left;
    }

    /// Some of what is below a real folder and holds secrets or is ignored; or why that cannot
    /// be told. Links are not followed but judged by where they lead, since a command that is
    /// given the name of one reads what is there.
    pub(super) fn below(&mut self, folder: &Path, exact: bool) -> Result<Vec<PathBuf>, String> {
        let mut walk = Walk { folders: vec![folder.to_path_buf()], secrets: Vec::new(), exact };
        while let Some(folder) = walk.folders.pop() {
            self.folder(&folder, &mut walk)?;
            if walk.secrets.len() >= MAX_SECRETS {
                walk.secrets.truncate(MAX_SECRETS);
                break;
            }
        }
        Ok(walk.secrets)
    }

    fn folder(&mut self, folder: &Path, walk: &mut Walk) -> Result<(), String> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            // Closed to the command as well, or gone.
            Err(error) if is_closed(&error) => return Ok(()),
            Err(error) => return Err(error.to_string()),
        };
        let view = self.roots.ignored_in(folder);
        for entry in entries {
            self.left = self.left.checked_sub(1).ok_or(TOO_MANY)?;
            let (entry, kind) = described(entry).map_err(|error| error.to_string())?;
            let name = entry.file_name();
            if !walk.exact {
                Self::check_split(&name, kind.is_dir())?;
            }
            let ignored =
                view.as_ref().is_some_and(|view| view.ignored(&name, kind.is_dir()).is_some());
            self.entry(entry.path(), kind, ignored, walk);
        }
        Ok(())
    }

    fn entry(&self, path: PathBuf, kind: FileType, ignored: bool, walk: &mut Walk) {
        let secret = ignored
            || sensitive(&path, kind.is_dir(), self.places).is_some()
            || (kind.is_symlink() && self.leads_to_secrets(&path));
        if secret {
            walk.secrets.push(path);
        } else if kind.is_dir() && !is_object_store(&path) {
            walk.folders.push(path);
        }
    }

    /// A link out of the workspace leads to what nobody has looked at; the machine's own
    /// programs, where a virtual environment's links lead, are no secret.
    fn leads_to_secrets(&self, link: &Path) -> bool {
        let Ok(facts) = self.roots.judge(link) else { return true };
        let class = classify(&facts, self.places);
        let public = facts.root.is_some() || class.system.is_some() || !facts.exists;
        class.sensitive.is_some() || facts.ignored_by.is_some() || !public
    }

    /// Refuses names that would reach the command in pieces which are other files or options.
    fn check_split(name: &OsStr, folder: bool) -> Result<(), String> {
        let text = name.to_string_lossy();
        let quoted = text.contains(['"', '\'', '\\']);
        let spaced = text.contains(char::is_whitespace);
        let hidden_pattern = text.starts_with('.') && text.contains(is_wild);
        if folder {
            return if quoted || spaced || hidden_pattern {
                Err(FOLDER_SPLIT.into())
            } else {
                Ok(())
            };
        }
        if quoted || spaced || hidden_pattern { Err(FILE_SPLIT.into()) } else { Ok(()) }
    }
}

fn described(entry: io::Result<DirEntry>) -> io::Result<(DirEntry, FileType)> {
    let entry = entry?;
    let kind = entry.file_type()?;
    Ok((entry, kind))
}

fn is_closed(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::NotFound)
}

fn is_wild(letter: char) -> bool {
    matches!(letter, '*' | '?' | '[')
}

/// Packed history: many names, none of them telling anything.
fn is_object_store(path: &Path) -> bool {
    path.ends_with(".git/objects")
}
