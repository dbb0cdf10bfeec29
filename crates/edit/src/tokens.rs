//! A text as words and marks, with the gaps between them.

use std::ops::Range;

use crate::fold::{continues_word, is_invisible, is_space};

/// The tokens of a text. What is between them (space, and whatever was skipped) are gaps.
#[derive(Debug)]
pub(crate) struct Tokens<'a> {
    pub(crate) text: &'a str,
    pub(crate) ranges: Vec<Range<usize>>,
}

impl<'a> Tokens<'a> {
    /// Cuts a text, past the given ranges (in order).
    pub(crate) fn new(text: &'a str, skip: &[Range<usize>]) -> Self {
        let mut ranges = Vec::new();
        let mut skip = skip.iter().peekable();
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            while skip.next_if(|range| range.end <= at).is_some() {}
            if skip.peek().is_some_and(|range| range.start <= at) || is_space(c) || is_invisible(c)
            {
                continue;
            }
            let mut end = at + c.len_utf8();
            if continues_word(c) {
                while let Some((next, c)) = chars.next_if(|(_, c)| continues_word(*c)) {
                    end = next + c.len_utf8();
                }
            }
            ranges.push(at..end);
        }
        Self { text, ranges }
    }

    pub(crate) fn len(&self) -> usize {
        self.ranges.len()
    }

    pub(crate) fn get(&self, index: usize) -> &'a str {
        &self.text[self.ranges[index].clone()]
    }

    /// What stands before a token; for the index after the last one, what ends the text.
    pub(crate) fn gap(&self, index: usize) -> &'a str {
        let start = if index == 0 { 0 } else { self.ranges[index - 1].end };
        let end = self.ranges.get(index).map_or(self.text.len(), |range| range.start);
        &self.text[start..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_marks_and_gaps() {
        let tokens = Tokens::new("  a_1 +\n e\u{301} # x\n", std::slice::from_ref(&(13..16)));
        let shown: Vec<&str> = (0..tokens.len()).map(|index| tokens.get(index)).collect();
        assert_eq!(shown, ["a_1", "+", "e\u{301}"]);
        assert_eq!(tokens.gap(0), "  ");
        assert_eq!(tokens.gap(2), "\n ");
        assert_eq!(tokens.gap(3), " # x\n");
    }
}
