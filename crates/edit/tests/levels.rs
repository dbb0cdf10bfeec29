//! F13: every level alone, in a text where nothing before it hits; bytes outside stay.

mod support;

use dogu_edit::{Level, Repair};
use support::{applied, refused};

fn hits(level: Level, content: &str, old: &str, new: &str, result: &str) {
    let applied = applied(content, old, new);
    assert_eq!(applied.text, result);
    assert_eq!(applied.level, level);
    assert_eq!(applied.repair, Repair::None);
}

#[test]
fn f13_exact() {
    hits(Level::Exact, "a = 1\nb = 2\n", "b = 2", "b = 3", "a = 1\nb = 3\n");
    hits(Level::Exact, "f(x, y)\n", "x, y", "y", "f(y)\n");
}

#[test]
fn f13_trimmed() {
    hits(Level::Trimmed, "\ta = 1\n\tb = 2\n", "    a = 1", "    a = 3", "\ta = 3\n\tb = 2\n");
    hits(
        Level::Trimmed,
        "a = 1\nb = 2\nc = 3\n",
        "\n\n\nb = 2\n\n\n",
        "\n\n\nb = 4\n\n\n",
        "a = 1\nb = 4\nc = 3\n",
    );
}

#[test]
fn f13_line_space() {
    hits(
        Level::LineSpace,
        "a = 1  \nb = 2\t\nc = 3\n",
        "a = 1\nb = 2\nc = 3",
        "a = 1\nb = 5\nc = 3",
        "a = 1  \nb = 5\t\nc = 3\n",
    );
    hits(
        Level::LineSpace,
        "a = 1\nb = 2\n",
        "a = 1   \nb = 2",
        "a = 1   \nb = 3",
        "a = 1\nb = 3\n",
    );
}

#[test]
fn f13_unicode() {
    hits(
        Level::Unicode,
        "say(\"it's\") - x\ny\n",
        "say(\u{201c}it\u{2019}s\u{201d}) \u{2013} x\ny",
        "say(\u{201c}it\u{2019}s\u{201d}) \u{2013} x\nz",
        "say(\"it's\") - x\nz\n",
    );
    hits(
        Level::Unicode,
        "say(\u{201c}it\u{2019}s\u{201d}); go()\n",
        "say(\"it's\"); go()",
        "say(\"it's\"); stop()",
        "say(\u{201c}it\u{2019}s\u{201d}); stop()\n",
    );
    hits(
        Level::Unicode,
        "cafe\u{301} = 1\n",
        "caf\u{e9} = 1",
        "caf\u{e9} = 2",
        "cafe\u{301} = 2\n",
    );
    hits(
        Level::Unicode,
        "a b\u{200b}c = 1\n",
        "a\u{a0}bc = 1",
        "a\u{a0}bc = 2",
        "a b\u{200b}c = 2\n",
    );
}

#[test]
fn f13_indent() {
    hits(
        Level::Indent,
        "if x:\n\ta()\n\tif y:\n\t\tb()\n",
        "a()\nif y:\n    b()",
        "a()\nif y:\n    b()\n    if z:\n        c()",
        "if x:\n\ta()\n\tif y:\n\t\tb()\n\t\tif z:\n\t\t\tc()\n",
    );
}

#[test]
fn f13_squashed() {
    hits(
        Level::Squashed,
        "x  =  1\ny  =  f( 2 )\n",
        "y = f(2)",
        "y = f(3)",
        "x  =  1\ny  =  f( 3 )\n",
    );
}

#[test]
fn f13_crlf() {
    hits(
        Level::Crlf,
        "one\r\ntwo\r\nthree\r\n",
        "two\nthree",
        "2\n2.5\nthree",
        "one\r\n2\r\n2.5\r\nthree\r\n",
    );
    hits(
        Level::Crlf,
        "one\ntwo\r\nthree\nfour\r\n",
        "one\ntwo\nthree",
        "one\nTWO\nthree",
        "one\nTWO\r\nthree\nfour\r\n",
    );
    hits(Level::Crlf, "one\ntwo\nthree\n", "one\r\ntwo", "one\r\n2", "one\n2\nthree\n");
}

