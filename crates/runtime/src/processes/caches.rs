//! Where commands keep what makes the next one faster.
//!
//! They cannot write to the caches of their user: what one command puts there would be run by the
//! user's own tools. So each workspace has caches of its own, which only its commands use.

use std::ffi::OsString;
use std::fs::DirBuilder;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use dogu_policy::path::Places;

/// Variables that name a cache, and the folder that they get. Only of tools that fail where they
/// cannot write it, and that need nothing of what their user's own has.
const CACHES: [(&str, &str); 5] = [
    ("npm_config_cache", "npm"),
    ("YARN_CACHE_FOLDER", "yarn"),
    ("PIP_CACHE_DIR", "pip"),
    ("UV_CACHE_DIR", "uv"),
    ("GOCACHE", "go-build"),
];
/// Characters of a workspace's name.
const NAME: usize = 16;

/// The folder of a workspace's caches, made if it is not there.
pub(super) fn folder(places: &Places, root: &Path) -> Option<PathBuf> {
    let set = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let base = set.filter(|path| path.is_absolute()).or_else(|| {
        let home = places.home.as_ref()?;
        Some(home.join(".cache"))
    })?;
    let name = blake3::hash(root.as_os_str().as_bytes()).to_hex();
    let folder = base.join("dogu").join("caches").join(name.get(..NAME)?);
    DirBuilder::new().recursive(true).mode(0o700).create(&folder).ok()?;
    folder.canonicalize().ok()
}

/// Names the caches to a command, but for those that its user has named.
pub(super) fn name_to(environment: &mut Vec<(OsString, OsString)>, folder: &Path) {
    for (variable, name) in CACHES {
        if !environment.iter().any(|(set, _)| set == variable) {
            environment.push((variable.into(), folder.join(name).into()));
        }
    }
}
