//! `apply_patch`, `delete_file` and `move_file`.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use crate::support::Folder;

fn patch(body: &str) -> serde_json::Value {
    json!({"patch": format!("*** Begin Patch\n{body}*** End Patch\n")})
}

fn some() -> Folder {
    Folder::with([("a.py", "def f():\n    pass\n\ndef g():\n    pass\n"), ("old.txt", "x\n")])
}

#[test]
fn f11_files_are_added_updated_deleted_and_moved_together() {
    let folder = some();
    std::fs::set_permissions(folder.path("a.py"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let body = "*** Add File: new/n.txt\n+one\n+two\n*** Update File: a.py\n*** Move to: lib/b.py\n@@ def g():\n-    pass\n+    return 1\n*** Delete File: old.txt\n";
    let text = folder.text("apply_patch", patch(body));
    for said in ["Created new/n.txt", "Moved lib/b.py (from a.py), changed", "Deleted old.txt"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert_eq!(folder.read("new/n.txt"), "one\ntwo\n");
    assert_eq!(folder.read("lib/b.py"), "def f():\n    pass\n\ndef g():\n    return 1\n");
    let mode = std::fs::metadata(folder.path("lib/b.py")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755, "the mode went along");
    assert_eq!(folder.names(), ["lib", "new"]);
}

#[test]
fn f11_a_unified_diff_with_wrong_numbers_is_applied() {
    let folder = some();
    let diff = "--- a/a.py\n+++ b/a.py\n@@ -40,3 +40,9 @@\n def g():\n-    pass\n+    return 2\n";
    folder.text("apply_patch", json!({"patch": diff}));
    assert_eq!(folder.read("a.py"), "def f():\n    pass\n\ndef g():\n    return 2\n");
}

#[test]
fn f11_what_does_not_fit_is_told_and_nothing_is_written() {
    let refused = [
        ("*** Update File: a.py\n@@ def h():\n-    pass\n+    x\n", "def h():"),
        ("*** Update File: a.py\n@@\n-    pass\n+    x\n", "2, 5"),
        ("*** Update File: none.py\n@@\n-a\n+b\n", "there is no file none.py"),
        ("*** Add File: a.py\n+x\n", "a.py is there already"),
        ("*** Delete File: none.py\n", "there is no file none.py"),
        (
            "*** Update File: a.py\n*** Move to: old.txt\n@@ def g():\n-    pass\n+    x\n",
            "old.txt",
        ),
        ("*** Delete File: a.py\n*** Add File: a.py\n+x\n", "twice"),
    ];
    for (body, said) in refused {
        let folder = some();
        let body = format!("*** Add File: first.txt\n+x\n{body}");
        let error = folder.error("apply_patch", patch(&body));
        assert!(error.contains(said), "{said}: {error}");
        assert_eq!(folder.names(), ["a.py", "old.txt"], "{body}");
        assert_eq!(folder.read("old.txt"), "x\n");
    }
    let error = some().error("apply_patch", json!({"patch": "hello"}));
    assert!(error.contains("this is no patch"), "{error}");
}

#[test]
fn every_path_of_a_patch_is_judged() {
    let folder = some();
    for body in [
        "*** Add File: ../out.txt\n+x\n",
        "*** Update File: a.py\n*** Move to: ../out.py\n@@ def g():\n-    pass\n+    x\n",
        "*** Update File: a.py\n*** Move to: /tmp/dogu-out.py\n",
        "*** Delete File: ../../etc/passwd\n",
    ] {
        let result = folder.dispatch("apply_patch", patch(body));
        assert!(result.error.is_some(), "{body}");
    }
    assert_eq!(folder.names(), ["a.py", "old.txt"]);
}

#[test]
fn a_file_is_deleted_and_a_folder_is_not() {
    let folder = Folder::with([("a.txt", "x"), ("dir/b", "y")]);
    assert_eq!(folder.text("delete_file", json!({"path": "a.txt"})), "Deleted a.txt (1 bytes).");
    for (path, said) in [("dir", "is a folder"), ("none", "there is no file none")] {
        let error = folder.error("delete_file", json!({"path": path}));
        assert!(error.contains(said), "{error}");
    }
    assert_eq!(folder.names(), ["dir"]);
}

#[test]
fn a_file_is_moved_and_nothing_is_overwritten() {
    let folder = Folder::with([("a.bin", "\0\u{1}x"), ("b.txt", "y"), ("dir/c", "z")]);
    let go =
        |source: &str, destination: &str| json!({"source": source, "destination": destination});
    folder.text("move_file", go("a.bin", "deep/er/a.bin"));
    assert_eq!(folder.read("deep/er/a.bin"), "\0\u{1}x");
    for (source, target, said) in [
        ("b.txt", "dir/c", "is there already"),
        ("b.txt", "b.txt", "is there already"),
        ("none", "d", "there is no file none"),
        ("dir", "dir2", "is a folder"),
    ] {
        let error = folder.error("move_file", go(source, target));
        assert!(error.contains(said), "{error}");
    }
    assert_eq!(folder.names(), ["b.txt", "deep", "dir"]);
    assert_eq!(folder.read("dir/c"), "z");
}
