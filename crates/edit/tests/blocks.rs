//! SEARCH/REPLACE blocks: read, escaped, applied all or none.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use dogu_edit::blocks::{Block, Placed, Problem, apply, by_file, parse, render};
use proptest::prelude::*;

fn block(search: &str, replace: &str) -> String {
    format!("<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n")
}

fn edited(content: &str, diff: &str) -> String {
    match apply(content, &parse(diff).unwrap()) {
        Ok(applied) => applied.text,
        Err(failures) => panic!("{failures:?}"),
    }
}

fn refused(content: &str, diff: &str) -> Vec<String> {
    let failures = apply(content, &parse(diff).unwrap()).unwrap_err();
    failures.iter().map(ToString::to_string).collect()
}

fn fault(diff: &str) -> (usize, String) {
    let error = parse(diff).unwrap_err();
    assert!(error.to_string().len() < 1_000);
    (error.line, error.to_string())
}

#[test]
fn f9_a_block_with_a_line_hint() {
    let content = "x = 1\ny = 2\nx = 1\nz = 3\n";
    let diff = "<<<<<<< SEARCH\n:start_line:3\n-------\nx = 1\n=======\nx = 9\n>>>>>>> REPLACE\n";
    assert_eq!(edited(content, diff), "x = 1\ny = 2\nx = 9\nz = 3\n");
    let both = diff.replace("-------", ":end_line:3\n-------");
    assert_eq!(edited(content, &both), "x = 1\ny = 2\nx = 9\nz = 3\n");
    assert_eq!(parse(&both).unwrap()[0].end_line, Some(3));
    // A wrong number does not matter where the text stands once.
    assert_eq!(edited("a\nb\nc\n", &diff.replace("x = 1", "b").replace("x = 9", "B")), "a\nB\nc\n");
}

#[test]
fn f9_a_hint_that_tells_nothing_does_not_choose() {
    let content = "x\n1\n2\n3\nx\n";
    let diff =
        |line: usize| format!("<<<<<<< SEARCH\n:start_line:{line}\nx\n=======\ny\n>>>>>>> REPLACE");
    assert_eq!(edited(content, &diff(2)), "y\n1\n2\n3\nx\n");
    let said = refused(content, &diff(3));
    assert_eq!(said.len(), 1);
    assert!(said[0].contains("lines 1, 5 of the file"), "{}", said[0]);
    assert!(!refused(content, &diff(90)).is_empty());
    assert!(!refused(content, &block("x\n", "y\n")).is_empty());
}

#[test]
fn f9_several_blocks_are_looked_for_in_the_file_as_it_was() {
    let diff = block("a\n", "b\n") + &block("b\n", "c\n") + &block("d\n", "");
    assert_eq!(edited("a\nb\nd\n", &diff), "b\nc\n");
    // The numbers are those of the file as it was, too.
    let lines = "l\nl\nl\n";
    let at = |line: usize, new: &str| {
        format!("<<<<<<< SEARCH\n:start_line:{line}\n-------\nl\n=======\n{new}>>>>>>> REPLACE\n")
    };
    assert_eq!(edited(lines, &(at(3, "3\n") + &at(1, "1\n1\n1\n"))), "1\n1\n1\nl\n3\n");
}

#[test]
fn f9_all_failures_are_reported_and_nothing_is_changed() {
    let diff = block("no such line at all\n", "x\n")
        + &block("b\n", "B\n")
        + &block("another missing line\n", "y\n");
    let failures = apply("a\nb\n", &parse(&diff).unwrap()).unwrap_err();
    let numbers: Vec<_> = failures.iter().map(|failure| (failure.number, failure.line)).collect();
    assert_eq!(numbers, [(1, 1), (3, 11)]);
    assert!(failures[1].to_string().starts_with("block 3 (line 11 of what was sent): "));
}

#[test]
fn f9_a_fuzzy_miss_reports_similarity_and_the_nearest_text() {
    let content = "fn other() {}\n\nfn process_users(data: &[User]) -> Vec<Name> {\n    data.iter().map(User::name).collect()\n}\n";
    let search = "fn process_items(items: &[Item]) -> Vec<Key> {\n    items.iter().map(Item::id).collect()\n}\n";
    let failures = apply(content, &parse(&block(search, "x\n")).unwrap()).unwrap_err();
    let Problem::Refused { similarity: Some(percent), .. } = &failures[0].problem else {
        panic!("{failures:?}")
    };
    assert!((40..90).contains(percent), "{percent}");
    let said = failures[0].to_string();
    assert!(said.contains(&format!("{percent} % like the nearest text")), "{said}");
    assert!(said.contains("3| fn process_users(data"), "{said}");
    assert!(said.chars().count() < 1_100, "{said}");
}

