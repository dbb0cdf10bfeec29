//! Pages: deterministic, complete, without overlap.

use serde_json::{Value, json};

use super::entries;
use crate::support::Folder;

fn many() -> Folder {
    let folder = Folder::new();
    for file in 0..30 {
        let lines: String = (0..7).map(|line| format!("hit {line}\nother\n")).collect();
        folder.write(&format!("d{}/f{file:02}.txt", file % 4), lines);
    }
    folder
}

/// All pages of a call, each as its entries.
fn pages(folder: &Folder, mut input: Value) -> Vec<Vec<String>> {
    let mut pages = Vec::new();
    loop {
        let text = folder.text("grep", input.clone());
        pages.push(entries(&text).into_iter().map(str::to_owned).collect());
        let Some(at) = text.find("the same call with \"offset\": ") else { return pages };
        let digits: String = text[at + 29..].chars().take_while(char::is_ascii_digit).collect();
        input["offset"] = json!(digits.parse::<u64>().unwrap());
    }
}

#[test]
fn f18_pages_put_together_are_the_whole() {
    let folder = many();
    for mode in ["files_with_matches", "content", "count"] {
        for limit in [1, 7, 13, 100] {
            let input = json!({"pattern": "hit", "output_mode": mode, "head_limit": limit});
            let pages = pages(&folder, input);
            assert!(pages.iter().all(|page| page.len() <= limit));
            let whole = json!({"pattern": "hit", "output_mode": mode, "head_limit": 0});
            let text = folder.text("grep", whole);
            assert_eq!(pages.concat(), entries(&text), "{mode} {limit}");
        }
    }
}

#[test]
fn f18_context_lines_are_entries_and_rules_between_groups_are_not() {
    let folder = Folder::with([("a", "1\nx\n3\n4\n5\n6\nx\n8\n")]);
    let input = json!({"pattern": "x", "output_mode": "content", "context": 1, "head_limit": 4});
    let text = folder.text("grep", input);
    assert_eq!(entries(&text), ["a-1-1", "a:2:x", "a-3-3", "--", "a-6-6"]);
    assert!(text.contains("(lines 1-4 of 6 shown; the same call with \"offset\": 4 goes on)"));
    assert!(text.contains("(2 matching lines in 1 file"), "{text}");
}

#[test]
fn f18_the_default_is_a_hundred_entries() {
    let text = many().text("grep", json!({"pattern": "hit", "output_mode": "content"}));
    assert_eq!(entries(&text).len(), 100);
    assert!(text.contains("(210 matching lines in 30 files; 30 files searched)\n(lines 1-100 of 210 shown; the same call with \"offset\": 100 goes on)"), "{text}");
}

#[test]
fn f18_an_offset_past_the_end_says_so() {
    let text = many().text("grep", json!({"pattern": "hit", "offset": 500}));
    assert!(text.contains("(offset 500 is past the end: 30 files in all)"), "{text}");
    let text = many().text("grep", json!({"pattern": "hit", "offset": u64::MAX}));
    assert!(text.contains("is past the end"), "{text}");
}

#[test]
fn f18_a_page_never_outgrows_a_result() {
    let folder = Folder::new();
    folder.write("a.txt", format!("{}\n", "hit ".repeat(100)).repeat(2_000));
    let pages =
        pages(&folder, json!({"pattern": "hit", "output_mode": "content", "head_limit": 0}));
    assert!(pages.len() > 5);
    assert_eq!(pages.concat().len(), 2_000);
    assert!(pages.iter().all(|page| page.concat().len() < 90_000));
}
