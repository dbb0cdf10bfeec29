//! Text from models and files, made safe for a terminal.
//!
//! What a terminal would obey, hide or turn around is shown as `\u{202e}`. So is the backslash of
//! a `\u{` that stands in the text itself: two texts that differ are never shown alike.

mod invisible;
mod lookalike;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::ErrorKind;

use crate::problem::Problem;
use invisible::Watch;

/// How the text is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// One line: newlines and tabs are escaped too.
    Line,
    /// Newlines are kept.
    Lines,
    /// Newlines and tabs are kept: a file's content.
    Content,
}

impl Layout {
    fn keeps(self, c: char) -> bool {
        match c {
            '\n' => self != Self::Line,
            '\t' => self == Self::Content,
            _ => false,
        }
    }
}

/// A text with its layout and everything else that cannot be seen escaped.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    escaped_as(text, Layout::Content)
}

/// The same with less layout.
pub(crate) fn escaped_as(text: &str, layout: Layout) -> Cow<'_, str> {
    let mut watch = Watch::default();
    if !text.chars().any(|c| watch.hides(c) && !layout.keeps(c)) && !text.contains("\\u{") {
        return text.into();
    }
    write_escaped(text, layout, |_| false).into()
}

/// A command, a path, a name or an address: letters that look like others are escaped too.
pub(crate) fn exact(text: &str, layout: Layout) -> Cow<'_, str> {
    if text.is_ascii() {
        return escaped_as(text, layout);
    }
    let foreign = lookalike::foreign(text);
    write_escaped(text, layout, |at| foreign[at]).into()
}

/// The words in which letters look like others, as they are shown.
pub(crate) fn lookalikes(text: &str) -> BTreeSet<String> {
    let is_suspect = |word: &&str| lookalike::foreign(word).contains(&true);
    let words = text.split(|c: char| c.is_whitespace() || c == '/');
    words
        .filter(|word| !word.is_ascii())
        .filter(is_suspect)
        .map(|word| exact(word, Layout::Line).into_owned())
        .collect()
}

fn write_escaped(text: &str, layout: Layout, foreign: impl Fn(usize) -> bool) -> String {
    let mut watch = Watch::default();
    let mut safe = String::with_capacity(text.len() + 16);
    for (number, (at, c)) in text.char_indices().enumerate() {
        // Asked of each character: it counts marks.
        let hidden = watch.hides(c) && !layout.keeps(c);
        if hidden || foreign(number) || text[at..].starts_with("\\u{") {
            safe.extend(c.escape_unicode());
        } else {
            safe.push(c);
        }
    }
    safe
}

/// One line: newlines and tabs are escaped too, and what is longer than `most` characters is cut.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let line = text.replace('\n', "\\n").replace('\t', "\\t");
    // In JSON the letter of `\n` is no part of the word after it.
    let words = |line: &str| join(line.split("\\t"), "\\t", |part| exact(part, Layout::Line));
    let line = join(line.split("\\n"), "\\n", |part| words(part).into());
    match line.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

fn join<'a>(
    parts: impl Iterator<Item = &'a str>,
    between: &str,
    show: impl Fn(&'a str) -> Cow<'a, str>,
) -> String {
    parts.map(show).collect::<Vec<_>>().join(between)
}

/// The first and the last of the items, and what is said of those between.
pub(crate) fn cut_middle<T>(items: &[T], most: usize) -> (&[T], usize, &[T]) {
    if items.len() <= most {
        return (items, 0, &[]);
    }
    let tail = most / 2;
    let head = most - tail;
    (&items[..head], items.len() - most, &items[items.len() - tail..])
}

/// A text of at most about `most` characters: what is hidden is counted, and is never the end.
pub(crate) fn cut_text(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return text.into();
    }
    let characters: Vec<char> = text.chars().collect();
    match cut_middle(&characters, most) {
        (_, 0, _) => text.into(),
        (head, hidden, tail) => {
            let (head, tail) = (String::from_iter(head), String::from_iter(tail));
            format!("{head} … {hidden} characters are not shown … {tail}").into()
        }
    }
}

/// A point in time, given in seconds since 1970.
pub(crate) fn when(seconds: u64) -> String {
    let at = i64::try_from(seconds).ok().and_then(|at| jiff::Timestamp::from_second(at).ok());
    at.map_or_else(|| "unknown".to_owned(), |at| at.strftime("%Y-%m-%d %H:%M:%SZ").to_string())
}

