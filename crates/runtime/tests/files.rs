//! What a call can do to files, and what it cannot.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::ffi::OsStr;
use std::fs;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use dogu_runtime::files::{GrantedFiles, PreviewCaps, PreviewFiles, Roots};
use dogu_tool::{
    Action, ErrorCode, FileFacts, FileKind, FileStamp, Files, ReadCaps as _, ReadFiles, Scope,
    ToolError, WriteOptions, Written,
};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use tempfile::TempDir;

/// `proj` is the workspace, `out` is not.
struct World {
    _base: TempDir,
    base: PathBuf,
    roots: Arc<Roots>,
}

impl World {
    fn new() -> Self {
        Self::with(|roots| roots)
    }

    fn with(change: impl FnOnce(Roots) -> Roots) -> Self {
        let kept = TempDir::new().unwrap();
        let base = kept.path().canonicalize().unwrap();
        for folder in ["proj/src/deep", "out"] {
            fs::create_dir_all(base.join(folder)).unwrap();
        }
        for file in ["proj/a.txt", "proj/src/b.txt", "proj/src/deep/c.txt", "out/secret"] {
            fs::write(base.join(file), file).unwrap();
        }
        let roots = Arc::new(change(Roots::open(&[base.join("proj")]).unwrap()));
        Self { _base: kept, base, roots }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.base.join(name)
    }

    fn link(&self, target: &str, name: &str) {
        symlink(target, self.path(name)).unwrap();
    }

    fn fifo(&self, name: &str) {
        mknodat(CWD, self.path(name), FileType::Fifo, Mode::RWXU, 0).unwrap();
    }

    /// The files of a call with these actions, all of them granted.
    fn grant(&self, actions: &[Action]) -> GrantedFiles {
        GrantedFiles::new(Arc::clone(&self.roots), self.roots.judge_all(actions).unwrap())
    }

    fn reader(&self, name: &str) -> GrantedFiles {
        self.grant(&[Action::read(self.path(name))])
    }

    fn tree(&self, name: &str) -> GrantedFiles {
        self.grant(&[Action::read_tree(self.path(name))])
    }

    fn writer(&self, name: &str) -> GrantedFiles {
        self.grant(&[Action::write(self.path(name))])
    }

    fn remover(&self, name: &str) -> GrantedFiles {
        self.grant(&[Action::FileDelete { path: self.path(name) }])
    }

    fn write(&self, name: &str, content: &str) -> Result<Written, ToolError> {
        self.writer(name).write(&self.path(name), content.as_bytes(), WriteOptions::default())
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn names(&self, name: &str) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.path(name))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    fn set_mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }
}

fn text_of(files: &dyn ReadFiles, path: &Path) -> Result<String, ToolError> {
    let mut text = String::new();
    files.open(path)?.read_to_string(&mut text).unwrap();
    Ok(text)
}

#[track_caller]
fn assert_denied<T: std::fmt::Debug>(result: Result<T, ToolError>, words: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.code(), ErrorCode::Denied, "{error}");
    assert!(error.to_string().contains(words), "{error}");
}

#[track_caller]
fn assert_failed<T: std::fmt::Debug>(result: Result<T, ToolError>, words: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.code(), ErrorCode::Tool, "{error}");
    assert!(error.to_string().contains(words), "{error}");
}

/// Set for tests that another test starts.
const CHILD: &str = "DOGU_TEST_CHILD";
const NOT_DECLARED: &str = "was not declared by this call";
const CHANGED: &str = "changed while it was being opened; nothing was done";

// What is admitted.

#[test]
fn a_read_reads_its_path_and_no_other() {
    let world = World::new();
    let files = world.reader("proj/a.txt");
    let path = world.path("proj/a.txt");
    assert_eq!(text_of(&files, &path).unwrap(), "proj/a.txt");
    assert_eq!(files.facts(&path).unwrap().unwrap().kind, FileKind::File);
    let other = world.path("proj/src/b.txt");
    assert_denied(files.open(&other), &format!("reading {} {NOT_DECLARED}", other.display()));
    assert_denied(files.facts(&other), NOT_DECLARED);
    assert_denied(files.list(&world.path("proj")), NOT_DECLARED);
    assert_denied(files.write(&path, b"x", WriteOptions::default()), NOT_DECLARED);
    assert_denied(files.remove(&path), NOT_DECLARED);
    assert_eq!(world.text("proj/a.txt"), "proj/a.txt");
}

