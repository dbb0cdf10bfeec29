//! Files of a workspace that decide what a command does.
//!
//! Some programs look harmless and do what a file beside them says: cargo starts the compiler
//! that `.cargo/config.toml` names, and git runs programs of a repository's own settings. In a
//! workspace that nobody has trusted, such a file is a reason to ask.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use dogu_policy::Analysis;

use crate::files::Roots;

/// By this name commands of git say that they obey the repository that they find.
const REPOSITORY: &str = "HEAD";
/// How much of a repository's files is looked at; longer ones are taken for the worst.
const MAX_CONFIG_BYTES: u64 = 64 * 1024;
/// How many stores of submodules are looked into.
const MAX_STORES: usize = 1000;
const MAX_INDEX_BYTES: u64 = 32 * 1024 * 1024;

/// Settings of a repository that neither run programs nor read other settings: those of every
/// clone. Whatever else is there is a reason to ask.
const HARMLESS: [(&str, &[&str]); 9] = [
    (
        "core",
        &[
            "repositoryformatversion",
            "filemode",
            "bare",
            "logallrefupdates",
            "ignorecase",
            "precomposeunicode",
            "symlinks",
            "autocrlf",
            "eol",
            "safecrlf",
            "quotepath",
            "untrackedcache",
        ],
    ),
    ("remote", &["url", "fetch", "pushurl", "tagopt", "prune"]),
    ("branch", &["remote", "merge", "rebase", "description", "vscode-merge-base", "gk-merge-base"]),
    ("user", &["name", "email"]),
    ("pull", &["rebase", "ff"]),
    ("push", &["default", "autosetupremote"]),
    ("init", &["defaultbranch"]),
    ("lfs", &["repositoryformatversion"]),
    ("gui", &["wmstate", "geometry"]),
];

/// The files that steer a line, in every folder that it runs in and in those above, as far as
/// the workspace goes: programs look for their settings in that way.
pub(super) fn of(roots: &Roots, analysis: &Analysis) -> Vec<PathBuf> {
    if analysis.steered_by.is_empty() {
        return Vec::new();
    }
    let folders = analysis.folders.iter().map(Path::new);
    let mut found: Vec<PathBuf> =
        folders.flat_map(|folder| above(roots, folder, &analysis.steered_by)).collect();
    found.dedup();
    found
}

fn above(roots: &Roots, cwd: &Path, names: &[String]) -> Vec<PathBuf> {
    let real = roots.judge(cwd).map_or_else(|_| cwd.to_path_buf(), |facts| facts.real);
    let top = roots.outermost(&real).unwrap_or(Path::new("/"));
    let folders: Vec<&Path> =
        real.ancestors().take_while(|folder| folder.starts_with(top)).collect();
    let mut found = Vec::new();
    for name in names {
        for folder in &folders {
            let file = folder.join(name);
            let steers = if name == REPOSITORY { is_bare(folder) } else { exists(&file) };
            found.extend(steers.then_some(file));
        }
        if name == REPOSITORY {
            found.extend(folders.iter().find_map(|folder| hostile_settings(folder, top)));
        }
    }
    found
}

fn exists(file: &Path) -> bool {
    file.symlink_metadata().is_ok()
}

/// The folder is a repository itself: then its files are git's settings, and came with it.
fn is_bare(folder: &Path) -> bool {
    folder.file_name().is_none_or(|name| name != ".git")
        && ["HEAD", "objects", "refs"].iter().all(|name| exists(&folder.join(name)))
}

/// What of the repository in this folder can make git run programs, if something can.
fn hostile_settings(folder: &Path, top: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    let kind = git.symlink_metadata().ok()?;
    if kind.is_file() {
        // A linked work tree; its repository is the user's own unless it lies in the workspace.
        let text = bounded(&git, MAX_CONFIG_BYTES).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        let target = folder.join(text.strip_prefix("gitdir:").unwrap_or_default().trim());
        let inside = target.canonicalize().map_or(true, |target| target.starts_with(top));
        return inside.then_some(git);
    }
    if !kind.is_dir() {
        return Some(git);
    }
    let config = git.join("config");
    if !is_harmless(&config) {
        return Some(config);
    }
    let others = ["commondir", "config.worktree", "modules"].map(|name| git.join(name));
    others.into_iter().find(|file| exists(file)).or_else(|| hook(&git)).or_else(|| submodule(&git))
}

