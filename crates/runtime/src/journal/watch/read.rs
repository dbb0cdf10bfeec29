//! What is at a path now.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use dogu_tool::FileStamp;
use rustix::fs::{AtFlags, FileType, fstat, readlinkat, statat};
use rustix::io::Errno;

use super::why::Why;
use crate::files::{FOLDER, READING, Roots, facts_of};

/// File systems count time in steps: what changes twice within one has the same stamp. So long
/// a stamp is not believed.
const STEP: Duration = Duration::from_millis(100);
/// The same of a file system that counts whole seconds.
const LONG_STEP: Duration = Duration::from_secs(2);
/// The clock that file systems take times from is this much behind, at most; in nanoseconds.
pub(super) const BEHIND: i128 = 20_000_000;
/// How much is read at once.
const PIECE: usize = 64 * 1024;

/// What is at a path.
#[derive(Debug)]
pub(super) enum Now {
    /// Nothing, or nothing that can be reached without a link.
    Nothing,
    Folder,
    File(ReadFile),
    Link(FileStamp, PathBuf),
    /// It is there, and that is all that is known.
    Unknown(Why),
}

/// A file that was read.
#[derive(Debug)]
pub(super) struct ReadFile {
    pub(super) stamp: FileStamp,
    /// Any later change gives it another stamp.
    pub(super) settled: bool,
    pub(super) mode: u32,
    /// None where it is too large to be read.
    pub(super) hash: Option<blake3::Hash>,
    /// What it holds, if that was asked for.
    pub(super) content: Vec<u8>,
}

/// How much is read of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Much {
    /// A file that is larger is not read.
    pub(super) largest: u64,
    /// The content is wanted, not its hash alone.
    pub(super) content: bool,
}

/// Looks at a path, and reads what is there. Secrets are not read, by whatever name.
pub(super) fn look_at(roots: &Roots, path: &OsStr, much: Much) -> Now {
    let path = Path::new(path);
    match roots.open_real(path, READING) {
        Ok(file) => read(roots, &File::from(file), much).unwrap_or(Now::Unknown(Why::Unreadable)),
        Err(Errno::NOENT | Errno::NOTDIR) => Now::Nothing,
        Err(Errno::LOOP) => link(roots, path),
        Err(Errno::NXIO | Errno::NODEV) => Now::Unknown(Why::Special),
        Err(_) => Now::Unknown(Why::Unreadable),
    }
}

fn read(roots: &Roots, file: &File, much: Much) -> io::Result<Now> {
    let facts = file.metadata()?;
    if facts.is_dir() {
        return Ok(Now::Folder);
    }
    if !facts.is_file() {
        return Ok(Now::Unknown(Why::Special));
    }
    if roots.known_secrets().file(&fstat(file)?).is_some() {
        return Ok(Now::Unknown(Why::Secret));
    }
    let stamp = FileStamp::from(&facts);
    let mode = facts.mode() & 0o7777;
    if stamp.size > much.largest {
        let settled = is_settled(&stamp);
        return Ok(Now::File(ReadFile { stamp, settled, mode, hash: None, content: Vec::new() }));
    }
    let (hash, content, size) = content_of(file, stamp.size, much)?;
    // Whoever wrote meanwhile will be noticed by the next look.
    let settled = FileStamp::from(&file.metadata()?) == stamp && size == stamp.size;
    let stamp = FileStamp { size, ..stamp };
    let settled = settled && is_settled(&stamp);
    Ok(Now::File(ReadFile { stamp, settled, mode, hash: Some(hash), content }))
}

fn content_of(file: &File, size: u64, much: Much) -> io::Result<(blake3::Hash, Vec<u8>, u64)> {
    let mut file = file.take(much.largest);
    if much.content {
        let mut content = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
        file.read_to_end(&mut content)?;
        let size = content.len() as u64;
        return Ok((blake3::hash(&content), content, size));
    }
    let (mut hasher, mut buffer) = (blake3::Hasher::new(), vec![0; PIECE]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok((hasher.finalize(), Vec::new(), hasher.count())),
            count => hasher.update(&buffer[..count]),
        };
    }
}

/// What a symbolic link says. Where one is on the way instead, there is nothing.
fn link(roots: &Roots, path: &Path) -> Now {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Now::Nothing };
    let found = roots.open_real(folder, FOLDER).and_then(|folder| {
        let stat = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::Symlink {
            return Ok(Now::Unknown(Why::Unreadable));
        }
        let target = readlinkat(&folder, name, Vec::new())?.into_bytes();
        let target = PathBuf::from(std::ffi::OsString::from_vec(target));
        Ok(Now::Link(facts_of(&stat).stamp, target))
    });
    match found {
        Ok(now) => now,
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Now::Nothing,
        Err(_) => Now::Unknown(Why::Unreadable),
    }
}

/// Whether every change from now on gives another stamp.
pub(super) fn is_settled(stamp: &FileStamp) -> bool {
    let step = if stamp.changed % 1_000_000_000 == 0 { LONG_STEP } else { STEP };
    // When the content changed anybody can say; when anything did, only the system.
    stamp.changed + nanoseconds(step) < now()
}

/// Nanoseconds since 1970.
pub(super) fn now() -> i128 {
    nanoseconds(SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default())
}

fn nanoseconds(time: Duration) -> i128 {
    i128::try_from(time.as_nanos()).unwrap_or(i128::MAX)
}
