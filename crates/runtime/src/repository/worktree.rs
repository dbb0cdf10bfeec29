//! The working tree: what is on the disk in place of what is staged.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::io::{BufReader, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use dogu_tool::{FileKind, ReadFiles as _, SideContent, ToolError};
use gix_hash::ObjectId;
use gix_index::entry::Flags;
use gix_object::Kind;
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Stat, readlinkat, statat};

use super::attributes::{AttributeFiles, Attributes};
use super::config::Config;
use super::line_ends::{Conversion, without_ids};
use super::objects::{Found, MAX_OBJECT_BYTES, Objects};
use super::trees::Staged;
use super::{EXECUTABLE, HASH, LINK, REGULAR, SUBMODULE};
use crate::files::{FOLDER, GrantedFiles, Roots, kind_of_stat, size_of_stat, words};

/// What is on the disk in place of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OnDisk {
    /// What is staged.
    Same,
    /// Nothing, or a folder.
    Gone,
    /// Something else; with its id where that could be found out.
    Other { mode: u32, id: Option<ObjectId> },
}

/// The working tree of a repository, as far as a call was granted it.
pub(super) struct WorkingTree<'a> {
    pub(super) roots: &'a Roots,
    pub(super) files: &'a GrantedFiles,
    pub(super) top: &'a Path,
    pub(super) config: &'a Config,
    pub(super) objects: &'a Objects<'a>,
    pub(super) attributes: &'a AttributeFiles<'a>,
    /// When the index was written.
    pub(super) written: (i64, i64),
    /// The folder that was looked into last: the index lists a folder's files in a row.
    pub(super) last: RefCell<Option<(PathBuf, Option<OwnedFd>)>>,
}

/// Why a path of the repository is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closed {
    Secret,
    ShutOut,
}

