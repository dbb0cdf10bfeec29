//! What changed since it was judged, and what is not a regular file.

use std::fs;
use std::path::Path;

use dogu_runtime::files::Roots;
use dogu_tool::{Action, FileKind, Files, ReadFiles, WriteOptions};

use crate::support::*;

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
