//! What tools keep between calls, in the state folder: a folder for each workspace and tool.
//!
//! All of it can be made again, so nothing here waits for the disk, and what cannot be read is
//! as if it was not there.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use dogu_tool::Cache;

use crate::state::{StateDir, create_private, random_hex};

/// The folder in the state folder.
const FOLDER: &str = "cache";
/// What no call has asked for in so long belongs to a workspace that is gone.
const MAX_AGE: Duration = Duration::from_hours(60 * 24);
/// No larger thing is kept, in bytes.
const MAX_SIZE: u64 = 1 << 30;

/// What one tool keeps for one workspace.
#[derive(Clone, Debug)]
pub(crate) struct ToolCache {
    state: StateDir,
    /// Below the state folder; made when something is kept.
    folder: String,
}

impl ToolCache {
    /// The cache of a tool for the workspace with these real roots.
    pub(crate) fn new<'a>(
        state: &StateDir,
        tool: &str,
        roots: impl Iterator<Item = &'a Path>,
    ) -> Self {
        let mut hasher = blake3::Hasher::new();
        for root in roots {
            hasher.update(root.as_os_str().as_encoded_bytes());
            hasher.update(&[0]);
        }
        let workspace = &hasher.finalize().to_hex()[..32];
        Self { state: state.clone(), folder: format!("{FOLDER}/{workspace}-{tool}") }
    }

    fn path(&self, name: &str) -> PathBuf {
        // Names are tools' constants; whatever one holds, it stays a name.
        let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
        let name: String = name.chars().map(|c| if plain(c) { c } else { '_' }).collect();
        self.state.path().join(&self.folder).join(name)
    }
}

impl Cache for ToolCache {
    fn get(&self, name: &str) -> Option<Vec<u8>> {
        let path = self.path(name);
        let size = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?.len();
        if size > MAX_SIZE {
            return None;
        }
        let content = fs::read(&path).ok()?;
        // Reading is use: what is used is not old.
        let _ = fs::File::open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Some(content)
    }

    fn put(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let failed = |error: crate::state::StateError| io::Error::other(error.to_string());
        self.state.folder(FOLDER).map_err(failed)?;
        let folder = self.state.folder(&self.folder).map_err(failed)?;
        forget_old(folder.parent().unwrap_or(&folder));
        let temporary = folder.join(format!(".{}", random_hex()?));
        let mut file = create_private(&temporary)?;
        let written =
            file.write_all(content).and_then(|()| fs::rename(&temporary, self.path(name)));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written
    }
}

/// Removes the folders of workspaces that nothing was read of in a long time.
fn forget_old(caches: &Path) {
    let Ok(folders) = fs::read_dir(caches) else { return };
    for folder in folders.flatten() {
        let newest = fs::read_dir(folder.path()).ok().and_then(|files| {
            files.flatten().filter_map(|file| file.metadata().ok()?.modified().ok()).max()
        });
        let age = newest.and_then(|newest| newest.elapsed().ok());
        if age.is_some_and(|age| age > MAX_AGE) {
            let _ = fs::remove_dir_all(folder.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    fn cache(state: &Path, tool: &str, root: &str) -> ToolCache {
        let state = StateDir::open(state).unwrap();
        ToolCache::new(&state, tool, [Path::new(root)].into_iter())
    }

    #[test]
    fn what_is_kept_is_found_again_by_the_same_tool_in_the_same_workspace() {
        let state = tempfile::tempdir().unwrap();
        let one = cache(state.path(), "tool", "/a");
        assert_eq!(one.get("x"), None);
        one.put("x", b"first").unwrap();
        one.put("x", b"second").unwrap();
        assert_eq!(one.get("x").unwrap(), b"second");
        assert_eq!(cache(state.path(), "tool", "/a").get("x").unwrap(), b"second");
        assert_eq!(cache(state.path(), "other", "/a").get("x"), None);
        assert_eq!(cache(state.path(), "tool", "/b").get("x"), None);
        let file = fs::metadata(one.path("x")).unwrap();
        assert_eq!(file.mode() & 0o777, 0o600);
    }

    #[test]
    fn a_name_cannot_leave_the_folder() {
        let state = tempfile::tempdir().unwrap();
        let one = cache(state.path(), "tool", "/a");
        one.put("../../x", b"in").unwrap();
        assert!(!state.path().join("x").exists() && !state.path().join("cache/x").exists());
        assert_eq!(one.get("../../x").unwrap(), b"in");
    }

    #[test]
    fn a_workspace_that_nobody_asks_for_is_forgotten() {
        let state = tempfile::tempdir().unwrap();
        let (old, new) = (cache(state.path(), "t", "/old"), cache(state.path(), "t", "/new"));
        old.put("x", b"1").unwrap();
        let long_ago = SystemTime::now() - MAX_AGE - Duration::from_mins(1);
        fs::File::open(old.path("x")).unwrap().set_modified(long_ago).unwrap();
        new.put("x", b"2").unwrap();
        assert_eq!(old.get("x"), None);
        assert_eq!(new.get("x").unwrap(), b"2");
    }
}
