//! `list_files`.

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use serde_json::json;

use crate::support::Folder;

fn tree() -> Folder {
    Folder::with([
        ("b.txt", "four"),
        ("a/deep/er/z.txt", ""),
        ("a/one.txt", "1"),
        ("c/two.txt", "22"),
        (".git/config", "[core]"),
        (".hidden", ""),
    ])
}

#[test]
fn a_folder_is_listed_by_name_with_sizes() {
    assert_eq!(
        tree().text("list_files", json!({})),
        ".git/\n.hidden (0 bytes)\na/\nb.txt (4 bytes)\nc/"
    );
    assert_eq!(tree().text("list_files", json!({"path": "a"})), "deep/\none.txt (1 bytes)");
    let folder = tree();
    let absolute = json!({"path": folder.path("c").to_str().unwrap()});
    assert_eq!(folder.text("list_files", absolute), "two.txt (2 bytes)");
}

#[test]
fn a_tree_is_listed_nearest_first_and_git_is_not_entered() {
    let text = tree().text("list_files", json!({"recursive": true}));
    let expected = [
        ".git/",
        ".hidden (0 bytes)",
        "a/",
        "b.txt (4 bytes)",
        "c/",
        "a/deep/",
        "a/one.txt (1 bytes)",
        "c/two.txt (2 bytes)",
        "a/deep/er/",
        "a/deep/er/z.txt (0 bytes)",
    ];
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    assert_eq!(tree().text("list_files", json!({"path": ".git"})), "config (6 bytes)");
}

#[test]
fn links_are_marked_and_not_followed() {
    let outside = Folder::with([("secret", "")]);
    let folder = Folder::with([("dir/file", "")]);
    symlink(outside.root(), folder.path("out")).unwrap();
    symlink("dir", folder.path("in")).unwrap();
    symlink("..", folder.path("dir/up")).unwrap();
    symlink("nowhere", folder.path("broken")).unwrap();
    let text = folder.text("list_files", json!({"recursive": true}));
    assert_eq!(text, "broken@\ndir/\nin@\nout@\ndir/file (0 bytes)\ndir/up@");
}

#[test]
fn s4_what_is_ignored_is_marked_and_not_entered() {
    let folder = Folder::with([
        (".doguignore", "shut/\n*.log\n"),
        ("a.log", "1"),
        ("b.txt", "1"),
        ("c/.rooignore", "d\n"),
        ("c/d", ""),
        ("shut/in.txt", ""),
    ]);
    let text = folder.text("list_files", json!({"recursive": true}));
    let expected = [
        ".doguignore (12 bytes)",
        "a.log (ignored)",
        "b.txt (1 bytes)",
        "c/",
        "shut/ (ignored)",
        "c/.rooignore (2 bytes)",
        "c/d (ignored)",
    ];
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn a_socket_is_special() {
    let folder = Folder::new();
    let _socket = UnixListener::bind(folder.path("s")).unwrap();
    assert_eq!(folder.text("list_files", json!({})), "s (special)");
}

#[test]
fn past_1000_names_the_listing_says_so() {
    let folder = Folder::new();
    for n in 0..1_000 {
        folder.write(&format!("{n:04}"), "");
    }
    let text = folder.text("list_files", json!({}));
    assert_eq!(text.lines().count(), 1_000);
    assert_eq!(text.lines().last(), Some("0999 (0 bytes)"));
    for n in 1_000..1_007 {
        folder.write(&format!("{n:04}"), "");
    }
    let text = folder.text("list_files", json!({}));
    assert_eq!(text.lines().count(), 1_001);
    assert_eq!(
        text.lines().last(),
        Some(
            "(only 1000 of 1007 names, the nearest; the same call with \"limit\": 1007 shows all)"
        )
    );
}

#[test]
fn the_limit_leaves_out_far_names_before_near_ones() {
    let folder = Folder::with([("a/far/farther/x", ""), ("z", "")]);
    for n in 0..1_100 {
        folder.write(&format!("a/{n:04}"), "");
    }
    let text = folder.text("list_files", json!({"recursive": true}));
    let start = "a/ (105 names not shown)\nz (0 bytes)\na/0000 (0 bytes)\n";
    assert!(text.starts_with(start), "{}", &text[..80]);
    assert!(!text.contains("farther"));
    assert!(
        text.ends_with(
            "(only 1000 of 1105 names, the nearest; the same call with \"limit\": 1105 shows all)"
        ),
        "{text}"
    );
}

#[test]
fn an_empty_folder_says_so() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("empty")).unwrap();
    assert_eq!(folder.text("list_files", json!({"path": "empty"})), "(empty is empty)");
    assert_eq!(
        folder.text("list_files", json!({"path": "empty", "recursive": true})),
        "(empty is empty)"
    );
}

#[test]
fn a_file_or_nothing_instead_of_a_folder_is_told() {
    let folder = tree();
    assert_eq!(
        folder.error("list_files", json!({"path": "b.txt"})),
        "b.txt is not a folder\nread_file shows what is in a file."
    );
    assert_eq!(
        folder.error("list_files", json!({"path": "nope"})),
        "folder not found: nope\nlist_files shows what is there; `.` is the working folder."
    );
}

