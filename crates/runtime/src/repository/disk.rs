//! Reading a repository's own files: from the descriptors of the roots, without following links,
//! and never more than a limit.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use dogu_tool::{FileKind, ToolError};
use rustix::fs::{Dir, FileType, OFlags, fcntl_setfl, fstat};
use rustix::io::Errno;

use crate::files::{LISTING, READING, Roots, kind_of_stat, words};

/// Opens a regular file of the repository; none where there is nothing.
pub(super) fn open(roots: &Roots, path: &Path) -> Result<Option<File>, ToolError> {
    let fd = match roots.open_real(path, READING) {
        Ok(fd) => fd,
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        Err(errno) => return Err(words::not_opened("open", path, errno, false)),
    };
    let failed = |errno| words::io("open", path, errno);
    match kind_of_stat(&fstat(&fd).map_err(failed)?) {
        FileKind::File => {}
        other => return Err(words::wrong_kind(path, other)),
    }
    fcntl_setfl(&fd, OFlags::empty()).map_err(failed)?;
    Ok(Some(File::from(fd)))
}

/// The whole content of a file of the repository, if that is at most `most` bytes.
pub(super) fn read(roots: &Roots, path: &Path, most: usize) -> Result<Option<Vec<u8>>, ToolError> {
    let Some(file) = open(roots, path)? else { return Ok(None) };
    let bytes = read_file(file, most).map_err(|error| ToolError::io("read", path, error))?;
    match bytes {
        Some(bytes) => Ok(Some(bytes)),
        None => Err(ToolError::failed(format!(
            "{} is larger than {most} bytes, which no such file of a repository is",
            words::shown(path)
        ))),
    }
}

/// The content of a file; none where it is longer than `most`.
pub(super) fn read_file(file: File, most: usize) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    file.take(most as u64 + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() <= most).then_some(bytes))
}

/// The names in a folder of the repository, at most so many; none where there is no such folder.
pub(super) fn names(roots: &Roots, path: &Path, most: usize) -> Result<Vec<String>, ToolError> {
    let fd = match roots.open_real(path, LISTING) {
        Ok(fd) => fd,
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(Vec::new()),
        Err(errno) => return Err(words::not_opened("list", path, errno, false)),
    };
    let failed = |errno| words::io("list", path, errno);
    let mut names = Vec::new();
    for entry in Dir::new(fd).map_err(failed)?.take(most) {
        let entry = entry.map_err(failed)?;
        let file = matches!(entry.file_type(), FileType::RegularFile | FileType::Unknown);
        match entry.file_name().to_str() {
            Ok(name) if file => names.push(name.to_owned()),
            _ => {}
        }
    }
    names.sort();
    Ok(names)
}
