//! A place in the text, and what lies between the parts of JSON.

use memchr::{memchr2, memmem};

use super::super::error::{ArgumentsError, one_line};
use super::End;
use super::notes::{Note, Notes};

/// How many characters of the text a message quotes.
const QUOTED: usize = 60;

const FENCE: &str = "```";

/// The text, how far it was read, and what was repaired on the way.
pub(super) struct Reader<'t> {
    text: &'t str,
    /// Where reading stops: before a fence that closes.
    limit: usize,
    pub(super) at: usize,
    pub(super) end: End,
    pub(super) notes: Notes,
    /// What the text should have ended with.
    closers: String,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str, end: End) -> Self {
        let notes = Notes::default();
        Self { text, limit: text.len(), at: 0, end, notes, closers: String::new() }
    }

    /// What is still to be read.
    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..self.limit]
    }

    /// The next byte.
    pub(super) fn peek(&self) -> Option<u8> {
        self.rest().bytes().next()
    }

    /// Whether all of it was read.
    pub(super) fn at_end(&self) -> bool {
        self.at == self.limit
    }

    /// Takes so many bytes.
    pub(super) fn take(&mut self, bytes: usize) -> &'t str {
        let taken = &self.rest()[..bytes];
        self.at += bytes;
        taken
    }

    /// Takes characters as long as they are of a kind.
    pub(super) fn take_while(&mut self, kind: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        self.take(rest.find(|character| !kind(character)).unwrap_or(rest.len()))
    }

    /// What is wrong, at this place.
    pub(super) fn error(&self, reason: impl Into<String>) -> ArgumentsError {
        self.error_at(self.at, reason)
    }

    /// What is wrong, at an earlier place.
    pub(super) fn error_at(&self, position: usize, reason: impl Into<String>) -> ArgumentsError {
        ArgumentsError::at(self.text, position, reason)
    }

    /// The text ended in the midst of something that cannot be completed without a guess.
    pub(super) fn unfinished(&self, what: &str) -> ArgumentsError {
        match self.end {
            End::Cut => self.cut_off(),
            End::Said => self.error(what),
        }
    }

    /// The text ended where `closer` should have come. Only where the end was said does that
    /// mean that it was forgotten.
    pub(super) fn close_at_end(&mut self, closer: char) -> Result<(), ArgumentsError> {
        match self.end {
            End::Cut => Err(self.cut_off()),
            End::Said => {
                self.closers.push(closer);
                Ok(())
            }
        }
    }

    fn cut_off(&self) -> ArgumentsError {
        self.error("the arguments were cut off before their end")
    }

    /// Notes what was closed at the end, in one.
    pub(super) fn note_closers(&mut self) {
        if !self.closers.is_empty() {
            self.notes.add(Note::Closed(std::mem::take(&mut self.closers)));
        }
    }

    /// Skips blanks and comments. True if a line ended meanwhile.
    pub(super) fn blanks(&mut self) -> Result<bool, ArgumentsError> {
        let mut line_ended = false;
        loop {
            let blanks = self.take_while(is_blank);
            line_ended |= blanks.contains('\n');
            if !blanks.bytes().all(|byte| b" \t\n\r".contains(&byte)) {
                self.notes.add(Note::UnusualBlank);
            }
            if !self.comment()? {
                return Ok(line_ended);
            }
        }
    }

    /// Skips a comment, if there is one.
    fn comment(&mut self) -> Result<bool, ArgumentsError> {
        let rest = self.rest();
        let length = if rest.starts_with("/*") {
            // `/*/` opens, it does not close as well.
            let end = memmem::find(&rest.as_bytes()[2..], b"*/");
            end.ok_or_else(|| self.unfinished("the comment is not closed"))? + 4
        } else if rest.starts_with("//") || rest.starts_with('#') {
            memchr2(b'\n', b'\r', rest.as_bytes()).unwrap_or(rest.len())
        } else {
            return Ok(false);
        };
        self.take(length);
        self.notes.add(Note::Comment);
        Ok(true)
    }

    /// Steps inside a code fence, if the text is in one. That is settled before anything is
    /// read, since a string that is left open would swallow the fence that closes.
    pub(super) fn fence(&mut self) {
        let rest = self.rest();
        let Some(inside) = rest.trim_start().strip_prefix(FENCE) else { return };
        self.at += rest.len() - inside.len();
        self.take_while(|character| character.is_ascii_alphanumeric());
        let inside = self.rest().trim_end();
        if let Some(inside) = inside.strip_suffix(FENCE) {
            self.limit = self.at + inside.len();
        }
        self.notes.add(Note::Fence);
    }
}

fn is_blank(character: char) -> bool {
    character.is_whitespace() || character == '\u{FEFF}'
}

/// A piece of the text as a message shows it.
pub(super) fn quoted(text: &str) -> String {
    one_line(text, QUOTED)
}
