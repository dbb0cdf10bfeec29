//! Where a JSON value ends in a stream.

use memchr::{memchr2, memchr3};

/// Finds the end of a JSON value in a stream, piece by piece, without building the value.
///
/// It counts brackets outside strings and checks nothing else: whether what it framed is JSON is
/// for a parser to say.
///
/// ```
/// use dogu_protocol::json::JsonFramer;
///
/// let mut framer = JsonFramer::new();
/// assert_eq!(framer.push(r#"{"a": "}"#), None);
/// assert_eq!(framer.push(r#""} and so on"#), Some(2));
/// ```
#[derive(Clone, Debug, Default)]
pub struct JsonFramer {
    place: Place,
    /// How many brackets are open.
    depth: usize,
    /// Only an object or a list is a value, and no line ends inside a string.
    is_strict: bool,
    /// It ended because it cannot be such a value.
    is_broken: bool,
}

/// What is known of an object or a list after some more of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scan {
    /// More must come.
    Open,
    /// It ends before this byte of the text that was pushed last.
    Closed(usize),
    /// From this byte on it cannot be JSON any more: it did not begin as an object or a list,
    /// or a line ended inside a string, where JSON has no line ends.
    Broken(usize),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// The value has not begun.
    #[default]
    Before,
    /// Between the brackets.
    Inside,
    /// In a string.
    Text,
    /// After a backslash in a string.
    Escape,
    /// In a number or a word that stands alone.
    Scalar,
    /// The value has ended.
    After,
}

impl JsonFramer {
    /// A framer before the first value.
    pub fn new() -> Self {
        Self::default()
    }

    /// A framer of a wire's documents: what is no object or list is broken, and so is one with a
    /// line end inside a string, because a document that was cut off would else swallow all that
    /// follow it.
    pub(crate) fn strict() -> Self {
        Self { is_strict: true, ..Self::default() }
    }

    /// As [`push`](Self::push), and says whether the value broke.
    pub(crate) fn scan(&mut self, text: &str) -> Scan {
        match self.push(text) {
            None => Scan::Open,
            Some(end) if self.is_broken => Scan::Broken(end),
            Some(end) => Scan::Closed(end),
        }
    }

    /// Reads on. Gives the offset in `text` just after the value, or nothing while it goes on.
    ///
    /// A number or a word at the top has no end of its own: it ends before the blank, comma, colon,
    /// quote or bracket that follows it, and one of those where a value should begin is a value of
    /// no length. Once the value has ended the answer is 0 until [`reset`](Self::reset).
    pub fn push(&mut self, text: &str) -> Option<usize> {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() && self.place != Place::After {
            at += self.step(&bytes[at..]);
        }
        (self.place == Place::After).then_some(at)
    }

    /// Whether a value has begun and not ended. A number at the end of the stream is such a value,
    /// and complete.
    pub fn is_open(&self) -> bool {
        !matches!(self.place, Place::Before | Place::After)
    }

    /// Begins anew, with the value after this one.
    pub fn reset(&mut self) {
        *self = Self { is_strict: self.is_strict, ..Self::default() };
    }

    /// Reads on from bytes that are not empty; gives how many it took.
    fn step(&mut self, bytes: &[u8]) -> usize {
        match self.place {
            Place::Text => self.text(bytes),
            Place::Scalar => self.scalar(bytes),
            Place::Escape => {
                // Where the escaped character is longer than this byte, its others are no ASCII
                // and pass for text.
                self.place = Place::Text;
                1
            }
            Place::Before | Place::Inside | Place::After => self.structure(bytes[0]),
        }
    }

    fn text(&mut self, bytes: &[u8]) -> usize {
        let found = if self.is_strict {
            memchr3(b'"', b'\\', b'\n', bytes)
        } else {
            memchr2(b'"', b'\\', bytes)
        };
        let Some(at) = found else { return bytes.len() };
        match bytes[at] {
            b'\\' => self.place = Place::Escape,
            b'"' => self.end_of_part(),
            _ => {
                self.break_off();
                return at;
            }
        }
        at + 1
    }

