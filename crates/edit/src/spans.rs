//! The file: its lines and line endings, and the views of it, each made once.

use std::cell::OnceCell;
use std::ops::Range;

use memchr::{memchr_iter, memrchr};

use crate::flow::Words;
use crate::leads::leads;
use crate::remarks::remarks;
use crate::view::{Sight, View};

/// The content of the file with what was found out about it.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    pub(crate) text: &'a str,
    line_starts: OnceCell<Vec<usize>>,
    plain: OnceCell<View>,
    loose: OnceCell<View>,
    flowing: OnceCell<View>,
    loose_bare: OnceCell<View>,
    bare: OnceCell<(Vec<Range<usize>>, View)>,
    words: OnceCell<Words>,
    eol: OnceCell<&'static str>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            line_starts: OnceCell::new(),
            plain: OnceCell::new(),
            loose: OnceCell::new(),
            flowing: OnceCell::new(),
            loose_bare: OnceCell::new(),
            bare: OnceCell::new(),
            words: OnceCell::new(),
            eol: OnceCell::new(),
        }
    }

    /// Without white space, except for one break between lines.
    pub(crate) fn plain(&self) -> &View {
        self.plain.get_or_init(|| View::new(self.text, Sight::Plain, &[]))
    }

    /// Without line breaks and what only ends something.
    pub(crate) fn loose(&self) -> &View {
        self.loose.get_or_init(|| View::new(self.text, Sight::Loose, &[]))
    }

    /// Without the marks that begin lines, too.
    pub(crate) fn flowing(&self) -> &View {
        self.flowing.get_or_init(|| View::new(self.text, Sight::Loose, &leads(self.text)))
    }

    /// Without comments, and where they are.
    pub(crate) fn bare(&self) -> (&[Range<usize>], &View) {
        let (found, view) = self.bare.get_or_init(|| {
            let found = remarks(self.text);
            let view = View::new(self.text, Sight::Plain, &found);
            (found, view)
        });
        (found, view)
    }

    /// Without any of these.
    pub(crate) fn loose_bare(&self) -> &View {
        self.loose_bare.get_or_init(|| View::new(self.text, Sight::Loose, self.bare().0))
    }

    /// As words, wherever lines end.
    pub(crate) fn words(&self) -> &Words {
        self.words.get_or_init(|| Words::new(self.text))
    }

    fn line_starts(&self) -> &[usize] {
        self.line_starts.get_or_init(|| {
            let breaks = memchr_iter(b'\n', self.text.as_bytes()).map(|at| at + 1);
            std::iter::once(0).chain(breaks).collect()
        })
    }

    /// The number of a byte's line, from 1.
    pub(crate) fn line(&self, at: usize) -> usize {
        self.line_starts().partition_point(|start| *start <= at).max(1)
    }

    /// How many lines there are; a final line break begins none.
    pub(crate) fn line_count(&self) -> usize {
        let starts = self.line_starts();
        starts.len() - usize::from(starts.last() == Some(&self.text.len()))
    }

    /// A line by its number (from 1), without its ending.
    pub(crate) fn line_text(&self, number: usize) -> &'a str {
        let starts = self.line_starts();
        let Some(&start) = number.checked_sub(1).and_then(|index| starts.get(index)) else {
            return "";
        };
        let end = starts.get(number).copied().unwrap_or(self.text.len());
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }

    /// Where the line of a byte begins, past a byte order mark.
    pub(crate) fn line_start(&self, at: usize) -> usize {
        let start = memrchr(b'\n', &self.text.as_bytes()[..at]).map_or(0, |found| found + 1);
        if start == 0 && self.text.starts_with('\u{feff}') {
            '\u{feff}'.len_utf8().min(at)
        } else {
            start
        }
    }

    /// Where the line of a byte ends, before its line ending.
    pub(crate) fn line_end(&self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |found| at + found);
        if end > at && end < bytes.len() && bytes[end - 1] == b'\r' { end - 1 } else { end }
    }

    /// The line ending that stands at a byte, if one does.
    pub(crate) fn eol_at(&self, at: usize) -> Option<&'static str> {
        let rest = &self.text[at..];
        if rest.starts_with("\r\n") {
            Some("\r\n")
        } else if rest.starts_with('\n') {
            Some("\n")
        } else {
            None
        }
    }

    /// The line ending that most lines have.
    pub(crate) fn common_eol(&self) -> &'static str {
        self.eol.get_or_init(|| common_eol(self.text).unwrap_or("\n"))
    }
}

/// The line ending that most lines of a text have.
pub(crate) fn common_eol(text: &str) -> Option<&'static str> {
    let bytes = text.as_bytes();
    let (mut breaks, mut returns) = (0_usize, 0_usize);
    for at in memchr_iter(b'\n', bytes) {
        breaks += 1;
        returns += usize::from(at > 0 && bytes[at - 1] == b'\r');
    }
    if breaks == 0 {
        None
    } else if returns * 2 > breaks {
        Some("\r\n")
    } else {
        Some("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_their_ends() {
        let source = Source::new("\u{feff}a\r\nbc\n\nd");
        assert_eq!(source.line(0), 1);
        assert_eq!(source.line(5), 1);
        assert_eq!(source.line(6), 2);
        assert_eq!(source.line_count(), 4);
        assert_eq!(source.line_text(1), "\u{feff}a");
        assert_eq!(source.line_text(4), "d");
        assert_eq!(source.line_text(9), "");
        assert_eq!(source.line_start(4), 3);
        assert_eq!(source.line_end(3), 4);
        assert_eq!(source.eol_at(4), Some("\r\n"));
        assert_eq!(source.common_eol(), "\n");
    }
}