#[test]
fn f13_crlf_at_every_level() {
    for (level, content, old, new, result) in [
        (Level::Exact, "aa\r\nbb\r\n", "bb", "cc", "aa\r\ncc\r\n"),
        (Level::LineSpace, "aa \r\nbb\r\n", "aa\nbb", "aa\ncc", "aa \r\ncc\r\n"),
        (
            Level::Unicode,
            "a\u{2019}a\r\nbb\r\n",
            "a'a\nbb",
            "a'a\nx\ncc",
            "a\u{2019}a\r\nx\r\ncc\r\n",
        ),
        (Level::Indent, "  aa\r\n\tbb\r\n", "aa\nbb", "aa\ncc", "  aa\r\n\tcc\r\n"),
        (Level::Squashed, "a  a\r\nbb\r\n", "a a\nbb", "a a\ncc", "a  a\r\ncc\r\n"),
        (Level::BlankLines, "aa\r\n\r\nbb\r\n", "aa\nbb", "aa\ncc", "aa\r\n\r\ncc\r\n"),
    ] {
        hits(level, content, old, new, result);
    }
}

#[test]
fn f13_blank_lines() {
    hits(
        Level::BlankLines,
        "a()\n\nb()\nc()\n",
        "a()\nb()\nc()",
        "a()\nb()\nd()",
        "a()\n\nb()\nd()\n",
    );
    hits(
        Level::BlankLines,
        "a()\nb()\nc()\n",
        "a()\n\nb()\n\n\nc()",
        "a()\n\nb()\n\n\nd()",
        "a()\nb()\nd()\n",
    );
}

#[test]
fn f13_comments() {
    let file = "let a = one();\n// why b\nlet b = two(); // not three\nlet c = \"// no\";\n";
    hits(
        Level::Comments,
        file,
        "let a = one();\nlet b = two();\nlet c = \"// no\";",
        "let a = one();\nlet b = 2;\nlet c = \"// no\";",
        "let a = one();\n// why b\nlet b = 2; // not three\nlet c = \"// no\";\n",
    );
    hits(
        Level::Comments,
        file,
        "let a = one();\n// other words\nlet b = two();\nlet c = \"// no\";",
        "let a = one();\n// other words\nlet b = two();\nlet c = 3;",
        "let a = one();\n// why b\nlet b = two(); // not three\nlet c = 3;\n",
    );
}

#[test]
fn f13_elision() {
    let file = "fn a() {\n    one();\n    two();\n    three();\n    four();\n}\n";
    hits(
        Level::Elision,
        file,
        "fn a() {\n    one();\n    ...\n    four();\n}",
        "fn a() {\n    one();\n    ...\n    five();\n}",
        "fn a() {\n    one();\n    two();\n    three();\n    five();\n}\n",
    );
    hits(
        Level::Elision,
        file,
        "fn a() {\n    // ... existing code ...\n    four();\n}",
        "fn b() {\n    // ... existing code ...\n    four();\n}",
        "fn b() {\n    one();\n    two();\n    three();\n    four();\n}\n",
    );
}

#[test]
fn f13_fuzzy_lines() {
    let file =
        "def total(items):\n    result = collect(items)\n    audit(result)\n    return result\n";
    hits(
        Level::FuzzyLines,
        file,
        "def total(items):\n    result = colect(items)\n    audit(result)\n    return result",
        "def total(items):\n    result = colect(items)\n    audit(result)\n    return result + 1",
        "def total(items):\n    result = collect(items)\n    audit(result)\n    return result + 1\n",
    );
}

#[test]
fn f13_tokens() {
    let file = "call(first_argument, second_argument,\n     third_argument)\nrest()\n";
    hits(
        Level::Tokens,
        file,
        "call(\n    first_argument,\n    second_argument,\n    third_argument,\n)",
        "call(\n    first_argument,\n    other_argument,\n    third_argument,\n)",
        "call(first_argument, other_argument,\n     third_argument)\nrest()\n",
    );
    hits(
        Level::Tokens,
        "name = 'a long enough value'\n",
        "name = \"a long enough value\"",
        "name = \"a long enough text\"",
        "name = 'a long enough text'\n",
    );
}

#[test]
fn f13_the_first_level_that_hits_decides() {
    // The second line fits with its indent ignored; the first one fits as it is.
    let applied = applied("    a = 1\nb\n        a = 1\n", "b\n        a = 1", "b\n        a = 2");
    assert_eq!(
        (applied.level, applied.text.as_str()),
        (Level::Exact, "    a = 1\nb\n        a = 2\n")
    );
}

#[test]
fn f13_a_refusal_quotes_the_first_fifty_characters() {
    let old = format!("{}{}", "0123456789".repeat(5), "end");
    let text = refused("something else\n", &old, "x").to_string();
    assert!(text.contains(&"0123456789".repeat(5)) && !text.contains("end\""), "{text}");
}

#[test]
fn f13_names() {
    let names: Vec<&str> = Level::ALL.iter().map(|level| level.name()).collect();
    assert_eq!(
        names.join(" "),
        "exact trimmed line_space unicode indent squashed crlf blank_lines comments elision fuzzy_lines tokens"
    );
}
