//! `apply_diff` and `multi_apply_diff`.

use serde_json::json;

use crate::support::Folder;

const LIST: &str = "one\ntwo\nthree\ntwo\nfive\n";

fn block(head: &str, search: &str, replace: &str) -> String {
    format!("<<<<<<< SEARCH\n{head}{search}\n=======\n{replace}\n>>>>>>> REPLACE\n")
}

#[test]
fn f9_a_line_hint_decides_between_equal_places_and_nothing_else() {
    let folder = Folder::with([("a.txt", LIST)]);
    let error = folder.error("apply_diff", json!({"path": "a.txt", "diff": block("", "two", "2")}));
    assert!(error.contains('2') && error.contains('4'), "{error}");
    let hinted = block(":start_line:4\n-------\n", "two", "2");
    folder.text("apply_diff", json!({"path": "a.txt", "diff": hinted}));
    assert_eq!(folder.read("a.txt"), "one\ntwo\nthree\n2\nfive\n");
    // A wrong hint does not hide the only place.
    let wrong = block(":start_line:1\n-------\n", "five", "5");
    folder.text("apply_diff", json!({"path": "a.txt", "diff": wrong}));
    assert_eq!(folder.read("a.txt"), "one\ntwo\nthree\n2\n5\n");
}

#[test]
fn f9_all_blocks_that_fail_are_told_with_the_nearest_text() {
    let folder = Folder::with([("a.txt", "the quick brown fox\njumps over\nthe lazy dog\n")]);
    let diff = block("", "the quick brawn fix", "x")
        + &block("", "jumps over", "leaps over")
        + &block("", "the crazy frog", "y");
    let error = folder.error("apply_diff", json!({"path": "a.txt", "diff": diff}));
    assert!(error.starts_with("a.txt: 2 of 3 blocks could not be applied"), "{error}");
    for said in ["block 1", "block 3", "the quick brown fox", "%"] {
        assert!(error.contains(said), "{said}: {error}");
    }
    assert!(folder.read("a.txt").contains("jumps over"), "one block was applied alone");
}

#[test]
fn f9_markers_in_the_content_are_escaped() {
    let conflict = "a\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch\nb\n";
    let folder = Folder::with([("a.txt", conflict)]);
    let search = "\\<<<<<<< HEAD\nours\n\\=======\ntheirs\n\\>>>>>>> branch";
    folder.text("apply_diff", json!({"path": "a.txt", "diff": block("", search, "both")}));
    assert_eq!(folder.read("a.txt"), "a\nboth\nb\n");
}

#[test]
fn f9_a_diff_that_is_none_is_refused_with_its_form() {
    let folder = Folder::with([("a.txt", LIST)]);
    let cases = ["", "just text", "<<<<<<< SEARCH\none\n=======\n", "=======\n>>>>>>> REPLACE\n"];
    for diff in cases {
        let error = folder.error("apply_diff", json!({"path": "a.txt", "diff": diff}));
        assert!(error.contains("SEARCH") || error.contains("REPLACE"), "{diff:?}: {error}");
    }
    assert_eq!(folder.read("a.txt"), LIST);
}

#[test]
fn f10_many_files_are_changed_together() {
    let folder = Folder::with([("a.txt", LIST), ("b/c.txt", LIST)]);
    let files = json!([
        {"path": "a.txt", "diff": block("", "one", "1")},
        {"path": "b/c.txt", "diff": [{"content": block("", "two", "2"), "start_line": 2}]},
    ]);
    let text = folder.text("multi_apply_diff", json!({"files": files}));
    assert!(text.starts_with("Edited a.txt.\nEdited b/c.txt."), "{text}");
    assert_eq!(folder.read("a.txt"), LIST.replace("one", "1"));
    assert_eq!(folder.read("b/c.txt"), "one\n2\nthree\ntwo\nfive\n");
}

#[test]
fn f10_one_file_that_fails_is_told_apart_from_the_others_and_none_is_changed() {
    let folder = Folder::with([("a.txt", LIST), ("b.txt", LIST)]);
    let files = json!([
        {"path": "a.txt", "diff": block("", "one", "1")},
        {"path": "b.txt", "diff": block("", "nothing like it", "1")},
        {"path": "missing.txt", "diff": block("", "one", "1")},
    ]);
    let error = folder.error("multi_apply_diff", json!({"files": files}));
    assert!(error.starts_with("2 of 3 files cannot be changed, so none was"), "{error}");
    for said in ["b.txt: ", "missing.txt: there is no file", "a.txt: could be changed"] {
        assert!(error.contains(said), "{said}: {error}");
    }
    assert_eq!(folder.read("a.txt"), LIST);
}
