//! T1 to T10: what a plain list of ever looser comparisons gets wrong.

mod support;

use dogu_edit::{Edit, Outcome, Reason, apply};
use support::{all, applied, applied_as, reason, refused};

#[test]
fn t1_offsets_are_those_of_the_original() {
    let file = "    a = 1\n    b = 2\n    c = 3\n";
    assert_eq!(applied(file, "b = 2\nc = 3", "B").text, "    a = 1\n    B\n");
    assert_eq!(applied("x  =  1\ny  =  2\n", "y = 2", "y = 3").text, "x  =  1\ny  =  3\n");
}

#[test]
fn t2_a_neighbour_is_not_eaten() {
    assert_eq!(reason("AfooB", "  foo  ", "X"), Reason::NotFound);
    assert_eq!(applied("A foo B", "  foo  ", "X").text, "A X B");
}

#[test]
fn t3_line_endings_stay() {
    let file = "one\r\ntwo\r\nthree\r\nfour\r\n";
    assert_eq!(applied(file, "two\nthree", "2\n3").text, "one\r\n2\r\n3\r\nfour\r\n");
}

#[test]
fn t4_two_places_are_refused() {
    let refusal = refused("x=1\nx=1", "x=1", "x=2");
    assert_eq!((refusal.reason, refusal.lines), (Reason::Ambiguous, vec![1, 2]));
    assert_eq!(reason("    a()\n\n        a()\n", "  a()\n", "  b()\n"), Reason::Ambiguous);
}

#[test]
fn t5_nothing_and_white_space_are_refused() {
    assert_eq!(reason("abc", "", "x"), Reason::EmptyOld);
    for old in [" ", "\n\n", "\t \r\n"] {
        assert_eq!(reason("  abc\n\n\n", old, "x"), Reason::OnlySpace);
    }
    assert_eq!(reason("abc", "abc", "abc"), Reason::NoChange);
}

#[test]
fn t6_comments_are_mapped_back_and_strings_are_none() {
    let file = "start()\nurl = \"http://a#b\" # where\nlog(\"# no\")\nstop()\n";
    let result = applied(
        file,
        "start()\nurl = \"http://a#b\"\nlog(\"# no\")\nstop()",
        "start()\nurl = \"http://c#b\"\nlog(\"# no\")\nstop()",
    );
    assert_eq!(result.text, "start()\nurl = \"http://c#b\" # where\nlog(\"# no\")\nstop()\n");
    // The comment that the edit is about is no comment to be ignored.
    assert_eq!(
        reason(
            "a = first()\n# keep\nb = second()\n",
            "a = first()\n# drop\nb = second()",
            "a = first()\nb = second()"
        ),
        Reason::NotFound
    );
}

#[test]
fn t7_a_hallucinated_text_is_not_found() {
    let file = "fn load(path: &Path) {\n    let text = read(path);\n    parse(text)\n}\n";
    for old in [
        "fn load(path: &Path) {\n    validate_everything(config);\n    parse(text)\n}",
        "fn load(path: &Path) {\n    let text = read(path);\n    let tree = grow();\n    parse(text)\n}",
        "fn load(path: &Path) {\n    parse(text)\n}",
        "}\n\nfn store() {\n}",
    ] {
        assert_eq!(reason(file, old, "gone"), Reason::NotFound, "{old}");
    }
}

#[test]
fn t8_replacement_text_is_literal() {
    assert_eq!(applied("a b c\n", "b", "$& $1 $$ \\1").text, "a $& $1 $$ \\1 c\n");
    assert_eq!(applied_as("b b\n", &all("b", "$0$'")).text, "$0$' $0$'\n");
    assert_eq!(applied("\tb  c\n\td\n", "b c\nd", "b c\n$&").text, "\tb  c\n\t$&\n");
}

#[test]
fn t9_new_lines_are_indented_as_the_file_is() {
    let file = "class A:\n    def f(self):\n        one()\n        two()\n";
    let result = applied(
        file,
        "def f(self):\n    one()\n    two()",
        "def f(self):\n    one()\n    if x:\n        three()\n    two()",
    );
    assert_eq!(
        result.text,
        "class A:\n    def f(self):\n        one()\n        if x:\n            three()\n        two()\n"
    );
    // Only the first line lost its indent.
    let result = applied(file, "one()\n        two()", "one()\n        if x:\n            two()");
    assert_eq!(
        result.text,
        "class A:\n    def f(self):\n        one()\n        if x:\n            two()\n"
    );
    // One line without its indent becomes several.
    let result = applied(file, "two()", "two()\nthree()");
    assert_eq!(
        result.text,
        "class A:\n    def f(self):\n        one()\n        two()\n        three()\n"
    );
}

#[test]
fn t10_marks_of_the_file_stay() {
    // The byte order mark, the missing final newline, mixed endings; a stale edit is noticed.
    assert_eq!(applied("\u{feff}a\nb", "a\nb", "a\nc").text, "\u{feff}a\nc");
    assert_eq!(applied("\u{feff}  a\n  b", "a\nb", "a\nc").text, "\u{feff}  a\n  c");
    assert_eq!(applied("a\r\nb\nc", "a\nb\nc", "a\nb\nd").text, "a\r\nb\nd");
    let (old, new) = ("value = compute(1)", "value = compute(1, strict=True)");
    let once = applied("value = compute(1)\n", old, new).text;
    assert!(matches!(
        apply(&once, &Edit::new("value = compute(1)\n", "value = compute(1, strict=True)\n")),
        Ok(Outcome::AlreadyApplied { line: 1 })
    ));
}
