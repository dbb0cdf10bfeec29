//! Texts that are made to break things: a clear answer, no panic.

mod support;

use dogu_edit::{Count, Edit, Reason, apply};
use support::{all, applied, applied_as, reason, refused};

#[test]
fn one_character_sixty_four_million_times() {
    let text = "a".repeat(64 << 20);
    assert_eq!(reason(&text, "b", "c"), Reason::TooLarge);
    assert_eq!(reason(&text, "aaa", "c"), Reason::Ambiguous);
}

#[test]
fn a_hundred_thousand_identical_lines() {
    let text = "    same();\n".repeat(100_000);
    assert_eq!(reason(&text, "same();", "other();"), Reason::Ambiguous);
    assert_eq!(reason(&text, &"same();\n".repeat(40), "other();"), Reason::Ambiguous);
    assert_eq!(reason(&text, &("same();\n".repeat(40) + "sane();"), "other();"), Reason::NotFound);
    assert_eq!(applied_as(&text, &all("same();", "other();")).spans.len(), 100_000);
}

#[test]
fn an_old_text_as_long_as_the_file() {
    let text: String = (0..4_000).map(|n| format!("line_{n} = {n};\n")).collect();
    let old = text.replace("line_77 ", "line_7x ");
    let _ = apply(&text, &Edit::new(&old, "x"));
    let new = text.replace("= 5;", "= 6;");
    assert_eq!(applied(&text, &text.replace("= ", "=  "), &new.replace("= ", "=  ")).text, new);
}

#[test]
fn odd_characters() {
    assert_eq!(applied("a\0b\nc\n", "a\0b", "x").text, "x\nc\n");
    assert_eq!(applied("a\rb\rc", "b", "x").text, "a\rx\rc");
    assert_eq!(applied("a\u{2028}b\n", "b", "x").text, "a\u{2028}x\n");
    assert_eq!(applied("\u{feff}", "\u{feff}", "x").text, "x");
    assert_eq!(reason("\u{200b}\u{200b}", "\u{200b}x", "y"), Reason::NotFound);
    assert_eq!(reason("", "x", "y"), Reason::NotFound);
    assert_eq!(reason("x", "xx\u{301}", "y"), Reason::NotFound);
}

#[test]
fn not_quite_markers() {
    for old in [
        "```",
        "```\n```",
        "~~~\n",
        "<a></a>",
        "<![CDATA[]]>",
        "1:",
        "1|\n2|",
        "&lt;",
        "\\",
        "\\n",
        "\\u",
        "...",
        "// ...",
        "\"\"",
        "-",
        "+\n-",
        ">",
    ] {
        let found = reason("fn main() {}\n", old, "x");
        let wanted = if old.contains("...") { Reason::UnpairedElision } else { Reason::NotFound };
        assert_eq!(found, wanted, "{old:?}");
    }
}

#[test]
fn a_refusal_stays_short() {
    let line = "\u{1f600}".repeat(5_000);
    let text =
        refused(&format!("{line} word_of_the_line\n"), &format!("{line} word_of_the_other"), "x")
            .to_string();
    assert!(text.chars().count() < 1_000);
    let text = refused(&"word\n".repeat(20_000), "word", "x").to_string();
    assert!(text.chars().count() < 1_000);
}

#[test]
fn impossible_counts() {
    let edit = Edit { count: Count::Exactly(0), ..Edit::new("a", "b") };
    assert!(apply("a\n", &edit).is_err());
    let edit = Edit { line: Some(usize::MAX), ..Edit::new("a", "b") };
    assert!(apply("a a\n", &edit).is_err());
    let edit = Edit { line: Some(0), ..Edit::new("a", "b") };
    assert!(apply("b\n", &edit).is_err());
}