#[test]
fn a_sensitive_read_reads() {
    let world = World::new();
    let path = world.path("proj/a.txt");
    let files = world.grant(&[Action::FileReadSensitive { path: path.clone() }]);
    assert_eq!(text_of(&files, &path).unwrap(), "proj/a.txt");
    assert_denied(files.remove(&path), NOT_DECLARED);
}

#[test]
fn a_write_may_look_at_what_it_replaces_but_not_remove_it() {
    let world = World::new();
    let files = world.writer("proj/a.txt");
    let path = world.path("proj/a.txt");
    assert_eq!(text_of(&files, &path).unwrap(), "proj/a.txt");
    assert!(files.facts(&path).unwrap().is_some());
    assert_denied(files.remove(&path), NOT_DECLARED);
    assert_denied(files.write(&world.path("proj/b"), b"", WriteOptions::default()), NOT_DECLARED);
    assert_eq!(world.names("proj"), ["a.txt", "src"]);
}

#[test]
fn a_removal_removes_and_does_not_read() {
    let world = World::new();
    let files = world.remover("proj/a.txt");
    let path = world.path("proj/a.txt");
    assert!(files.facts(&path).unwrap().is_some());
    assert_denied(files.open(&path), NOT_DECLARED);
    assert_denied(files.write(&path, b"", WriteOptions::default()), NOT_DECLARED);
    files.remove(&path).unwrap();
    assert_eq!(files.facts(&path).unwrap(), None);
    assert_failed(files.remove(&path), "file not found: ");
}

#[test]
fn what_is_admitted_later_counts_too() {
    let world = World::new();
    let files = world.grant(&[]);
    let path = world.path("proj/a.txt");
    assert_denied(files.open(&path), NOT_DECLARED);
    files.admit(world.roots.judge_all(&[Action::read(&path)]).unwrap());
    assert_eq!(text_of(&files, &path).unwrap(), "proj/a.txt");
}

#[test]
fn the_declared_and_the_real_path_are_both_names_of_a_grant() {
    let world = World::new();
    world.link("src/b.txt", "proj/link");
    let files = world.reader("proj/link");
    assert_eq!(text_of(&files, &world.path("proj/link")).unwrap(), "proj/src/b.txt");
    assert_eq!(text_of(&files, &world.path("proj/src/b.txt")).unwrap(), "proj/src/b.txt");
    let files = world.reader("proj/src/../a.txt");
    assert_eq!(text_of(&files, &world.path("proj/src/../a.txt")).unwrap(), "proj/a.txt");
    assert_denied(files.open(&world.path("proj/src/deep/../../a.txt")), NOT_DECLARED);
}

#[test]
fn a_granted_path_outside_is_opened_from_the_top() {
    let world = World::new();
    world.link("../out/secret", "proj/link");
    let files = world.reader("proj/link");
    assert_eq!(text_of(&files, &world.path("proj/link")).unwrap(), "out/secret");
    world.write("out/new/file", "text").unwrap();
    assert_eq!(world.text("out/new/file"), "text");
}

#[test]
fn a_tree_admits_what_is_below() {
    let world = World::new();
    world.link("src", "proj/alias");
    for (declared, asked) in [
        ("proj/src", "proj/src/deep/c.txt"),
        ("proj/alias", "proj/alias/deep/c.txt"),
        ("proj/alias", "proj/src/deep/c.txt"),
        ("proj/src", "proj/src/./deep/c.txt"),
    ] {
        let files = world.tree(declared);
        assert_eq!(text_of(&files, &world.path(asked)).unwrap(), "proj/src/deep/c.txt");
    }
    let files = world.tree("proj/src");
    assert_eq!(files.list(&world.path("proj/src/deep")).unwrap().len(), 1);
    for asked in ["proj/a.txt", "proj/src/../a.txt", "proj/src/deep/../b.txt", "proj/srcs"] {
        assert_denied(files.open(&world.path(asked)), NOT_DECLARED);
    }
    let write = files.write(&world.path("proj/src/b.txt"), b"", WriteOptions::default());
    assert_denied(write, NOT_DECLARED);
}

