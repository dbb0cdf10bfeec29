//! Strings, in whatever quotes.

use memchr::memchr2;

use super::super::error::{ArgumentsError, one_line};
use super::super::escape::{Units, plain};
use super::notes::Note;
use super::reader::Reader;

/// The first byte of every typographic quote.
const TYPOGRAPHIC_LEAD: u8 = 0xE2;

const MIXED_ESCAPES: &str = r"an unknown escape stands beside others, so none can be trusted: write `\\` for each backslash";

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
    /// What is wrong if it is open, but a quote before the end may have been meant to close it.
    pub(super) doubt: Option<&'static str>,
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

    /// Whether the text ends with a quote that does not close this one, but looks as if it did.
    /// Plain quotes in plain quotes do not: those are what source code is full of.
    fn is_mistaken_at_end_of(self, text: &str) -> bool {
        let is_typographic = self.first_byte() == TYPOGRAPHIC_LEAD;
        text.ends_with(['“', '”', '‘', '’']) || is_typographic && text.ends_with(['"', '\''])
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
    /// Where the first backslash was that stood for itself.
    unknown: Option<usize>,
    /// Whether an escape was read that means another character than the one after the backslash.
    decoded: bool,
}

impl Written {
    /// What is wrong if this was left open, but nothing except brackets follows a quote in it: one
    /// that a backslash keeps from closing it, as in `"C:\dir\"}`, or one of another kind.
    fn doubt(&self, raw: &str) -> Option<&'static str> {
        let brackets = |character: char| character.is_whitespace() || "}]".contains(character);
        let inside = raw.trim_end_matches(brackets);
        if self.unknown.is_some() && inside.ends_with("\\\"") {
            return Some(r"the string is not closed: write `\\` for each backslash");
        }
        let is_mistaken = raw.trim_end() != inside && self.quote.is_mistaken_at_end_of(inside);
        is_mistaken.then_some("the string is not closed: its quotes are of different kinds")
    }
}

impl Reader<'_> {
    /// Reads a string from its opening quote on.
    pub(super) fn string(&mut self, quote: Quote) -> Result<Text, ArgumentsError> {
        self.take(quote.length());
        if let Some(note) = quote.note() {
            self.notes.add(note);
        }
        let (value, units) = (String::new(), Units::default());
        let mut written = Written { quote, value, units, unknown: None, decoded: false };
        let raw = self.rest();
        let closed = self.body(&mut written);
        self.end_units(&mut written);
        self.check_escapes(&written, closed)?;
        let doubt = if closed { None } else { written.doubt(raw) };
        Ok(Text { value: written.value, closed, doubt })
    }

    /// An unknown escape shows that the string's backslashes were not doubled. Then `\n` may be a
    /// line break or part of a path, as in `C:\Users\new`.
    fn check_escapes(&self, written: &Written, closed: bool) -> Result<(), ArgumentsError> {
        match written.unknown {
            Some(at) if written.decoded && closed => Err(self.error_at(at, MIXED_ESCAPES)),
            Some(_) if written.decoded => Err(self.unfinished(MIXED_ESCAPES)),
            _ => Ok(()),
        }
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
            None => self.cut_escape(1, written),
            Some(b'u') => self.unicode_escape(written),
            Some(_) if quote > 0 => {
                self.take(1);
                self.run(quote, written);
            }
            // Nobody means a backslash before an apostrophe.
            Some(b'\'') => {
                self.take(1);
                self.notes.add(Note::Word { wrote: r"\'".to_owned(), means: "'" });
                self.run(1, written);
            }
            Some(byte) => match plain(byte) {
                Some(character) => {
                    self.end_units(written);
                    self.take(2);
                    written.value.push(character);
                    written.decoded |= character.is_control();
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
                written.decoded = true;
                if written.units.push(unit, &mut written.value) {
                    self.notes.add(Note::LoneSurrogate);
                }
            }
            _ if digits == after.len() => self.cut_escape(2 + digits, written),
            _ => self.unknown_escape(written),
        }
    }

    /// Keeps the backslash. Without it a regular expression or a path would mean something else,
    /// and nobody would see it.
    fn unknown_escape(&mut self, written: &mut Written) {
        self.notes.add(Note::UnknownEscape(one_line(self.rest(), 2)));
        written.unknown.get_or_insert(self.at);
        self.run(1, written);
    }

    /// Leaves out an escape that the end of the text cut in two.
    fn cut_escape(&mut self, bytes: usize, written: &mut Written) {
        let escape = self.take(bytes);
        written.decoded = true;
        self.notes.add(Note::CutEscape(escape.into()));
    }

    fn end_units(&mut self, written: &mut Written) {
        if written.units.end(&mut written.value) {
            self.notes.add(Note::LoneSurrogate);
        }
    }
}
