//! Looking at what a grant covers.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use dogu_policy::path::sensitive;
use dogu_tool::{FileFacts, FileKind, FileStamp, FolderEntry, ToolError, nanoseconds};
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Dir, DirEntry, FileType, OFlags, Stat, fcntl_setfl, fstat, statat};
use rustix::io::Errno;

use super::beneath::{FOLDER, LISTING, READING};
use super::grant::Spot;
use super::roots::Roots;
use super::{kind_of, kind_of_stat, size_of_stat, words};

/// How many names are looked at for one that is like a missing one.
const MAX_NAMES_COMPARED: usize = 2_000;
/// How many names are suggested for a missing one.
const MAX_SUGGESTIONS: usize = 3;
/// How like a name must be to be suggested; 1 is the same.
const MIN_LIKENESS: f64 = 0.6;

/// Opens a regular file.
pub(super) fn open(roots: &Roots, spot: &Spot<'_>) -> Result<File, ToolError> {
    let fd = roots.open_real(&spot.real, READING).map_err(|errno| match errno {
        Errno::NOENT => with_suggestion(words::not_found(spot.asked), roots, spot),
        _ => words::not_opened("open", spot.asked, errno, spot.exact),
    })?;
    let failed = |errno| words::io("open", spot.asked, errno);
    let stat = fstat(&fd).map_err(failed)?;
    match kind_of_stat(&stat) {
        FileKind::File => {}
        other => return Err(words::wrong_kind(spot.asked, other)),
    }
    refuse_known_secret(roots, spot, &stat)?;
    // Only the opening had to be non-blocking; whoever gets the file expects a plain one.
    fcntl_setfl(&fd, OFlags::empty()).map_err(failed)?;
    Ok(File::from(fd))
}

/// Refuses a secret under another name. Where the name itself tells that it holds secrets, the
/// gate has asked.
fn refuse_known_secret(roots: &Roots, spot: &Spot<'_>, stat: &Stat) -> Result<(), ToolError> {
    let secrets = roots.known_secrets();
    let Some(known) = secrets.file(stat) else { return Ok(()) };
    let asked = [spot.real.as_path(), spot.asked];
    if asked.iter().any(|path| sensitive(path, false, roots.places()).is_some()) {
        return Ok(());
    }
    Err(words::known_secret(spot.asked, known))
}

/// What is there, if anything.
pub(super) fn facts(roots: &Roots, spot: &Spot<'_>) -> Result<Option<FileFacts>, ToolError> {
    let stat = match stat(roots, &spot.real) {
        Ok(stat) => stat,
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        Err(errno) => return Err(words::not_opened("look at", spot.asked, errno, spot.exact)),
    };
    let kind = kind_of_stat(&stat);
    if spot.exact && kind == FileKind::Link {
        // A judged real path is no link; below a judged folder a link is simply what is there.
        return Err(words::changed(spot.asked));
    }
    Ok(Some(facts_of(&stat)))
}

/// What a `stat` tells.
pub(crate) fn facts_of(stat: &Stat) -> FileFacts {
    FileFacts {
        kind: kind_of_stat(stat),
        size: size_of_stat(stat),
        modified: modified(stat),
        stamp: FileStamp {
            device: stat.st_dev,
            inode: stat.st_ino,
            size: size_of_stat(stat),
            modified: nanoseconds(stat.st_mtime, nanos(stat.st_mtime_nsec)),
            changed: nanoseconds(stat.st_ctime, nanos(stat.st_ctime_nsec)),
        },
    }
}

/// Below a second, so it fits; its type differs between systems.
fn nanos(part: impl TryInto<i64>) -> i64 {
    part.try_into().unwrap_or(0)
}

/// What a real path is; links are not followed.
pub(crate) fn stat(roots: &Roots, real: &Path) -> Result<Stat, Errno> {
    let place = roots.place(real);
    let (Some(parent), Some(name)) = (place.below.parent(), place.below.file_name()) else {
        return fstat(place.anchor);
    };
    let folder = roots.open_below(place.anchor, parent, FOLDER)?;
    statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
}

