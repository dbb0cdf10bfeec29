//! F6: counting; B3: right or refused; repairs; what a refusal says.

mod support;

use dogu_edit::{Edit, Level, Outcome, Reason, Repair, apply};
use support::{all, already, applied, applied_as, exactly, near, reason, refused, refused_as};

#[test]
fn f6_none_one_two() {
    assert_eq!(reason("a\n", "zebra", "b"), Reason::NotFound);
    assert_eq!(applied("a zebra\n", "zebra", "b").text, "a b\n");
    assert_eq!(reason("zebra zebra\n", "zebra", "b"), Reason::Ambiguous);
}

#[test]
fn f6_replace_all() {
    assert_eq!(applied_as("a b a\n", &all("a", "c")).text, "c b c\n");
    assert_eq!(applied_as("aaaa", &all("aa", "b")).text, "bb");
    assert_eq!(applied_as("a b a\n", &all("a", "c")).spans, [0..1, 4..5]);
    assert_eq!(refused_as("a b\n", &all("zebra", "c")).reason, Reason::NotFound);
    // At a tolerant level each place keeps its own indent.
    let result = applied_as(
        "\tone();\n\ttwo();\nx\n\t\tone();\n\t\ttwo();\n",
        &all("one();\ntwo();", "one();\nthree();"),
    );
    assert_eq!(result.text, "\tone();\n\tthree();\nx\n\t\tone();\n\t\tthree();\n");
    assert_eq!(result.level, Level::Indent);
}

#[test]
fn f6_expected_replacements() {
    assert_eq!(applied_as("a b a\n", &exactly("a", "c", 2)).text, "c b c\n");
    let refusal = refused_as("a b a\n", &exactly("a", "c", 3));
    assert_eq!((refusal.reason, refusal.lines.len()), (Reason::WrongCount, 2));
    assert!(refusal.to_string().contains("expected 3 times"));
}

#[test]
fn f6_identical_strings() {
    assert_eq!(reason("a\n", "a", "a"), Reason::NoChange);
    assert_eq!(reason("a\r\nb\n", "a\r\nb", "a\nb"), Reason::NoChange);
}

#[test]
fn f6_deletion() {
    assert_eq!(applied("a\nb\nc\n", "b\n", "").text, "a\nc\n");
    assert_eq!(applied("  a\n  b\n  c\n", "a\nb\n", "a\n").text, "  a\n  c\n");
}

#[test]
fn b3_a_line_hint_breaks_ties_only() {
    let file = "x = 1\n".to_owned() + &"y\n".repeat(50) + "x = 1\n";
    let result = applied_as(&file, &near("x = 1", "x = 2", 52));
    assert!(
        result.by_line_hint
            && result.text.ends_with("x = 2\n")
            && result.text.starts_with("x = 1\n")
    );
    // It does not decide.
    let refusal = refused_as(&file, &near("x = 1", "x = 2", 26));
    assert_eq!(refusal.reason, Reason::Ambiguous);
    assert!(refusal.to_string().contains("line hint 26"));
    // It does not matter.
    let result = applied_as("a\nb\n", &near("a", "c", 99));
    assert!(!result.by_line_hint);
}

#[test]
fn b3_siblings_are_not_taken_for_the_target() {
    let block = |n: usize| {
        format!(
            "    def test_{n}(self):\n        value = make({n})\n        self.check(value)\n        self.close()\n\n"
        )
    };
    let file = format!("class T:\n{}{}", block(1), block(2));
    let old = block(3);
    let new = old.replace("close", "shut");
    assert_eq!(reason(&file, &old, &new), Reason::NotFound);
    // A removed one is not replaced by the one that is left.
    let file = format!("class T:\n{}", block(1));
    assert_eq!(reason(&file, &block(2), &block(2).replace("close", "shut")), Reason::NotFound);
}

#[test]
fn b3_two_places_that_are_nearly_it() {
    let block = |word: &str| {
        format!("start_of_the_block()\n{word} = prepare(everything)\nend_of_the_block()\n")
    };
    let file = format!("{}{}", block("first"), block("third"));
    let refusal = refused(&file, &block("other"), &block("other").replace("end_of", "last_of"));
    assert!(matches!(refusal.reason, Reason::Ambiguous | Reason::NotFound), "{refusal}");
}

#[test]
fn b3_a_concurrent_change_survives() {
    let file = "setup(config)\nlimit = 20\nrun(limit)\nfinish(now)\nreport(all)\n";
    let old = "setup(config)\nlimit = 10\nrun(limit)\nfinish(now)\nreport(all)";
    let result = applied(file, old, &old.replace("finish(now)", "finish(later)"));
    assert_eq!(result.text, "setup(config)\nlimit = 20\nrun(limit)\nfinish(later)\nreport(all)\n");
    // Both changed the same line: nobody knows which is right.
    let refusal = refused(file, old, &old.replace("limit = 10", "limit = 30"));
    assert!(matches!(refusal.reason, Reason::Conflict | Reason::NotFound), "{refusal}");
}

