//! Looking.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use dogu_tool::{Action, FileFacts, FileKind, FileStamp, Files, ReadFiles, WriteOptions};

use crate::support::*;

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