#[test]
fn s4_a_tree_does_not_admit_what_is_ignored() {
    let world = World::new();
    fs::write(world.path("proj/.doguignore"), "deep/\nb.txt\n").unwrap();
    let files = world.tree("proj");
    assert_denied(files.open(&world.path("proj/src/b.txt")), "File is ignored");
    assert_denied(files.list(&world.path("proj/src/deep")), "File is ignored");
    assert_denied(files.facts(&world.path("proj/src/deep/c.txt")), "File is ignored");
    assert!(files.open(&world.path("proj/a.txt")).is_ok());
    assert!(files.open(&world.path("proj/.doguignore")).is_ok());
    let names = files.list(&world.path("proj/src")).unwrap();
    let ignored: Vec<_> = names.iter().map(|entry| (entry.name.as_str(), entry.ignored)).collect();
    assert_eq!(ignored, [("b.txt", true), ("deep", true)]);
}

#[test]
fn a_link_below_a_tree_is_seen_and_not_followed() {
    let world = World::new();
    world.link("../../out/secret", "proj/src/link");
    world.link("../../out", "proj/src/folder");
    world.link("b.txt", "proj/src/harmless");
    let files = world.tree("proj");
    for name in ["link", "folder/secret", "harmless"] {
        let path = world.path("proj/src").join(name);
        assert_denied(files.open(&path), "symbolic link");
    }
    assert_denied(files.list(&world.path("proj/src/folder")), "symbolic link");
    assert_denied(files.facts(&world.path("proj/src/folder/secret")), "symbolic link");
    let facts = files.facts(&world.path("proj/src/link")).unwrap().unwrap();
    assert_eq!(facts.kind, FileKind::Link);
}

#[test]
fn a_plan_may_look_at_what_it_names() {
    let world = World::new();
    let actions = [
        Action::write(world.path("proj/a.txt")),
        Action::FileDelete { path: world.path("proj/src/b.txt") },
    ];
    let judged = world.roots.judge_all(&actions).unwrap();
    let files = PreviewFiles::new(Arc::clone(&world.roots), judged);
    let caps = PreviewCaps::new(Scope::new(world.path("proj")), files);
    assert_eq!(caps.scope().workdir(), world.path("proj"));
    assert_eq!(text_of(caps.files(), &world.path("proj/a.txt")).unwrap(), "proj/a.txt");
    assert_eq!(text_of(caps.files(), &world.path("proj/src/b.txt")).unwrap(), "proj/src/b.txt");
    assert!(caps.files().facts(&world.path("proj/a.txt")).unwrap().is_some());
    assert_denied(caps.files().open(&world.path("proj/src/deep/c.txt")), NOT_DECLARED);
    assert_denied(caps.files().list(&world.path("proj/src")), NOT_DECLARED);
}

// What changed since it was judged.

/// Both ways of opening.
fn each_way(test: impl Fn(World)) {
    test(World::new());
    test(World::with(Roots::stepwise));
}

#[test]
fn a_file_swapped_for_a_link_is_refused() {
    each_way(|world| {
        let path = world.path("proj/a.txt");
        let reader = world.reader("proj/a.txt");
        let writer = world.writer("proj/a.txt");
        let remover = world.remover("proj/a.txt");
        fs::remove_file(&path).unwrap();
        world.link("../out/secret", "proj/a.txt");
        assert_denied(reader.open(&path), CHANGED);
        assert_denied(reader.facts(&path), CHANGED);
        assert_denied(reader.list(&path), CHANGED);
        assert_denied(writer.write(&path, b"x", WriteOptions::default()), CHANGED);
        assert_denied(remover.remove(&path), CHANGED);
        assert_eq!(world.text("out/secret"), "out/secret");
        assert!(path.is_symlink());
    });
}

