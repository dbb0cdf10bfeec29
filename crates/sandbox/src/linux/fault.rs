//! A failed step, inside the processes that take the steps.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::sys::{Errno, Sys};
use crate::report::{Failure, Stage};

/// What every step gives.
pub(crate) type Step<T = ()> = Result<T, Failure>;

/// Says at which step a call failed.
pub(crate) trait At<T> {
    fn at(self, stage: Stage) -> Step<T>;
    fn at_path(self, stage: Stage, path: &CStr) -> Step<T>;
}

impl<T> At<T> for Sys<T> {
    fn at(self, stage: Stage) -> Step<T> {
        self.map_err(|Errno(errno)| Failure { stage, errno, path: None })
    }

    fn at_path(self, stage: Stage, path: &CStr) -> Step<T> {
        self.map_err(|Errno(errno)| {
            let path = Some(PathBuf::from(OsStr::from_bytes(path.to_bytes())));
            Failure { stage, errno, path }
        })
    }
}
