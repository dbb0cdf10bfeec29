//! The three modes, context, and the forms of matching.

use serde_json::json;

use super::{content, entries};
use crate::support::Folder;

fn tree() -> Folder {
    Folder::with([
        ("src/b.rs", "fn two() {}\nlet x = one();\n"),
        ("src/a.rs", "fn one() {}\n\nfn two() {\n    one();\n}\nend"),
        ("notes.md", "One day.\n"),
    ])
}

#[test]
fn f18_files_with_matches_is_the_default_and_sorted_by_path() {
    let text = tree().text("grep", json!({"pattern": "one"}));
    assert_eq!(text, "src/a.rs\nsrc/b.rs\n(2 files of 3 searched match)\n");
}

#[test]
fn f18_a_folder_stands_where_its_name_does() {
    let names = ["a-b", "a.rs", "a/z", "b"];
    let text = Folder::with(names.map(|name| (name, "x\n"))).text("grep", json!({"pattern": "x"}));
    assert_eq!(entries(&text), ["a/z", "a-b", "a.rs", "b"]);
}

#[test]
fn f18_content_shows_lines_as_rg_does() {
    let text = content(&tree(), json!({"pattern": r"\bone\("}));
    assert_eq!(
        text,
        "src/a.rs:1:fn one() {}\nsrc/a.rs:4:    one();\nsrc/b.rs:2:let x = one();\n(3 matching lines in 2 files; 3 files searched)\n"
    );
}

#[test]
fn f18_count_shows_matching_lines_of_each_file() {
    let text = tree().text("grep", json!({"pattern": "one", "output_mode": "count"}));
    assert_eq!(text, "src/a.rs:2\nsrc/b.rs:1\n(3 matching lines in 2 files; 3 files searched)\n");
}

#[test]
fn f18_context_lines_have_dashes_and_groups_are_apart() {
    let folder = Folder::with([("a", "1\nx\n3\n4\n5\n6\nx\n8\n")]);
    let text = content(&folder, json!({"pattern": "x", "context": 1}));
    assert_eq!(entries(&text), ["a-1-1", "a:2:x", "a-3-3", "--", "a-6-6", "a:7:x", "a-8-8"]);
    let text = content(&folder, json!({"pattern": "x", "before": 1}));
    assert_eq!(entries(&text), ["a-1-1", "a:2:x", "--", "a-6-6", "a:7:x"]);
    let text = content(&folder, json!({"pattern": "x", "after": 1, "context": 0}));
    assert_eq!(entries(&text), ["a:2:x", "a-3-3", "--", "a:7:x", "a-8-8"]);
    let text = content(&folder, json!({"pattern": "x", "context": 2}));
    assert!(!text.contains("--\n"), "groups that touch are one: {text}");
}

#[test]
fn f18_context_counts_only_where_lines_are_shown() {
    let folder = Folder::with([("a", "1\nx\n3\n")]);
    let input = json!({"pattern": "x", "context": 1, "output_mode": "count"});
    assert_eq!(entries(&folder.text("grep", input)), ["a:1"]);
}

#[test]
fn f18_line_numbers_can_be_left_out() {
    let folder = Folder::with([("a", "1\nx\n")]);
    let text = content(&folder, json!({"pattern": "x", "before": 1, "line_numbers": false}));
    assert_eq!(entries(&text), ["a-1", "a:x"]);
}

#[test]
fn f18_case_modes() {
    let folder = Folder::with([("a", "One\none\n")]);
    let count = |input| entries(&folder.text("grep", input)).concat();
    let with = |pattern: &str, case: &str| json!({"pattern": pattern, "case": case, "output_mode": "count"});
    assert_eq!(count(with("one", "sensitive")), "a:1");
    assert_eq!(count(with("one", "insensitive")), "a:2");
    assert_eq!(count(with("one", "smart")), "a:2");
    assert_eq!(count(with("One", "smart")), "a:1");
    let ignored = json!({"pattern": "ONE", "ignore_case": true, "output_mode": "count"});
    assert_eq!(count(ignored), "a:2");
}

