//! What the model is told when a path cannot be used.

use std::path::Path;

use dogu_tool::{FileKind, Stale, ToolError};
use rustix::io::Errno;

/// How a descriptor on procfs is refused inside this module; no call here gives it otherwise.
pub(crate) const PROCFS: Errno = Errno::NOTTY;

/// The path for a message: no character of it can end a line or move a cursor.
pub(crate) fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    if text.chars().any(char::is_control) {
        return text.chars().flat_map(escape).collect();
    }
    text.into_owned()
}

fn escape(letter: char) -> Vec<char> {
    match letter {
        '\0' => vec!['\\', '0'],
        _ if letter.is_control() => letter.escape_default().collect(),
        _ => vec![letter],
    }
}

/// Why a path could not be opened. `exact` means that the path was judged by itself, so that a
/// link on its way was not there then; otherwise it was found below a judged folder.
pub(crate) fn not_opened(doing: &str, path: &Path, errno: Errno, exact: bool) -> ToolError {
    match errno {
        Errno::LOOP | Errno::XDEV if !exact => link_below(path),
        Errno::LOOP | Errno::XDEV | Errno::AGAIN => changed(path),
        Errno::NOENT => not_found(path),
        Errno::NOTDIR => not_a_folder(path),
        PROCFS => {
            ToolError::denied(format!("{} is in /proc, which is no place for files", shown(path)))
        }
        // What opening a socket, or a device without a driver, gives.
        Errno::NXIO | Errno::NODEV => wrong_kind(path, FileKind::Other),
        _ => io(doing, path, errno),
    }
}

/// Why a folder could not be listed; see [`not_opened`].
pub(crate) fn not_listed(path: &Path, errno: Errno, exact: bool) -> ToolError {
    match errno {
        Errno::NOENT => ToolError::failed(format!("folder not found: {}", shown(path))),
        _ => not_opened("list", path, errno, exact),
    }
}

/// The same file has another name, by which it is known to hold secrets.
pub(crate) fn known_secret(path: &Path, known: &Path) -> ToolError {
    let secret = shown(known);
    ToolError::denied(format!("{} is the same file as {secret}, which holds secrets", shown(path)))
        .suggest(format!("Name {secret} itself in a call of its own, which asks the user."))
}

/// Why a folder of a walk could not be read, in a few words.
pub(crate) fn why(errno: Errno) -> String {
    match errno {
        Errno::LOOP | Errno::NOTDIR | Errno::STALE => "changed meanwhile".to_owned(),
        PROCFS => "in /proc, which is no place for files".to_owned(),
        _ => {
            let text = std::io::Error::from(errno).to_string();
            text.split(" (os error").next().unwrap_or(&text).to_lowercase()
        }
    }
}

/// An input or output error.
pub(crate) fn io(doing: &str, path: &Path, errno: Errno) -> ToolError {
    ToolError::io(doing, Path::new(&shown(path)), errno.into())
}

/// What was judged is not what is there now.
pub(crate) fn changed(path: &Path) -> ToolError {
    ToolError::denied(format!(
        "{} changed while it was being opened; nothing was done",
        shown(path)
    ))
    .suggest("Make the call again; if this comes back, something keeps replacing the path.")
}

fn link_below(path: &Path) -> ToolError {
    ToolError::denied(format!(
        "{} is, or is behind, a symbolic link, which is not followed here",
        shown(path)
    ))
    .suggest("Name the path itself in a call of its own.")
}

/// There is nothing.
pub(crate) fn not_found(path: &Path) -> ToolError {
    ToolError::failed(format!("file not found: {}", shown(path)))
}

/// Something on the way, or at its end, should be a folder.
pub(crate) fn not_a_folder(path: &Path) -> ToolError {
    ToolError::failed(format!(
        "{} is not a folder, or is inside something that is not",
        shown(path)
    ))
}

/// A regular file was wanted.
pub(crate) fn wrong_kind(path: &Path, kind: FileKind) -> ToolError {
    let path_shown = shown(path);
    match kind {
        FileKind::Folder => ToolError::failed(format!("{path_shown} is a folder")),
        FileKind::Link => changed(path),
        _ => ToolError::failed(format!(
            "{path_shown} is a pipe, socket or device, not a regular file"
        )),
    }
}

/// A file is there, and none was expected.
pub(crate) fn already_exists(path: &Path) -> ToolError {
    ToolError::failed(format!("{} already exists; nothing was written", shown(path)))
        .because(as_stale(path))
}

/// Another content is there than was expected, or another file.
pub(crate) fn stale(path: &Path) -> ToolError {
    ToolError::failed(format!("{} has changed since it was read; nothing was written", shown(path)))
        .suggest("Read the file again, then make the change against what is there now.")
        .because(as_stale(path))
}

/// The cause by which a tool knows it.
pub(crate) fn as_stale(path: &Path) -> Stale {
    Stale { path: path.to_path_buf() }
}

/// Somebody else did not finish with it.
pub(crate) fn busy(path: &Path) -> ToolError {
    ToolError::failed(format!(
        "{} is being changed by another process; nothing was written",
        shown(path)
    ))
    .suggest("Make the call again in a moment.")
}

/// New content could not be written.
pub(crate) fn not_written(path: &Path, error: std::io::Error) -> ToolError {
    let why = match Errno::from_io_error(&error) {
        Some(Errno::NOSPC) => "the disk is full",
        Some(Errno::DQUOT) => "the disk quota is used up",
        Some(Errno::FBIG) => "it would be larger than a file may be here",
        _ => return ToolError::io("write", Path::new(&shown(path)), error),
    };
    let shown = shown(path);
    ToolError::failed(format!("could not write {shown}: {why}; what was there is unchanged"))
        .because(error)
}