impl WorkingTree<'_> {
    pub(super) fn real(&self, path: &[u8]) -> PathBuf {
        self.top.join(OsStr::from_bytes(path))
    }

    /// Whether a path may not be shown, whatever holds its content: it is judged as if it was on
    /// the disk.
    pub(super) fn closed(&self, path: &[u8]) -> Option<Closed> {
        let real = self.real(path);
        if self.roots.refuse_secret(&real, &real).is_err() {
            return Some(Closed::Secret);
        }
        let refused = self.roots.refuse_private(&real, &real).is_err()
            || self.roots.refuse_ignored(&real, &real).is_err();
        refused.then_some(Closed::ShutOut)
    }

    /// Compares what is on the disk with what is staged. Content is read only where size or
    /// times differ from what the index remembers.
    pub(super) fn look(&self, staged: &Staged) -> Result<OnDisk, ToolError> {
        let held = Flags::ASSUME_VALID | Flags::SKIP_WORKTREE;
        let submodule = staged.stored.mode == SUBMODULE;
        if staged.flags.intersects(held) || submodule {
            return Ok(OnDisk::Same);
        }
        let Some(stat) = self.stat(&staged.stored.path)? else { return Ok(OnDisk::Gone) };
        let Some(mode) = self.mode(&stat, staged.stored.mode) else { return Ok(OnDisk::Gone) };
        let added = staged.flags.contains(Flags::INTENT_TO_ADD);
        if !added && mode == staged.stored.mode && self.is_clean(&stat, staged) {
            return Ok(OnDisk::Same);
        }
        if self.closed(&staged.stored.path).is_some() {
            return Ok(OnDisk::Other { mode, id: None });
        }
        let id = self.id_on_disk(&staged.stored.path, mode, Some(staged.stored.id));
        if !added && mode == staged.stored.mode && id == Some(staged.stored.id) {
            return Ok(OnDisk::Same);
        }
        Ok(OnDisk::Other { mode, id })
    }

    /// What is there by that name; none where there is nothing.
    pub(super) fn stat(&self, path: &[u8]) -> Result<Option<Stat>, ToolError> {
        use rustix::io::Errno;
        let path = Path::new(OsStr::from_bytes(path));
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Ok(None) };
        let mut last = self.last.borrow_mut();
        if last.as_ref().is_none_or(|(known, _)| known != folder) {
            // A folder that became a link is not the folder that is staged.
            let opened = self.roots.open_real(&self.top.join(folder), FOLDER).ok();
            *last = Some((folder.to_path_buf(), opened));
        }
        let Some((_, Some(folder))) = &*last else { return Ok(None) };
        match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(errno) => Err(words::io("look at", path, errno)),
        }
    }

    /// The mode that git would store; none for what it would not store as a file. Where the disk
    /// cannot hold a mode, the one that is known counts.
    pub(super) fn mode(&self, stat: &Stat, known: u32) -> Option<u32> {
        let regular = matches!(known, REGULAR | EXECUTABLE);
        match kind_of_stat(stat) {
            FileKind::File if !self.config.symlinks && known == LINK => Some(LINK),
            FileKind::File if !self.config.file_mode && regular => Some(known),
            FileKind::File if stat.st_mode & 0o100 != 0 && self.config.file_mode => {
                Some(EXECUTABLE)
            }
            FileKind::File => Some(REGULAR),
            FileKind::Link => Some(LINK),
            FileKind::Folder | FileKind::Other => None,
        }
    }

    /// The index remembers the same size and times, and was written later than the file.
    fn is_clean(&self, stat: &Stat, staged: &Staged) -> bool {
        let known = &staged.stat;
        let low = |number: u64| u32::try_from(number & u64::from(u32::MAX)).unwrap_or(0);
        let time = |seconds: i64, nanos: u64| (low(seconds.cast_unsigned()), low(nanos));
        let modified = time(stat.st_mtime, stat.st_mtime_nsec);
        let changed = time(stat.st_ctime, stat.st_ctime_nsec);
        let same = |known: &gix_index::entry::stat::Time, found: (u32, u32)| {
            known.secs == found.0 && (known.nsecs == 0 || known.nsecs == found.1)
        };
        let before = (stat.st_mtime, i64::from(low(stat.st_mtime_nsec))) < self.written;
        before
            && same(&known.mtime, modified)
            && same(&known.ctime, changed)
            && known.size == low(size_of_stat(stat))
            && (known.ino == 0 || known.ino == low(stat.st_ino))
    }

    /// The id that the content on the disk would have; none where that is not known without
    /// running a program, or it cannot be read.
    fn id_on_disk(&self, path: &[u8], mode: u32, stored: Option<ObjectId>) -> Option<ObjectId> {
        match self.content(path, mode, stored) {
            SideContent::Bytes(bytes) => gix_object::compute_hash(HASH, Kind::Blob, &bytes).ok(),
            SideContent::TooLarge(size) => self.id_of_large(path, size),
            _ => None,
        }
    }

    fn id_of_large(&self, path: &[u8], size: u64) -> Option<ObjectId> {
        if Conversion::of(&self.attributes.of(path), self.config.auto_crlf) != Conversion::None {
            return None;
        }
        let mut file = BufReader::new(self.files.open(&self.real(path)).ok()?);
        let mut hasher = gix_hash::hasher(HASH);
        hasher.update(format!("blob {size}\0").as_bytes());
        let mut buffer = vec![0; 256 * 1024];
        loop {
            match file.read(&mut buffer).ok()? {
                0 => return hasher.try_finalize().ok(),
                length => hasher.update(&buffer[..length]),
            }
        }
    }

    /// The content on the disk, as the repository would keep it.
    pub(super) fn content(&self, path: &[u8], mode: u32, stored: Option<ObjectId>) -> SideContent {
        self.read(path, mode, stored)
            .unwrap_or_else(|error| SideContent::Unreadable(error.info().message.clone()))
    }

    fn read(
        &self,
        path: &[u8],
        mode: u32,
        stored: Option<ObjectId>,
    ) -> Result<SideContent, ToolError> {
        let real = self.real(path);
        if mode == LINK && self.config.symlinks {
            return self.link(path);
        }
        // By the capability, which knows what was granted, and whether the call still runs.
        let file = self.files.open(&real)?;
        let failed = |error| ToolError::io("read", &real, error);
        let size = file.metadata().map_err(failed)?.len();
        let attributes = self.attributes.of(path);
        if let Some(filter) = attributes.filter {
            return Ok(SideContent::Filtered { filter, size });
        }
        if size > MAX_OBJECT_BYTES as u64 {
            return Ok(SideContent::TooLarge(size));
        }
        let bytes = super::disk::read_file(file, MAX_OBJECT_BYTES).map_err(failed)?;
        let Some(bytes) = bytes else { return Ok(SideContent::TooLarge(size)) };
        Ok(SideContent::Bytes(self.converted(bytes, &attributes, stored)))
    }

    fn converted(
        &self,
        bytes: Vec<u8>,
        attributes: &Attributes,
        stored: Option<ObjectId>,
    ) -> Vec<u8> {
        let kept = || match self.objects.find(&stored?) {
            Ok(Found::Object(Kind::Blob, bytes)) => Some(bytes),
            _ => None,
        };
        let bytes = Conversion::of(attributes, self.config.auto_crlf).apply(bytes, kept);
        if attributes.ident { without_ids(&bytes) } else { bytes }
    }

    /// The text of a link is what is stored of it. It is not followed.
    fn link(&self, path: &[u8]) -> Result<SideContent, ToolError> {
        let real = self.real(path);
        // Granted and not ended, as for every file.
        self.files.facts(&real)?;
        let failed = |errno| words::io("read the link", &real, errno);
        let (Some(folder), Some(name)) = (real.parent(), real.file_name()) else {
            return Err(words::not_found(&real));
        };
        let folder = self.roots.open_real(folder, FOLDER).map_err(failed)?;
        let target = readlinkat(folder, name, Vec::new()).map_err(failed)?;
        Ok(SideContent::Bytes(target.into_bytes()))
    }
}
