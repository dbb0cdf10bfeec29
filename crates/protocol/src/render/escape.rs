//! Escapes: no text from outside can end the element or attribute that it is put in.

use std::borrow::Cow;

/// `text` for the content of an element: `&`, `<` and `>` as entities, and U+FFFD for what XML
/// cannot hold. Line ends and tabs stay.
pub fn escape_text(text: &str) -> Cow<'_, str> {
    escape(text, in_text)
}

/// `text` for an attribute in quotes of either kind, on one line.
pub fn escape_attribute(text: &str) -> Cow<'_, str> {
    escape(text, in_attribute)
}

/// Copies only where there is something to replace: most content has nothing.
fn escape(text: &str, replacement: fn(char) -> Option<&'static str>) -> Cow<'_, str> {
    let Some(first) = text.find(|c| replacement(c).is_some()) else {
        return Cow::Borrowed(text);
    };
    let mut escaped = String::with_capacity(text.len() + text.len() / 8);
    escaped.push_str(&text[..first]);
    for c in text[first..].chars() {
        match replacement(c) {
            Some(replacement) => escaped.push_str(replacement),
            None => escaped.push(c),
        }
    }
    Cow::Owned(escaped)
}

fn in_text(c: char) -> Option<&'static str> {
    match c {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '\n' | '\t' | '\r' => None,
        '\u{FFFE}' | '\u{FFFF}' => Some("\u{FFFD}"),
        c if c.is_control() => Some("\u{FFFD}"),
        _ => None,
    }
}

fn in_attribute(c: char) -> Option<&'static str> {
    match c {
        '"' => Some("&quot;"),
        '\'' => Some("&apos;"),
        '\n' => Some("&#10;"),
        '\t' => Some("&#9;"),
        '\r' => Some("&#13;"),
        c => in_text(c),
    }
}
