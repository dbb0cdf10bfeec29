//! The ignore files of a folder: which there are, and what is in them.

use std::ffi::{CStr, OsStr};
use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::gitignore::Gitignore;
use rustix::fd::{AsFd as _, BorrowedFd};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, statat};

use super::super::beneath::{FOLDER, READING};
use super::super::roots::{Roots, refuse_procfs};
use super::levels::{Files, Level, MAX_SIZE, parse};
use super::names::Names;

/// How much of the files in which git names its folders is read.
const MAX_POINTER: u64 = 8_192;

/// The names that matter for what is left out of a folder.
const NAMES: [&CStr; 6] =
    [c".ignore", c".gitignore", c".git", c".jj", c".doguignore", c".rooignore"];

/// Which of them a folder has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    has: [bool; NAMES.len()],
    git_is_file: bool,
}

impl Found {
    /// Of all names of a folder.
    pub(super) fn among(names: &Names) -> Self {
        let mut found = Self::default();
        let mut start = 0;
        while let Some((name, kind, next)) = names.at(start) {
            if name.to_bytes().first() == Some(&b'.') {
                found.note(name, kind);
            }
            start = next;
        }
        found
    }

    /// Of a folder of which not all names are known.
    pub(super) fn by_asking(folder: BorrowedFd<'_>) -> Self {
        let mut found = Self::default();
        for name in NAMES {
            if let Ok(stat) = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
                found.note(name, FileType::from_raw_mode(stat.st_mode));
            }
        }
        found
    }

    fn note(&mut self, name: &CStr, kind: FileType) {
        if let Some(at) = NAMES.iter().position(|known| *known == name) {
            self.has[at] = true;
            self.git_is_file |= name == c".git" && kind == FileType::RegularFile;
        }
    }

    /// It has files that shut agents out.
    pub(super) fn shuts_out(self) -> bool {
        self.has[4] || self.has[5]
    }

    /// What git's and ripgrep's files say in the folder, whose path from `/` is so long.
    pub(super) fn level(
        self,
        above: Option<&Arc<Level>>,
        folder: BorrowedFd<'_>,
        base: usize,
    ) -> Option<Arc<Level>> {
        let [dot_ignore, gitignore, git, jj, ..] = self.has;
        if !(dot_ignore || gitignore || git || jj) {
            return above.cloned();
        }
        let top = git || jj;
        let in_repository = top || above.is_some_and(|above| above.in_repository());
        let files = Files {
            dot_ignore: dot_ignore.then(|| rules_in(folder, c".ignore")).flatten(),
            gitignore: (gitignore && in_repository)
                .then(|| rules_in(folder, c".gitignore"))
                .flatten(),
            exclude: git.then(|| exclude(folder, self.git_is_file)).flatten(),
            top,
        };
        Level::new(above, files, base)
    }
}

/// What the folders above a real path say.
pub(super) fn above(roots: &Roots, start: &Path) -> Option<Arc<Level>> {
    let mut level = None;
    let folders: Vec<&Path> = start.ancestors().skip(1).collect();
    for folder in folders.into_iter().rev() {
        let Ok(fd) = roots.open_real(folder, FOLDER) else { continue };
        let found = Found::by_asking(fd.as_fd());
        level = found.level(level.as_ref(), fd.as_fd(), base_of(folder));
    }
    level
}

/// Where the part below a folder begins in a path.
pub(super) fn base_of(folder: &Path) -> usize {
    let length = folder.as_os_str().len();
    if length == 1 { 1 } else { length + 1 }
}

/// git follows no link of such a name either.
fn rules_in(folder: BorrowedFd<'_>, name: &CStr) -> Option<Gitignore> {
    parse(&read(folder, Path::new(OsStr::from_bytes(name.to_bytes())), OFlags::NOFOLLOW, MAX_SIZE)?)
}

/// The repository's own excludes. In a worktree `.git` is a file that says where they are.
fn exclude(folder: BorrowedFd<'_>, git_is_file: bool) -> Option<Gitignore> {
    let store = if git_is_file { linked_store(folder)? } else { PathBuf::from(".git") };
    parse(&read(folder, &store.join("info/exclude"), OFlags::empty(), MAX_SIZE)?)
}

fn linked_store(folder: BorrowedFd<'_>) -> Option<PathBuf> {
    let text = read(folder, Path::new(".git"), OFlags::NOFOLLOW, MAX_POINTER)?;
    let store = PathBuf::from(OsStr::from_bytes(text.strip_prefix(b"gitdir: ")?.trim_ascii_end()));
    match read(folder, &store.join("commondir"), OFlags::empty(), MAX_POINTER) {
        Some(common) => Some(store.join(OsStr::from_bytes(common.trim_ascii_end()))),
        None => Some(store),
    }
}

/// The beginning of a regular file; nothing where it cannot be read.
fn read(folder: BorrowedFd<'_>, path: &Path, flags: OFlags, most: u64) -> Option<Vec<u8>> {
    let fd = openat(folder, path, READING | flags, Mode::empty()).ok()?;
    refuse_procfs(&fd).ok()?;
    let file = File::from(fd);
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = Vec::new();
    file.take(most).read_to_end(&mut text).ok()?;
    Some(text)
}
