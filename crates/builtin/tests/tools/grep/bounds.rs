//! Binary, huge and unreadable files: left out and counted, or searched in bounded memory.

use serde_json::json;

use super::{content, entries};
use crate::support::Folder;

#[test]
fn f18_binary_files_are_left_out_and_counted() {
    let folder = Folder::with([("a.txt", "needle\n")]);
    folder.write("b.bin", b"needle\0needle\n");
    for mode in ["files_with_matches", "content", "count"] {
        let text = folder.text("grep", json!({"pattern": "needle", "output_mode": mode}));
        assert_eq!(entries(&text).len(), 1, "{text}");
        assert!(text.contains("1 file searched") || text.contains("of 1 searched"), "{text}");
        assert!(text.contains("(binary, not searched: b.bin)"), "{mode}: {text}");
    }
}

#[test]
fn f18_a_match_far_before_a_nul_byte_is_shown_with_a_warning() {
    let folder = Folder::new();
    let mut bytes = b"needle\n".to_vec();
    bytes.extend(b"filler\n".repeat(40_000));
    bytes.extend(b"\0needle\n");
    folder.write("late.bin", &bytes);
    let text = content(&folder, json!({"pattern": "needle"}));
    assert_eq!(entries(&text), ["late.bin:1:needle"]);
    assert!(
        text.contains("(binary from some place on, and not shown from there: late.bin)"),
        "{text}"
    );
    let text = folder.text("grep", json!({"pattern": "needle", "output_mode": "count"}));
    assert!(text.starts_with("No matches"), "a count of a part would mislead: {text}");
}

#[test]
fn f18_a_binary_file_that_the_call_names_is_searched() {
    let folder = Folder::new();
    folder.write("b.bin", b"one\n\0needle\n");
    let input = json!({"pattern": "needle", "path": "b.bin"});
    assert_eq!(entries(&folder.text("grep", input)), ["b.bin"]);
    let text = content(&folder, json!({"pattern": "needle", "path": "b.bin"}));
    assert!(text.contains("b.bin") && text.contains("binary"), "{text}");
    let text = content(&folder, json!({"pattern": "absent", "path": "b.bin"}));
    assert!(text.starts_with("No matches"), "{text}");
}

#[test]
fn f18_files_that_are_too_large_are_left_out_and_counted() {
    let folder = Folder::with([("a.txt", "needle\n")]);
    folder.write("big.txt", "needle\n".repeat(1_000));
    let text = folder.text("grep", json!({"pattern": "needle", "max_file_size": 5_000}));
    assert_eq!(entries(&text), ["a.txt"]);
    assert!(text.contains("(larger than max_file_size, not searched: big.txt)"), "{text}");
    let input = json!({"pattern": "needle", "max_file_size": 5_000, "path": "big.txt"});
    assert_eq!(entries(&folder.text("grep", input)), ["big.txt"]);
}

#[test]
fn f18_a_file_larger_than_the_buffer_is_searched_to_its_end() {
    let folder = Folder::new();
    let mut text = "filler line\n".repeat(100_000);
    text.push_str("needle");
    folder.write("a.txt", &text);
    let shown = content(&folder, json!({"pattern": "needle", "before": 1}));
    assert_eq!(entries(&shown), ["a.txt-100000-filler line", "a.txt:100001:needle"]);
    let shown = content(&folder, json!({"pattern": "line\nneedle", "multiline": true}));
    assert_eq!(entries(&shown), ["a.txt:100000:filler line", "a.txt:100001:needle"]);
}

#[test]
fn f18_a_line_that_does_not_fit_into_memory_is_counted_and_the_rest_goes_on() {
    let folder = Folder::with([("b.txt", "needle\n")]);
    folder.write("a.txt", format!("{}needle\n", "x".repeat(20 * 1024 * 1024)));
    let text = content(&folder, json!({"pattern": "needle"}));
    assert_eq!(entries(&text), ["b.txt:1:needle"]);
    assert!(text.contains("would have to be in memory at once: a.txt)"), "{text}");
}