/// Whether somebody still reads what was written: whoever closed the pipe has seen enough, which
/// is no error.
pub(crate) fn still_read(written: std::io::Result<()>) -> Result<bool, Problem> {
    match written {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Problem::wrong_use("the output could not be written").because(error)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Characters that nobody sees, or that change what is seen.
    const UNSEEN: [char; 22] = [
        '\u{1b}',
        '\r',
        '\u{7f}',
        '\u{9b}',
        '\u{ad}',
        '\u{34f}',
        '\u{61c}',
        '\u{115f}',
        '\u{200b}',
        '\u{200d}',
        '\u{2028}',
        '\u{2029}',
        '\u{202e}',
        '\u{2066}',
        '\u{2800}',
        '\u{3164}',
        '\u{a0}',
        '\u{fe0f}',
        '\u{feff}',
        '\u{e0041}',
        '\u{e000}',
        '\u{fffe}',
    ];

    #[test]
    fn what_could_fool_a_reader_is_shown_as_what_it_is() {
        assert_eq!(escaped("plain 한글\n\t"), "plain 한글\n\t");
        assert_eq!(escaped("a\u{1b}[2Jb\rc"), "a\\u{1b}[2Jb\\u{d}c");
        assert_eq!(escaped("x\u{202e}y\u{200b}"), "x\\u{202e}y\\u{200b}");
        assert_eq!(escaped("not \\u{202e}"), "not \\u{5c}u{202e}");
        assert_eq!(escaped_as("a\n\tb", Layout::Lines), "a\n\\u{9}b");
        assert_eq!(escaped_as("a\n\tb", Layout::Line), "a\\u{a}\\u{9}b");
        assert_eq!(one_line("a\nb\tc", 10), "a\\nb\\tc");
        assert_eq!(one_line("한글입니다", 2), "한글…");
        assert_eq!(one_line("g\u{456}t", 20), "g\\u{456}t");
        for c in UNSEEN {
            assert_eq!(escaped(&format!("a{c}b")), format!("a{}b", c.escape_unicode()));
        }
    }

    #[test]
    fn marks_do_not_climb_over_other_lines() {
        let flood = format!("e{}", "\u{301}".repeat(100));
        assert_eq!(escaped(&flood).matches('\u{301}').count(), 4);
        assert_eq!(escaped("é ế ก็ํ"), "é ế ก็ํ");
    }

    #[test]
    fn letters_that_look_like_others_are_told_apart() {
        let exact = |text| exact(text, Layout::Line).into_owned();
        assert_eq!(exact("g\u{456}t push"), "g\\u{456}t push");
        assert_eq!(exact("https://p\u{430}ypal.com"), "https://p\\u{430}ypal.com");
        assert_eq!(exact("\u{430}\u{3b1}"), "\u{430}\\u{3b1}");
        assert_eq!(exact("\u{ff52}\u{ff4d} -rf"), "\\u{ff52}\\u{ff4d} -rf");
        assert_eq!(exact("\u{1d42b}m"), "\\u{1d42b}m");
        assert_eq!(exact("echo \u{2019}; rm a\u{2215}b"), "echo \\u{2019}; rm a\\u{2215}b");
        assert_eq!(one_line("{\"a\":\"x\\nпривет\"}", 80), "{\"a\":\"x\\nпривет\"}");
        let words = lookalikes("run g\u{456}t /home/p\u{430}th/файл");
        assert_eq!(Vec::from_iter(words), ["g\\u{456}t", "p\\u{430}th"]);
    }

    #[test]
    fn words_of_one_script_are_shown_as_they_are() {
        for text in [
            "한글 파일.txt",
            "한글file2",
            "привет, мир",
            "файл-v2.txt",
            "日本語のテスト",
            "修复（错误）。",
            "größe naïve",
            "שלום",
            "ไทย",
            "😀 ok",
            "αβγ",
        ] {
            assert_eq!(exact(text, Layout::Line), text);
            assert!(lookalikes(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn what_is_cut_is_counted_and_the_end_is_seen() {
        assert_eq!(cut_middle(&[1, 2, 3], 3), (&[1, 2, 3][..], 0, &[][..]));
        assert_eq!(cut_middle(&[1, 2, 3, 4, 5], 3), (&[1, 2][..], 2, &[5][..]));
        assert_eq!(cut_text("abcdefgh", 4), "ab … 4 characters are not shown … gh");
        assert_eq!(cut_text("한글입니다", 5), "한글입니다");
    }

    /// What a shown text stands for.
    fn meant(shown: &str) -> String {
        let mut parts = shown.split("\\u{");
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (code, rest) = part.split_once('}').unwrap();
            text.push(char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap());
            text.push_str(rest);
        }
        text
    }

    fn any_text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            3 => "[ -~\\n\\t]{0,6}".boxed(),
            2 => prop::sample::select(&UNSEEN[..]).prop_map(String::from).boxed(),
            2 => any::<char>().prop_map(String::from).boxed(),
            1 => prop::sample::select(vec!["\\u{", "\\u{41}", "\\", "gіt", "é"])
                .prop_map(str::to_owned).boxed(),
        ];
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn a_shown_text_drives_no_terminal_and_means_one_text_only(text in any_text()) {
            for layout in [Layout::Line, Layout::Lines] {
                for shown in [escaped_as(&text, layout), exact(&text, layout)] {
                    prop_assert!(!shown.contains(|c: char| c.is_control() && c != '\n'));
                    prop_assert!(!shown.contains(&UNSEEN[..]));
                    prop_assert_eq!(layout == Layout::Line && shown.contains('\n'), false);
                    prop_assert_eq!(meant(&shown), text.as_str());
                }
            }
            prop_assert!(!one_line(&text, 50).contains(|c: char| c.is_control()));
        }

        #[test]
        fn an_unseen_character_makes_a_difference(text in any_text(), unseen in prop::sample::select(&UNSEEN[..])) {
            let with = format!("{text}{unseen}");
            prop_assert_ne!(exact(&with, Layout::Lines), exact(&text, Layout::Lines));
        }
    }
}
