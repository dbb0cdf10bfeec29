//! What a transaction of files does not do: symbolic links, modes, and folders without files.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use dogu_tool::ToolError;
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Mode, OFlags, fchmod, mkdirat, openat, symlinkat, unlinkat};
use rustix::io::Errno;

use super::super::entry::{ChangedFile, Entry, FileState};
use super::super::recover::remove_empty;
use super::now::link_at;
use super::{Content, Reversal, UndoPlan};
use crate::files::{FOLDER, READING, Roots, words};

/// The right of the owner to write.
const WRITABLE: u32 = 0o200;

/// What is done around a transaction.
pub(super) struct Around<'a> {
    roots: &'a Roots,
    /// Links that were removed to make way.
    links: Vec<(PathBuf, PathBuf)>,
    /// Files that were made writable, with the mode that they had.
    opened: Vec<(PathBuf, u32)>,
    done: Done,
}

/// What was done that no transaction has written down.
#[derive(Debug, Default)]
pub(super) struct Done {
    /// Files whose link, or whose mode, is another one.
    touched: bool,
    made: Vec<PathBuf>,
    removed: Vec<PathBuf>,
}

impl<'a> Around<'a> {
    pub(super) fn new(roots: &'a Roots) -> Self {
        Self { roots, links: Vec::new(), opened: Vec::new(), done: Done::default() }
    }

    /// Removes links that something else is to take the place of, and lets files be replaced that
    /// a command made read-only.
    pub(super) fn make_way(&mut self, files: &[Reversal]) -> Result<(), ToolError> {
        for file in files.iter().filter(|file| !file.is_done()) {
            let path = &file.now_at;
            if let Some(Content::Link(target)) = &file.now {
                // Only if it is still the one that was looked at.
                if link_at(self.roots, path).as_ref() != Some(target) {
                    return Err(words::stale(path));
                }
                self.remove_link(path).map_err(|errno| words::io("remove", path, errno))?;
                self.links.push((path.clone(), target.clone()));
            }
            if let (Some(_), Some(mode)) = (file.sets_mode, file.now_mode)
                && mode & WRITABLE == 0
                && matches!(file.then, Some(Content::Bytes(_)))
            {
                self.set_mode(path, mode | WRITABLE)
                    .map_err(|errno| words::io("change", path, errno))?;
                self.opened.push((path.clone(), mode));
            }
        }
        Ok(())
    }

    /// Puts back what was done to make way.
    pub(super) fn take_back(&mut self) {
        for folder in std::mem::take(&mut self.done.removed).into_iter().rev() {
            self.make_folder(&folder);
        }
        for (path, mode) in std::mem::take(&mut self.opened) {
            let _ = self.set_mode(&path, mode);
        }
        for (path, target) in std::mem::take(&mut self.links) {
            let _ = self.make_link(&path, &target);
        }
    }

    /// Removes the folders that were made where files are to be, if nothing is in them.
    pub(super) fn remove_folders_at(&mut self, plan: &UndoPlan, files: &HashSet<PathBuf>) {
        for folder in folders_made(plan) {
            if folder.ancestors().any(|above| files.contains(above)) {
                self.remove_folder(folder);
            }
        }
    }

    /// Removes all folders that were made, if nothing is in them.
    pub(super) fn remove_folders(&mut self, plan: &UndoPlan) {
        folders_made(plan).for_each(|folder| self.remove_folder(folder));
    }

    fn remove_folder(&mut self, folder: &Path) {
        if self.roots.open_real(folder, FOLDER).is_ok() {
            remove_empty(self.roots, folder);
            if self.roots.open_real(folder, FOLDER).is_err() {
                self.done.removed.push(folder.to_path_buf());
            }
        }
    }

    /// Makes the folders that were removed.
    pub(super) fn make_folders(&mut self, plan: &UndoPlan) {
        for folder in plan.entries.iter().flat_map(|entry| &entry.beside.removed_folders) {
            self.make_folder(folder);
        }
    }

    fn make_folder(&mut self, folder: &Path) {
        let Ok((above, name)) = self.folder_of(folder) else { return };
        if mkdirat(&above, name, Mode::RWXU | Mode::RWXG | Mode::RWXO).is_ok() {
            self.done.made.push(folder.to_path_buf());
        }
    }

