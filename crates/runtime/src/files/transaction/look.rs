//! What is there before anything is changed.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use dogu_tool::{Expects, FileKind, ToolError};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{Access, AtFlags, Mode, OFlags, Stat, accessat, fstat, mkdirat, openat};
use rustix::io::Errno;

use super::act::stat_in;
use crate::files::beneath::{FOLDER, READING};
use crate::files::grant::Spot;
use crate::files::roots::Roots;
use crate::files::{kind_of_stat, size_of_stat, words};

/// The place of a file: a folder that is held open, and a name. Folders on the way may be missing.
pub(super) struct Place {
    /// The deepest folder that is there.
    pub(super) folder: Rc<OwnedFd>,
    /// Its real path.
    pub(super) folder_path: PathBuf,
    /// What is missing below it.
    pub(super) missing: Vec<OsString>,
    pub(super) name: OsString,
}

/// The folders that were opened, each once, however many of their files change.
#[derive(Default)]
pub(super) struct Folders(HashMap<PathBuf, Rc<OwnedFd>>);

impl Folders {
    /// The folder with this real path, opened if it was not yet.
    fn get(
        &mut self,
        path: &Path,
        open: impl FnOnce() -> Result<OwnedFd, Errno>,
    ) -> Result<Rc<OwnedFd>, Errno> {
        if let Some(folder) = self.0.get(path) {
            return Ok(Rc::clone(folder));
        }
        let folder = Rc::new(open()?);
        self.0.insert(path.to_path_buf(), Rc::clone(&folder));
        Ok(folder)
    }
}

/// A file that is there.
pub(super) struct Old {
    pub(super) stat: Stat,
    /// To read it; none where that is not allowed, or not needed any more.
    pub(super) file: Option<File>,
    /// Of its content, where anyone needs it.
    pub(super) hash: Option<blake3::Hash>,
}

impl Place {
    pub(super) fn open(
        roots: &Roots,
        folders: &mut Folders,
        spot: &Spot<'_>,
        create: bool,
    ) -> Result<Self, ToolError> {
        let place = roots.place(&spot.real);
        let (Some(parent), Some(name)) = (place.below.parent(), spot.real.file_name()) else {
            return Err(words::wrong_kind(spot.asked, FileKind::Folder));
        };
        let mut missing = Vec::new();
        let (mut below, mut folder_path) = (parent, spot.real.clone());
        folder_path.pop();
        let folder = loop {
            let open = || roots.open_below(place.anchor, below, FOLDER);
            match folders.get(&folder_path, open) {
                Err(Errno::NOENT) if create => {
                    let Some(up) = up(below, &mut missing) else { return Err(no_folder(spot)) };
                    below = up;
                    folder_path.pop();
                }
                Err(Errno::NOENT) => return Err(no_folder(spot)),
                Err(errno) => {
                    let doing = "open the folder of";
                    return Err(words::not_opened(doing, spot.asked, errno, spot.exact));
                }
                Ok(folder) => break folder,
            }
        };
        missing.reverse();
        Ok(Self { folder, folder_path, missing, name: name.to_owned() })
    }

    /// The real paths of the folders that are missing, the outermost first.
    pub(super) fn missing_paths(&self) -> impl Iterator<Item = PathBuf> {
        self.missing.iter().scan(self.folder_path.clone(), |path, name| {
            path.push(name);
            Some(path.clone())
        })
    }