#[test]
fn a_folder_outside_the_workspace_is_asked_about() {
    let (folder, outside) = (Folder::new(), Folder::with([("secret-name", "")]));
    for path in [outside.root().to_str().unwrap(), "..", "/"] {
        let text = folder.dispatch("list_files", json!({"path": path})).to_text();
        assert!(text.contains("E_TOOL_DENIED"), "{text}");
        assert!(!text.contains("secret-name"), "{text}");
    }
}

#[test]
fn f14_what_git_ignores_and_what_may_hold_secrets_is_marked_and_not_entered() {
    let folder = Folder::with([
        (".git/HEAD", ""),
        (".gitignore", "target/\n*.log\n"),
        (".env", "TOKEN=1"),
        ("a.log", "12"),
        ("src/target/x", ""),
        ("target/debug/x", ""),
    ]);
    symlink("/etc", folder.path("b.log")).unwrap();
    let text = folder.text("list_files", json!({"recursive": true}));
    let expected = [
        ".env (7 bytes, may hold secrets)",
        ".git/",
        ".gitignore (14 bytes)",
        "a.log (2 bytes, ignored by git)",
        "b.log@ (ignored by git)",
        "src/",
        "target/ (ignored by git)",
        "src/target/ (ignored by git)",
    ];
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    assert_eq!(folder.text("list_files", json!({"path": "target"})), "debug/");
}

#[test]
fn f14_when_the_limit_bites_every_folder_of_the_first_level_is_shown_with_a_count() {
    let folder = Folder::new();
    for (name, files) in [("big", 40), ("middle", 7), ("small", 1), ("tiny", 0)] {
        std::fs::create_dir(folder.path(name)).unwrap();
        for n in 0..files {
            folder.write(&format!("{name}/in/{n:02}"), "");
        }
    }
    for n in 0..30 {
        folder.write(&format!("a-file-{n:02}"), "");
    }
    let text = folder.text("list_files", json!({"recursive": true, "limit": 3}));
    assert_eq!(
        text,
        "big/ (41 names not shown)\nmiddle/ (8 names not shown)\nsmall/ (2 names not shown)\ntiny/\n\
         (only 4 of 85 names, the nearest; the same call with \"limit\": 85 shows all)"
    );
    let text = folder.text("list_files", json!({"recursive": true, "limit": 40}));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 41);
    assert_eq!(lines[30], "big/ (37 names not shown)");
    assert_eq!(lines[32..34], ["small/ (1 name not shown)", "tiny/"]);
    assert_eq!(lines[34..38], ["big/in/", "middle/in/", "small/in/", "big/in/00 (0 bytes)"]);
    let all = folder.text("list_files", json!({"recursive": true, "limit": 85}));
    assert_eq!((all.lines().count(), all.contains("not shown")), (85, false));
}

#[test]
fn f14_what_no_limit_can_show_names_the_call_for_a_part() {
    let folder = Folder::new();
    for n in 0..5_100 {
        folder.write(&format!("many/{n}"), "");
    }
    folder.write("few/x", "");
    let text = folder.text("list_files", json!({"recursive": true, "limit": 10}));
    assert!(
        text.starts_with("few/\nmany/ (5093 names not shown)\nfew/x (0 bytes)\nmany/0 "),
        "{text}"
    );
    assert!(text.ends_with("(only 10 of 5103 names, the nearest; list_files {\"path\":\"many\",\"recursive\":true} shows more)"), "{text}");
    let text = folder.text("list_files", json!({"path": "many", "limit": 10}));
    assert!(text.ends_with("(only 10 of 5100 names, the nearest; glob with a pattern finds the others, such as glob {\"path\":\"many\",\"pattern\":\"/a*\"})"), "{text}");
}

#[test]
fn f14_more_folders_than_can_be_shown_are_counted() {
    let folder = Folder::new();
    for n in 0..1_200 {
        std::fs::create_dir(folder.path(&format!("{n:04}"))).unwrap();
    }
    let text = folder.text("list_files", json!({"limit": 5}));
    assert_eq!(text.lines().count(), 1_001);
    assert!(
        text.ends_with(
            "(only 1000 of 1200 names, the nearest; the same call with \"limit\": 1200 shows all)"
        ),
        "{text}"
    );
}

#[test]
fn f14_folders_whose_names_begin_alike_are_told_apart() {
    let folder = Folder::with([("a/x", ""), ("a-b/y", ""), ("a.c", "")]);
    let text = folder.text("list_files", json!({"recursive": true}));
    assert_eq!(text, "a/\na-b/\na.c (0 bytes)\na/x (0 bytes)\na-b/y (0 bytes)");
}

#[test]
fn f14_ls_is_the_same_by_another_name() {
    let folder = tree();
    for input in
        [json!({"dirPath": "a", "recursive": true}), json!({"path": "a", "recursive": true})]
    {
        let text = folder.dispatch("ls", input).to_text();
        let expected = "deep/\none.txt (1 bytes)\ndeep/er/\ndeep/er/z.txt (0 bytes)";
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn f14_whatever_a_file_is_called_it_is_one_line() {
    let folder = Folder::new();
    for name in [&b"a\nb"[..], b"\xff", b"esc\x1b[2J"] {
        std::fs::write(folder.root().join(std::ffi::OsStr::from_bytes(name)), "").unwrap();
    }
    let text = folder.text("list_files", json!({}));
    assert_eq!(
        text.lines().collect::<Vec<_>>(),
        [r#""a\nb" (0 bytes)"#, r#""esc\u{1b}[2J" (0 bytes)"#, r#""\xff" (0 bytes)"#]
    );
}
