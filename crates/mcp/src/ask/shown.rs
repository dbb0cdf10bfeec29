//! Texts of models and tools, as they may be put before a person.

use unicode_general_category::{GeneralCategory as Category, get_general_category};

/// One line of at most `limit` characters, with everything spelled out that would not be seen.
pub(crate) fn line(text: &str, limit: usize) -> String {
    let mut shown = String::new();
    for c in cut(text, limit).chars() {
        if is_unseen(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// The beginning and the end of a text that is too long, with what is missing between them.
fn cut(text: &str, limit: usize) -> String {
    let characters = text.chars().count();
    if characters <= limit {
        return text.to_owned();
    }
    let head: String = text.chars().take(limit * 2 / 3).collect();
    let tail: String = text.chars().skip(characters - limit / 3).collect();
    let hidden = characters - limit * 2 / 3 - limit / 3;
    format!("{head} [… {hidden} characters are not shown …] {tail}")
}

/// Controls, formats, blanks but the plain one, and letters that are shown as nothing.
pub(crate) fn is_unseen(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    matches!(
        get_general_category(c),
        Category::Control
            | Category::Format
            | Category::PrivateUse
            | Category::Unassigned
            | Category::Surrogate
            | Category::LineSeparator
            | Category::ParagraphSeparator
            | Category::SpaceSeparator
    ) || matches!(c, '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{2800}')
        || matches!(c, '\u{180b}'..='\u{180f}' | '\u{3164}' | '\u{ffa0}' | '\u{fe00}'..='\u{fe0f}')
        || matches!(c, '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_would_not_be_seen_is_spelled_out() {
        assert_eq!(line("rm\u{202e} -rf\n\u{1b}[2K \u{200b}x é 한", 100), {
            "rm\\u{202e} -rf\\n\\u{1b}[2K \\u{200b}x é 한"
        });
    }

    #[test]
    fn a_long_text_loses_its_middle_and_says_so() {
        let shown = line(&"x".repeat(1_000), 30);
        assert!(shown.contains("970 characters are not shown"), "{shown}");
        assert!(shown.len() < 120);
    }

    proptest! {
        #[test]
        fn nothing_unseen_is_left(text in ".{0,200}") {
            prop_assert!(line(&text, 60).chars().all(|c| !is_unseen(c)));
        }
    }
}
