//! Plain private files: read without following links, replaced in one step.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::{SealError, SealProblem};
use crate::state::create_private;

/// Write permission for the group or for everyone.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// Which file it is and when it last changed; nothing where there is none or it cannot be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity(Option<([u64; 3], [i64; 4])>);

impl Identity {
    /// Of whatever has this name, a link itself included.
    pub(super) fn of(path: &Path) -> Self {
        Self(fs::symlink_metadata(path).ok().as_ref().map(facts))
    }
}

fn facts(facts: &Metadata) -> ([u64; 3], [i64; 4]) {
    (
        [facts.dev(), facts.ino(), facts.size()],
        [facts.mtime(), facts.mtime_nsec(), facts.ctime(), facts.ctime_nsec()],
    )
}

/// A file that was read.
#[derive(Debug)]
pub(super) struct OpenedFile {
    pub(super) bytes: Vec<u8>,
    pub(super) mode: u32,
    pub(super) identity: Identity,
    pub(super) file: File,
}

/// Reads a plain file that only its user may write; `None` where there is none.
pub(super) fn read_plain(path: &Path, most: u64) -> Result<Option<OpenedFile>, SealProblem> {
    let unreadable = |error: &io::Error| SealProblem::Unreadable {
        path: path.to_owned(),
        reason: error.to_string(),
    };
    // Without waiting: a pipe in its place must not hold anybody up.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let opened = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path);
    let mut file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
            return Err(SealProblem::NotPlain { path: path.to_owned() });
        }
        Err(error) => return Err(unreadable(&error)),
    };
    let known = file.metadata().map_err(|error| unreadable(&error))?;
    if !is_private_enough(&known) {
        return Err(SealProblem::NotPlain { path: path.to_owned() });
    }
    let mut bytes = Vec::new();
    (&mut file).take(most + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    if bytes.len() as u64 > most {
        return Err(SealProblem::TooLarge { path: path.to_owned() });
    }
    let identity = Identity(Some(facts(&known)));
    Ok(Some(OpenedFile { bytes, mode: known.mode(), identity, file }))
}

fn is_private_enough(facts: &Metadata) -> bool {
    facts.is_file()
        && facts.uid() == rustix::process::geteuid().as_raw()
        && facts.mode() & WRITABLE_BY_OTHERS == 0
}

/// A file that is complete on disk under another name. Dropped, it is gone.
#[derive(Debug)]
pub(super) struct Pending {
    target: PathBuf,
    beside: PathBuf,
}

impl Pending {
    /// Writes beside `target`. Only whoever holds the lock does, so one name is enough.
    pub(super) fn write(target: &Path, bytes: &[u8]) -> Result<Self, SealError> {
        let mut beside = target.as_os_str().to_owned();
        beside.push(".new");
        let beside = PathBuf::from(beside);
        // What a process that died left behind.
        let _ = fs::remove_file(&beside);
        let mut file = create_private(&beside).map_err(|error| io("create", &beside, error))?;
        let pending = Self { target: target.to_owned(), beside };
        file.write_all(bytes)
            .and_then(|()| file.sync_all())
            .map_err(|error| io("write", &pending.beside, error))?;
        Ok(pending)
    }

    /// Puts it in place of the old one in one step.
    pub(super) fn place(self) -> Result<(), SealError> {
        fs::rename(&self.beside, &self.target)
            .map_err(|error| io("replace", &self.target, error))?;
        // The change is done; whether its name outlives a power failure is the disk's to say.
        if let Some(folder) = self.target.parent()
            && let Ok(folder) = File::open(folder)
        {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        // After `place` there is nothing of that name.
        let _ = fs::remove_file(&self.beside);
    }
}

/// An error of the system, with what was tried.
pub(super) fn io(doing: &'static str, path: &Path, source: io::Error) -> SealError {
    SealError::Io { doing, path: path.to_owned(), source }
}