fn modified(stat: &Stat) -> Option<SystemTime> {
    let nanos = Duration::new(0, u32::try_from(stat.st_mtime_nsec).ok()?);
    let seconds = Duration::from_secs(stat.st_mtime.unsigned_abs());
    let whole = if stat.st_mtime < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(seconds)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(seconds)
    };
    whole?.checked_add(nanos)
}

/// The names in a folder, sorted.
pub(super) fn list(roots: &Roots, spot: &Spot<'_>) -> Result<Vec<FolderEntry>, ToolError> {
    let fd = roots
        .open_real(&spot.real, LISTING)
        .map_err(|errno| words::not_listed(spot.asked, errno, spot.exact))?;
    let mut entries = read_folder(fd).map_err(|errno| words::io("list", spot.asked, errno))?;
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    if let Some(view) = roots.ignored_in(&spot.real) {
        for entry in &mut entries {
            let folder = entry.kind == FileKind::Folder;
            entry.ignored = view.ignored(entry.name.as_ref(), folder).is_some();
        }
    }
    Ok(entries)
}

fn read_folder(fd: OwnedFd) -> Result<Vec<FolderEntry>, Errno> {
    let mut folder = Dir::new(fd)?;
    let mut entries = Vec::new();
    while let Some(entry) = folder.read() {
        if let Some(entry) = describe(&folder, &entry?)? {
            entries.push(entry);
        }
    }
    Ok(entries)
}

/// `None` for `.`, `..` and what vanished since its name was read.
fn describe(folder: &Dir, entry: &DirEntry) -> Result<Option<FolderEntry>, Errno> {
    let name = entry.file_name();
    if matches!(name.to_bytes(), b"." | b"..") {
        return Ok(None);
    }
    let mut kind = kind_of(entry.file_type());
    let mut size = 0;
    if matches!(entry.file_type(), FileType::RegularFile | FileType::Unknown) {
        match statat(folder.fd()?, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => {
                kind = kind_of_stat(&stat);
                size = if kind == FileKind::File { size_of_stat(&stat) } else { 0 };
            }
            Err(Errno::NOENT) => return Ok(None),
            // A folder that may be listed but not entered: the name is all there is to know.
            Err(Errno::ACCESS) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(Some(FolderEntry { name: name.to_string_lossy().into_owned(), kind, size, ignored: false }))
}

/// Adds the names that the missing one may have meant. Only in the workspace: elsewhere the
/// names in a folder are nothing that the call was granted.
fn with_suggestion(error: ToolError, roots: &Roots, spot: &Spot<'_>) -> ToolError {
    let names = near_names(roots, &spot.real).unwrap_or_default();
    if names.is_empty() {
        return error;
    }
    let folder = spot.asked.parent().unwrap_or(Path::new("/"));
    let paths: Vec<_> = names.iter().map(|name| words::shown(&folder.join(name))).collect();
    error.suggest(format!("Did you mean {}?", paths.join(" or ")))
}

fn near_names(roots: &Roots, real: &Path) -> Option<Vec<PathBuf>> {
    let place = roots.place(real);
    let wanted = place.below.file_name()?.to_str()?;
    if !place.inside {
        return None;
    }
    let fd = roots.open_below(place.anchor, place.below.parent()?, LISTING).ok()?;
    let mut near: Vec<(f64, String)> = Vec::new();
    for entry in Dir::new(fd).ok()?.take(MAX_NAMES_COMPARED) {
        let entry = entry.ok()?;
        let Ok(name) = entry.file_name().to_str() else { continue };
        let likeness = likeness(wanted, name);
        if likeness >= MIN_LIKENESS && !matches!(name, "." | "..") {
            near.push((likeness, name.to_owned()));
        }
    }
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    Some(near.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| PathBuf::from(name)).collect())
}

/// Between 0 and 1, whatever the case of the letters.
fn likeness(a: &str, b: &str) -> f64 {
    strsim::normalized_damerau_levenshtein(&a.to_lowercase(), &b.to_lowercase())
}
