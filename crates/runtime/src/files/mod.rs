//! The files capability: what a granted call can do to a disk, and nothing more.
//!
//! A path is judged once, by name, in [`crate::paths`]: that gives the real path which the
//! gate rules on. From there on names are not trusted again, because another process may swap
//! a folder for a link at any time. What is opened is the judged real path, from a descriptor
//! of the root that holds it, without following any link; a mismatch is a refusal.
//!
//! - [`Roots`]: the descriptors of the workspace roots, opened once and shared.
//! - [`GrantedFiles`]: the [`Files`](dogu_tool::Files) of one call.
//! - [`PreviewFiles`], [`PreviewCaps`]: what a plan may look at before anyone agreed to it.
//!
//! Inside: `beneath` opens without links, `grant` finds the grant that covers a path, `read`
//! looks, `transaction` changes, `walk` goes through trees, `known_secrets` knows secrets under
//! any name, `words` says what went wrong.

mod beneath;
mod grant;
mod known_secrets;
mod preview;
mod read;
mod roots;
pub(crate) mod transaction;
mod walk;
pub(crate) mod words;

use dogu_tool::FileKind;
use rustix::fs::{FileType, Stat};

pub(crate) use beneath::{FOLDER, LISTING, READING};
pub use grant::GrantedFiles;
pub(crate) use known_secrets::secrets_of;
pub use preview::{PreviewCaps, PreviewFiles};
pub(crate) use read::{facts_of, stat as stat_real};
pub use roots::Roots;
pub(crate) use walk::walk as walk_real;

/// What a file type is called here.
pub(crate) fn kind_of(kind: FileType) -> FileKind {
    match kind {
        FileType::Directory => FileKind::Folder,
        FileType::RegularFile => FileKind::File,
        FileType::Symlink => FileKind::Link,
        _ => FileKind::Other,
    }
}

/// What a `stat` found.
pub(crate) fn kind_of_stat(stat: &Stat) -> FileKind {
    kind_of(FileType::from_raw_mode(stat.st_mode))
}

/// The size that a `stat` found; no file system gives a negative one.
pub(crate) fn size_of_stat(stat: &Stat) -> u64 {
    u64::try_from(stat.st_size).unwrap_or(0)
}