#[test]
fn f18_fixed_strings_words_and_inversion() {
    let folder = Folder::with([("a", "f(x)\nfoo\nfoobar\n")]);
    let text = content(&folder, json!({"pattern": "f(x)", "fixed_strings": true}));
    assert_eq!(entries(&text), ["a:1:f(x)"]);
    let text = content(&folder, json!({"pattern": "foo", "word": true}));
    assert_eq!(entries(&text), ["a:2:foo"]);
    let text = content(&folder, json!({"pattern": "foo", "invert": true}));
    assert_eq!(entries(&text), ["a:1:f(x)"]);
}

#[test]
fn f18_a_pattern_may_span_lines() {
    let folder = Folder::with([("a", "begin\nmiddle\nend\nx\nbegin end\n")]);
    let text = content(&folder, json!({"pattern": "begin.*?end", "multiline": true}));
    assert_eq!(entries(&text), ["a:1:begin", "a:2:middle", "a:3:end", "a:5:begin end"]);
    assert!(text.contains("(2 matches in 1 file; 1 file searched)"), "{text}");
    let input = json!({"pattern": "begin.*?end", "multiline": true, "output_mode": "count"});
    assert_eq!(entries(&folder.text("grep", input)), ["a:2"]);
}

#[test]
fn f18_a_file_can_be_named() {
    let folder = tree();
    let text = content(&folder, json!({"pattern": "two", "path": "src/a.rs", "glob": "*.py"}));
    assert_eq!(entries(&text), ["src/a.rs:3:fn two() {"]);
}

#[test]
fn f18_paths_are_shown_from_the_working_folder() {
    let folder = tree();
    for path in ["src", "src/", "./src", folder.path("src").to_str().unwrap()] {
        let text = folder.text("grep", json!({"pattern": "one", "path": path}));
        assert_eq!(entries(&text), ["src/a.rs", "src/b.rs"], "{path}");
    }
}

#[test]
fn f18_line_ends_are_no_part_of_a_line() {
    let folder = Folder::with([("a", "one\r\ntwo\r\n")]);
    let text = content(&folder, json!({"pattern": "o"}));
    assert_eq!(entries(&text), ["a:1:one", "a:2:two"]);
    assert!(!text.contains('\r'));
}

#[test]
fn f18_utf16_is_searched_as_text() {
    let folder = Folder::new();
    let text: Vec<u8> =
        "\u{feff}one é\r\ntwo\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    folder.write("a.txt", text);
    let text = content(&folder, json!({"pattern": "é"}));
    assert_eq!(entries(&text), ["a.txt:1:one é"]);
}

#[test]
fn f18_bytes_that_are_not_utf8_are_shown_and_said_so() {
    let folder = Folder::new();
    folder.write("a.txt", b"caf\xe9 x\n");
    let text = content(&folder, json!({"pattern": "x"}));
    assert_eq!(entries(&text), ["a.txt:1:caf\u{fffd} x"]);
    assert!(text.contains("not UTF-8"), "{text}");
}

#[test]
fn f18_long_lines_are_cut_around_the_match() {
    let folder = Folder::new();
    folder.write("a.txt", format!("{}needle{}\n", "x".repeat(5_000), "y".repeat(5_000)));
    let text = content(&folder, json!({"pattern": "needle"}));
    assert!(text.contains("xneedley") && text.len() < 1_000, "{text}");
    assert!(text.contains("(1 long line cut to 500 characters, marked with …)"), "{text}");
}

#[test]
fn f18_nothing_found_says_what_was_searched() {
    let text = tree().text("grep", json!({"pattern": "absent", "path": "src"}));
    assert_eq!(text, "No matches for \"absent\" in src (2 files searched).\n");
}
