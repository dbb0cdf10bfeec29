//! Strings, in whatever quotes.

use memchr::memchr2;

use super::super::error::one_line;
use super::super::escape::{Units, plain};
use super::notes::Note;
use super::reader::Reader;

/// The first byte of every typographic quote.
const TYPOGRAPHIC_LEAD: u8 = 0xE2;

/// What a string stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quote {
    /// `"…"`
    Double,
    /// `'…'`
    Single,
    /// `“…”`
    TypographicDouble,
    /// `‘…’`
    TypographicSingle,
}

/// A string, and whether its closing quote came.
pub(super) struct Text {
    pub(super) value: String,
    pub(super) closed: bool,
    /// Whether a quote after a backslash may have been meant to close it, as in `"C:\dir\"}`.
    pub(super) doubtful: bool,
}

impl Quote {
    /// The quote that opens here, if one does.
    pub(super) fn opening(text: &str) -> Option<Self> {
        match text.chars().next()? {
            '"' => Some(Self::Double),
            '\'' => Some(Self::Single),
            '“' | '”' | '„' | '‟' => Some(Self::TypographicDouble),
            '‘' | '’' | '‚' | '‛' => Some(Self::TypographicSingle),
            _ => None,
        }
    }

    /// How long the quote is that closes here, or 0.
    fn closing(self, text: &str) -> usize {
        let closes = match self {
            Self::Double => text.starts_with('"'),
            Self::Single => text.starts_with('\''),
            Self::TypographicDouble => text.starts_with(['“', '”']),
            Self::TypographicSingle => text.starts_with(['‘', '’']),
        };
        if closes { self.length() } else { 0 }
    }

    fn length(self) -> usize {
        if matches!(self, Self::Double | Self::Single) { 1 } else { '“'.len_utf8() }
    }

    fn first_byte(self) -> u8 {
        match self {
            Self::Double => b'"',
            Self::Single => b'\'',
            Self::TypographicDouble | Self::TypographicSingle => TYPOGRAPHIC_LEAD,
        }
    }

    fn note(self) -> Option<Note> {
        match self {
            Self::Double => None,
            Self::Single => Some(Note::SingleQuotes),
            Self::TypographicDouble | Self::TypographicSingle => Some(Note::TypographicQuotes),
        }
    }
}

/// A string as far as it was read.
struct Written {
    quote: Quote,
    value: String,
    units: Units,
    /// Whether a backslash stood for itself.
    plain_backslash: bool,
}

impl Reader<'_> {
    /// Reads a string from its opening quote on.
    pub(super) fn string(&mut self, quote: Quote) -> Text {
        self.take(quote.length());
        if let Some(note) = quote.note() {
            self.notes.add(note);
        }
        let (value, units) = (String::new(), Units::default());
        let mut written = Written { quote, value, units, plain_backslash: false };
        let raw = self.rest();
        let closed = self.body(&mut written);
        self.end_units(&mut written);
        let doubtful = !closed && written.plain_backslash && seems_closed(raw);
        Text { value: written.value, closed, doubtful }
    }

    /// Reads up to the closing quote; false if the text ends before it.
    fn body(&mut self, written: &mut Written) -> bool {
        let first_byte = written.quote.first_byte();
        while let Some(run) = memchr2(first_byte, b'\\', self.rest().as_bytes()) {
            self.run(run, written);
            let closing = written.quote.closing(self.rest());
            if closing > 0 {
                self.take(closing);
                return true;
            }
            if self.peek() == Some(b'\\') {
                self.escape(written);
            } else {
                // A character that only begins as a closing quote does.
                self.run(written.quote.length(), written);
            }
        }
        self.run(self.rest().len(), written);
        false
    }

    /// Takes so many bytes as they are.
    fn run(&mut self, bytes: usize, written: &mut Written) {
        if bytes == 0 {
            return;
        }
        self.end_units(written);
        let run = self.take(bytes);
        for byte in run.bytes().filter(|byte| *byte < b' ') {
            self.notes.add(match byte {
                b'\n' | b'\r' => Note::LineBreak,
                b'\t' => Note::Tab,
                _ => Note::Control,
            });
        }
        written.value.push_str(run);
    }

    /// Reads an escape from its backslash on.
    fn escape(&mut self, written: &mut Written) {
        let after = &self.rest()[1..];
        let quote = written.quote.closing(after);
        match after.bytes().next() {
            None => self.cut_escape(1),
            Some(b'u') => self.unicode_escape(written),
            Some(_) if quote > 0 => {
                self.take(1);
                self.run(quote, written);
            }
            Some(byte) => match plain(byte) {
                Some(character) => {
                    self.end_units(written);
                    self.take(2);
                    written.value.push(character);
                }
                None => self.unknown_escape(written),
            },
        }
    }

    fn unicode_escape(&mut self, written: &mut Written) {
        let after = &self.rest()[2..];
        let digits = after.bytes().take(4).take_while(u8::is_ascii_hexdigit).count();
        match u16::from_str_radix(&after[..digits], 16) {
            Ok(unit) if digits == 4 => {
                self.take(6);
                if written.units.push(unit, &mut written.value) {
                    self.notes.add(Note::LoneSurrogate);
                }
            }
            _ if digits == after.len() => self.cut_escape(2 + digits),
            _ => self.unknown_escape(written),
        }
    }

    /// Keeps the backslash. Without it a regular expression or a path would mean something else,
    /// and nobody would see it.
    fn unknown_escape(&mut self, written: &mut Written) {
        self.notes.add(Note::UnknownEscape(one_line(self.rest(), 2)));
        self.run(1, written);
        written.plain_backslash = true;
    }

    /// Leaves out an escape that the end of the text cut in two.
    fn cut_escape(&mut self, bytes: usize) {
        let escape = self.take(bytes);
        self.notes.add(Note::CutEscape(escape.into()));
    }

    fn end_units(&mut self, written: &mut Written) {
        if written.units.end(&mut written.value) {
            self.notes.add(Note::LoneSurrogate);
        }
    }
}

/// Whether only brackets follow the last quote, which a backslash keeps from closing the string.
fn seems_closed(raw: &str) -> bool {
    let brackets = |character: char| character.is_whitespace() || "}]".contains(character);
    raw.trim_end_matches(brackets).ends_with("\\\"")
}
