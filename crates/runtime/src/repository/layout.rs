//! Where a repository is: its working tree and its store, both inside of the workspace.

use std::path::{Path, PathBuf};

use dogu_tool::{FileKind, ToolError};
use rustix::io::Errno;

use super::disk;
use crate::files::{Roots, kind_of_stat, stat_real, words};

/// The file that leads to a store elsewhere has one line.
const MAX_LINK_BYTES: usize = 16 * 1024;

/// The folders of a repository, as real paths.
#[derive(Debug)]
pub(super) struct Layout {
    /// The top of the working tree.
    pub(super) top: PathBuf,
    /// Its own store: `HEAD` and the index.
    pub(super) own: PathBuf,
    /// The store that it shares with other working trees: objects, branches, settings.
    pub(super) shared: PathBuf,
}

/// Finds the repository that holds a real path, in the workspace root that holds it.
pub(super) fn find(roots: &Roots, start: &Path) -> Result<Layout, ToolError> {
    let Some(outermost) = roots.outermost(start) else {
        return Err(ToolError::failed(format!(
            "{} is outside of the workspace, where repositories are not looked at",
            words::shown(start)
        )));
    };
    let folders = start.ancestors().take_while(|folder| folder.starts_with(outermost));
    for folder in folders {
        let marker = folder.join(".git");
        match stat_real(roots, &marker) {
            Ok(found) => return of(roots, folder, &marker, kind_of_stat(&found)),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {}
            Err(errno) => return Err(words::io("look at", &marker, errno)),
        }
    }
    Err(ToolError::failed(format!(
        "{} is not in a git repository (no .git from there up to the workspace root)",
        words::shown(start)
    ))
    .suggest("There is nothing to compare with; read_file shows files as they are."))
}

fn of(roots: &Roots, top: &Path, marker: &Path, kind: FileKind) -> Result<Layout, ToolError> {
    let own = match kind {
        FileKind::Folder => marker.to_path_buf(),
        FileKind::File => linked(roots, top, marker)?,
        _ => {
            return Err(ToolError::denied(format!(
                "{} is a symbolic link or a special file, which is not followed",
                words::shown(marker)
            )));
        }
    };
    let shared = match disk::read(roots, &own.join("commondir"), MAX_LINK_BYTES)? {
        Some(line) => inside(roots, &own, trimmed(&line))?,
        None => own.clone(),
    };
    for store in [&own, &shared] {
        roots.refuse_ignored(store, store)?;
    }
    Ok(Layout { top: top.to_path_buf(), own, shared })
}

/// A `.git` file leads to the store of a worktree or of a submodule.
fn linked(roots: &Roots, top: &Path, marker: &Path) -> Result<PathBuf, ToolError> {
    let line = disk::read(roots, marker, MAX_LINK_BYTES)?.unwrap_or_default();
    match line.strip_prefix(b"gitdir: ") {
        Some(target) => inside(roots, top, trimmed(target)),
        None => Err(ToolError::failed(format!(
            "{} does not say where the repository is",
            words::shown(marker)
        ))),
    }
}

fn trimmed(line: &[u8]) -> &Path {
    use std::os::unix::ffi::OsStrExt as _;
    Path::new(std::ffi::OsStr::from_bytes(line.trim_ascii()))
}

/// Where a path leads from a folder, if that is in the workspace: what is outside was not
/// granted, whoever points there.
pub(super) fn inside(roots: &Roots, from: &Path, target: &Path) -> Result<PathBuf, ToolError> {
    let facts = roots.judge(&from.join(target))?;
    if facts.root.is_some() {
        return Ok(facts.real);
    }
    let shown = words::shown(&facts.real);
    Err(ToolError::denied(format!(
        "the repository keeps its store in {shown}, outside of the workspace"
    ))
    .suggest("The user can add that folder as another workspace root."))
}
