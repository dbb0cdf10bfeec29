//! The tree that is searched: this project, sources that it is built from, and files of every odd
//! kind, in a repository with ignore files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use dogu_policy::path::{Places, sensitive};
use serde_json::{Value, json};
use tempfile::TempDir;

/// How many bytes of the sources of others are copied: what an unoptimised build searches
/// hundreds of times.
const MAX_VENDORED_BYTES: u64 = 3_000_000;
/// Larger files say no more than a small one does.
const MAX_FILE_BYTES: u64 = 60_000;

pub(crate) struct Tree {
    folder: TempDir,
    /// Files that we leave out, because they may hold secrets.
    pub(crate) secret: Vec<String>,
    /// Files that git ignores. To rg a glob that lets a file through outweighs an ignore file; to
    /// us both must let it through, because who asks for `*.rs` does not ask for what was built.
    pub(crate) ignored: Vec<String>,
}

impl Tree {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir(root.join(".git")).unwrap();
        let project = project();
        for name in ["crates", "docs", "scripts", "Makefile", "README.md", "Cargo.toml"] {
            copy(&project.join(name), &root.join(name), &mut u64::MAX.clone());
        }
        vendored(&root.join("vendored"));
        odd(&root.join("odd"));
        let mut tree = Self { folder, secret: Vec::new(), ignored: Vec::new() };
        tree.secret = tree.left_out();
        let searched: BTreeSet<String> = crate::rg::files(&tree, &[]).into_iter().collect();
        let all = crate::rg::files(&tree, &["--no-ignore"]);
        tree.ignored = all.into_iter().filter(|name| !searched.contains(name)).collect();
        assert!(tree.ignored.iter().any(|name| name == "odd/ignored.rs"), "{:?}", tree.ignored);
        tree
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    /// The files that rg searches and we do not. Each must be one that may hold secrets.
    fn left_out(&self) -> Vec<String> {
        let theirs = crate::rg::names(self);
        let input = json!({"pattern": "^|\\z", "head_limit": 0});
        let ours = crate::ours::all_pages(self, &input);
        let ours: BTreeSet<&str> = ours.iter().map(String::as_str).collect();
        let places = Places::default();
        let left_out: Vec<String> =
            theirs.into_iter().filter(|name| !ours.contains(name.as_str())).collect();
        for name in &left_out {
            let why = sensitive(&self.root().join(name), false, &places);
            assert!(why.is_some(), "{name} is not searched");
        }
        left_out
    }
}

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Copies a file or folder, while there are bytes left.
fn copy(from: &Path, to: &Path, left: &mut u64) {
    let facts = fs::symlink_metadata(from).unwrap();
    if facts.is_dir() {
        let mut names: Vec<_> =
            fs::read_dir(from).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        for name in names {
            copy(&from.join(&name), &to.join(&name), left);
        }
    } else if facts.is_file() && facts.len() <= MAX_FILE_BYTES.min(*left) {
        *left -= facts.len();
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
    }
}

/// The sources of the crates that the project is built from.
fn vendored(to: &Path) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--format-version=1", "--locked", "--manifest-path"]);
    let done = command.arg(project().join("Cargo.toml")).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let metadata: Value = serde_json::from_slice(&done.stdout).unwrap();
    let mut left = MAX_VENDORED_BYTES;
    for package in metadata["packages"].as_array().unwrap() {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        if package["source"].is_null() {
            continue;
        }
        let folder = manifest.parent().unwrap();
        copy(folder, &to.join(folder.file_name().unwrap()), &mut left);
    }
    assert!(left < MAX_VENDORED_BYTES / 10, "the sources are not there");
}

/// What real trees have little of.
fn odd(to: &Path) {
    let utf16 = |text: &str, end: fn(u16) -> [u8; 2]| -> Vec<u8> {
        format!("\u{feff}{text}").encode_utf16().flat_map(end).collect()
    };
    let text = "use std::io;\r\nfn One() -> String {}\r\n";
    let mut late = b"fn early() {}\n".to_vec();
    late.extend(b"// a String of filler\n".repeat(20_000));
    late.extend(b"\0fn late() {}\n");
    let files: Vec<(&str, Vec<u8>)> = vec![
        ("utf16le.txt", utf16(text, u16::to_le_bytes)),
        ("utf16be.txt", utf16(text, u16::to_be_bytes)),
        ("bom.txt", [b"\xef\xbb\xbf".as_slice(), text.as_bytes()].concat()),
        ("crlf.rs", text.as_bytes().to_vec()),
        ("latin1.txt", b"fn caf\xe9() -> String\nuse \xff\n".to_vec()),
        ("binary.bin", b"fn one()\0String\n".to_vec()),
        ("late.bin", late),
        ("empty.rs", Vec::new()),
        ("no_end.rs", b"fn last() -> String".to_vec()),
        (
            "long.js",
            format!("{}fn needle(){}\nshort\n", "x String ".repeat(400), "y".repeat(9_000))
                .into_bytes(),
        ),
        ("a.rs", b"fn after_the_folder() {}\n".to_vec()),
        ("a/b.rs", b"fn in_the_folder() {}\n".to_vec()),
        ("a-b.rs", b"fn before_both() {}\n".to_vec()),
        ("with space.rs", b"fn space() {}\n".to_vec()),
        (".hidden/x.rs", b"fn hidden() {}\n".to_vec()),
        (".gitignore", b"/ignored.rs\n*.log\n!kept.log\nbuild/\n".to_vec()),
        ("ignored.rs", b"fn ignored() {}\n".to_vec()),
        ("some.log", b"fn log() {}\n".to_vec()),
        ("kept.log", b"fn kept() {}\n".to_vec()),
        ("build/x.rs", b"fn built() {}\n".to_vec()),
        ("deep/.ignore", b"!some.log\nnot.rs\n".to_vec()),
        ("deep/some.log", b"fn shown_again() {}\n".to_vec()),
        ("deep/not.rs", b"fn not() {}\n".to_vec()),
    ];
    for (name, content) in files {
        let path = to.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}