/// A hook that git would run.
fn hook(git: &Path) -> Option<PathBuf> {
    hooks(git).next()
}

fn hooks(git: &Path) -> impl Iterator<Item = PathBuf> {
    let folder = git.join("hooks");
    // A link is a hook itself: what it leads to is elsewhere.
    let link = folder.is_symlink().then(|| folder.clone());
    let hooks = fs::read_dir(&folder).into_iter().flatten().flatten();
    let files = hooks.filter(move |_| !folder.is_symlink()).map(|entry| entry.path());
    let files = files.filter(|file| file.extension().is_none_or(|end| end != "sample"));
    link.into_iter().chain(files)
}

/// The files of a repository's store (`.git` and its like) by which something is run, or which
/// lead to where that may be: none in one that was just made or cloned.
pub(crate) fn armed_files(store: &Path) -> Vec<PathBuf> {
    let others = ["commondir", "config.worktree", "hgrc", "repo/config.toml"];
    if !store.symlink_metadata().is_ok_and(|kind| kind.is_dir()) {
        return vec![store.to_path_buf()];
    }
    let git = store.with_file_name(".git");
    let mut armed = Vec::new();
    let mut stores = vec![store.to_path_buf()];
    for _ in 0..MAX_STORES {
        let Some(store) = stores.pop() else { break };
        let config = store.join("config");
        armed.extend((!is_harmless(&config)).then_some(config));
        armed.extend(others.iter().map(|name| store.join(name)).filter(|file| exists(file)));
        armed.extend(hooks(&store));
        // Those of submodules are below, in folders of their names, which may have a `/`.
        let is_store = exists(&store.join("HEAD")) || !store.starts_with(&git);
        let below = if is_store { store.join("modules") } else { store };
        let below = fs::read_dir(below).into_iter().flatten().flatten();
        let folders = below.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        stores.extend(folders.map(|entry| entry.path()).filter(|path| !path.ends_with("hooks")));
    }
    armed
}

/// The index, if a folder in it is a repository of its own, whose settings git would obey too.
fn submodule(git: &Path) -> Option<PathBuf> {
    // The mode 160000 of an entry, as the index has it.
    const REPOSITORY_MODE: [u8; 4] = [0, 0, 0xe0, 0];
    let index = git.join("index");
    if !exists(&index) {
        return None;
    }
    let found = match bounded(&index, MAX_INDEX_BYTES) {
        Some(bytes) => bytes.windows(4).any(|window| window == REPOSITORY_MODE),
        None => true,
    };
    found.then_some(index)
}

/// The bytes of a regular file; none if it is none, or too long.
fn bounded(file: &Path, most: u64) -> Option<Vec<u8>> {
    if !file.symlink_metadata().is_ok_and(|kind| kind.is_file() && kind.len() < most) {
        return None;
    }
    let mut bytes = Vec::new();
    fs::File::open(file).ok()?.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Every setting in the file is one of those that do no harm.
fn is_harmless(config: &Path) -> bool {
    if !exists(config) {
        return true;
    }
    let Some(bytes) = bounded(config, MAX_CONFIG_BYTES) else { return false };
    let text = String::from_utf8_lossy(&bytes).to_lowercase();
    let mut section = String::new();
    text.lines().map(str::trim).all(|line| {
        if let Some(head) = line.strip_prefix('[') {
            let name = head.split([' ', ']', '"', '.']).next().unwrap_or_default();
            name.clone_into(&mut section);
            // A setting may stand behind the head, in the same line.
            return line.ends_with(']');
        }
        let key = line.split('=').next().unwrap_or_default().trim();
        let known = HARMLESS.iter().any(|(name, keys)| *name == section && keys.contains(&key));
        line.is_empty() || line.starts_with(['#', ';']) || (known && !line.ends_with('\\'))
    })
}
