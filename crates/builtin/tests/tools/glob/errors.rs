//! Patterns and paths that are none: words, the place, and what to do.

use dogu_tool::ErrorCode;
use serde_json::json;

use crate::support::Folder;

fn error(pattern: &str) -> String {
    Folder::new().error("glob", json!({"pattern": pattern}))
}

#[test]
fn f19_a_bad_pattern_points_at_the_place() {
    for (pattern, expected) in [
        ("src/*.{rs,toml", "this { is never closed\n    src/*.{rs,toml\n          ^\n"),
        ("a}b", "no { was opened before this }\n    a}b\n     ^\n"),
        ("é/[ab", "this [ is never closed\n    é/[ab\n      ^\n"),
        ("x[z-a]", "in a range the first comes first: [a-z]\n    x[z-a]\n      ^^^\n"),
        ("ab\\", "nothing follows the backslash\n    ab\\\n      ^\n"),
    ] {
        let text = error(pattern);
        let expected = format!("the pattern is not valid: {expected}");
        assert!(text.starts_with(&expected), "{text}");
        assert!(text.contains("Patterns are such as"), "{text}");
    }
    let error = Folder::new().run("glob", json!({"pattern": "{"})).unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidArgs);
}

#[test]
fn f19_the_mark_stands_below_the_place_in_a_long_pattern() {
    let text = error(&format!("{}{{{}", "é".repeat(300), "x".repeat(300)));
    let lines: Vec<&str> = text.lines().collect();
    let mark = lines[2].chars().position(|c| c == '^').unwrap();
    assert_eq!(lines[1].chars().nth(mark), Some('{'), "{text}");
    assert!(text.len() < 1_000, "{text}");
}

#[test]
fn f19_what_is_no_pattern_is_told_apart() {
    for pattern in ["", " ", "!", "!  "] {
        assert!(error(pattern).starts_with("the pattern is empty\n"), "{pattern:?}");
    }
    for pattern in ["../x", "a/../../x", ".."] {
        assert!(error(pattern).contains("leads out of its folder\nGive the folder as path"));
    }
    assert!(error(&"a".repeat(3_000)).starts_with("the pattern has 3000 bytes; 2000 are"));
}

#[test]
fn f19_a_path_that_is_no_folder_is_an_error() {
    let folder = Folder::with([("a.txt", "")]);
    let text = folder.error("glob", json!({"pattern": "*", "path": "a.txt"}));
    assert_eq!(text, "a.txt is not a folder\nread_file shows what is in a file.");
    let text = folder.error("glob", json!({"pattern": "*", "path": "no/such"}));
    assert!(text.starts_with("folder not found: no/such\n"), "{text}");
}

#[test]
fn f19_a_folder_outside_the_workspace_is_asked_about() {
    let (folder, outside) = (Folder::new(), Folder::with([("secret-name", "")]));
    for path in [outside.root().to_str().unwrap(), "..", "/"] {
        let text = folder.dispatch("glob", json!({"pattern": "*", "path": path})).to_text();
        assert!(text.contains("E_TOOL_DENIED"), "{text}");
        assert!(!text.contains("secret-name"), "{text}");
    }
}