#[test]
fn a_folder_swapped_for_a_link_is_refused() {
    each_way(|world| {
        fs::create_dir(world.path("proj/d")).unwrap();
        fs::write(world.path("proj/d/secret"), "inside").unwrap();
        let path = world.path("proj/d/secret");
        let (reader, writer) = (world.reader("proj/d/secret"), world.writer("proj/d/secret"));
        let remover = world.remover("proj/d/secret");
        let (maker, new) = (world.writer("proj/d/e/new"), world.path("proj/d/e/new"));
        fs::rename(world.path("proj/d"), world.path("proj/old")).unwrap();
        world.link("../out", "proj/d");
        assert_denied(reader.open(&path), CHANGED);
        assert_denied(reader.facts(&path), CHANGED);
        assert_denied(writer.write(&path, b"x", WriteOptions::default()), CHANGED);
        assert_denied(remover.remove(&path), CHANGED);
        assert_denied(maker.write(&new, b"x", WriteOptions::default()), CHANGED);
        assert_eq!(world.text("out/secret"), "out/secret");
        assert_eq!(world.names("out"), ["secret"]);
    });
}

#[test]
fn a_link_that_points_elsewhere_since_is_not_asked_again() {
    let world = World::new();
    world.link("a.txt", "proj/link");
    let files = world.reader("proj/link");
    fs::remove_file(world.path("proj/link")).unwrap();
    world.link("../out/secret", "proj/link");
    assert_eq!(text_of(&files, &world.path("proj/link")).unwrap(), "proj/a.txt");
}

#[test]
fn a_root_that_is_replaced_is_still_the_old_one() {
    each_way(|world| {
        let files = world.reader("proj/a.txt");
        fs::rename(world.path("proj"), world.path("moved")).unwrap();
        world.link("out", "proj");
        fs::write(world.path("out/a.txt"), "outside").unwrap();
        assert_eq!(text_of(&files, &world.path("proj/a.txt")).unwrap(), "proj/a.txt");
    });
}

#[test]
fn both_ways_open_the_same() {
    each_way(|world| {
        let files = world.tree("proj");
        assert_eq!(
            text_of(&files, &world.path("proj/src/deep/c.txt")).unwrap(),
            "proj/src/deep/c.txt"
        );
        assert_eq!(files.list(&world.path("proj")).unwrap().len(), 2);
        assert_failed(files.open(&world.path("proj/a.txt/x")), "is not a folder");
        assert_failed(files.open(&world.path("proj/none")), "file not found");
        world.write("proj/x/y/z", "text").unwrap();
        assert_eq!(world.text("proj/x/y/z"), "text");
    });
}

// What is not a regular file.

#[test]
fn pipes_devices_and_folders_are_not_opened() {
    each_way(|world| {
        world.fifo("proj/pipe");
        let _socket = std::os::unix::net::UnixListener::bind(world.path("proj/socket")).unwrap();
        for name in ["proj/pipe", "proj/socket"] {
            let path = world.path(name);
            assert_failed(world.reader(name).open(&path), "is a pipe, socket or device");
            assert_eq!(world.reader(name).facts(&path).unwrap().unwrap().kind, FileKind::Other);
            assert_failed(world.write(name, "x"), "is a pipe, socket or device");
            assert_failed(world.remover(name).remove(&path), "is a pipe, socket or device");
            assert_failed(world.reader(name).list(&path), "is not a folder");
        }
        let device = Path::new("/dev/zero");
        let files = world.grant(&[Action::read(device)]);
        assert_failed(files.open(device), "is a pipe, socket or device");
        let folder = world.path("proj/src");
        assert_failed(world.reader("proj/src").open(&folder), "proj/src is a folder");
        assert_failed(world.write("proj/src", "x"), "is a folder");
        assert_failed(world.write("proj", "x"), "is a folder");
        assert_failed(world.remover("proj/src").remove(&folder), "is a folder");
    });
}

