//! The tree: the sources of the crates that dogu is built from, several times over.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use dogu_policy::path::{Places, sensitive};
use serde_json::Value;

const MIN_FILES: usize = 20_000;

pub(crate) struct Tree {
    pub(crate) root: PathBuf,
    pub(crate) files: usize,
    pub(crate) bytes: u64,
}

/// Makes the tree, or takes the one that is there.
pub(crate) fn make() -> Tree {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("search");
    let root = folder.join("tree");
    if !folder.join("done").exists() {
        drop(fs::remove_dir_all(&folder));
        // The top of a repository, so that no ignore file above it says anything.
        fs::create_dir_all(root.join(".git")).unwrap();
        let packages = packages();
        let mut files = 0;
        for copy in 0.. {
            for package in &packages {
                let name = package.file_name().unwrap();
                let to = root.join(format!("copy{copy}")).join(name);
                files += copy_folder(package, &to, copy);
                if files >= MIN_FILES && copy > 0 {
                    break;
                }
            }
            if files >= MIN_FILES {
                break;
            }
        }
        fs::write(folder.join("done"), "").unwrap();
    }
    let (files, bytes) = size(&root);
    assert!(files >= MIN_FILES, "{files} files");
    Tree { root, files, bytes }
}

/// The folders of the crates.
fn packages() -> Vec<PathBuf> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["metadata", "--format-version=1", "--locked", "--manifest-path"]);
    let done =
        command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let metadata: Value = serde_json::from_slice(&done.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter();
    let foreign = packages.filter(|package| !package["source"].is_null());
    foreign
        .map(|package| {
            let manifest = Path::new(package["manifest_path"].as_str().unwrap());
            manifest.parent().unwrap().to_path_buf()
        })
        .collect()
}

/// Copies the files of a folder; a later copy differs in one line of each. What may hold secrets
/// is left behind: dogu would not search it, and others would.
fn copy_folder(from: &Path, to: &Path, copy: usize) -> usize {
    fs::create_dir_all(to).unwrap();
    let mut files = 0;
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let kind = entry.file_type().unwrap();
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if sensitive(&to, kind.is_dir(), &Places::default()).is_some() {
            continue;
        }
        if kind.is_dir() {
            files += copy_folder(&from, &to, copy);
        } else if kind.is_file() {
            let mut content = fs::read(&from).unwrap();
            if copy > 0 {
                content.extend_from_slice(format!("\n// copy {copy}\n").as_bytes());
            }
            fs::write(&to, content).unwrap();
            files += 1;
        }
    }
    files
}

fn size(folder: &Path) -> (usize, u64) {
    let (mut files, mut bytes) = (0, 0);
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let facts = entry.metadata().unwrap();
        let (more_files, more_bytes) =
            if facts.is_dir() { size(&entry.path()) } else { (1, facts.len()) };
        files += more_files;
        bytes += more_bytes;
    }
    (files, bytes)
}
