//! One spelling for characters that look alike: models rarely send typographic ones back.

use unicode_normalization::char::{canonical_combining_class, decompose_compatible};

/// Whether a character takes part in nothing but layout.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace()
}

/// Whether nobody sees the character: a zero-width space, a soft hyphen, a byte order mark.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

/// Whether a character belongs to the word before it.
pub(crate) fn continues_word(c: char) -> bool {
    c == '_'
        || c.is_alphanumeric()
        || !c.is_ascii() && (is_invisible(c) || canonical_combining_class(c) != 0)
}

/// Appends the plain spelling of a character that is neither ASCII nor white space.
pub(crate) fn push_folded(c: char, out: &mut Vec<u8>) {
    if is_invisible(c) {
        return;
    }
    if let Some(plain) = plain_mark(c) {
        out.push(plain);
        return;
    }
    let mut buffer = [0; 4];
    decompose_compatible(c, |part| {
        if part.is_whitespace() {
            return;
        }
        match plain_mark(part) {
            Some(plain) => out.push(plain),
            None => out.extend_from_slice(part.encode_utf8(&mut buffer).as_bytes()),
        }
    });
}

/// The plain spelling of a character.
pub(crate) fn plain(c: char) -> String {
    if is_space(c) {
        return if c == '\u{2028}' { "\n".to_owned() } else { " ".to_owned() };
    }
    let mut out = Vec::new();
    push_folded(c, &mut out);
    String::from_utf8(out).unwrap_or_else(|_| c.to_string())
}

/// Quotes and dashes, for which Unicode knows no decomposition.
fn plain_mark(c: char) -> Option<u8> {
    Some(match c {
        '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{2b9}' | '\u{2bc}' | '\u{b4}' => b'\'',
        '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{ab}' | '\u{bb}' => b'"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2e3a}' | '\u{2e3b}' => b'-',
        '\u{2044}' | '\u{2215}' => b'/',
        '\u{2217}' => b'*',
        '\u{d7}' => b'x',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        let mut out = Vec::new();
        for c in text.chars() {
            push_folded(c, &mut out);
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn look_alikes_have_one_spelling() {
        assert_eq!(folded("\u{201c}a\u{201d} \u{2014} it\u{2019}s\u{2026}"), "\"a\"-it's...");
        assert_eq!(folded("\u{e9}"), folded("e\u{301}"));
        assert_eq!(folded("\u{ff08}\u{ff21}\u{ff09}"), "(A)");
        assert_eq!(folded("a\u{200b}b\u{ad}"), "ab");
    }
}
