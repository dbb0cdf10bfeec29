//! `read_file`.

use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::process::Command;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::Folder;

fn read(content: impl AsRef<[u8]>, mut input: Value) -> String {
    let folder = Folder::new();
    folder.write("f", content);
    input["path"] = json!("f");
    folder.text("read_file", input)
}

/// So many lines: `line 1`, `line 2` …
fn numbered(count: usize) -> String {
    (1..=count).map(|n| format!("line {n}\n")).collect()
}

/// The lines that a result shows, without their numbers, which must go on from `first`.
fn shown(text: &str, first: usize) -> Vec<String> {
    let lines = text.split_terminator('\n').filter(|line| !line.starts_with('('));
    lines
        .enumerate()
        .map(|(n, line)| {
            let number = format!("{:6}\t", first + n);
            line.strip_prefix(&number).unwrap_or_else(|| panic!("{number:?}: {line:?}")).to_owned()
        })
        .collect()
}

/// The call that a cut result says to read on with.
fn next_call(text: &str) -> Option<Value> {
    let last = text.split_terminator('\n').next_back()?;
    let (_, call) = last.strip_prefix("(lines ")?.split_once("read on with ")?;
    Some(serde_json::from_str(call.strip_suffix(')')?).unwrap())
}

/// Reads all of a file by following the calls; `limit` gives each call's limit.
fn follow(folder: &Folder, mut limit: impl FnMut() -> Option<usize>) -> Vec<String> {
    let mut input = json!({"path": "f"});
    let mut lines = Vec::new();
    loop {
        if let Some(limit) = limit() {
            input["limit"] = json!(limit);
        }
        let text = folder.text("read_file", input);
        if text == "(f is empty)" {
            return lines;
        }
        let first = lines.len() + 1;
        lines.extend(shown(&text, first));
        assert!(lines.len() >= first, "a call showed nothing: {text}");
        match next_call(&text) {
            Some(next) => input = next,
            None => return lines,
        }
    }
}

#[test]
fn f1_lines_are_numbered_as_cat_does() {
    let folder = Folder::with([("f", &*numbered(1_999))]);
    let cat = Command::new("cat").arg("-n").arg(folder.path("f")).output().unwrap();
    let expected = String::from_utf8(cat.stdout).unwrap();
    assert_eq!(expected.lines().count(), 1_999);
    assert_eq!(folder.text("read_file", json!({"path": "f"})), expected);
}

#[test]
fn offset_and_limit_choose_lines() {
    let content = numbered(10);
    let text = read(&content, json!({"offset": 4, "limit": 2}));
    assert_eq!(
        text,
        "     4\tline 4\n     5\tline 5\n(lines 4-5 of 10; read on with {\"path\":\"f\",\"offset\":6})\n"
    );
    assert_eq!(read(&content, json!({"offset": 9})), "     9\tline 9\n    10\tline 10\n");
    assert_eq!(read(&content, json!({"offset": 10, "limit": 1})), "    10\tline 10\n");
    assert_eq!(shown(&read(&content, json!({"limit": 1})), 1), ["line 1"]);
}

#[test]
fn an_offset_past_the_end_says_how_long_the_file_is() {
    let content = numbered(3);
    for offset in [4, 5, 1_000_000, i64::MAX] {
        let text = read(&content, json!({"offset": offset}));
        assert_eq!(text, format!("(f has 3 lines; line {offset} is past its end)"));
    }
    assert_eq!(read("one", json!({"offset": 2})), "(f has 1 line; line 2 is past its end)");
}

#[test]
fn zero_is_told_with_what_to_send() {
    let folder = Folder::with([("f", "x")]);
    let error = folder.error("read_file", json!({"path": "f", "offset": 0}));
    assert!(error.contains("offset counts from 1: send 1 for the first line"), "{error}");
    let error = folder.error("read_file", json!({"path": "f", "limit": 0}));
    assert!(error.contains("limit counts from 1"), "{error}");
}

#[test]
fn a_negative_offset_counts_from_the_end() {
    let content = numbered(10);
    assert_eq!(read(&content, json!({"offset": -2})), "     9\tline 9\n    10\tline 10\n");
    assert_eq!(shown(&read(&content, json!({"offset": -99})), 1).len(), 10);
    let text = read(&content, json!({"offset": -3, "limit": 1}));
    assert_eq!(
        text,
        "     8\tline 8\n(lines 8-8 of 10; read on with {\"path\":\"f\",\"offset\":9})\n"
    );
    assert_eq!(read("", json!({"offset": -3})), "(f is empty)");
}

#[test]
fn an_empty_file_says_so() {
    assert_eq!(read("", json!({})), "(f is empty)");
    assert_eq!(read("", json!({"offset": 7})), "(f is empty)");
    assert_eq!(read("\n", json!({})), "     1\t\n");
}

