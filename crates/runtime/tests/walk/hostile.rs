//! Trees that were made to trip a walk.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::Arc;

use dogu_runtime::files::Roots;
use dogu_tool::{Action, CancelFlag, FileKind, Onward, WalkOptions};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::support::{Tree, granted, walk_with};

#[test]
fn pipes_sockets_and_links_are_shown_and_not_waited_for() {
    let tree = Tree::with([("a/b", "")]);
    mknodat(CWD, tree.path("fifo"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    let _socket = UnixListener::bind(tree.path("socket")).unwrap();
    symlink("..", tree.path("a/up")).unwrap();
    symlink("self", tree.path("self")).unwrap();
    symlink("/proc/self/fd", tree.path("descriptors")).unwrap();
    let names = ["a/", "a/b", "a/up@", "descriptors@", "fifo?", "self@", "socket?"];
    assert_eq!(tree.names("", &WalkOptions::default()), names);
    let files = tree.files("");
    walk_with(&files, &tree.root, &WalkOptions::default(), &CancelFlag::new(), |entry| {
        assert_eq!(entry.open().is_ok(), entry.kind() == FileKind::File);
        Onward::Go
    })
    .unwrap();
    // The names of ignore files may be taken by anything.
    for name in [".gitignore", ".ignore"] {
        mknodat(CWD, tree.path(name), FileType::Fifo, Mode::RWXU, 0).unwrap();
    }
    tree.folder(".git/info/exclude");
    assert_eq!(tree.walk("", &WalkOptions::default()).0.len(), 9);
}

#[test]
fn names_are_bytes() {
    let tree = Tree::new();
    let name = OsStr::from_bytes(b"caf\xe9\n\x1b[31m");
    fs::create_dir(tree.root.join(name)).unwrap();
    fs::write(tree.root.join(name).join(name), "").unwrap();
    let (all, walked) = tree.walk("", &WalkOptions::default());
    let paths: Vec<_> = all.into_keys().collect();
    assert_eq!(paths, [Path::new(name).to_path_buf(), Path::new(name).join(name)]);
    assert_eq!(walked.unreadable, 0);
}

#[test]
fn a_folder_that_cannot_be_opened_is_counted_with_its_reason() {
    let tree = Tree::with([("a/x", ""), ("b/x", ""), ("c", "")]);
    fs::set_permissions(tree.path("a"), fs::Permissions::from_mode(0o0)).unwrap();
    let root = fs::read_dir(tree.path("a")).is_ok();
    let (all, walked) = tree.walk("", &WalkOptions::default());
    fs::set_permissions(tree.path("a"), fs::Permissions::from_mode(0o700)).unwrap();
    if root {
        println!("root may read everything: only that the walk goes on is shown");
        assert_eq!((all.len(), walked.unreadable), (5, 0));
        return;
    }
    assert_eq!((all.len(), walked.unreadable), (4, 1));
    assert_eq!(walked.first_unreadable, ["a: permission denied"]);
}

/// What nobody may read, root included: a folder that became a file after its name was read.
#[test]
fn a_folder_that_is_swapped_while_walking_is_counted_and_one_that_is_gone_is_not() {
    let tree = Tree::with([("a/x", ""), ("b/x", ""), ("c/x", ""), ("d/x", "")]);
    let options = WalkOptions { threads: std::num::NonZeroUsize::new(1), ..WalkOptions::default() };
    let files = tree.files("");
    let walked = walk_with(&files, &tree.root, &options, &CancelFlag::new(), |entry| {
        match entry.path().to_str() {
            Some("a") => fs::remove_dir_all(tree.path("a")).unwrap(),
            Some("b") => {
                fs::remove_dir_all(tree.path("b")).unwrap();
                fs::write(tree.path("b"), "").unwrap();
            }
            Some("c") => {
                fs::rename(tree.path("c"), tree.path("moved")).unwrap();
                symlink("/etc", tree.path("c")).unwrap();
            }
            Some(other) => assert!(["d", "d/x"].contains(&other), "{other}"),
            None => panic!(),
        }
        Onward::Go
    })
    .unwrap();
    assert_eq!(walked.unreadable, 2);
    assert_eq!(walked.first_unreadable, ["b: changed meanwhile", "c: changed meanwhile"]);
}

#[test]
fn a_folder_is_walked_to_its_end_while_it_is_emptied() {
    let tree = Tree::new();
    for n in 0..2_000 {
        tree.write(&format!("a/{n}/x"), "");
    }
    let files = tree.files("");
    let walked = walk_with(&files, &tree.root, &WalkOptions::default(), &CancelFlag::new(), |at| {
        if at.path().components().count() == 2 {
            fs::remove_dir_all(tree.root.join(at.path())).unwrap();
        }
        Onward::Go
    });
    let walked = walked.unwrap();
    assert_eq!(walked.unreadable, 0, "{:?}", walked.first_unreadable);
}

#[cfg(target_os = "linux")]
#[test]
fn proc_is_not_entered() {
    let tree = Tree::new();
    let roots = Arc::new(Roots::open(std::slice::from_ref(&tree.root)).unwrap());
    let files = granted(&roots, &Action::read_tree("/"));
    let options = WalkOptions::default();
    let walked = walk_with(&files, Path::new("/"), &options, &CancelFlag::new(), |entry| {
        assert_eq!(entry.path().components().count(), 1, "{}", entry.path().display());
        if entry.path() == Path::new("proc") { Onward::Go } else { Onward::Skip }
    });
    let named = walked.unwrap().first_unreadable;
    assert_eq!(named, ["proc: in /proc, which is no place for files"]);
}
