//! Real code that is on every machine that builds this crate: the sources of dependencies.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The `src` folders of crates of this workspace's lock file, with their names.
pub(crate) fn folders(crates: &[&str]) -> Vec<(String, PathBuf)> {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().unwrap();
    let folder = |name: &&str| {
        let of_name = packages.iter().filter(|package| package["name"] == **name);
        let newest = of_name.max_by_key(|package| package["id"].as_str().map(str::to_owned));
        let manifest = newest.unwrap_or_else(|| panic!("{name} is no dependency"));
        let manifest = Path::new(manifest["manifest_path"].as_str().unwrap());
        ((*name).to_owned(), manifest.parent().unwrap().join("src"))
    };
    crates.iter().map(folder).collect()
}

/// What cargo knows of the crates that are built here; those of other systems are not there.
fn metadata() -> Value {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = Command::new(rustc).arg("-vV").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap().to_owned();
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version=1", "--offline", "--filter-platform", &host])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The Rust files below a folder, by their paths there, in order.
pub(crate) fn rust_files(folder: &Path) -> Vec<(String, String)> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let name = path.strip_prefix(folder).unwrap().display().to_string();
                files.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}
