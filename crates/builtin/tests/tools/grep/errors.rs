//! Patterns that cannot be searched for: words, the place, and what to do; never "no matches".

use dogu_tool::ErrorCode;
use serde_json::json;

use crate::support::Folder;

fn error(pattern: &str) -> String {
    Folder::new().error("grep", json!({"pattern": pattern}))
}

#[test]
fn f18_a_bad_regex_points_at_the_place() {
    let text = error("foo(bar");
    assert!(
        text.starts_with(
            "the pattern is not a valid regular expression: unclosed group\n    foo(bar\n       ^\n"
        ),
        "{text}"
    );
    assert!(text.contains("fixed_strings"), "{text}");
    let text = error("a{2,1}");
    assert!(text.contains("\n    a{2,1}\n     ^^^^^\n"), "{text}");
    let text = error("ok\n[z-a]");
    assert!(text.contains("\n    [z-a]\n     ^^^\n"), "{text}");
}

#[test]
fn f18_the_code_of_a_bad_regex_is_that_of_a_bad_argument() {
    let error = Folder::new().run("grep", json!({"pattern": "("})).unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidArgs);
}

#[test]
fn f18_what_this_engine_cannot_do_is_said() {
    for pattern in ["(?=x)", "a(?!b)", "(?<=x)y", "(?<!x)y"] {
        assert!(error(pattern).contains("is not supported. Search without it"), "{pattern}");
    }
    assert!(error(r"(a)\1").contains("Back-references"));
    assert!(error(r"\p{Nope}").contains("Greek"));
}

#[test]
fn f18_a_line_break_in_the_pattern_needs_multiline() {
    for pattern in ["a\nb", r"a\nb"] {
        assert!(error(pattern).contains("Set multiline to true"), "{pattern}");
    }
}

#[test]
fn f18_an_empty_pattern_is_refused() {
    assert!(error("").starts_with("the pattern is empty"));
}

#[test]
fn f18_the_mark_stands_below_the_place_in_a_long_pattern() {
    let text = error(&format!("{}({}", "é".repeat(500), "x".repeat(500)));
    let lines: Vec<&str> = text.lines().collect();
    let mark = lines[2].chars().position(|c| c == '^').unwrap();
    assert_eq!(lines[1].chars().nth(mark), Some('('), "{text}");
    assert!(text.len() < 1_000, "{text}");
}

#[test]
fn f18_a_path_that_is_not_there_is_an_error() {
    let text = Folder::new().error("grep", json!({"pattern": "x", "path": "no/such"}));
    assert!(text.starts_with("there is no no/such\n"), "{text}");
}
