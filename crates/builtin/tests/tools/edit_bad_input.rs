//! What cannot be right is refused with the reason, and nothing is written.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::json;

use crate::support::Folder;

#[test]
fn texts_that_cannot_be_meant() {
    for (old, new, said) in [
        ("", "x", "empty"),
        ("a", "a", "same"),
        ("  \n\t", "x", "space"),
        ("not in the file", "x", "not"),
    ] {
        let folder = Folder::with([("a.txt", "a\n  \n\tb\n")]);
        let input = json!({"path": "a.txt", "old_string": old, "new_string": new});
        let error = folder.error("edit_file", input);
        assert!(error.contains(said), "{old:?}: {error}");
        assert_eq!(folder.read("a.txt"), "a\n  \n\tb\n");
    }
}

#[test]
fn files_that_cannot_be_edited() {
    let folder = Folder::with([("dir/x", ""), ("locked", "old\n")]);
    folder.write("binary", b"\x7fELF\0\0old\0\x01\xff");
    std::fs::set_permissions(folder.path("locked"), std::fs::Permissions::from_mode(0o444))
        .unwrap();
    let large = std::fs::File::create(folder.path("large")).unwrap();
    large.set_len(200 * 1024 * 1024).unwrap();
    for (path, said) in [
        ("none", "there is no file none"),
        ("dir", "dir is a folder"),
        ("binary", "binary is not text"),
        ("large", "too large to be edited (209 MB, at most 33 MB)"),
        ("locked", "read-only"),
    ] {
        let input = json!({"path": path, "old_string": "old", "new_string": "new"});
        let error = folder.error("edit_file", input);
        assert!(error.contains(said), "{path}: {error}");
    }
    assert_eq!(folder.read("locked"), "old\n");
    assert_eq!(folder.names(), ["binary", "dir", "large", "locked"]);
}

#[test]
fn a_link_out_of_the_roots_is_refused_and_one_within_keeps_its_place() {
    let outside = Folder::with([("secret.txt", "old\n")]);
    let folder = Folder::with([("real.txt", "old\n")]);
    symlink(outside.path("secret.txt"), folder.path("out.txt")).unwrap();
    symlink("real.txt", folder.path("link.txt")).unwrap();
    let edit = |path: &str| json!({"path": path, "old_string": "old", "new_string": "new"});
    let result = folder.dispatch("edit_file", edit("out.txt"));
    assert!(result.error.is_some(), "{}", result.to_text());
    assert_eq!(outside.read("secret.txt"), "old\n");
    folder.text("edit_file", edit("link.txt"));
    assert_eq!(folder.read("real.txt"), "new\n");
    assert!(folder.path("link.txt").is_symlink());
}

#[test]
fn a_mark_of_a_secret_is_not_written_by_any_edit() {
    let mark = format!("{}api key⟧", dogu_tool::text::REDACTION_MARK);
    let folder = Folder::with([("a.txt", "token=real\n")]);
    let block = format!("<<<<<<< SEARCH\ntoken=real\n=======\ntoken={mark}\n>>>>>>> REPLACE\n");
    let patch = format!(
        "*** Begin Patch\n*** Update File: a.txt\n@@\n-token=real\n+token={mark}\n*** End Patch\n"
    );
    for (tool, input) in [
        ("edit_file", json!({"path": "a.txt", "old_string": "real", "new_string": mark})),
        ("apply_diff", json!({"path": "a.txt", "diff": block})),
        ("apply_patch", json!({"patch": patch})),
    ] {
        let error = folder.error(tool, input);
        assert!(error.contains("stands for a secret"), "{tool}: {error}");
        assert_eq!(folder.read("a.txt"), "token=real\n");
    }
}
