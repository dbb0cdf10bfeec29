//! Reads a document into its type, faster than `serde_json` alone.
//!
//! There is a document for every few letters that a model writes, and most of its bytes are
//! strings that nobody asks for. They are passed over eight at a time here.
//!
//! The reader knows less than `serde_json` does, and never more: what it does not know, be it an
//! error or a rare way to write something, is read again by `serde_json`, which alone says what
//! is wrong with a document.

mod serde_side;
#[cfg(test)]
mod tests;

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeSeed, Deserializer as _, Visitor};
use serde_json::Value;

use self::serde_side::{Elements, Place};
use crate::json::strict::{self, Strict};

/// Less deep than `serde_json` goes, and deeper than any provider does.
const DEEPEST: usize = 64;

/// Fewer letters than this between two escapes are taken one by one.
const FEW: usize = 8;

/// Integers of so many digits fit into 64 bits.
const SAFE_DIGITS: usize = 18;

/// Reads a document, as `serde_json` reads it.
pub(super) fn read<'d, T: Deserialize<'d>>(document: &'d str) -> Result<T, serde_json::Error> {
    match quick(document) {
        Ok(value) => Ok(value),
        Err(Unread) => serde_json::from_str(document),
    }
}

/// Reads the arguments of a call, if they are JSON as it should be, no key given twice.
pub(super) fn read_arguments(text: &str) -> Option<Value> {
    quick_seed(Strict, text).ok().or_else(|| strict::read(text))
}

fn quick<'d, T: Deserialize<'d>>(document: &'d str) -> Result<T, Unread> {
    quick_seed(PhantomData, document)
}

fn quick_seed<'d, S: DeserializeSeed<'d>>(seed: S, document: &'d str) -> Result<S::Value, Unread> {
    let mut reader = Quick { text: document, at: 0, depth: 0 };
    let value = seed.deserialize(&mut reader)?;
    reader.blanks();
    if reader.at == document.len() { Ok(value) } else { Err(Unread) }
}

/// This reader does not know what it is; `serde_json` may.
#[derive(Debug)]
struct Unread;

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not read")
    }
}

impl std::error::Error for Unread {}

impl serde::de::Error for Unread {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

struct Quick<'d> {
    text: &'d str,
    at: usize,
    depth: usize,
}