#[test]
fn f9_what_the_ladder_finds_is_merged_into_the_file() {
    let content = "class A:\n\tdef run(self):\n\t\tx = 1\n\t\ty = 2\n\t\treturn x\n";
    let indented =
        block("def run(self):\n    x = 1\n    y = 2\n", "def run(self):\n    x = 1\n    y = 3\n");
    assert_eq!(edited(content, &indented), content.replace("y = 2", "y = 3"));
    let numbered = block("3 | \t\tx = 1\n4 | \t\ty = 2\n", "3 | \t\tx = 5\n4 | \t\ty = 2\n");
    assert_eq!(edited(content, &numbered), content.replace("x = 1", "x = 5"));
    // Two blocks that both need it, and one of them has a wrong number.
    let first = indented.replace("SEARCH\n", "SEARCH\n:start_line:40\n-------\n");
    let both = first + &block("  return x\n", "  return x + y\n");
    let wanted = content.replace("y = 2", "y = 3").replace("return x", "return x + y");
    assert_eq!(edited(content, &both), wanted);
}

#[test]
fn f9_as_many_equal_blocks_as_places() {
    let one = block("x\n", "y\n");
    assert_eq!(edited("x\na\nx\n", &one.repeat(2)), "y\na\ny\n");
    assert_eq!(refused("x\na\nx\nx\n", &one.repeat(2)).len(), 2);
}

#[test]
fn f9_blocks_that_change_the_same_line_are_refused() {
    let said = refused("a\nb\nc\n", &(block("a\nb\n", "a\nB\n") + &block("b\nc\n", "x\nc\n")));
    assert_eq!(said.len(), 1);
    assert!(
        said[0].starts_with("block 2 ") && said[0].contains("block 1 changes too"),
        "{}",
        said[0]
    );
    // Showing the same line is no conflict.
    let shared = block("a\nb\n", "A\nb\n") + &block("b\nc\n", "b\nC\n");
    assert_eq!(edited("a\nb\nc\n", &shared), "A\nb\nC\n");
}

#[test]
fn f9_what_was_already_applied_is_told() {
    let diff =
        block("let old_name = compute();\n", "let new_name = compute();\n") + &block("b\n", "B\n");
    let applied = apply("let new_name = compute();\nb\n", &parse(&diff).unwrap()).unwrap();
    assert_eq!(applied.text, "let new_name = compute();\nB\n");
    assert_eq!(applied.blocks[0], Placed::AlreadyApplied { line: 1 });
    assert!(matches!(applied.blocks[1], Placed::Applied { line: 2, .. }));
}

#[test]
fn f9_whole_lines_are_found_not_parts_of_them() {
    // As text, `}` stands here twice.
    assert_eq!(edited("f({})\n}\n", &block("}\n", "};\n")), "f({})\n};\n");
    let part = refused("call(first = 1, second = 2)\n", &block("second = 2)\n", "second = 3)\n"));
    assert!(part[0].contains("only a part of line 1"), "{}", part[0]);
    let content = "return abc\nother line\n";
    let failures =
        apply(content, &parse(&block("return ab\n", "return x\n")).unwrap()).unwrap_err();
    assert!(matches!(failures[0].problem, Problem::Refused { .. } | Problem::PartOfLine { .. }));
}

#[test]
fn f9_line_ends_and_a_missing_last_one_are_kept() {
    assert_eq!(edited("a\r\nb\r\nc", &block("b\n", "B\nx\n")), "a\r\nB\r\nx\r\nc");
    assert_eq!(edited("a\r\nb\r\nc", &block("c\n", "C\nd\n")), "a\r\nb\r\nC\r\nd");
    assert_eq!(edited("\u{feff}a\r\nb\n", &block("a\n", "A\n")), "\u{feff}A\r\nb\n");
    let crlf = block("b\n", "B\n").replace('\n', "\r\n");
    assert_eq!(edited("a\nb\n", &crlf), "a\nB\n");
}

