//! Small files of the journal, each complete or not there.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use dogu_tool::ToolError;

use crate::state;

/// What the names of files begin with that are being written.
pub(super) const UNFINISHED: &str = "unfinished-";

/// An error on a path of the journal. It is the user's to solve, and no call may look there.
pub(super) fn failed(doing: &str, path: &Path) -> impl FnOnce(io::Error) -> ToolError {
    let text = format!("could not {doing} the journal of changes at {}", path.display());
    move |error| {
        let why = match rustix::io::Errno::from_io_error(&error) {
            Some(rustix::io::Errno::NOSPC) => "the disk is full".to_owned(),
            _ => error.to_string(),
        };
        ToolError::failed(format!("{text}: {why}; nothing was changed")).because(error)
    }
}

/// Writes a file that then has this name, and is on the disk if asked for.
pub(super) fn write(
    folder: &Path,
    to: &Path,
    durable: bool,
    content: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let unfinished = Unfinished(Some(folder.join(format!("{UNFINISHED}{}", state::random_hex()?))));
    let Some(path) = unfinished.0.as_deref() else { return Ok(()) };
    let mut file = state::create_private(path)?;
    content(&mut file)?;
    file.flush()?;
    if durable {
        file.sync_data()?;
    }
    fs::rename(path, to)?;
    unfinished.finish();
    if durable && let Some(holder) = to.parent() {
        File::open(holder)?.sync_all()?;
    }
    Ok(())
}

/// Removed when dropped.
struct Unfinished(Option<PathBuf>);

impl Unfinished {
    fn finish(mut self) {
        self.0 = None;
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            let _ = fs::remove_file(path);
        }
    }
}

/// The ids of the JSON files in a folder, sorted; none where there is no folder.
pub(super) fn ids(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        answer => answer?,
    };
    let mut ids = Vec::new();
    for entry in entries {
        if let Some(id) = entry?.file_name().to_str().and_then(|name| name.strip_suffix(".json")) {
            ids.push(id.to_owned());
        }
    }
    ids.sort_unstable();
    Ok(ids)
}

/// The file of an id.
pub(super) fn path_of(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.json"))
}
