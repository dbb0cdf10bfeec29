//! Writing.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::Command;

use dogu_tool::{Files, WriteOptions, Written};
use tempfile::TempDir;

use crate::support::*;

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
    let limited = "trap '' XFSZ; ulimit -f 8; exec \"$0\" --exact writing::limited_write --ignored";
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
        TMPDIR=\"$1\" exec \"$0\" --exact writing::full_disk_write --ignored";
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