#[cfg(target_os = "linux")]
#[test]
fn proc_is_refused() {
    let world = World::new();
    let own = format!("/proc/{}/environ", std::process::id());
    for path in ["/proc/version", &own, "/proc/sys/kernel/hostname"] {
        let path = Path::new(path);
        let files = world.grant(&[Action::write(path)]);
        assert_denied(files.open(path), "is in /proc");
        assert_denied(files.facts(path), "is in /proc");
        assert_denied(files.write(path, b"x", WriteOptions::default()), "is in /proc");
    }
    let tree = world.grant(&[Action::read_tree("/")]);
    assert_denied(tree.list(Path::new("/proc")), "is in /proc");
    assert_denied(tree.open(Path::new("/proc/self/environ")), "environment of processes");
    assert_denied(tree.open(Path::new("/proc/self/status")), "symbolic link");
}

// Looking.

#[test]
fn facts_say_what_is_there() {
    let world = World::new();
    let facts = |name: &str| world.reader(name).facts(&world.path(name)).unwrap();
    let metadata = fs::metadata(world.path("proj/a.txt")).unwrap();
    let stamp = FileStamp::from(&metadata);
    let modified = metadata.modified().ok();
    let expected = FileFacts { kind: FileKind::File, size: 10, modified, stamp };
    assert_eq!(facts("proj/a.txt"), Some(expected));
    assert_eq!(facts("proj").unwrap().kind, FileKind::Folder);
    assert_eq!(facts("proj/none"), None);
    assert_eq!(facts("proj/none/deeper"), None);
    let tree = world.tree("proj");
    assert_eq!(tree.facts(&world.path("proj/a.txt/below")).unwrap(), None);
}

#[test]
fn a_list_is_sorted_and_complete() {
    let world = World::new();
    world.link("/nowhere", "proj/link");
    world.fifo("proj/pipe");
    fs::write(world.path("proj").join(OsStr::from_bytes(b"z\xff")), "123").unwrap();
    let listed = world.reader("proj").list(&world.path("proj")).unwrap();
    let listed: Vec<_> =
        listed.iter().map(|entry| (entry.name.as_str(), entry.kind, entry.size)).collect();
    assert_eq!(
        listed,
        [
            ("a.txt", FileKind::File, 10),
            ("link", FileKind::Link, 0),
            ("pipe", FileKind::Other, 0),
            ("src", FileKind::Folder, 0),
            ("z\u{fffd}", FileKind::File, 3),
        ]
    );
    let file = world.path("proj/a.txt");
    assert_failed(world.reader("proj/a.txt").list(&file), "proj/a.txt is not a folder");
    let none = world.path("proj/none");
    assert_failed(world.reader("proj/none").list(&none), "folder not found: ");
}

#[test]
fn a_missing_file_comes_with_its_neighbours() {
    let world = World::new();
    for name in ["main.rs", "mainn.rs", "man.rs", "maim.rs", "other.toml", "bad\nmain.rs"] {
        fs::write(world.path("proj").join(name), "").unwrap();
    }
    let path = world.path("proj/Main.r");
    let error = world.reader("proj/Main.r").open(&path).unwrap_err();
    assert_eq!(error.to_string(), format!("file not found: {}", path.display()));
    let suggestion = error.info().suggestion.clone().unwrap();
    assert!(
        suggestion.starts_with(&format!("Did you mean {}", world.path("proj/main.rs").display()))
    );
    assert_eq!(suggestion.matches(" or ").count(), 2, "{suggestion}");
    assert!(!suggestion.contains('\n') && !suggestion.contains("other"), "{suggestion}");
}

#[test]
fn no_names_of_folders_outside_are_told() {
    let world = World::new();
    for name in ["out/secre", "proj/none/b.txt", "proj/qqqqqqq"] {
        let error = world.reader(name).open(&world.path(name)).unwrap_err();
        assert!(error.to_string().starts_with("file not found: "), "{error}");
        assert_eq!(error.info().suggestion, None);
    }
}