#[test]
fn a_folder_is_told_with_the_tool_that_shows_it() {
    let folder = Folder::with([("dir/a", "")]);
    assert_eq!(
        folder.error("read_file", json!({"path": "dir"})),
        "dir is a folder\nlist_files shows what is in a folder."
    );
}

#[test]
fn a_missing_file_is_told_with_names_that_are_near() {
    let folder = Folder::with([("src/main.rs", ""), ("src/mail.rs", ""), ("src/other", "")]);
    assert_eq!(
        folder.error("read_file", json!({"path": "src/Main.rs"})),
        "file not found: src/Main.rs\nDid you mean src/main.rs or src/mail.rs?"
    );
    assert_eq!(folder.error("read_file", json!({"path": "zzz"})), "file not found: zzz");
}

#[test]
fn f1_a_binary_file_is_told_with_its_type_and_size() {
    let folder = Folder::new();
    folder.write("f", b"\x7fELF\x00\x01");
    assert_eq!(
        folder.error("read_file", json!({"path": "f"})),
        "f is a binary file (ELF program or library, 6 bytes) and cannot be shown as text."
    );
}

#[test]
fn crlf_ends_a_line_and_other_carriage_returns_are_text() {
    let text = read("one\r\ntwo\rhalf\r\n\r\nthree\r\r\nlast\r", json!({}));
    assert_eq!(shown(&text, 1), ["one", "two\rhalf", "", "three\r", "last\r"]);
}

#[test]
fn bytes_that_are_not_utf8_are_shown_and_told() {
    let text = read(
        "글자 é\n"
            .to_owned()
            .into_bytes()
            .into_iter()
            .chain(*b"broken \xff\nok\n")
            .collect::<Vec<_>>(),
        json!({}),
    );
    assert_eq!(
        text,
        "     1\t글자 é\n     2\tbroken \u{fffd}\n     3\tok\n(bytes that are not UTF-8 are shown as \u{fffd})\n"
    );
    // It is said of the lines that are shown, and of no others.
    assert_eq!(read("é\u{fffd}\n", json!({})), "     1\té\u{fffd}\n");
    assert_eq!(read(b"a \xff b\nok\n", json!({"offset": 2})), "     2\tok\n");
}

#[test]
fn a_last_line_without_an_end_is_a_line() {
    assert_eq!(read("a\nb", json!({})), "     1\ta\n     2\tb\n");
    let text = read("a\nb", json!({"limit": 1}));
    assert!(text.contains("(lines 1-1 of 2; "), "{text}");
}

/// Up to 256 KB a file is held, above it is streamed: nobody can tell.
#[test]
fn files_around_the_size_that_is_held_are_read_alike() {
    const HELD: usize = 256 * 1024;
    for size in [HELD - 1, HELD, HELD + 1] {
        let mut content = "a line of text\r\n".repeat(HELD / 16 + 1).into_bytes();
        content.truncate(size);
        // The end of the last line is cut off, or all of it but its first letter.
        let last = ["a line of text", "a line of text", "a"][size + 1 - HELD];
        let count = HELD / 16 + usize::from(size > HELD);
        let tail = read(&content, json!({"offset": -1}));
        assert_eq!(tail.lines().next().unwrap(), format!("{count:6}\t{last}"), "{size}");
        let head = read(&content, json!({"limit": 1}));
        let on = format!("lines 1-1 of {count}; read on with");
        assert!(head.starts_with("     1\ta line of text\n") && head.contains(&on), "{head}");
        // What is no ASCII comes late, and tells how all of it is written.
        content[size - 3..].copy_from_slice(b"\xe9t\xe9");
        let tail = read(&content, json!({"offset": -1}));
        assert!(tail.contains("\u{e9}t\u{e9}\n") && tail.contains("decoded from"), "{tail}");
    }
}

#[test]
fn a_long_file_is_cut_at_2000_lines_and_can_be_read_on() {
    let content = numbered(2_500);
    let text = read(&content, json!({}));
    assert_eq!(shown(&text, 1).len(), 2_000);
    assert!(
        text.ends_with("(lines 1-2000 of 2500; read on with {\"path\":\"f\",\"offset\":2001})\n"),
        "{}",
        &text[text.len() - 100..]
    );
    assert_eq!(read(&content, json!({"limit": 99_999})), text, "a larger limit gives no more");
    let folder = Folder::with([("f", &*content)]);
    let lines = follow(&folder, || None);
    assert_eq!(lines, content.lines().collect::<Vec<_>>());
}