    /// Makes what is missing of the folders on the way, each through the descriptor of the one
    /// that holds it, so that a link put there meanwhile is met and refused, not followed. Tells
    /// which were made here.
    pub(super) fn make_folders(
        &mut self,
        roots: &Roots,
        folders: &mut Folders,
        mut made: impl FnMut(&Rc<OwnedFd>, &OsStr),
    ) -> Result<(), Errno> {
        for name in std::mem::take(&mut self.missing) {
            match mkdirat(&*self.folder, &name, Mode::RWXU | Mode::RWXG | Mode::RWXO) {
                Ok(()) => made(&self.folder, &name),
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno),
            }
            self.folder_path.push(&name);
            let open = || roots.open_below(self.folder.as_fd(), Path::new(&name), FOLDER);
            self.folder = folders.get(&self.folder_path, open)?;
        }
        Ok(())
    }

    /// What is there, which must be a regular file or nothing.
    pub(super) fn look(&self, asked: &Path) -> Result<Option<Old>, ToolError> {
        if !self.missing.is_empty() {
            return Ok(None);
        }
        let failed = |errno| words::io("look at", asked, errno);
        let Some(stat) = stat_in(&self.folder, &self.name).map_err(failed)? else {
            return Ok(None);
        };
        require_file(asked, &stat)?;
        let flags = READING | OFlags::NOFOLLOW;
        let file = match openat(&*self.folder, &self.name, flags, Mode::empty()) {
            Ok(file) => file,
            Err(Errno::ACCESS | Errno::PERM) => {
                return Ok(Some(Old { stat, file: None, hash: None }));
            }
            Err(_) => return Err(words::changed(asked)),
        };
        // From here on the descriptor says what is there.
        let stat = fstat(&file).map_err(failed)?;
        require_file(asked, &stat)?;
        Ok(Some(Old { stat, file: Some(File::from(file)), hash: None }))
    }

    /// Refuses to replace what its owner made read-only.
    pub(super) fn require_writable(&self, asked: &Path, old: &Stat) -> Result<(), ToolError> {
        // Renaming over a file needs no right to it, only to its folder; a person who made it
        // read-only meant more than that. The bit is asked too because all is open to root.
        let writable = accessat(&*self.folder, &self.name, Access::WRITE_OK, AtFlags::empty());
        let owner_may = Mode::from_raw_mode(old.st_mode).contains(Mode::WUSR);
        if !owner_may || writable == Err(Errno::ACCESS) {
            let shown = words::shown(asked);
            return Err(ToolError::failed(format!("{shown} is read-only; nothing was written")));
        }
        writable.map_err(|errno| words::io("write", asked, errno))
    }
}

impl Old {
    pub(super) fn size(&self) -> u64 {
        size_of_stat(&self.stat)
    }

    /// Reads the whole content for its hash.
    pub(super) fn read_hash(&mut self) -> io::Result<Option<blake3::Hash>> {
        if let (None, Some(file)) = (&self.hash, &mut self.file) {
            file.rewind()?;
            self.hash = Some(hash_of(file)?);
        }
        Ok(self.hash)
    }
}

/// The hash of the rest of a file.
pub(super) fn hash_of(file: &mut File) -> io::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0_u8; 64 * 1024];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hasher.finalize()),
            count => hasher.update(&buffer[..count]),
        };
    }
}

/// Refuses what is not expected.
pub(super) fn check(
    asked: &Path,
    expects: Expects,
    old: Option<&mut Old>,
) -> Result<(), ToolError> {
    match (expects, old) {
        (Expects::Anything, _) | (Expects::Nothing, None) => Ok(()),
        (Expects::Nothing, Some(_)) => Err(words::already_exists(asked)),
        (Expects::Content(_), None) => Err(words::not_found(asked).because(words::as_stale(asked))),
        (Expects::Content(expected), Some(old)) => {
            let failed = |error| ToolError::io("read", Path::new(&words::shown(asked)), error);
            match old.read_hash().map_err(failed)? {
                Some(hash) if hash == blake3::Hash::from_bytes(expected) => Ok(()),
                _ => Err(words::stale(asked)),
            }
        }
    }
}

/// The folder above, and what was below it noted.
fn up<'a>(below: &'a Path, missing: &mut Vec<OsString>) -> Option<&'a Path> {
    let Component::Normal(name) = below.components().next_back()? else { return None };
    missing.push(name.to_owned());
    below.parent()
}

fn no_folder(spot: &Spot<'_>) -> ToolError {
    ToolError::failed(format!("the folder of {} does not exist", words::shown(spot.asked)))
}

fn require_file(path: &Path, stat: &Stat) -> Result<(), ToolError> {
    match kind_of_stat(stat) {
        FileKind::File => Ok(()),
        other => Err(words::wrong_kind(path, other)),
    }
}