#[test]
fn strange_names_do_not_panic() {
    let world = World::new();
    let odd = world.path("proj").join(OsStr::from_bytes(b"od\xffd"));
    let files = world.grant(&[Action::write(&odd), Action::read_tree(world.path("proj"))]);
    files.write(&odd, b"x", WriteOptions::default()).unwrap();
    assert_eq!(text_of(&files, &odd).unwrap(), "x");
    let long = world.path("proj").join("n".repeat(300));
    assert_failed(files.open(&long), "too long");
    assert_failed(files.facts(&long), "too long");
    let nul = world.path("proj").join("a\0b");
    for error in [files.open(&nul).unwrap_err(), files.list(&nul).unwrap_err()] {
        assert!(!error.to_string().contains('\0'), "{error:?}");
    }
    assert_denied(files.remove(Path::new("")), NOT_DECLARED);
    assert_denied(files.open(Path::new("relative")), NOT_DECLARED);
}

// Writing.

#[test]
fn a_write_creates_and_replaces() {
    let world = World::new();
    let created = world.write("proj/new", "one").unwrap();
    assert_eq!(created, Written { created: true, old_size: None, journal: None });
    let replaced = world.write("proj/new", "other").unwrap();
    assert_eq!(replaced, Written { created: false, old_size: Some(3), journal: None });
    assert_eq!(world.text("proj/new"), "other");
    assert_eq!(world.names("proj"), ["a.txt", "new", "src"]);
}

#[test]
fn a_write_through_a_link_keeps_the_link() {
    let world = World::new();
    world.link("src/b.txt", "proj/link");
    world.link("src/later", "proj/dangling");
    world.write("proj/link", "new").unwrap();
    assert!(world.path("proj/link").is_symlink());
    assert_eq!(world.text("proj/src/b.txt"), "new");
    assert!(world.write("proj/dangling", "new").unwrap().created);
    assert_eq!(world.text("proj/src/later"), "new");
}

#[test]
fn a_write_keeps_mode_and_owner() {
    let world = World::new();
    for mode in [0o755, 0o600, 0o640, 0o666] {
        world.set_mode("proj/a.txt", mode);
        world.write("proj/a.txt", "new").unwrap();
        assert_eq!(fs::metadata(world.path("proj/a.txt")).unwrap().mode() & 0o7777, mode);
    }
    world.set_mode("proj/a.txt", 0o4755);
    world.write("proj/a.txt", "new").unwrap();
    assert_eq!(fs::metadata(world.path("proj/a.txt")).unwrap().mode() & 0o7777, 0o755);
    // Only root may give a file away; others have nothing to keep.
    if std::os::unix::fs::chown(world.path("proj/a.txt"), Some(12), Some(34)).is_ok() {
        world.write("proj/a.txt", "newer").unwrap();
        let metadata = fs::metadata(world.path("proj/a.txt")).unwrap();
        assert_eq!((metadata.uid(), metadata.gid()), (12, 34));
    }
}

#[test]
fn a_new_file_has_the_mode_that_the_umask_leaves() {
    let world = World::new();
    fs::write(world.path("proj/by-std"), "").unwrap();
    world.write("proj/by-us", "").unwrap();
    let mode = |name: &str| fs::metadata(world.path(name)).unwrap().mode();
    assert_eq!(mode("proj/by-us"), mode("proj/by-std"));
}

#[test]
fn a_read_only_file_is_not_replaced() {
    let world = World::new();
    world.set_mode("proj/a.txt", 0o444);
    assert_failed(world.write("proj/a.txt", "new"), "proj/a.txt is read-only");
    assert_eq!(world.text("proj/a.txt"), "proj/a.txt");
    assert_eq!(world.names("proj"), ["a.txt", "src"]);
}