#[test]
fn f9_an_empty_search_is_refused_but_for_an_empty_file() {
    assert_eq!(edited("", &block("", "new\n")), "new\n");
    assert!(refused("a\n", &block("", "new\n"))[0].contains("the SEARCH part is empty"));
}

#[test]
fn f9_replacement_is_literal() {
    assert_eq!(edited("a\nb\n", &block("b\n", "$& $1 \\0 {}\n")), "a\n$& $1 \\0 {}\n");
}

#[test]
fn f9_markers_in_other_lengths_and_with_trailing_signs() {
    for diff in [
        "<<<<< SEARCH\nb\n=====\nB\n>>>>> REPLACE",
        "<<<<<<<<< SEARCH>  \nb\n=========  \nB\n>>>>>>>>> REPLACE \n",
        "<<<<<<< SEARCH\nb\n=====\nB\n>>>>>>> REPLACE",
        "Sure:\n\nsrc/a.rs\n```rust\n<<<<<<< SEARCH\nb\n=======\nB\n>>>>>>> REPLACE\n```\nDone.\n",
    ] {
        assert_eq!(edited("a\nb\n", diff), "a\nB\n", "{diff}");
    }
    // A heading that is underlined with fewer signs is content.
    let heading = block("Title\n=====\n", "Other\n=====\n");
    assert_eq!(edited("Title\n=====\ntext\n", &heading), "Other\n=====\ntext\n");
}

#[test]
fn f9_a_merge_conflict_in_the_file() {
    let conflict = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> branch\n";
    let content = format!("x\n{conflict}y\n");
    assert_eq!(edited(&content, &block(conflict, "b\n")), "x\nb\ny\n");
    let escape =
        |line: &str| if line.len() > 1 { format!("\\{line}\n") } else { format!("{line}\n") };
    let escaped: String = conflict.lines().map(escape).collect();
    assert_eq!(edited(&content, &block(&escaped, "b\n")), "x\nb\ny\n");
    let (line, said) = fault(&block("a\n=======\n", "b\n"));
    assert_eq!(line, 4);
    assert!(said.contains("`\\=======`"), "{said}");
}

#[test]
fn f9_dashes_are_content_where_both_parts_have_them() {
    assert_eq!(edited("-------\nb\n", &block("-------\nb\n", "-------\nB\n")), "-------\nB\n");
    assert_eq!(edited("b\n", &block("-------\nb\n", "B\n")), "B\n");
    assert_eq!(edited("-------\nb\n", &block("\\-------\nb\n", "B\n")), "B\n");
}

#[test]
fn f9_malformed_blocks_are_refused_at_their_line() {
    assert!(fault("").1.contains("there is no block"));
    assert!(fault("some words").1.contains("there is no block"));
    assert_eq!(fault("=======\nx\n>>>>>>> REPLACE").0, 1);
    assert_eq!(fault("\n<<<<<<< SEARCH>>\na\n=======\nb\n>>>>>>> REPLACE").0, 2);
    let (line, said) = fault("<<<<<<< SEARCH\na\n>>>>>>> REPLACE");
    assert_eq!(line, 3);
    assert!(said.contains("`=======` is due"), "{said}");
    assert!(fault("<<<<<<< SEARCH\na\n>>>>>>>").1.contains("has no `=======`"));
    assert!(fault("<<<<<<< SEARCH\na\n=======\nb\n").1.contains("has no `>>>>>>> REPLACE`"));
    let (line, said) = fault("<<<<<<< SEARCH\na\n=======\nb\n<<<<<<< SEARCH\n");
    assert_eq!(line, 5);
    assert!(said.contains("`>>>>>>> REPLACE` is due"), "{said}");
    assert_eq!(fault("<<<<<<< SEARCH\n:start_line:x\na\n=======\nb\n>>>>>>> REPLACE").0, 2);
    assert_eq!(fault("<<<<<<< SEARCH\na\n=======\n:start_line:5\nb\n>>>>>>> REPLACE").0, 4);
    assert!(parse("<<<<<<< SEARCH\na\n=======\n\\:end_line:5\n>>>>>>> REPLACE").is_ok());
    assert_eq!(fault("<<<<<<< SEARCH\na\n=======\n=======\n>>>>>>> REPLACE").0, 4);
}