impl<'d> Quick<'d> {
    fn bytes(&self) -> &'d [u8] {
        self.text.as_bytes()
    }

    fn blanks(&mut self) {
        while matches!(self.bytes().get(self.at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    /// The next byte that is not blank.
    #[inline]
    fn peek(&mut self) -> Result<u8, Unread> {
        // Documents of a stream hardly ever have blanks.
        match self.bytes().get(self.at) {
            Some(byte) if *byte > b' ' => Ok(*byte),
            _ => self.peek_past_blanks(),
        }
    }

    #[cold]
    fn peek_past_blanks(&mut self) -> Result<u8, Unread> {
        self.blanks();
        self.bytes().get(self.at).copied().ok_or(Unread)
    }

    #[inline]
    fn expect(&mut self, byte: u8) -> Result<(), Unread> {
        if self.peek()? != byte {
            return Err(Unread);
        }
        self.at += 1;
        Ok(())
    }

    /// Takes this byte, if it is the next.
    #[inline]
    fn takes(&mut self, byte: u8) -> Result<bool, Unread> {
        let is_next = self.peek()? == byte;
        self.at += usize::from(is_next);
        Ok(is_next)
    }

    fn word(&mut self, word: &str) -> Result<(), Unread> {
        if !self.bytes()[self.at..].starts_with(word.as_bytes()) {
            return Err(Unread);
        }
        self.at += word.len();
        Ok(())
    }

    /// Takes text up to and with a quote or a backslash, and says which it was.
    #[inline]
    fn through_special(&mut self) -> Result<u8, Unread> {
        let rest = self.bytes().get(self.at..).ok_or(Unread)?;
        let length = plain_length(rest);
        match rest.get(length) {
            Some(byte) if *byte >= b' ' => {
                self.at += length + 1;
                Ok(*byte)
            }
            _ => Err(Unread),
        }
    }

    /// The same, with the text before it.
    #[inline]
    fn run(&mut self) -> Result<(&'d str, u8), Unread> {
        let from = self.at;
        let byte = self.through_special()?;
        Ok((&self.text[from..self.at - 1], byte))
    }

    /// Takes a string, whose quote is the next byte.
    #[inline]
    fn string(&mut self) -> Result<Str<'d>, Unread> {
        self.at += 1;
        match self.run()? {
            (run, b'"') => Ok(Str::Borrowed(run)),
            (run, _) => self.escaped(run).map(Str::Owned),
        }
    }

    /// The rest of a string that begins like this and goes on after a backslash.
    fn escaped(&mut self, begin: &str) -> Result<String, Unread> {
        // Room for a few letters more than are known saves most pieces the growing.
        let mut text = String::with_capacity(begin.len() + 48);
        text.push_str(begin);
        let mut dense = false;
        loop {
            text.push(self.escape()?);
            // Escapes often come in rows, with a few letters between them.
            if dense {
                self.few_letters(&mut text);
            }
            if self.bytes().get(self.at) == Some(&b'\\') {
                self.at += 1;
                dense = true;
                continue;
            }
            let (run, end) = self.run()?;
            text.push_str(run);
            dense = run.len() < FEW;
            if end == b'"' {
                return Ok(text);
            }
        }
    }

    /// Takes letters one by one: for a few of them, looking for their end costs more.
    #[inline]
    fn few_letters(&mut self, text: &mut String) {
        for _ in 0..FEW {
            match self.bytes().get(self.at) {
                Some(byte @ (b' '..=b'!' | b'#'..=b'[' | b']'..=b'~')) => {
                    text.push(char::from(*byte));
                }
                _ => return,
            }
            self.at += 1;
        }
    }

    /// Takes what follows a backslash.
    #[inline]
    fn escape(&mut self) -> Result<char, Unread> {
        let byte = *self.bytes().get(self.at).ok_or(Unread)?;
        self.at += 1;
        Ok(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => return self.unit(),
            _ => return Err(Unread),
        })
    }

    /// Takes four digits of one that is no half of a pair.
    fn unit(&mut self) -> Result<char, Unread> {
        let digits = self.bytes().get(self.at..self.at + 4).ok_or(Unread)?;
        self.at += 4;
        let unit = digits.iter().try_fold(0, |unit, digit| {
            char::from(*digit).to_digit(16).map(|digit| unit << 4 | digit)
        });
        unit.and_then(char::from_u32).ok_or(Unread)
    }

    fn skip_string(&mut self) -> Result<(), Unread> {
        self.at += 1;
        while self.through_special()? == b'\\' {
            self.escape()?;
        }
        Ok(())
    }

    /// Takes all that may belong to a number.
    fn digits(&mut self) -> &'d str {
        let rest = &self.text[self.at..];
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let length = rest.bytes().take_while(is_part).count();
        self.at += length;
        &rest[..length]
    }

    fn number<V: Visitor<'d>>(&mut self, visitor: V) -> Result<V::Value, Unread> {
        let digits = self.digits();
        if let Some(number) = small(digits) {
            return visitor.visit_u64(number);
        }
        let mut reader = serde_json::Deserializer::from_str(digits);
        let value = reader.deserialize_any(visitor).map_err(|_| Unread)?;
        reader.end().map_err(|_| Unread)?;
        Ok(value)
    }

    /// Passes over a value.
    fn skip(&mut self) -> Result<(), Unread> {
        match self.peek()? {
            b'"' => self.skip_string(),
            b'n' => self.word("null"),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'{' => self.inside(|reader| {
                reader.each(b'}', |reader| {
                    if reader.peek()? != b'"' {
                        return Err(Unread);
                    }
                    reader.skip_string()?;
                    reader.expect(b':')?;
                    reader.skip()
                })
            }),
            b'[' => self.inside(|reader| reader.each(b']', Self::skip)),
            _ => self.number(serde::de::IgnoredAny).map(drop),
        }
    }

    /// Does something with each element up to the closing bracket.
    fn each(
        &mut self,
        close: u8,
        mut take: impl FnMut(&mut Self) -> Result<(), Unread>,
    ) -> Result<(), Unread> {
        if self.takes(close)? {
            return Ok(());
        }
        loop {
            take(self)?;
            if self.takes(close)? {
                return Ok(());
            }
            self.expect(b',')?;
        }
    }

    /// Takes a bracket and does something one level deeper.
    #[inline]
    fn inside<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Unread>,
    ) -> Result<T, Unread> {
        if self.depth == DEEPEST {
            return Err(Unread);
        }
        self.at += 1;
        self.depth += 1;
        let done = work(self)?;
        self.depth -= 1;
        Ok(done)
    }

    fn map<V: Visitor<'d>>(&mut self, visitor: V) -> Result<V::Value, Unread> {
        self.inside(|reader| {
            let mut members = Elements { reader, close: b'}', place: Place::First };
            let value = visitor.visit_map(&mut members)?;
            members.finish()?;
            Ok(value)
        })
    }

    fn list<V: Visitor<'d>>(&mut self, visitor: V) -> Result<V::Value, Unread> {
        self.inside(|reader| {
            let mut items = Elements { reader, close: b']', place: Place::First };
            let value = visitor.visit_seq(&mut items)?;
            items.finish()?;
            Ok(value)
        })
    }
}

/// A string of the document, without a copy where it had no escapes.
enum Str<'d> {
    Borrowed(&'d str),
    Owned(String),
}

/// An integer that is surely one and fits.
fn small(digits: &str) -> Option<u64> {
    let leading_zero = digits.len() > 1 && digits.starts_with('0');
    if digits.is_empty() || digits.len() > SAFE_DIGITS || leading_zero {
        return None;
    }
    digits.bytes().try_fold(0, |number, digit| {
        digit.is_ascii_digit().then(|| number * 10 + u64::from(digit - b'0'))
    })
}

/// How many bytes come before the next quote, backslash or control character.
#[inline]
fn plain_length(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    while let Some((eight, next)) = rest.split_first_chunk() {
        let found = specials(u64::from_le_bytes(*eight));
        if found != 0 {
            return bytes.len() - rest.len() + found.trailing_zeros() as usize / 8;
        }
        rest = next;
    }
    let is_special = |byte: &u8| *byte < b' ' || matches!(byte, b'"' | b'\\');
    bytes.len() - rest.len() + rest.iter().position(is_special).unwrap_or(rest.len())
}

/// Sets the high bit of bytes that are special. Above the lowest such byte it may err: there the
/// subtraction has borrowed.
fn specials(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    let is_zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let is_control = word.wrapping_sub(ONES * 0x20) & !word;
    let quotes = is_zero(word ^ (ONES * u64::from(b'"')));
    let backslashes = is_zero(word ^ (ONES * u64::from(b'\\')));
    (is_control | quotes | backslashes) & HIGH
}