#[test]
fn the_text_of_one_call_is_bounded_and_nothing_is_lost() {
    let content: String = (0..300).map(|n| format!("{n} {}\n", "x".repeat(1_500))).collect();
    let folder = Folder::with([("f", &*content)]);
    let text = folder.text("read_file", json!({"path": "f"}));
    assert!((80_000..92_000).contains(&text.len()), "{}", text.len());
    assert!(text.contains(" of 300; read on with "), "{}", &text[text.len() - 100..]);
    assert_eq!(follow(&folder, || None), content.lines().collect::<Vec<_>>());
}

#[test]
fn a_line_of_a_megabyte_is_cut_and_the_lines_after_it_are_shown() {
    let content = format!("before\n{}\nafter\n", "x".repeat(1_000_000));
    let text = read(content, json!({}));
    assert_eq!(
        shown(&text, 1),
        ["before", &format!("{} [... line of 1000001 bytes cut]", "x".repeat(2_000)), "after"]
    );
}

#[test]
fn a_line_is_cut_by_characters_and_no_cut_is_silent() {
    // One, two, three and four bytes a character.
    for letter in ["x", "é", "글", "🦀"] {
        for end in ["\n", "\r\n", ""] {
            let whole = letter.repeat(2_000);
            assert_eq!(read(format!("{whole}{end}"), json!({})), format!("     1\t{whole}\n"));
            let longer = format!("{letter}{whole}{end}");
            let expected = format!("     1\t{whole} [... line of {} bytes cut]\n", longer.len());
            assert_eq!(read(longer, json!({})), expected, "{letter:?} {end:?}");
        }
        // Not a whole number of characters fits into what is kept of the line.
        let odd = format!("a{}", letter.repeat(9_000));
        let text = read(&odd, json!({}));
        assert!(text.ends_with(&format!("[... line of {} bytes cut]\n", odd.len())), "{letter:?}");
    }
}

#[test]
fn f1_a_sparse_gigabyte_is_read_at_an_early_offset_without_reading_it_all() {
    let folder = Folder::new();
    let mut file = File::create(folder.path("f")).unwrap();
    file.write_all(numbered(5_000).as_bytes()).unwrap();
    file.set_len(1 << 30).unwrap();
    let before = bytes_read();
    let text = folder.text("read_file", json!({"path": "f", "offset": 100, "limit": 2}));
    let read = bytes_read() - before;
    assert!(read < 100 << 20, "{read} bytes were read");
    assert_eq!(
        text,
        "   100\tline 100\n   101\tline 101\n(lines 100-101 of more; read on with {\"path\":\"f\",\"offset\":102})\n"
    );
}

/// How many bytes this thread has read; 0 where the system does not count.
fn bytes_read() -> u64 {
    let counts = std::fs::read_to_string("/proc/thread-self/io").unwrap_or_default();
    let count = counts.lines().find_map(|line| line.strip_prefix("rchar: "));
    count.map_or(0, |count| count.parse().unwrap())
}

#[test]
fn a_link_inside_the_workspace_is_read_and_one_that_leaves_it_is_asked_about() {
    let outside = Folder::with([("secret", "secret text\n")]);
    let folder = Folder::with([("real/a.txt", "inside\n")]);
    symlink("real", folder.path("link")).unwrap();
    symlink(outside.root(), folder.path("out")).unwrap();
    let inside = folder.dispatch("read_file", json!({"path": "link/a.txt"}));
    assert_eq!(inside.to_text(), "     1\tinside\n");
    assert_eq!(folder.text("read_file", json!({"path": "link/a.txt"})), "     1\tinside\n");
    for path in ["out/secret", "link/../../x", "/etc/hostname"] {
        let text = folder.dispatch("read_file", json!({"path": path})).to_text();
        assert!(text.contains("E_TOOL_DENIED"), "{path}: {text}");
        assert!(!text.contains("secret text"), "{path}: {text}");
    }
}

#[test]
fn a_limit_below_one_is_refused_by_the_schema() {
    let folder = Folder::with([("f", "x")]);
    for input in [json!({"path": "f", "limit": 0}), json!({"path": "f", "start_line": -1})] {
        let text = folder.dispatch("read_file", input).to_text();
        assert!(text.contains("E_TOOL_INVALID_ARGS"), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn following_the_printed_calls_gives_back_exactly_the_lines(
        lines in prop::collection::vec("([^\0\n]|\r|\\(lines |\t){0,30}", 0..60),
        ends_in_newline: bool,
        limits in prop::collection::vec(prop::option::of(1_usize..20), 1..8),
    ) {
        let mut content = lines.join("\n");
        // A byte order mark is no text.
        prop_assume!(!content.starts_with('\u{feff}'));
        if ends_in_newline {
            content.push('\n');
        }
        let folder = Folder::with([("f", &*content)]);
        let mut limits = limits.iter().copied().cycle();
        let read = follow(&folder, || limits.next().flatten());
        prop_assert_eq!(read, content.lines().collect::<Vec<_>>());
    }
}
