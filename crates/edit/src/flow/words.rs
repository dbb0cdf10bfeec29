//! A text as the words that are compared, without the marks that begin comment lines.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

use crate::leads::leads;
use crate::tokens::Tokens;
use crate::view::{Sight, View};

/// Words and marks, each with a number that equal ones share.
#[derive(Debug)]
pub(crate) struct Words {
    pub(crate) ranges: Vec<Range<usize>>,
    pub(crate) keys: Vec<u64>,
}

impl Words {
    pub(crate) fn new(text: &str) -> Self {
        let ranges = Tokens::new(text, &leads(text)).ranges;
        let keys = ranges.iter().map(|range| key(&text[range.clone()])).collect();
        Self { ranges, keys }
    }

    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The bytes from the first to the last of some words.
    pub(crate) fn bytes(&self, words: &Range<usize>) -> Range<usize> {
        self.ranges[words.start].start..self.ranges[words.end - 1].end
    }
}

/// The number of a word as it is compared: plain, and whatever its quotes are.
fn key(word: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    match word {
        "'" | "`" => "\"".as_bytes().hash(&mut hasher),
        word if word.is_ascii() => word.as_bytes().hash(&mut hasher),
        word => View::new(word, Sight::Loose, &[]).bytes[..].hash(&mut hasher),
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_equal_whatever_their_form() {
        let words = |text| Words::new(text).keys;
        assert_eq!(words("// a 'b'\n// c"), words("a \"b\" c"));
        assert_eq!(words("\u{201c}x\u{201d}"), words("\"x\""));
        assert_ne!(words("x"), words("X"));
    }
}