    fn scalar(&mut self, bytes: &[u8]) -> usize {
        let Some(at) = bytes.iter().position(|byte| ends_scalar(*byte)) else {
            return bytes.len();
        };
        self.place = Place::After;
        at
    }

    fn structure(&mut self, byte: u8) -> usize {
        match byte {
            b'{' | b'[' => {
                self.depth += 1;
                self.place = Place::Inside;
            }
            _ if self.is_strict && self.depth == 0 && !byte.is_ascii_whitespace() => {
                self.break_off();
                return 0;
            }
            b'"' => self.place = Place::Text,
            b'}' | b']' if self.depth > 0 => {
                self.depth -= 1;
                self.end_of_part();
            }
            _ if self.place == Place::Inside || byte.is_ascii_whitespace() => {}
            _ => {
                self.place = Place::Scalar;
                return 0;
            }
        }
        1
    }

    fn break_off(&mut self) {
        self.is_broken = true;
        self.place = Place::After;
    }

    /// A string or a bracket ended: the value too, unless it is inside another.
    fn end_of_part(&mut self) {
        self.place = if self.depth == 0 { Place::After } else { Place::Inside };
    }
}

fn ends_scalar(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b"\"[]{},:".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end_of(text: &str) -> Option<usize> {
        JsonFramer::new().push(text)
    }

    #[test]
    fn ends_where_the_value_ends() {
        assert_eq!(end_of("{}"), Some(2));
        assert_eq!(end_of("  [1, [2]] x"), Some(10));
        assert_eq!(end_of(r#"{"a":"}\"]"} x"#), Some(12));
        assert_eq!(end_of(r#""a" "b""#), Some(3));
        assert_eq!(end_of("12,"), Some(2));
        assert_eq!(end_of("true}"), Some(4));
        assert_eq!(end_of("]"), Some(0));
    }

    #[test]
    fn goes_on_while_it_is_open() {
        for text in ["", "  ", "{", "[{}", r#""a\""#, "12", r#"{"a":"\"#] {
            assert_eq!(end_of(text), None, "{text}");
        }
    }

    #[test]
    fn frames_one_value_after_the_other() {
        let (mut framer, mut rest, mut found) = (JsonFramer::new(), "{\"a\":1}\n[2] 3 ", vec![]);
        while let Some(end) = framer.push(rest) {
            found.push(rest[..end].trim());
            rest = &rest[end..];
            framer.reset();
        }
        assert_eq!(found, ["{\"a\":1}", "[2]", "3"]);
    }

    #[test]
    fn what_is_no_document_is_broken() {
        let scan = |text: &str| JsonFramer::strict().scan(text);
        assert_eq!(scan(r#"{"a":"}\"}"} tail"#), Scan::Closed(12));
        assert_eq!(scan(" [{},[]]"), Scan::Closed(8));
        assert_eq!(scan("{\"a\":\n{}"), Scan::Open);
        assert_eq!(scan("{\"a\n"), Scan::Broken(3));
        for text in ["oops", "]", "\"a\"", "1"] {
            assert_eq!(scan(text), Scan::Broken(0), "{text}");
        }
    }

    #[test]
    fn every_cut_gives_the_same_end() {
        let text = r#"{"a":"\\","b":["}",{"c\"":1}]}"#;
        for cut in 0..text.len() {
            let mut framer = JsonFramer::strict();
            assert_eq!(framer.scan(&text[..cut]), Scan::Open);
            assert_eq!(framer.scan(&text[cut..]), Scan::Closed(text.len() - cut));
        }
    }

    #[test]
    fn says_the_end_until_it_is_reset() {
        let mut framer = JsonFramer::new();
        assert_eq!(framer.push("{"), None);
        assert!(framer.is_open());
        assert_eq!(framer.push("}{"), Some(1));
        assert_eq!(framer.push("{"), Some(0));
        assert!(!framer.is_open());
    }
}
