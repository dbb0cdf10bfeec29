//! `edit_file`, its other names, `multi_edit` and `search_and_replace`.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::Folder;

const CODE: &str = "fn main() {\n\tlet a = 1;\n\tlet b = 2;\n}\n";

/// The same edit in the words of each tool that makes one.
fn shapes(path: &str, old: &str, new: &str) -> [(&'static str, Value); 6] {
    let named = |name: &str| json!({name: path, "old_string": old, "new_string": new});
    let edits = json!([{"old_string": old, "new_string": new}]);
    let operations = json!([{"search": old, "replace": new}]);
    [
        ("edit_file", named("path")),
        ("edit", named("file_path")),
        ("search_replace", named("file_path")),
        ("single_find_and_replace", named("filepath")),
        ("multi_edit", json!({"path": path, "edits": edits})),
        ("search_and_replace", json!({"path": path, "operations": operations})),
    ]
}

#[test]
fn f6_f7_f12_one_match_is_replaced_whatever_the_tool_is_called() {
    for (tool, input) in shapes("a.rs", "let a = 1;", "let a = $& + 1;") {
        let folder = Folder::with([("a.rs", CODE)]);
        folder.text(tool, input);
        assert_eq!(folder.read("a.rs"), CODE.replace("a = 1", "a = $& + 1"), "{tool}");
        assert_eq!(folder.names(), ["a.rs"]);
    }
}

#[test]
fn f6_f7_f12_no_match_and_two_matches_are_refused_and_nothing_is_written() {
    for (old, said) in [("let c = 3;", "let a = 1;"), ("let ", "2, 3")] {
        for (tool, input) in shapes("a.rs", old, "x") {
            let folder = Folder::with([("a.rs", CODE)]);
            let error = folder.error(tool, input);
            assert!(error.contains(said), "{tool}: {error}");
            assert!(error.len() < 1_200, "{error}");
            assert_eq!(folder.read("a.rs"), CODE, "{tool}");
        }
    }
}

#[test]
fn the_answer_has_the_diff_and_how_the_place_was_found() {
    let folder = Folder::with([("a.rs", CODE)]);
    let input = json!({"path": "a.rs", "old_string": "    let a = 1;\n    let b = 2;", "new_string": "    let a = 1;\n    let c = 3;\n    let b = 2;"});
    assert_snapshot!(folder.text("edit_file", input), @"
    Edited a.rs.
    (not exactly as sent: the indentation differed, the file's was kept)

    --- a/a.rs
    +++ b/a.rs
    @@ -1,4 +1,5 @@
     fn main() {
     	let a = 1;
    +	let c = 3;
     	let b = 2;
     }
    ");
}

#[test]
fn f6_replace_all_and_expected_replacements() {
    let folder = Folder::with([("a.txt", "x y x y x\n")]);
    let edit = |more: Value| {
        let mut input = json!({"path": "a.txt", "old_string": "x", "new_string": "z"});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        input
    };
    for more in [json!({"expected_replacements": 2}), json!({"expected_replacements": 1})] {
        let error = folder.error("edit_file", edit(more));
        assert!(error.contains('3'), "{error}");
    }
    let text = folder.text("edit_file", edit(json!({"expected_replacements": 3})));
    assert!(text.starts_with("Edited a.txt in 3 places."), "{text}");
    assert_eq!(folder.read("a.txt"), "z y z y z\n");
    folder.write("a.txt", "x y x\n");
    folder.text("edit_file", edit(json!({"replace_all": true})));
    assert_eq!(folder.read("a.txt"), "z y z\n");
}

#[test]
fn f8_f12_several_edits_are_made_in_order_all_or_none() {
    let folder = Folder::with([("a.rs", CODE)]);
    let edits = json!([
        {"old_string": "let a = 1;", "new_string": "let c = 1;"},
        {"old_string": "let c = 1;", "new_string": "let d = 1;"},
    ]);
    folder.text("multi_edit", json!({"path": "a.rs", "edits": edits}));
    assert_eq!(folder.read("a.rs"), CODE.replace("let a", "let d"));
    let operations = json!([
        {"search": "let d = 1;", "replace": "let e = 1;"},
        {"search": "no such line", "replace": ""},
    ]);
    let before = folder.read("a.rs");
    let input = json!({"path": "a.rs", "operations": operations});
    let error = folder.error("search_and_replace", input);
    assert!(error.starts_with("edit 2 of 2: "), "{error}");
    assert!(error.contains("none of the edits was made"), "{error}");
    assert_eq!(folder.read("a.rs"), before);
}

#[test]
fn what_was_done_before_is_told_and_not_done_again() {
    let folder = Folder::with([("a.rs", CODE)]);
    let input = json!({"path": "a.rs", "old_string": "\tlet a = 1;\n\tlet b = 2;", "new_string": "\tlet a = 10;\n\tlet b = 20;"});
    folder.text("edit_file", input.clone());
    let after = folder.read("a.rs");
    let again = folder.text("edit_file", input);
    assert_eq!(again, "(line 2 of a.rs has the new text already)");
    assert_eq!(folder.read("a.rs"), after);
}

#[test]
fn a_dry_run_shows_the_diff_and_writes_nothing() {
    let folder = Folder::with([("a.rs", CODE)]);
    let input =
        json!({"path": "a.rs", "old_string": "a = 1", "new_string": "a = 2", "dry_run": true});
    let text = folder.text("edit_file", input);
    assert!(text.starts_with("Nothing was written: this is a dry run.\nEdited a.rs."), "{text}");
    assert!(text.contains("+\tlet a = 2;"), "{text}");
    assert_eq!(folder.read("a.rs"), CODE);
}

#[test]
fn syntax_that_was_sound_and_is_not_any_more_is_warned_of() {
    let folder = Folder::with([("a.rs", CODE), ("bad.rs", "fn (\nlet a = 1;\n")]);
    let edit = |path: &str, old: &str, new: &str| {
        folder.text("edit_file", json!({"path": path, "old_string": old, "new_string": new}))
    };
    let text = edit("a.rs", "let b = 2;\n}", "let b = (2;\n}");
    assert!(
        text.contains("(warning: a.rs was sound Rust before and is not any more: line 3"),
        "{text}"
    );
    let text = edit("bad.rs", "let a = 1;", "let a = 2;");
    assert!(!text.contains("warning"), "{text}");
}

#[test]
fn the_structured_answer_names_the_level() {
    let folder = Folder::with([("a.rs", CODE)]);
    let input = json!({"path": "a.rs", "old_string": "let  a = 1;", "new_string": "let a = 3;"});
    let output = folder.run("edit_file", input).unwrap().structured.unwrap();
    assert_eq!(output["status"], "applied");
    assert_eq!(output["files"][0]["edits"][0]["level"], "squashed");
    assert_eq!(output["files"][0]["edits"][0]["line"], 2);
}
