//! Texts of other servers as plain data: nothing that a terminal would obey, nothing that a person
//! would not see.

use std::borrow::Cow;

use serde_json::Value;
use unicode_general_category::{GeneralCategory, get_general_category};

/// What was done to a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cleaned {
    /// The text that is left.
    pub(crate) text: String,
    /// How many characters were taken out.
    pub(crate) removed: usize,
}

/// Whether all of a text is printable ASCII, as nearly all is. Every byte is looked at, whatever
/// came before: that way many are looked at together.
fn is_simple(text: &str) -> bool {
    let odd = |byte: u8| !matches!(byte, b'\t' | b'\n' | b' '..=b'~');
    !text.bytes().fold(false, |found, byte| found | odd(byte))
}

/// Cleans a text where it is; says how many characters were taken out.
pub(crate) fn clean_text(text: &mut String) -> usize {
    if is_simple(text) {
        return 0;
    }
    let cleaned = clean(text);
    *text = cleaned.text;
    cleaned.removed
}

/// The text without controls, escape sequences and invisible characters.
pub(crate) fn clean(text: &str) -> Cleaned {
    if is_simple(text) {
        return Cleaned { text: text.to_owned(), removed: 0 };
    }
    let mut cleaned = Cleaned::default();
    let mut rest = text;
    let mut before = None;
    while let Some(c) = rest.chars().next() {
        let sequence = escape_length(rest);
        if sequence > 0 {
            cleaned.removed += rest[..sequence].chars().count();
            rest = &rest[sequence..];
            continue;
        }
        rest = &rest[c.len_utf8()..];
        if is_plain(c) || joins(before, c, rest) {
            cleaned.text.push(c);
            before = Some(c);
        } else if c != '\r' || !rest.starts_with('\n') {
            cleaned.removed += 1;
        }
    }
    cleaned
}

/// The text alone.
pub(crate) fn cleaned(text: &str) -> String {
    clean(text).text
}

/// One line of at most so many characters: for names, titles and messages.
pub(crate) fn line(text: &str, most: usize) -> String {
    let text = cleaned(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    cut(&words.join(" "), most).into_owned()
}

/// At most so many characters, and how many there are more.
pub(crate) fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some((end, _)) => {
            let more = text[end..].chars().count();
            Cow::Owned(format!("{}… ({more} characters more)", &text[..end]))
        }
    }
}