#[test]
fn f10_blocks_of_many_files_succeed_and_fail_apart() {
    let diff = format!(
        "a.txt\n{}{}\n`dir/b c.txt`\n```\n{}```\n\na.txt\n{}",
        block("one\n", "1\n"),
        block("two\n", "2\n"),
        block("missing entirely\n", "x\n"),
        block("three\n", "3\n"),
    );
    let files = by_file(parse(&diff).unwrap());
    let names: Vec<_> = files.iter().map(|(path, _)| path.as_deref()).collect();
    assert_eq!(names, [Some("a.txt"), Some("dir/b c.txt")]);
    assert_eq!(apply("one\ntwo\nthree\n", &files[0].1).unwrap().text, "1\n2\n3\n");
    let failures = apply("other\n", &files[1].1).unwrap_err();
    assert_eq!((failures.len(), failures[0].line), (1, 15));
}

#[test]
fn f9_hostile_texts_are_refused_in_bounded_time() {
    let long = "=".repeat(64 << 20);
    assert!(parse(&long).is_err());
    assert!(parse(&format!("<<<<<<< SEARCH\n{long}\n=======\n{long}\n>>>>>>> REPLACE")).is_ok());
    for line in
        ["=======\n", "<<<<<<< SEARCH\n", ">>>>>>> REPLACE\n", "<<<<<<< HEAD\n=======\n>>>>>>> x\n"]
    {
        let many = line.repeat(100_000);
        assert!(parse(&many).is_err());
        assert!(parse(&format!("<<<<<<< SEARCH\n{many}")).is_err());
    }
    let same = "x\n".repeat(100_000);
    assert!(apply(&same, &parse(&block(&"x\n".repeat(50_000), "y\n")).unwrap()).is_err());
    let odd = "\0\u{2028}\rz\n";
    assert_eq!(edited(&format!("{odd}b\n"), &block(odd, "ok\n")), "ok\nb\n");
}

#[test]
fn f9_many_failing_blocks_are_told_but_not_all_searched_for() {
    let diff: String = (0..1_000).map(|n| block(&format!("missing {n}\n"), "x\n")).collect();
    let failures = apply("a\nb\n", &parse(&diff).unwrap()).unwrap_err();
    assert_eq!(failures.len(), 1_000);
    assert!(matches!(failures[999].problem, Problem::NotTried));
}

/// Texts full of what could be mistaken.
fn content() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        "[<=>\\\\-]{0,9}( SEARCH| REPLACE| HEAD|>)?",
        "\\\\{0,2}:(start|end)_line:[0-9]{0,2}",
        "[ a-c\t]{0,4}",
        "\\PC{0,6}",
    ];
    prop::collection::vec(line, 0..6)
        .prop_map(|lines| lines.iter().map(|line| format!("{line}\n")).collect())
}

proptest! {
    #[test]
    fn f9_blocks_that_were_written_are_read_back(
        parts in prop::collection::vec((content(), content(), any::<Option<u16>>()), 1..4),
    ) {
        let mut blocks: Vec<Block> = parts.into_iter().map(|(search, replace, line)| Block {
            search, replace, start_line: line.map(|n| usize::from(n) + 1), ..Block::default()
        }).collect();
        let read = parse(&render(&blocks)).unwrap();
        for (block, read) in blocks.iter_mut().zip(&read) {
            block.line = read.line;
        }
        prop_assert_eq!(read, blocks);
    }

    #[test]
    fn f9_a_block_of_a_unique_line_replaces_it(
        before in content(), after in content(), new in content(),
    ) {
        let text = format!("{before}the only one\n{after}");
        let block = Block { search: "the only one\n".into(), replace: new.clone(), ..Block::default() };
        prop_assert_eq!(apply(&text, &[block]).unwrap().text, format!("{before}{new}{after}"));
    }

    #[test]
    fn f9_any_text_is_read_or_refused(text in "([<=>]{5,8}( SEARCH| REPLACE| x)?[\r]?\n|[a:\\\\\0-]{0,8}\n){0,20}", content in "[a\r\n<=>]{0,40}") {
        if let Ok(blocks) = parse(&text) {
            let _ = apply(&content, &blocks);
        }
    }
}
