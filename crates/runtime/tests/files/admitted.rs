//! What is admitted.

use std::fs;
use std::sync::Arc;

use dogu_runtime::files::{PreviewCaps, PreviewFiles};
use dogu_tool::{Action, FileKind, Files, ReadCaps as _, ReadFiles, Scope, WriteOptions};

use crate::support::*;

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