/// Cleans every text of a value, keys too; says how many characters were taken out. As deep as
/// the parser has let through.
pub(crate) fn clean_value(value: &mut Value) -> usize {
    match value {
        Value::String(text) => clean_text(text),
        Value::Array(items) => items.iter_mut().map(clean_value).sum(),
        Value::Object(map) => {
            let mut removed = 0;
            if map.keys().any(|key| !is_simple(key) && clean(key).removed > 0) {
                let renamed = std::mem::take(map).into_iter().map(|(key, value)| {
                    let key = clean(&key);
                    removed += key.removed;
                    (key.text, value)
                });
                *map = renamed.collect();
            }
            removed + map.values_mut().map(clean_value).sum::<usize>()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// Whether a value has any text that cleaning would change.
pub(crate) fn hides_anything(value: &Value) -> bool {
    match value {
        Value::String(text) => clean(text).removed > 0,
        Value::Array(items) => items.iter().any(hides_anything),
        Value::Object(map) => {
            map.iter().any(|(key, value)| clean(key).removed > 0 || hides_anything(value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn is_plain(c: char) -> bool {
    use GeneralCategory as Kind;
    if matches!(c, '\n' | '\t' | ' '..='~') {
        return true;
    }
    if is_selector(c) || matches!(c, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{2800}')
    {
        return false;
    }
    !matches!(
        get_general_category(c),
        Kind::Control
            | Kind::Format
            | Kind::Surrogate
            | Kind::PrivateUse
            | Kind::Unassigned
            | Kind::LineSeparator
            | Kind::ParagraphSeparator
    )
}

/// Variation selectors: a row of them can carry a hidden text.
fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// A single joiner or selector that belongs to what is before it and, for a joiner, after it:
/// emoji and several scripts are written with them.
fn joins(before: Option<char>, c: char, rest: &str) -> bool {
    let is_foreign = |c: char| !c.is_ascii() && is_plain(c);
    let after_one = before.is_some_and(|c| is_foreign(c) || c.is_ascii_digit());
    match c {
        '\u{fe0e}' | '\u{fe0f}' => after_one,
        '\u{200c}' | '\u{200d}' => {
            let follows = before.is_some_and(|c| is_foreign(c) || c == '\u{fe0f}');
            follows && rest.chars().next().is_some_and(is_foreign)
        }
        _ => false,
    }
}

/// How long the escape sequence is that a text begins with; 0 where there is none.
fn escape_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    if bytes.first() != Some(&0x1b) {
        return 0;
    }
    match bytes.get(1) {
        // CSI: parameters and intermediates, then one final byte.
        Some(b'[') => {
            let body = bytes[2..].iter().take_while(|byte| matches!(byte, 0x20..=0x3f)).count();
            let last = bytes.get(2 + body).is_some_and(|byte| matches!(byte, 0x40..=0x7e));
            2 + body + usize::from(last)
        }
        // OSC and the like: up to BEL or ST, or only its introducer where it has no end.
        Some(b']' | b'P' | b'X' | b'^' | b'_') => {
            let bell = text.find('\u{7}').map(|at| at + 1);
            let end = text[2..].find("\u{1b}\\").map(|at| at + 4);
            bell.into_iter().chain(end).min().unwrap_or(2)
        }
        Some(byte) if byte.is_ascii_graphic() => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_seen_stays_and_what_is_not_goes() {
        for (text, expected) in [
            ("plain\n\ttext", "plain\n\ttext"),
            ("a\u{1b}[31mred\u{1b}[0m", "ared"),
            ("a\u{1b}]0;title\u{7}b\u{1b}]8;;http://x\u{1b}\\link", "ablink"),
            ("a\u{202e}b\u{2066}c\u{200b}d\u{feff}e", "abcde"),
            ("tag\u{e0041}\u{e0042}s", "tags"),
            ("hid\u{fe01}\u{fe02}\u{e0100}den", "hidden"),
            ("a\0b\u{7f}c\u{85}d", "abcd"),
            ("line\r\nnext\rsame", "line\nnextsame"),
            (
                "👩\u{200d}💻 ❤\u{fe0f} 1\u{fe0f}\u{20e3}",
                "👩\u{200d}💻 ❤\u{fe0f} 1\u{fe0f}\u{20e3}",
            ),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
            ("a\u{200d}b ❤\u{fe0f}\u{fe0f}\u{fe0f}", "ab ❤\u{fe0f}"),
            ("도구 日本 é", "도구 日本 é"),
            ("\u{1b}", ""),
            ("\u{1b}[", ""),
        ] {
            assert_eq!(cleaned(text), expected, "{text:?}");
        }
        assert_eq!(clean("a\u{200b}\u{200b}b").removed, 2);
        assert_eq!(clean("a\r\nb").removed, 0);
    }

    #[test]
    fn names_are_one_line_of_bounded_length() {
        assert_eq!(line(" a\n\u{202e}b\tc ", 100), "a b c");
        assert_eq!(line("abcdef", 3), "abc… (3 characters more)");
    }

    #[test]
    fn values_are_cleaned_with_their_keys() {
        let mut value = json!({"a\u{200b}": ["x\u{1b}[1m", 1, null], "b": {"c": "d"}});
        assert!(hides_anything(&value));
        assert_eq!(clean_value(&mut value), 5);
        assert_eq!(value, json!({"a": ["x", 1, null], "b": {"c": "d"}}));
        assert!(!hides_anything(&value));
    }

    proptest! {
        #[test]
        fn cleaning_twice_changes_nothing_more(text in any::<String>()) {
            let once = cleaned(&text);
            prop_assert!(once.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t')));
            let hidden = once.contains(['\u{202e}', '\u{200b}', '\u{1b}']);
            prop_assert!(!hidden, "still hidden");
        }

        #[test]
        fn plain_ascii_is_untouched(text in "[ -~\n\t]{0,80}") {
            prop_assert_eq!(cleaned(&text), text);
        }
    }
}
