//! Trees and patterns that were made to hurt.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::UnixListener;

use serde_json::json;

use super::{found, paths};
use crate::support::Folder;

#[test]
fn f19_whatever_a_file_is_called_it_is_one_line() {
    let folder = Folder::new();
    for name in [&b"a\nb.txt"[..], b"\xff.txt", b"esc\x1b[2J.txt", b"plain.txt"] {
        std::fs::write(folder.root().join(OsStr::from_bytes(name)), "").unwrap();
    }
    let expected =
        [r#""\xff.txt""#, r#""a\nb.txt""#, r#""esc\u{1b}[2J.txt""#, "plain.txt"].map(str::to_owned);
    assert_eq!(found(&folder, "*.txt"), expected);
}

#[test]
fn f19_what_is_no_file_is_not_found() {
    let folder = Folder::with([("a", "")]);
    let _socket = UnixListener::bind(folder.path("socket")).unwrap();
    std::os::unix::fs::symlink(".", folder.path("loop")).unwrap();
    assert_eq!(found(&folder, "*"), ["a", "loop@"]);
}

#[test]
fn f19_patterns_that_grow_are_answered() {
    let folder = Folder::with([("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "")]);
    for pattern in [
        "*a".repeat(500) + "b",
        "{a,aa}".repeat(300) + "b",
        "**/".repeat(500) + "b",
        "?".repeat(1_999),
        "[a-z]".repeat(399),
    ] {
        match folder.run("glob", json!({"pattern": pattern})) {
            Ok(output) => {
                let text = dogu_tool::ToolResult::ok("c", "glob", output).to_text();
                assert!(text.starts_with("No files match"), "{text}");
            }
            Err(error) => assert!(error.info().suggestion.is_some(), "{error:?}"),
        }
    }
    for pattern in ["{".repeat(1_900), "[".repeat(1_900), "\\".repeat(1_901)] {
        let error = folder.error("glob", json!({"pattern": pattern}));
        assert!(error.len() < 2_000 && error.contains("not valid"), "{error}");
    }
}

#[test]
fn f19_very_long_paths_are_cut_at_a_line_and_go_on() {
    let folder = Folder::new();
    let deep = "d".repeat(240);
    for n in 0..150 {
        let name = format!("{deep}/{deep}/{deep}/{n}");
        folder.write(&name, "");
        folder.age(&name, 1_000 - n);
    }
    let text = folder.text("glob", json!({"pattern": "*", "limit": 150}));
    let shown = paths(&text).len();
    assert!(shown > 50 && shown < 150 && text.len() < 90_000, "{shown}");
    assert!(text.contains(&format!("with \"offset\": {shown} goes on")), "{text}");
    let input = json!({"pattern": "*", "limit": 150, "offset": shown});
    let text = folder.text("glob", input);
    assert!(paths(&text)[0].ends_with(&format!("/{shown}")), "{text}");
}

#[test]
fn f19_a_tree_that_changes_while_it_is_looked_through_gives_an_answer() {
    let folder = Folder::new();
    for n in 0..60 {
        folder.write(&format!("d{n}/f"), "");
    }
    let root = folder.root().to_path_buf();
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let changer = std::thread::spawn(move || {
        let mut round = 0;
        while stopped.try_recv().is_err_and(|end| end == std::sync::mpsc::TryRecvError::Empty) {
            for n in (0..60).step_by(3) {
                let path = root.join(format!("d{n}"));
                match round % 2 {
                    0 => drop(std::fs::remove_dir_all(&path)),
                    _ => drop(std::fs::create_dir(&path)),
                }
            }
            round += 1;
        }
    });
    for _ in 0..20 {
        let names = found(&folder, "f");
        assert!(names.iter().any(|name| name == "d1/f"), "what nobody touches is always found");
    }
    drop(stop);
    changer.join().unwrap();
}
