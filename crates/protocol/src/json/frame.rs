//! Where a JSON value ends in a stream.

use memchr::memchr2;

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
        *self = Self::default();
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
        let Some(at) = memchr2(b'"', b'\\', bytes) else { return bytes.len() };
        if bytes[at] == b'\\' {
            self.place = Place::Escape;
        } else {
            self.end_of_part();
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
    fn says_the_end_until_it_is_reset() {
        let mut framer = JsonFramer::new();
        assert_eq!(framer.push("{"), None);
        assert!(framer.is_open());
        assert_eq!(framer.push("}{"), Some(1));
        assert_eq!(framer.push("{"), Some(0));
        assert!(!framer.is_open());
    }
}
