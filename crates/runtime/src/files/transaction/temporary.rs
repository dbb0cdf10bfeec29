//! The new content before it takes its name: complete, with the right rights, on the disk.

use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::os::unix::fs::MetadataExt as _;

use rustix::fd::OwnedFd;
use rustix::fs::{Mode, OFlags, Stat, fchmod, fstat, openat};

use super::step::Mark;

/// Read, write and execute for all, and the sticky bit. Not set-user-id and set-group-id: as
/// with any write to a file, new content does not inherit another's rights.
const KEPT_MODE: Mode = Mode::RWXU.union(Mode::RWXG).union(Mode::RWXO).union(Mode::SVTX);

/// What the names of all temporaries begin with.
const PREFIX: &str = ".dogu-";

/// What a new file holds.
pub(super) enum Fill<'a> {
    /// There is no new file.
    Nothing,
    /// This.
    Bytes(&'a [u8]),
    /// What is in another file.
    Copy(File),
}

/// The rights of a new file.
#[derive(Clone, Copy)]
pub(super) enum Takes {
    /// As any new file of this process.
    Default,
    /// Those of a file, and its owner.
    Of(Stat),
    /// These.
    Mode(u32),
}

/// A name that nobody has.
pub(super) fn name() -> std::io::Result<String> {
    Ok(format!("{PREFIX}{:016x}", getrandom::u64()?))
}

/// Whether a temporary could have this name.
pub(crate) fn is_name(name: &str) -> bool {
    let digits = name.strip_prefix(PREFIX).unwrap_or_default();
    digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Makes the file. Nothing is left where that fails but, at most, its name.
pub(super) fn make(
    folder: &OwnedFd,
    name: &str,
    content: &mut Fill<'_>,
    takes: Takes,
    durable: bool,
) -> std::io::Result<Mark> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // A file that gets the rights of another is nobody else's to read until it has them.
    let mode = if matches!(takes, Takes::Default) { 0o666 } else { 0o600 };
    let mut file = File::from(openat(folder, name, flags, Mode::from_raw_mode(mode))?);
    match content {
        Fill::Nothing => {}
        Fill::Bytes(bytes) => file.write_all(bytes)?,
        Fill::Copy(from) => {
            from.rewind()?;
            std::io::copy(from, &mut file)?;
            let modified = filetime::FileTime::from_last_modification_time(&from.metadata()?);
            filetime::set_file_handle_times(&file, None, Some(modified))?;
        }
    }
    match takes {
        Takes::Default => {}
        Takes::Of(stat) => take_rights_of(&file, &stat)?,
        Takes::Mode(mode) => fchmod(&file, Mode::from_raw_mode(mode) & KEPT_MODE)?,
    }
    if durable {
        file.sync_all()?;
    }
    Ok(Mark::of(&fstat(&file)?))
}

fn take_rights_of(file: &File, old: &Stat) -> std::io::Result<()> {
    let own = file.metadata()?;
    if (own.uid(), own.gid()) != (old.st_uid, old.st_gid) {
        let whole = std::os::unix::fs::fchown(file, Some(old.st_uid), Some(old.st_gid));
        if whole.is_err() {
            // Only root may give files away; the group at least may be one of ours.
            let _ = std::os::unix::fs::fchown(file, None, Some(old.st_gid));
        }
    }
    fchmod(file, Mode::from_raw_mode(old.st_mode) & KEPT_MODE)?;
    Ok(())
}
