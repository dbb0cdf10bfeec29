//! What stays as the file has it: breaks of comments, ends of lines, steps of indents.

mod support;

use dogu_edit::Level;
use support::applied;

/// A comment that old breaks at other words keeps its own breaks.
#[test]
fn a_comment_broken_at_other_words_stays() {
    let file = "/// One two three four\n/// five six seven.\n///\nfn a() {\n    one();\n}\n";
    let old = "/// One two\n/// three four five\n/// six seven.\n///\nfn a() {\n    one();\n}\n";
    let result = applied(file, old, &old.replace("one", "two"));
    assert_eq!(result.text, file.replace("one", "two"));
    assert_eq!(result.level, Level::Tokens);
}

/// A line that becomes the last one of the place keeps its space and its line ending.
#[test]
fn a_line_keeps_what_ends_it() {
    let file = "first line\t\r\nsecond line \nthird line\r\nrest\n";
    let result = applied(file, "first line\nsecond line\nthird line", "first line\nsecond line");
    assert_eq!(result.text, "first line\t\r\nsecond line \nrest\n");
}

/// Blank lines beside an added line keep their endings.
#[test]
fn blank_lines_keep_their_endings() {
    let file = "first line\r\n\nsecond line\r\nrest\n";
    let result =
        applied(file, "first line\n\nsecond line", "first line\n\nadded line\nsecond line");
    assert!(result.text.starts_with("first line\r\n\nadded line"), "{:?}", result.text);
}

/// Old with line numbers of which new leaves the first line out: it is not there already.
#[test]
fn a_numbered_line_is_removed() {
    let file = "alpha = 1\nbravo = 2\ncharlie = 3\n";
    let old = "1| alpha = 1\n2| bravo = 2\n3| charlie = 3";
    assert_eq!(applied(file, old, "bravo = 2\ncharlie = 3").text, "bravo = 2\ncharlie = 3\n");
}

/// Steps of two are steps of four where the file has those.
#[test]
fn a_step_is_the_files() {
    let file = "fn a() {\n    one();\n    two();\n}\n";
    let result =
        applied(file, "  one();\n  two();", "  one();\n  if x {\n    more();\n  }\n  two();");
    assert_eq!(
        result.text,
        "fn a() {\n    one();\n    if x {\n        more();\n    }\n    two();\n}\n"
    );
}

/// A comment that ends the last line stays there when lines are added after it.
#[test]
fn a_comment_stays_with_its_line() {
    let file = "\talpha(1);\n\tbravo(2); // note\n}\n";
    let old = "  alpha(1);\n  bravo(2);\n";
    let result = applied(file, old, "  alpha(1);\n  bravo(2);\n  charlie(3);\n");
    assert_eq!(result.text, "\talpha(1);\n\tbravo(2); // note\n\tcharlie(3);\n}\n");
}
