//! A text as lines, and where a run of lines stands in it.

mod finder;

pub(crate) use finder::Finder;

/// The mark that some editors put before the first character of a text.
pub(crate) const BOM: char = '\u{feff}';

/// What ends a line, and so what of it is its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    /// Only a line feed; a carriage return before it is part of the line, as `diff` sees it.
    Literal,
    /// A carriage return before a line feed belongs to the end, a byte order mark to no line.
    Loose,
    /// As loose, and a carriage return alone ends a line too.
    LoneCr,
}

/// A text, cut into lines; the ends stay in it.
#[derive(Clone, Debug)]
pub(crate) struct Lines<'a> {
    text: &'a str,
    /// Where each line begins, and where the text ends.
    starts: Vec<usize>,
    ends: Ends,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str, ends: Ends) -> Self {
        let mut starts = vec![0];
        let bytes = text.as_bytes();
        if ends == Ends::LoneCr {
            let ends_here = |at: usize| bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n');
            let found = memchr::memchr2_iter(b'\n', b'\r', bytes).filter(|at| ends_here(*at));
            starts.extend(found.map(|at| at + 1));
        } else {
            starts.extend(memchr::memchr_iter(b'\n', bytes).map(|at| at + 1));
        }
        if starts.last() != Some(&text.len()) {
            starts.push(text.len());
        }
        Self { text, starts, ends }
    }

    /// How many lines there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Where a line begins; the end of the text for the one after the last.
    pub(crate) fn start(&self, line: usize) -> usize {
        self.starts[line.min(self.len())]
    }

    /// The line with its end.
    pub(crate) fn whole(&self, line: usize) -> &'a str {
        &self.text[self.starts[line]..self.starts[line + 1]]
    }

    /// The line without its end.
    pub(crate) fn body(&self, line: usize) -> &'a str {
        let whole = self.whole(line);
        let body = &whole[..whole.len() - self.end(line).len()];
        let marked = line == 0 && self.ends != Ends::Literal;
        if marked { body.strip_prefix(BOM).unwrap_or(body) } else { body }
    }

    /// The end of a line; nothing for a last line that has none.
    pub(crate) fn end(&self, line: usize) -> &'a str {
        let whole = self.whole(line);
        let length = match whole.as_bytes() {
            [.., b'\r', b'\n'] if self.ends != Ends::Literal => 2,
            [.., b'\n'] => 1,
            [.., b'\r'] if self.ends == Ends::LoneCr => 1,
            _ => 0,
        };
        &whole[whole.len() - length..]
    }

    /// The line that holds a byte; one past the last for the end of the text.
    pub(crate) fn at(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte).saturating_sub(1)
    }

    pub(crate) fn ends(&self) -> Ends {
        self.ends
    }

    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// Every body in order.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = &'a str> + '_ {
        (0..self.len()).map(|line| self.body(line))
    }
}

/// A text has a carriage return that no line feed follows.
pub(crate) fn has_lone_cr(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'\r', bytes).any(|at| bytes.get(at + 1) != Some(&b'\n'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bodies(text: &str, ends: Ends) -> Vec<&str> {
        Lines::new(text, ends).bodies().collect()
    }

    #[test]
    fn what_ends_a_line_is_told() {
        let text = "\u{feff}a\r\nb\rc\n\nd";
        assert_eq!(bodies(text, Ends::Literal), ["\u{feff}a\r", "b\rc", "", "d"]);
        assert_eq!(bodies(text, Ends::Loose), ["a", "b\rc", "", "d"]);
        assert_eq!(bodies(text, Ends::LoneCr), ["a", "b", "c", "", "d"]);
        assert!(bodies("", Ends::LoneCr).is_empty());
        assert!(has_lone_cr("a\r") && !has_lone_cr("a\r\n"));
    }

    #[test]
    fn a_byte_is_in_a_line() {
        let lines = Lines::new("ab\nc\n", Ends::Literal);
        assert_eq!([0, 2, 3, 4, 5].map(|byte| lines.at(byte)), [0, 0, 1, 1, 2]);
        assert_eq!((lines.start(1), lines.start(2), lines.start(9)), (3, 5, 5));
    }

    proptest! {
        #[test]
        fn lines_put_together_are_the_text(text in "[a\r\n\u{feff}]{0,12}") {
            for ends in [Ends::Literal, Ends::Loose, Ends::LoneCr] {
                let lines = Lines::new(&text, ends);
                let all: String = (0..lines.len()).map(|line| lines.whole(line)).collect();
                prop_assert_eq!(&all, &text);
                for line in 0..lines.len() {
                    prop_assert!(!lines.whole(line).is_empty());
                    let plain = [lines.body(line), lines.end(line)].concat();
                    prop_assert_eq!(plain, lines.whole(line).strip_prefix(BOM)
                        .filter(|_| line == 0 && ends != Ends::Literal).unwrap_or(lines.whole(line)));
                }
            }
        }
    }
}
