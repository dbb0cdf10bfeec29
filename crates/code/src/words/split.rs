//! Cutting a text into words.

use super::Term;
use super::stem::MAX_BYTES;

/// What a word is of the identifier or text that it was found in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A word by itself, or one of those that an identifier is made of.
    Word,
    /// A whole identifier of several words, without what joins them.
    Whole,
    /// Two neighbouring letters of a script without spaces.
    Pair,
}

/// A word of a text.
#[derive(Clone, Copy, Debug)]
pub struct Word<'a> {
    /// In lower case, its ending included.
    pub text: &'a [u8],
    /// What it is.
    pub part: Part,
}

impl Word<'_> {
    /// The word as the index knows it.
    pub fn term(&self) -> Term {
        match self.part {
            Part::Word => Term::of(self.text),
            Part::Whole | Part::Pair => Term::exact(self.text),
        }
    }
}

/// No word is longer; what is, is data.
const MAX_WORD: usize = MAX_BYTES;
/// No identifier is longer.
const MAX_WHOLE: usize = 2 * MAX_BYTES;

/// Calls `found` with every word of a text, in order.
pub fn words(text: &str, mut found: impl FnMut(Word<'_>)) {
    let bytes = text.as_bytes();
    let mut splitter = Splitter::default();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte.is_ascii() {
            at += 1;
            match CLASS[usize::from(byte)] {
                Class::Other => splitter.end_whole(&mut found),
                class => splitter.ascii(byte, class, bytes.get(at).copied(), &mut found),
            }
        } else {
            let Some(letter) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
            at += letter.len_utf8();
            splitter.letter(letter, &mut found);
        }
    }
    splitter.end_whole(&mut found);
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Class {
    Lower,
    Upper,
    Digit,
    Joint,
    #[default]
    Other,
}

const CLASS: [Class; 256] = {
    let mut table = [Class::Other; 256];
    let mut at = 0;
    while at < 128 {
        #[expect(clippy::cast_possible_truncation, reason = "below 128")]
        let byte = at as u8;
        table[at] = match byte {
            b'a'..=b'z' => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            b'_' => Class::Joint,
            _ => Class::Other,
        };
        at += 1;
    }
    table
};

/// The word and the identifier that are being read.
struct Splitter {
    word: [u8; MAX_WORD],
    word_len: usize,
    whole: [u8; MAX_WHOLE],
    whole_len: usize,
    /// How many words the identifier has so far.
    parts: usize,
    last: Class,
    /// The last letter of a script without spaces.
    pair: Option<char>,
}

impl Default for Splitter {
    fn default() -> Self {
        Self {
            word: [0; MAX_WORD],
            word_len: 0,
            whole: [0; MAX_WHOLE],
            whole_len: 0,
            parts: 0,
            last: Class::Other,
            pair: None,
        }
    }
}

impl Splitter {
    fn ascii(
        &mut self,
        byte: u8,
        class: Class,
        next: Option<u8>,
        found: &mut impl FnMut(Word<'_>),
    ) {
        self.pair = None;
        match class {
            Class::Joint | Class::Other => self.end_word(found),
            Class::Upper => {
                let next_is_lower = next.is_some_and(|next| next.is_ascii_lowercase());
                // `HTTPHeader`: the last capital begins the next word.
                if self.last != Class::Upper || (next_is_lower && self.word_len > 0) {
                    self.end_word(found);
                }
                self.push(byte.to_ascii_lowercase());
            }
            Class::Lower | Class::Digit => self.push(byte),
        }
        self.last = class;
    }

    fn letter(&mut self, letter: char, found: &mut impl FnMut(Word<'_>)) {
        if without_spaces(letter) {
            let before = self.pair;
            self.end_whole(found);
            if let Some(before) = before {
                let mut text = [0; 8];
                let first = before.encode_utf8(&mut text).len();
                let both = first + letter.encode_utf8(&mut text[first..]).len();
                found(Word { text: &text[..both], part: Part::Pair });
            }
            self.pair = Some(letter);
        } else if letter.is_alphanumeric() {
            let mut text = [0; 4];
            for lower in letter.to_lowercase() {
                for byte in lower.encode_utf8(&mut text).as_bytes() {
                    self.push(*byte);
                }
            }
            self.last = if letter.is_uppercase() { Class::Upper } else { Class::Lower };
        } else {
            self.end_whole(found);
        }
    }

    fn push(&mut self, byte: u8) {
        if let Some(place) = self.word.get_mut(self.word_len) {
            *place = byte;
        }
        self.word_len += 1;
        if let Some(place) = self.whole.get_mut(self.whole_len) {
            *place = byte;
        }
        self.whole_len += 1;
    }

    fn end_word(&mut self, found: &mut impl FnMut(Word<'_>)) {
        let length = std::mem::take(&mut self.word_len);
        let Some(word) = self.word.get(..length).filter(|word| !word.is_empty()) else { return };
        self.parts += 1;
        // A number by itself says nothing; in an identifier it is in the whole.
        if word.iter().all(u8::is_ascii_digit) {
            return;
        }
        if length > 1 {
            found(Word { text: word, part: Part::Word });
        }
        let letters = word.iter().position(u8::is_ascii_digit).unwrap_or(0);
        if letters >= 3 {
            found(Word { text: &word[..letters], part: Part::Word });
        }
    }

    fn end_whole(&mut self, found: &mut impl FnMut(Word<'_>)) {
        self.end_word(found);
        let length = std::mem::take(&mut self.whole_len);
        if self.parts > 1
            && let Some(whole) = self.whole.get(..length)
        {
            found(Word { text: whole, part: Part::Whole });
        }
        self.parts = 0;
        self.last = Class::Other;
        self.pair = None;
    }
}

/// Chinese, Japanese, Korean and Thai do not say where a word ends, or bend it at its end.
fn without_spaces(letter: char) -> bool {
    matches!(u32::from(letter),
        0x0e00..=0x0eff | 0x1100..=0x11ff | 0x3040..=0x30ff | 0x3130..=0x318f
        | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xac00..=0xd7a3 | 0xf900..=0xfaff
        | 0x2_0000..=0x3_ffff)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        words(text, |word| all.push(String::from_utf8_lossy(word.text).into_owned()));
        all
    }

    #[test]
    fn identifiers_are_split_and_kept() {
        assert_eq!(split("parseHTTPHeader"), ["parse", "http", "header", "parsehttpheader"]);
        assert_eq!(split("parse_http_header"), ["parse", "http", "header", "parsehttpheader"]);
        assert_eq!(split("SCREAMING_CASE x"), ["screaming", "case", "screamingcase"]);
        assert_eq!(split("kebab-case sha256 42"), ["kebab", "case", "sha256", "sha"]);
        assert_eq!(split("IOError"), ["io", "error", "ioerror"]);
        assert_eq!(split("Größe ÄRGER"), ["größe", "ärger"]);
    }

    #[test]
    fn scripts_without_spaces_give_pairs() {
        assert_eq!(split("도구함 x 檔案"), ["도구", "구함", "檔案"]);
    }

    #[test]
    fn what_is_too_long_for_a_word_is_none() {
        assert_eq!(split(&"a".repeat(10_000)), [""; 0]);
    }

    proptest! {
        #[test]
        fn any_text_has_words(text in "\\PC*") {
            words(&text, |word| assert!(!word.text.is_empty()));
        }
    }
}
