//! Which index a path belongs to: a workspace root has one, whatever part of it is asked for.

use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Component, Path, PathBuf};

use dogu_tool::Scope;

/// What is searched: a part of a folder that has an index.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Area {
    /// The folder that has the index.
    pub(super) folder: PathBuf,
    /// What is searched, below that folder; empty where it is all of it.
    pub(super) below: Vec<u8>,
    /// It is a part of the workspace, so its index is worth keeping.
    pub(super) in_workspace: bool,
}

impl Area {
    /// The area of a resolved path.
    pub(super) fn new(path: &Path, scope: &Scope) -> Self {
        // Only the disk knows where `..` leads.
        let plain = !path.components().any(|part| part == Component::ParentDir);
        let roots = scope.roots().iter().filter(|root| plain && path.starts_with(root));
        let root = roots.max_by_key(|root| root.components().count());
        let outside = match (path.parent(), path.file_name()) {
            (Some(parent), Some(_)) if plain => parent,
            _ => path,
        };
        let folder = root.map_or(outside, PathBuf::as_path);
        let below = path.strip_prefix(folder).unwrap_or(Path::new(""));
        Self { folder: folder.to_path_buf(), below: slashed(below), in_workspace: root.is_some() }
    }

    /// The name in the index of what a walk of the area calls `found`.
    pub(super) fn key(&self, found: &Path) -> Box<[u8]> {
        let found = found.as_os_str().as_bytes();
        let slash: &[u8] = if self.below.is_empty() || found.is_empty() { b"" } else { b"/" };
        [&self.below, slash, found].concat().into()
    }

    /// Whether a name of the index is a part of the area.
    pub(super) fn holds(&self, key: &[u8]) -> bool {
        match key.strip_prefix(self.below.as_slice()) {
            Some(rest) => self.below.is_empty() || rest.is_empty() || rest[0] == b'/',
            None => false,
        }
    }

    /// Where a name of the index is.
    pub(super) fn path(&self, key: &[u8]) -> PathBuf {
        self.folder.join(std::ffi::OsString::from_vec(key.to_vec()))
    }

    /// The name under which something of this area is kept.
    pub(super) fn kept_name(&self, what: &str) -> String {
        let hash = blake3::hash(self.folder.as_os_str().as_bytes()).to_hex();
        format!("{what}-{}", &hash[..16])
    }
}

/// A path without the `.` in it.
fn slashed(path: &Path) -> Vec<u8> {
    let names = path.components().filter(|part| matches!(part, Component::Normal(_)));
    let names: Vec<&[u8]> = names.map(|part| part.as_os_str().as_bytes()).collect();
    names.join(&b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(path: &str) -> (String, String, bool) {
        let scope = Scope::new("/w").with_roots([PathBuf::from("/w"), PathBuf::from("/w/inner")]);
        let area = Area::new(&scope.resolve(path), &scope);
        let below = String::from_utf8(area.below).unwrap();
        (area.folder.display().to_string(), below, area.in_workspace)
    }

    #[test]
    fn a_path_belongs_to_the_nearest_root_else_to_its_folder() {
        let own = |folder: &str, below: &str, kept| (folder.to_owned(), below.to_owned(), kept);
        assert_eq!(area("."), own("/w", "", true));
        assert_eq!(area("./a/./b/"), own("/w", "a/b", true));
        assert_eq!(area("inner/x"), own("/w/inner", "x", true));
        assert_eq!(area("/else/where"), own("/else", "where", false));
        assert_eq!(area("a/../../b"), own("/w/a/../../b", "", false));
        assert_eq!(area("/"), own("/", "", false));
    }

    #[test]
    fn an_area_holds_its_folder_and_nothing_of_the_one_beside_it() {
        let scope = Scope::new("/w");
        let area = Area::new(&scope.resolve("src"), &scope);
        assert!(area.holds(b"src/a") && area.holds(b"src") && !area.holds(b"src2/a"));
        assert_eq!(*area.key(Path::new("a/b")), *b"src/a/b");
        assert_eq!(*area.key(Path::new("")), *b"src");
        assert_eq!(area.path(b"src/a"), Path::new("/w/src/a"));
    }
}
