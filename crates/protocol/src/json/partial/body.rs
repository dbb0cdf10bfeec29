//! The inside of a string that arrives in pieces.

use memchr::memchr2;

use super::super::escape::{Units, plain};

/// Where in a string the text is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Body {
    escape: Escape,
    units: Units,
}

#[derive(Clone, Copy, Debug, Default)]
enum Escape {
    /// In none.
    #[default]
    None,
    /// After the backslash.
    Begun,
    /// After `\u` and some of its four digits.
    Hex { digits: u8, unit: u16 },
}

/// How reading a piece of a string ended.
pub(super) enum Fed {
    /// The string goes on after the piece.
    GoesOn,
    /// The string ended; this is the offset behind its quote.
    Ended(usize),
    /// There is no such escape; this is the offset of what is wrong in it.
    BadEscape(usize),
}

impl Body {
    /// Reads on, and adds to `out` what has certainly arrived. Raw control characters are taken as
    /// they are: models write them, and there is one thing only that they can mean.
    pub(super) fn feed(&mut self, text: &str, out: &mut String) -> Fed {
        let mut at = 0;
        while at < text.len() {
            if matches!(self.escape, Escape::None) {
                at += self.run(&text[at..], out);
                if matches!(self.escape, Escape::None) && text.as_bytes()[at - 1] == b'"' {
                    return Fed::Ended(at);
                }
            } else if self.escaped(text.as_bytes()[at], out) {
                at += 1;
            } else {
                return Fed::BadEscape(at);
            }
        }
        Fed::GoesOn
    }

    /// Takes text up to and with a quote or backslash. Gives how many bytes that were.
    fn run(&mut self, text: &str, out: &mut String) -> usize {
        let end = memchr2(b'"', b'\\', text.as_bytes());
        let run = &text[..end.unwrap_or(text.len())];
        let backslash = text.as_bytes().get(run.len()) == Some(&b'\\');
        // Only after a backslash can the other half of a pair still come.
        if !run.is_empty() || !backslash {
            self.units.end(out);
        }
        out.push_str(run);
        if backslash {
            self.escape = Escape::Begun;
        }
        run.len() + usize::from(end.is_some())
    }

    /// Takes a byte of an escape; false if it cannot be one.
    fn escaped(&mut self, byte: u8, out: &mut String) -> bool {
        match self.escape {
            Escape::Hex { digits, unit } => self.hex(digits, unit, byte, out),
            _ if byte == b'u' => {
                self.escape = Escape::Hex { digits: 0, unit: 0 };
                true
            }
            _ => self.plain(byte, out),
        }
    }

    fn plain(&mut self, byte: u8, out: &mut String) -> bool {
        let Some(character) = plain(byte) else { return false };
        self.units.end(out);
        out.push(character);
        self.escape = Escape::None;
        true
    }

    fn hex(&mut self, digits: u8, unit: u16, byte: u8, out: &mut String) -> bool {
        let digit = char::from(byte).to_digit(16).and_then(|digit| u16::try_from(digit).ok());
        let Some(digit) = digit else { return false };
        let unit = unit << 4 | digit;
        if digits < 3 {
            self.escape = Escape::Hex { digits: digits + 1, unit };
        } else {
            self.units.push(unit, out);
            self.escape = Escape::None;
        }
        true
    }
}
