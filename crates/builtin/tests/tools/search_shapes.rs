//! `search_files` and `grep_search`: `grep` in the shapes of others.

use dogu_tool::Exposure;
use serde_json::json;

use crate::support::{Folder, tool};

fn tree() -> Folder {
    Folder::with([
        ("src/a.ts", "one\nTODO first\nthree\n4\n5\n6\nTODO second\n"),
        ("src/b.rs", "TODO rust  \n"),
    ])
}

#[test]
fn f16_results_come_by_file_with_a_line_of_context() {
    let text = tree().text("search_files", json!({"path": "src", "regex": "TODO"}));
    assert_eq!(
        text,
        "Found 3 results.\n\n# src/a.ts\n  1 | one\n  2 | TODO first\n  3 | three\n----\n  6 | 6\n  7 | TODO second\n----\n\n# src/b.rs\n  1 | TODO rust\n----\n\n(3 matching lines in 2 files; 2 files searched)\n"
    );
}

#[test]
fn f16_a_file_pattern_of_null_means_all_files() {
    let folder = tree();
    let all =
        folder.text("search_files", json!({"path": ".", "regex": "TODO", "file_pattern": null}));
    assert!(all.starts_with("Found 3 results.\n"), "{all}");
    let some =
        folder.text("search_files", json!({"path": ".", "regex": "TODO", "file_pattern": "*.rs"}));
    assert!(some.starts_with("Found 1 result.\n\n# src/b.rs\n"), "{some}");
    let result = folder
        .dispatch("search_files", json!({"path": ".", "regex": "TODO", "file_pattern": null}));
    assert!(result.to_text().starts_with("Found 3 results."), "{}", result.to_text());
}

#[test]
fn f16_a_bad_regex_is_an_error_and_nothing_found_is_not() {
    let folder = tree();
    let error = folder.error("search_files", json!({"path": ".", "regex": "("}));
    assert!(error.contains("unclosed group"), "{error}");
    let text = folder.text("search_files", json!({"path": ".", "regex": "absent"}));
    assert_eq!(text, "Found 0 results.\n\nNo matches for \"absent\" in . (2 files searched).\n");
}

#[test]
fn f16_at_most_300_results_are_shown_and_the_rest_is_counted() {
    let folder = Folder::new();
    folder.write("a.txt", "a\nhit\nb\nc\n".repeat(500));
    let text = folder.text("search_files", json!({"path": ".", "regex": "hit"}));
    assert!(text.starts_with("Found 500 results.\n"), "{text}");
    assert_eq!(text.matches(" | hit\n").count(), 300);
    assert!(text.contains("(lines 1-900 of 1500 shown; narrow the search"), "{text}");
}

#[test]
fn f17_results_are_file_line_text() {
    let text = tree().text("grep_search", json!({"pattern": "TODO", "path": "src"}));
    assert_eq!(
        text,
        "src/a.ts:2: TODO first\nsrc/a.ts:7: TODO second\nsrc/b.rs:1: TODO rust  \n(3 matching lines in 2 files; 2 files searched)\n"
    );
}

#[test]
fn f17_path_and_file_pattern_are_optional_and_query_is_a_pattern() {
    let folder = tree();
    let result = folder.dispatch("grep_search", json!({"query": "TODO", "filePattern": "*.rs"}));
    assert!(result.to_text().starts_with("src/b.rs:1: TODO rust  \n("), "{}", result.to_text());
    let text =
        folder.text("grep_search", json!({"pattern": "TODO", "path": null, "filePattern": null}));
    assert!(text.contains("(3 matching lines in 2 files"), "{text}");
}

#[test]
fn f17_nothing_found_and_a_bad_regex_are_told_apart() {
    let folder = tree();
    let text = folder.text("grep_search", json!({"pattern": "absent"}));
    assert!(text.starts_with("No matches for \"absent\""), "{text}");
    let error = folder.error("grep_search", json!({"pattern": "*"}));
    assert!(error.contains("\n    *\n    ^\n"), "{error}");
}

#[test]
fn f16_f17_the_shapes_of_others_do_not_clutter_the_catalog() {
    for name in ["search_files", "grep_search"] {
        assert_eq!(tool(name).spec().exposure, Exposure::Deferred);
    }
    assert_eq!(tool("grep").spec().exposure, Exposure::Direct);
}
