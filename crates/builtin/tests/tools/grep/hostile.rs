//! Trees and patterns that were made to hurt.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use super::{content, entries};
use crate::support::Folder;

#[test]
fn f18_patterns_that_would_take_forever_to_compile_are_refused() {
    let folder = Folder::with([("a", "aaa\n")]);
    for pattern in [
        "(a{1000}){1000}".to_owned(),
        "((a{100}){100}){100}".to_owned(),
        r"\w{1000}{100}".to_owned(),
        "a".repeat(1024 * 1024),
        "(".repeat(10_000),
        format!("{}a{}", "(".repeat(5_000), ")".repeat(5_000)),
        "a|".repeat(16_000) + "(?:x{999}){999}",
        "[".repeat(20_000),
        "\\".repeat(33_000),
    ] {
        let error = folder.error("grep", json!({"pattern": pattern}));
        assert!(error.len() < 2_000 && error.contains('\n'), "{}", &error[..200]);
    }
}

#[test]
fn f18_a_pattern_that_backtracks_elsewhere_is_searched() {
    let folder = Folder::new();
    folder.write("a", format!("{}!\n", "a".repeat(100_000)));
    for pattern in ["(a+)+$", "(a|aa)*b", "(a*)*c", "(.*)*(.*)*x"] {
        let text = folder.text("grep", json!({"pattern": pattern}));
        assert!(text.starts_with("No matches"), "{pattern}: {text}");
    }
}

#[test]
fn f18_what_is_no_file_is_never_opened() {
    let folder = Folder::with([("a.txt", "needle\n")]);
    let made = Command::new("mkfifo").arg(folder.path("pipe")).status().unwrap();
    assert!(made.success());
    std::os::unix::fs::symlink(".", folder.path("loop")).unwrap();
    std::os::unix::fs::symlink("/etc", folder.path("outside")).unwrap();
    std::os::unix::fs::symlink("a.txt", folder.path("link.txt")).unwrap();
    let text = folder.text("grep", json!({"pattern": "needle|root"}));
    assert_eq!(entries(&text), ["a.txt"]);
    let error = folder.error("grep", json!({"pattern": "needle", "path": "pipe"}));
    assert!(error.starts_with("pipe is neither a file nor a folder"), "{error}");
}

#[test]
fn f18_whatever_a_file_is_called_it_is_one_line() {
    let folder = Folder::new();
    for name in [&b"a\nb.txt"[..], b"\xff.txt", b"esc\x1b[2J.txt", b"plain.txt"] {
        std::fs::write(folder.root().join(OsStr::from_bytes(name)), "needle\n").unwrap();
    }
    let text = content(&folder, json!({"pattern": "needle"}));
    let found = entries(&text);
    assert!(found.contains(&r#""a\nb.txt":1:needle"#), "{text}");
    assert!(found.contains(&r#""esc\u{1b}[2J.txt":1:needle"#), "{text}");
    assert!(found.contains(&"plain.txt:1:needle"), "{text}");
    assert!(!text.contains('\x1b'), "{text}");
}

#[test]
fn f18_a_sparse_file_costs_nothing() {
    let folder = Folder::with([("a.txt", "needle\n")]);
    let file = std::fs::File::create(folder.path("huge")).unwrap();
    file.set_len(1 << 40).unwrap();
    for multiline in [false, true] {
        let input = json!({"pattern": "needle", "multiline": multiline});
        let text = folder.text("grep", input);
        assert_eq!(entries(&text), ["a.txt"]);
        assert!(text.contains("(larger than max_file_size, not searched: huge)"), "{text}");
    }
    let input = json!({"pattern": "a.*needle", "path": "huge", "multiline": true});
    let text = folder.text("grep", input);
    assert!(text.contains("in memory at once: huge)"), "{text}");
}

#[test]
fn f18_a_tree_that_changes_while_it_is_searched_gives_an_answer() {
    let folder = Folder::new();
    for file in 0..60 {
        folder.write(&format!("f{file}"), "needle\n".repeat(50));
    }
    let root = folder.root().to_path_buf();
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let changer = std::thread::spawn(move || {
        let mut round = 0;
        while !stopped.load(Ordering::Relaxed) {
            for file in (0..60).step_by(3) {
                let path = root.join(format!("f{file}"));
                match round % 3 {
                    0 => drop(std::fs::remove_file(&path)),
                    1 => drop(std::fs::write(&path, "needle\n".repeat(100))),
                    _ => drop(std::fs::write(&path, "")),
                }
            }
            round += 1;
        }
    });
    for _ in 0..10 {
        let text = content(&folder, json!({"pattern": "needle", "head_limit": 0}));
        assert!(text.contains("f1:1:needle\n"), "what nobody touches is always found");
    }
    stop.store(true, Ordering::Relaxed);
    changer.join().unwrap();
}