#[test]
fn b3_already_applied() {
    assert_eq!(
        already("a\nlet value = second();\nb\n", "let value = first();", "let value = second();"),
        2
    );
    // New holds old: it would be added once more.
    assert_eq!(already("first();\nsecond();\n", "first();", "first();\nsecond();"), 1);
    assert_eq!(
        already("\tfirst();\n\tsecond();\n", "  first();\n", "  first();\n  second();\n"),
        1
    );
    // A removal is not applied because the rest stands there.
    let file = "keep_this_line(1)\nremove_that_line(2)\n";
    assert_eq!(
        applied(file, "keep_this_line(1)\n\nremove_that_line(2)", "keep_this_line(1)").text,
        "keep_this_line(1)\n"
    );
}

#[test]
fn b3_elisions_must_have_partners() {
    let file = "fn a() {\n    one();\n    two();\n    three();\n}\n";
    assert_eq!(reason(file, "fn a() {\n    ...\n}", "fn b() {\n}"), Reason::UnpairedElision);
    assert_eq!(
        reason(file, file, "fn a() {\n    // ... rest of the code\n}\n"),
        Reason::UnpairedElision
    );
    assert_eq!(
        reason(file, file, "fn a() {\n    one();\n    // ...\n}\n"),
        Reason::UnpairedElision
    );
}

#[test]
fn b3_lines_are_not_glued_together() {
    assert_eq!(applied("a\nb\nc\n", "b\n", "x").text, "a\nx\nc\n");
    assert_eq!(applied("a\n  b\nc\n", "\n  b", "  x").text, "a\n  x\nc\n");
}

#[test]
fn repairs_in_their_order() {
    let file = "fn a() {\n    let x = \"<b>\";\n    go(x);\n}\n";
    let result = "fn a() {\n    let x = \"<i>\";\n    go(x);\n}\n";
    for (repair, old, new) in [
        (
            Repair::Fence,
            "```rust\n    let x = \"<b>\";\n    go(x);\n```",
            "```rust\n    let x = \"<i>\";\n    go(x);\n```",
        ),
        (
            Repair::Fence,
            "<old>\n    let x = \"<b>\";\n    go(x);\n</old>",
            "<new>\n    let x = \"<i>\";\n    go(x);\n</new>",
        ),
        (
            Repair::LineNumbers,
            "     2\t    let x = \"<b>\";\n     3\t    go(x);",
            "     2\t    let x = \"<i>\";\n     3\t    go(x);",
        ),
        (
            Repair::LineNumbers,
            "a.rs:2:    let x = \"<b>\";\na.rs:3:    go(x);",
            "    let x = \"<i>\";\n    go(x);",
        ),
        (
            Repair::LineNumbers,
            "-    let x = \"<b>\";\n     go(x);",
            "+    let x = \"<i>\";\n     go(x);",
        ),
        (
            Repair::Entities,
            "    let x = &quot;&lt;b&gt;&quot;;\n    go(x);",
            "    let x = &quot;&lt;i&gt;&quot;;\n    go(x);",
        ),
        (
            Repair::Escapes,
            "    let x = \\\"<b>\\\";\\n    go(x);",
            "    let x = \\\"<i>\\\";\\n    go(x);",
        ),
        (
            Repair::Escapes,
            "    let x = \\\"<b>\\\";\n    go(x);",
            "    let x = \\\"<i>\\\";\n    go(x);",
        ),
    ] {
        let applied = applied(file, old, new);
        assert_eq!((applied.text.as_str(), applied.repair), (result, repair), "{old}");
    }
}

#[test]
fn a_repair_is_not_tried_where_the_raw_text_fits() {
    let file = "1: one\n2: two\n```\n&lt;\n\\n\n";
    for (old, new) in
        [("1: one\n2: two", "1: one\n2: zwei"), ("```\n&lt;", "~~~\n&lt;"), ("\\n", "\\t")]
    {
        let applied = applied(file, old, new);
        assert_eq!((applied.repair, applied.text), (Repair::None, file.replace(old, new)));
    }
}

#[test]
fn a_refusal_teaches() {
    let file = "fn load(path: &Path) -> Text {\n    let text = read(path);\n    parse(text)\n}\n";
    let text = refused(
        file,
        "fn load(path: &Path) -> Tree {\n    let tree = grow(path);\n    shake(tree)\n}",
        "x",
    )
    .to_string();
    assert!(
        text.contains("line 1") && text.contains("1| fn load") && text.contains("Old has"),
        "{text}"
    );
    let many = "x = 1\n".repeat(100);
    let text = refused(&many, "x = 1", "x = 2").to_string();
    assert!(
        text.contains("100 places")
            && text.contains("lines 1, 2, 3")
            && text.contains("and 92 more"),
        "{text}"
    );
}

#[test]
fn an_edit_that_changes_nothing_says_so() {
    // The file has the indent that new asks for.
    let outcome = apply("if a:\n  b()\n", &Edit::new("if a:\nb()", "if a:\n  b()"));
    assert!(matches!(outcome, Ok(Outcome::AlreadyApplied { .. })), "{outcome:?}");
}