#[test]
fn folders_are_made_when_asked_for() {
    let world = World::new();
    let path = world.path("proj/x/y/new");
    let files = world.writer("proj/x/y/new");
    let plain = WriteOptions { create_folders: false, ..WriteOptions::default() };
    assert_failed(files.write(&path, b"1", plain), "proj/x/y/new does not exist");
    assert_eq!(world.names("proj"), ["a.txt", "src"]);
    assert!(files.write(&path, b"1", WriteOptions::default()).unwrap().created);
    assert_eq!(world.text("proj/x/y/new"), "1");
    files.write(&path, b"2", plain).unwrap();
    assert_eq!(world.text("proj/x/y/new"), "2");
}

#[test]
fn an_existing_file_is_an_error_when_asked_for() {
    let world = World::new();
    let options = WriteOptions { overwrite: false, ..WriteOptions::default() };
    let path = world.path("proj/a.txt");
    let written = world.writer("proj/a.txt").write(&path, b"new", options);
    assert_failed(written, "proj/a.txt already exists");
    assert_eq!(world.text("proj/a.txt"), "proj/a.txt");
    let path = world.path("proj/new");
    assert!(world.writer("proj/new").write(&path, b"new", options).unwrap().created);
    assert_eq!(world.names("proj"), ["a.txt", "new", "src"]);
}

#[test]
fn a_file_in_the_way_of_a_folder_is_said() {
    let world = World::new();
    let files = world.writer("proj/x/new");
    fs::write(world.path("proj/x"), "").unwrap();
    let written = files.write(&world.path("proj/x/new"), b"", WriteOptions::default());
    assert_failed(written, "is not a folder");
}

/// The file size limit stands for a full disk: it needs no rights and no file system.
#[test]
fn a_write_that_fails_leaves_what_was_there() {
    let limited = "trap '' XFSZ; ulimit -f 8; exec \"$0\" --exact limited_write --ignored";
    let (code, text) = run_child(Command::new("sh").args(["-c", limited]), Path::new(""));
    assert!(code == Some(0) && text.contains("1 passed"), "{text}");
}

#[test]
#[ignore = "started by another test, with a limit on the size of files"]
fn limited_write() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let world = World::new();
    let large = "x".repeat(100_000);
    assert_failed(world.write("proj/a.txt", &large), "what was there is unchanged");
    assert_failed(world.write("proj/new", &large), "larger than a file may be here");
    assert_eq!(world.text("proj/a.txt"), "proj/a.txt");
    assert_eq!(world.names("proj"), ["a.txt", "src"]);
}

/// Where this user may mount one, a real full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_what_was_there() {
    let may_mount = Command::new("unshare").args(["--mount", "true"]).status();
    if !may_mount.is_ok_and(|status| status.success()) {
        return;
    }
    let folder = TempDir::new().unwrap();
    let mounted = "mount -t tmpfs -o size=64k none \"$1\" || exit 77
        TMPDIR=\"$1\" exec \"$0\" --exact full_disk_write --ignored";
    let mut command = Command::new("unshare");
    let (code, text) = run_child(command.args(["--mount", "sh", "-c", mounted]), folder.path());
    let ran = code == Some(0) && text.contains("1 passed");
    assert!(ran || code == Some(77), "{text}");
}

#[test]
#[ignore = "started by another test, on a small disk"]
fn full_disk_write() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let world = World::new();
    let large = "x".repeat(1_000_000);
    assert_failed(
        world.write("proj/a.txt", &large),
        "the disk is full; what was there is unchanged",
    );
    assert_failed(world.write("proj/new", &large), "the disk is full");
    assert_eq!(world.text("proj/a.txt"), "proj/a.txt");
    assert_eq!(world.names("proj"), ["a.txt", "src"]);
    world.write("proj/a.txt", "small").unwrap();
}

/// This program, started by `command`, which gets it as `$0` and `argument` as `$1`.
fn run_child(command: &mut Command, argument: &Path) -> (Option<i32>, String) {
    command.arg(std::env::current_exe().unwrap()).arg(argument).env(CHILD, "1");
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}
