//! What a visitor is shown.

use std::ffi::{CStr, OsStr};
use std::fs::File;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use dogu_policy::path::{Places, sensitive};
use dogu_tool::{FileFacts, FileKind, LeftOut, ToolError, WalkEntry};
use rustix::fd::BorrowedFd;
use rustix::fs::{AtFlags, Mode, OFlags, fstat, openat, statat};

use super::super::beneath::READING;
use super::super::grant::not_declared;
use super::super::known_secrets::SecretIds;
use super::super::read::facts_of;
use super::super::roots::refuse_procfs;
use super::super::{kind_of_stat, words};

/// What all entries of a walk are opened with.
pub(super) struct Opening<'a> {
    pub(super) secrets: &'a SecretIds,
    pub(super) places: &'a Places,
    /// How many secrets were met by opening them.
    pub(super) met: &'a AtomicU64,
    /// Only names were granted.
    pub(super) names_only: bool,
}

/// An entry of a folder that is open.
pub(super) struct Entry<'a> {
    pub(super) opening: &'a Opening<'a>,
    pub(super) folder: BorrowedFd<'a>,
    /// The file system of the folder.
    pub(super) device: u64,
    pub(super) name: &'a CStr,
    /// From `/`.
    pub(super) path: &'a [u8],
    /// Where the part below the start begins.
    pub(super) base: usize,
    pub(super) kind: FileKind,
    pub(super) left_out: Option<LeftOut>,
}

impl Entry<'_> {
    fn real(&self) -> &Path {
        Path::new(OsStr::from_bytes(self.path))
    }

    fn refuse(&self, why: LeftOut) -> ToolError {
        let path = words::shown(self.path());
        match why {
            LeftOut::Secret => ToolError::denied(format!("{path} may hold secrets"))
                .suggest("Read the file by its own name, which asks the user."),
            LeftOut::ShutOut => ToolError::denied(format!("File is ignored: {path}")),
            LeftOut::GitIgnored | LeftOut::VersionControl => {
                ToolError::failed(format!("{path} is left out of this walk"))
            }
        }
    }
}

impl WalkEntry for Entry<'_> {
    fn path(&self) -> &Path {
        Path::new(OsStr::from_bytes(self.path.get(self.base..).unwrap_or_default()))
    }

    fn kind(&self) -> FileKind {
        self.kind
    }

    fn left_out(&self) -> Option<LeftOut> {
        self.left_out
    }

    fn facts(&self) -> Result<FileFacts, ToolError> {
        if self.left_out == Some(LeftOut::ShutOut) {
            return Err(self.refuse(LeftOut::ShutOut));
        }
        let stat = statat(self.folder, self.name, AtFlags::SYMLINK_NOFOLLOW)
            .map_err(|errno| words::not_opened("look at", self.path(), errno, false))?;
        Ok(facts_of(&stat))
    }

    fn open_sized(&self) -> Result<(File, u64), ToolError> {
        if let Some(why) = self.left_out {
            return Err(self.refuse(why));
        }
        if self.opening.names_only {
            return Err(not_declared(self.real()));
        }
        let failed = |errno| words::not_opened("open", self.path(), errno, false);
        let flags = READING | OFlags::NOFOLLOW;
        let fd = openat(self.folder, self.name, flags, Mode::empty()).map_err(failed)?;
        let stat = fstat(&fd).map_err(failed)?;
        match kind_of_stat(&stat) {
            FileKind::File => {}
            other => return Err(words::wrong_kind(self.path(), other)),
        }
        if stat.st_dev != self.device {
            refuse_procfs(&fd).map_err(failed)?;
        }
        if let Some(known) = self.opening.secrets.file(&stat)
            && sensitive(self.real(), false, self.opening.places).is_none()
        {
            self.opening.met.fetch_add(1, Ordering::Relaxed);
            return Err(words::known_secret(self.path(), known));
        }
        // Non-blocking opening was for what is no regular file; to one it makes no difference.
        Ok((File::from(fd), stat.st_size.cast_unsigned()))
    }
}
