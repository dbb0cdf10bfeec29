//! `write_file`.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use dogu_tool::text::REDACTION_MARK;
use serde_json::json;

use crate::support::Folder;

#[test]
fn f5_a_file_is_created_and_then_replaced() {
    let folder = Folder::new();
    let input = json!({"path": "a.txt", "content": "one\n"});
    assert_eq!(folder.text("write_file", input), "Created a.txt (4 bytes).");
    assert_eq!(folder.read("a.txt"), "one\n");
    let input = json!({"path": "a.txt", "content": "three\n"});
    assert_eq!(folder.text("write_file", input), "Replaced a.txt (4 → 6 bytes).");
    assert_eq!(folder.read("a.txt"), "three\n");
    assert_eq!(folder.names(), ["a.txt"], "nothing is left behind");
}

#[test]
fn f5_the_content_may_be_empty() {
    let folder = Folder::with([("a.txt", "old")]);
    let input = json!({"path": "a.txt", "content": ""});
    assert_eq!(folder.text("write_file", input), "Replaced a.txt (3 → 0 bytes).");
    assert_eq!(folder.read("a.txt"), "");
}

#[test]
fn the_content_is_written_as_it_is() {
    let content = "a\r\nb\u{0}\u{1b}[2J \t\u{feff}한글 no newline";
    let folder = Folder::new();
    folder.text("write_file", json!({"path": "a", "content": content}));
    assert_eq!(folder.read("a"), content);
}

#[test]
fn f5_folders_on_the_way_are_made_unless_it_is_said_not_to() {
    let folder = Folder::new();
    let without = json!({"path": "x/y/a", "content": "", "create_directories": false});
    assert_eq!(folder.error("write_file", without), "the folder of x/y/a does not exist");
    assert!(folder.names().is_empty(), "{:?}", folder.names());
    for path in ["x/y/a", "z/a"] {
        folder.text("write_file", json!({"path": path, "content": "", "create_directories": true}));
        assert_eq!(folder.read(path), "");
    }
    folder.text("write_file", json!({"path": "q/r", "content": "by default"}));
    assert_eq!(folder.read("q/r"), "by default");
}

#[test]
fn the_mode_of_a_file_is_kept() {
    let folder = Folder::with([("run.sh", "old")]);
    let path = folder.path("run.sh");
    for mode in [0o751, 0o600] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        folder.text("write_file", json!({"path": "run.sh", "content": "new"}));
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o7777, mode);
    }
}

#[test]
fn a_read_only_file_is_left_alone() {
    let folder = Folder::with([("a.txt", "kept")]);
    let path = folder.path("a.txt");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    let error = folder.error("write_file", json!({"path": "a.txt", "content": "new"}));
    assert_eq!(error, "a.txt is read-only; nothing was written");
    assert_eq!(folder.read("a.txt"), "kept");
    assert_eq!(folder.names(), ["a.txt"]);
}

#[test]
fn a_folder_or_a_file_in_the_way_is_told() {
    let folder = Folder::with([("file", "kept"), ("dir/inner", "kept")]);
    for (path, expected) in [
        ("dir", "dir is a folder, not a file"),
        ("file/a", "file/a is not a folder, or is inside something that is not"),
    ] {
        let error = folder.error("write_file", json!({"path": path, "content": "new"}));
        assert_eq!(error, expected);
    }
    assert_eq!((folder.read("file"), folder.read("dir/inner")), ("kept".into(), "kept".into()));
    assert_eq!(folder.names(), ["dir", "file"]);
}

#[test]
fn a_redacted_secret_is_not_written_back() {
    let folder = Folder::with([("config", "token=the real one")]);
    let content = format!("token={REDACTION_MARK}api key⟧\nmore\n");
    for path in ["config", "new"] {
        let error = folder.error("write_file", json!({"path": path, "content": content.clone()}));
        assert!(error.contains("stands for a secret that you were not shown"), "{error}");
        assert!(error.contains("ask the user"), "{error}");
    }
    assert_eq!(folder.read("config"), "token=the real one");
    assert_eq!(folder.names(), ["config"]);
}

#[test]
fn names_may_be_of_any_script_and_hold_spaces() {
    for name in ["도구.txt", "名前 с пробелом", "e\u{301}", "🦀", "-rf", "a'b\"c"] {
        let folder = Folder::new();
        folder.text("write_file", json!({"path": name, "content": name}));
        assert_eq!(folder.read(name), name);
        assert_eq!(folder.names(), [name]);
        assert_eq!(folder.text("read_file", json!({"path": name})), format!("     1\t{name}\n"));
    }
}

#[test]
fn paths_that_can_be_no_file_are_refused() {
    let folder = Folder::new();
    let folder_name = folder.error("write_file", json!({"path": "dir/", "content": "x"}));
    assert!(folder_name.starts_with("dir/ names a folder, not a file"), "{folder_name}");
    for path in ["", "a\0b", ".", "dir/", "..", &"x".repeat(300)] {
        folder.error("write_file", json!({"path": path, "content": "x"}));
        assert!(folder.names().is_empty(), "{path:?} left {:?}", folder.names());
    }
}

#[test]
fn a_link_is_written_through_inside_the_workspace_and_asked_about_outside() {
    let outside = Folder::with([("target", "kept")]);
    let folder = Folder::with([("real", "old")]);
    symlink("real", folder.path("link")).unwrap();
    symlink(outside.path("target"), folder.path("out")).unwrap();
    folder.text("write_file", json!({"path": "link", "content": "new"}));
    assert_eq!(folder.read("real"), "new");
    assert!(folder.path("link").is_symlink());
    let refused = folder.dispatch("write_file", json!({"path": "out", "content": "new"}));
    assert!(refused.to_text().contains("E_TOOL_DENIED"), "{}", refused.to_text());
    assert_eq!(outside.read("target"), "kept");
}
