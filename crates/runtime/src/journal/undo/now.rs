//! What is there before changes are taken back.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use dogu_tool::ToolError;
use rustix::fs::{Dir, FileType, readlinkat};
use rustix::io::Errno;

use super::super::entry::FileState;
use super::{Content, Reversal, UndoProblem};
use crate::files::{FOLDER, LISTING, READING, Roots, words};

/// What is at a path.
#[derive(Debug, Default)]
pub(super) struct At {
    /// Of a file or a link.
    pub(super) content: Option<Content>,
    pub(super) mode: Option<u32>,
    folder: bool,
}

impl At {
    /// Anything at all.
    pub(super) fn is_there(&self) -> bool {
        self.content.is_some() || self.folder
    }
}

/// What is at a path now.
pub(super) fn at(roots: &Roots, path: &Path, largest: u64) -> Result<At, ToolError> {
    let file = match roots.open_real(path, READING) {
        Ok(file) => std::fs::File::from(file),
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(At::default()),
        Err(Errno::LOOP) => {
            let content = link_at(roots, path).map(Content::Link);
            return Ok(At { content, ..At::default() });
        }
        Err(errno) => return Err(words::not_opened("read", path, errno, true)),
    };
    let failed = |error: io::Error| ToolError::io("read", words::shown(path).as_ref(), error);
    let facts = file.metadata().map_err(failed)?;
    if facts.is_dir() {
        return Ok(At { folder: true, ..At::default() });
    }
    let mode = Some(facts.mode() & 0o7777);
    if !facts.is_file() || facts.len() > largest {
        return Ok(At { content: Some(Content::Unknown(facts.len())), mode, folder: false });
    }
    let mut bytes = Vec::new();
    file.take(largest + 1).read_to_end(&mut bytes).map_err(failed)?;
    Ok(At { content: Some(Content::Bytes(bytes)), mode, folder: false })
}

/// What a symbolic link says; none where there is none, or one is on the way.
pub(super) fn link_at(roots: &Roots, path: &Path) -> Option<PathBuf> {
    let folder = roots.open_real(path.parent()?, FOLDER).ok()?;
    let target = readlinkat(&folder, path.file_name()?, Vec::new()).ok()?;
    Some(OsString::from_vec(target.into_bytes()).into())
}

/// Whether what is there is what a change left.
pub(super) fn is_as(now: Option<&Content>, after: Option<&FileState>) -> bool {
    match (now, after) {
        (None, None) => true,
        (Some(Content::Link(target)), Some(state)) => state.link.as_ref() == Some(target),
        (Some(Content::Bytes(bytes)), Some(FileState { hash: Some(hash), .. })) => {
            blake3::hash(bytes).to_hex().as_str() == hash
        }
        // Too large for anyone to know more.
        (Some(Content::Unknown(size)), Some(state)) => *size == state.size,
        _ => false,
    }
}

/// A folder that is where a file is to be can go only if all that is in it goes, too.
pub(super) fn refuse_full_folders(roots: &Roots, files: &mut [Reversal]) -> Result<(), ToolError> {
    let goes: HashSet<PathBuf> = (files.iter())
        .filter(|file| file.then.is_none() || file.now_at != file.then_at)
        .map(|file| file.now_at.clone())
        .collect();
    for file in files.iter_mut().filter(|file| file.then.is_some() && file.problem.is_none()) {
        if at(roots, &file.then_at, 0)?.folder && !is_emptied(roots, &file.then_at, &goes) {
            let shown = words::shown(&file.then_at);
            let text = format!("{shown} is a folder now, and something else is in it");
            file.problem = Some(UndoProblem::Impossible(text));
        }
    }
    Ok(())
}

/// Whether nothing but folders is left when these files are gone.
fn is_emptied(roots: &Roots, folder: &Path, goes: &HashSet<PathBuf>) -> bool {
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let listed = roots.open_real(&folder, LISTING).and_then(Dir::new);
        let Ok(entries) = listed.and_then(Iterator::collect::<Result<Vec<_>, _>>) else {
            return false;
        };
        for entry in entries {
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b"..") {
                continue;
            }
            let path = folder.join(OsString::from_vec(name.to_vec()));
            match entry.file_type() {
                FileType::Directory => folders.push(path),
                _ if goes.contains(&path) => {}
                _ => return false,
            }
        }
    }
    true
}
