//! Tags as models write them: any case, stray spaces, attributes in either quote.

/// Longer than every tool's and parameter's name.
const MAX_NAME: usize = 64;
/// More than this after the name is no tag that anybody meant.
const MAX_ATTRIBUTES: usize = 1_024;
/// `< read_file >` is a tag; `a <      b` is not.
const MAX_SPACES: usize = 4;

/// What is at a `<`.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Lexed<'a> {
    /// A whole tag.
    Tag(Tag<'a>),
    /// Something else.
    Not,
    /// It ends before it can be told.
    More,
}

/// A tag, as it is spelt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    pub(super) closing: bool,
    pub(super) self_closing: bool,
    pub(super) name: &'a str,
    /// What follows the name: attributes, or `=value`.
    pub(super) attributes: &'a str,
    /// From `<` to `>`, in bytes.
    pub(super) len: usize,
}

impl<'a> Tag<'a> {
    /// The name without a namespace: `ns:invoke` is `invoke`.
    pub(super) fn local(&self) -> &'a str {
        self.name.rsplit(':').next().unwrap_or(self.name)
    }

    /// The value of an attribute, in either kind of quotes or in none.
    pub(super) fn attribute(&self, name: &str) -> Option<&'a str> {
        attributes(self.attributes).find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, v)| v)
    }

    /// The `x` of `<function=x>`.
    pub(super) fn assigned(&self) -> Option<&'a str> {
        let value = self.attributes.strip_prefix('=')?.trim();
        Some(value.trim_matches(['"', '\''])).filter(|value| !value.is_empty())
    }
}

/// Reads the tag at the start of `text`. Names that are not `plausible`
/// are no tags: nothing is held back for them.
pub(super) fn lex(text: &str, plausible: impl Fn(&str) -> bool) -> Lexed<'_> {
    let bytes = text.as_bytes();
    if bytes.first() != Some(&b'<') {
        return Lexed::Not;
    }
    let mut at = skip_spaces(bytes, 1);
    let closing = bytes.get(at) == Some(&b'/');
    if closing {
        at = skip_spaces(bytes, at + 1);
    }
    let from = at;
    at += bytes[at..].iter().take(MAX_NAME + 1).take_while(|byte| is_name(**byte)).count();
    if at - from > MAX_NAME {
        return Lexed::Not;
    }
    let name = &text[from..at];
    match bytes.get(at) {
        None => return Lexed::More,
        Some(_) if name.is_empty() || !plausible(name) => return Lexed::Not,
        Some(b'>') => {
            return Lexed::Tag(Tag {
                closing,
                self_closing: false,
                name,
                attributes: "",
                len: at + 1,
            });
        }
        Some(byte) if byte.is_ascii_whitespace() || matches!(byte, b'/' | b'=') => {}
        Some(_) => return Lexed::Not,
    }
    let end = match attributes_end(&bytes[at..]) {
        Ok(length) => at + length,
        Err(lexed) => return lexed,
    };
    let inside = text[at..end].trim();
    let attributes = inside.strip_suffix('/').filter(|_| !inside.starts_with('='));
    let self_closing = attributes.is_some();
    let attributes = attributes.unwrap_or(inside).trim_end();
    Lexed::Tag(Tag { closing, self_closing, name, attributes, len: end + 1 })
}

fn skip_spaces(bytes: &[u8], from: usize) -> usize {
    let spaces = bytes[from.min(bytes.len())..].iter().take(MAX_SPACES);
    from + spaces.take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':')
}

/// Where the `>` is that is outside of quotes. A `<` means that there was no tag.
fn attributes_end(bytes: &[u8]) -> Result<usize, Lexed<'static>> {
    let mut quote = None;
    for (at, byte) in bytes.iter().enumerate().take(MAX_ATTRIBUTES) {
        match (quote, byte) {
            (None, b'>') => return Ok(at),
            (None, b'<') => return Err(Lexed::Not),
            (None, b'"' | b'\'') => quote = Some(*byte),
            (Some(open), byte) if open == *byte => quote = None,
            _ => {}
        }
    }
    Err(if bytes.len() < MAX_ATTRIBUTES { Lexed::More } else { Lexed::Not })
}

/// Each `name="value"`.
pub(super) fn attributes(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (name, after) = rest.split_once('=')?;
        let after = after.trim_start();
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (value, left) = match quote {
            Some(quote) => after[1..].split_once(quote)?,
            None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        rest = left;
        Some((name.trim(), value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(text: &str) -> Option<Tag<'_>> {
        match lex(text, |_| true) {
            Lexed::Tag(tag) => Some(tag),
            _ => None,
        }
    }

    #[test]
    fn tags_in_any_spelling() {
        for (text, closing, name) in [
            ("<path>x", false, "path"),
            ("</path>", true, "path"),
            ("< Path >", false, "Path"),
            ("</ path\n>", true, "path"),
            ("<ns:invoke name=\"a\">", false, "ns:invoke"),
        ] {
            let tag = tag(text).unwrap();
            assert_eq!((tag.closing, tag.name), (closing, name), "{text}");
        }
        assert_eq!(tag("<ns:invoke name=\"a\">").unwrap().local(), "invoke");
        assert!(tag("<br/>").unwrap().self_closing);
        assert!(tag("<list a='1' />").unwrap().self_closing);
    }

    #[test]
    fn attributes_in_any_quotes() {
        let tag = tag("<suggest mode=\"a > b\" x='y' z=1>").unwrap();
        assert_eq!(tag.attribute("mode"), Some("a > b"));
        assert_eq!(tag.attribute("X"), Some("y"));
        assert_eq!(tag.attribute("z"), Some("1"));
        assert_eq!(tag.attribute("w"), None);
        assert_eq!(tag.len, 32);
    }

    #[test]
    fn assigned_names() {
        assert_eq!(tag("<function=read_file>").unwrap().assigned(), Some("read_file"));
        assert_eq!(tag("<function = \"a/b\" >").unwrap().assigned(), Some("a/b"));
        assert_eq!(tag("<function>").unwrap().assigned(), None);
    }

    #[test]
    fn what_is_no_tag_and_what_may_become_one() {
        for text in ["<", "</", "<pat", "< pa", "<path ", "<path a=\"x"] {
            assert_eq!(lex(text, |_| true), Lexed::More, "{text}");
        }
        for text in ["<>", "<=>", "<한", "<a<b>", "<     x>", "< - >"] {
            assert_ne!(lex(text, |_| false), Lexed::More, "{text}");
        }
        assert_eq!(lex("<b and", |name| name == "path"), Lexed::Not);
        assert_eq!(lex(&format!("<{}", "a".repeat(65)), |_| true), Lexed::Not);
        assert_eq!(lex(&format!("<a {}", "a".repeat(1_100)), |_| true), Lexed::Not);
    }
}