    /// Makes links, and sets modes, when the files are as they are to be.
    pub(super) fn set_right(&mut self, files: &[Reversal]) -> Result<(), ToolError> {
        let mut problems = Vec::new();
        for file in files.iter().filter(|file| !file.is_done()) {
            let (path, mut done) = (&file.then_at, Ok(()));
            if let Some(Content::Link(target)) = &file.then {
                self.done.touched = true;
                done = self.make_link(path, target);
            } else if matches!(file.now, Some(Content::Link(_))) {
                self.done.touched = true;
            }
            if let (Some(mode), Some(_)) = (file.sets_mode, &file.now) {
                self.done.touched = true;
                if matches!(file.then, Some(Content::Bytes(_))) {
                    done = done.and_then(|()| self.set_mode(path, mode));
                }
            }
            if let Err(errno) = done {
                problems.push(words::io("set right", path, errno).to_string());
            }
        }
        match problems[..] {
            [] => Ok(()),
            _ => Err(ToolError::failed(format!("undone, but: {}", problems.join("; ")))),
        }
    }

    pub(super) fn done(self) -> Done {
        self.done
    }

    /// The folder of a path, and its name there.
    fn folder_of<'p>(&self, path: &'p Path) -> Result<(OwnedFd, &'p std::ffi::OsStr), Errno> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(Errno::INVAL);
        };
        Ok((self.roots.open_real(folder, FOLDER)?, name))
    }

    fn remove_link(&self, path: &Path) -> Result<(), Errno> {
        let (folder, name) = self.folder_of(path)?;
        unlinkat(&folder, name, AtFlags::empty())
    }

    fn make_link(&mut self, path: &Path, target: &Path) -> Result<(), Errno> {
        let missing: Vec<PathBuf> = (path.ancestors().skip(1))
            .take_while(|folder| self.roots.open_real(folder, FOLDER).is_err())
            .map(Path::to_path_buf)
            .collect();
        for folder in missing.iter().rev() {
            self.make_folder(folder);
        }
        let (folder, name) = self.folder_of(path)?;
        symlinkat(target, &folder, name)
    }

    fn set_mode(&self, path: &Path, mode: u32) -> Result<(), Errno> {
        let (folder, name) = self.folder_of(path)?;
        let file = openat(&folder, name, READING | OFlags::NOFOLLOW, Mode::empty())?;
        fchmod(&file, Mode::from_raw_mode(mode & 0o1777))
    }
}

/// The folders that were made, the innermost first.
fn folders_made(plan: &UndoPlan) -> impl Iterator<Item = &PathBuf> {
    plan.entries.iter().flat_map(|entry| entry.folders.iter().rev())
}

impl Done {
    /// The transactions have written down all of it.
    pub(super) fn is_nothing(&self) -> bool {
        !self.touched && self.made.is_empty() && self.removed.is_empty()
    }

    /// Writes it into the entries of the undo, so that it can be taken back in turn.
    pub(super) fn note(mut self, entries: &mut [Entry], files: &[Reversal]) {
        for file in files.iter().filter(|file| !file.is_done()) {
            note_file(entries, file);
        }
        self.made.sort();
        self.removed.sort();
        self.removed.dedup();
        if let Some(last) = entries.last_mut() {
            last.folders.extend(self.made);
            last.folders.sort();
            last.folders.dedup();
            last.beside.removed_folders = self.removed;
        }
    }
}

fn note_file(entries: &mut [Entry], file: &Reversal) {
    let links = [&file.now, &file.then].map(|content| match content {
        Some(Content::Link(target)) => Some(FileState::of_link(target.clone())),
        _ => None,
    });
    let noted = entries.iter_mut().flat_map(|entry| &mut entry.files);
    let noted = noted.into_iter().find(|noted| noted.path == file.then_at);
    match (noted, links) {
        (Some(noted), [before, after]) => {
            noted.before = before.or(noted.before.take());
            noted.after = after.or(noted.after.take());
            if file.sets_mode.is_some() {
                let set = |state: &mut Option<FileState>, mode| {
                    if let Some(state) = state.as_mut().filter(|state| state.link.is_none()) {
                        state.mode = mode;
                    }
                };
                set(&mut noted.before, file.now_mode);
                set(&mut noted.after, file.sets_mode);
            }
        }
        (None, [None, None]) => {}
        (None, [before, after]) => {
            let path = file.then_at.clone();
            if let Some(last) = entries.last_mut() {
                last.files.push(ChangedFile { path, moved_from: None, before, after });
            }
        }
    }
}
