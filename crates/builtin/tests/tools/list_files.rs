//! `list_files`.

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
        Some("(only the first 1000 names; at least 7 more were left out: list a folder below)")
    );
}

#[test]
fn the_limit_leaves_out_far_names_before_near_ones() {
    let folder = Folder::with([("a/far/farther/x", ""), ("z", "")]);
    for n in 0..1_100 {
        folder.write(&format!("a/{n:04}"), "");
    }
    let text = folder.text("list_files", json!({"recursive": true}));
    assert!(text.starts_with("a/\nz (0 bytes)\na/0000 (0 bytes)\n"), "{}", &text[..80]);
    assert!(!text.contains("farther"));
    assert!(text.ends_with("at least 103 more were left out: list a folder below)"), "{text}");
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
        "b.txt is not a folder, or is inside something that is not\nread_file shows what is in a file."
    );
    assert_eq!(folder.error("list_files", json!({"path": "nope"})), "folder not found: nope");
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
