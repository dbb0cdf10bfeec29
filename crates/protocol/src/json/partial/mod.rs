//! The value so far of JSON that is still arriving.

mod body;
mod tree;

use serde_json::{Map, Value};

use self::body::{Body, Fed};
use self::tree::Tree;
use super::number::Number;
use super::{MAX_DEPTH, TOO_DEEP};

/// The longest number that is followed. A number is read again each time that more of it comes,
/// and without a bound that would be quadratic.
const LONGEST_NUMBER: usize = 1024;

/// JSON that arrives in pieces, and always has the value so far.
///
/// What is shown is what has certainly arrived: the beginning of a string, a number that is one as
/// it stands, but no key without its value, no half of an escape and no half of `true`. Before
/// anything has come it is `{}`. The same text shows the same, however it was cut.
///
/// It is for previews. What a call is made with is read by [`parse_arguments`], once, at the end.
///
/// [`parse_arguments`]: super::parse_arguments
///
/// ```
/// use dogu_protocol::json::PartialJson;
///
/// let mut partial = PartialJson::new();
/// partial.push(r#"{"path": "src/ma"#);
/// assert_eq!(partial.value()["path"], "src/ma");
/// partial.push(r#"in.rs"}"#);
/// assert!(partial.is_complete());
/// ```
#[derive(Clone, Debug)]
pub struct PartialJson {
    tree: Tree,
    place: Place,
    body: Body,
    /// The key whose value has not come yet.
    key: String,
    digits: Digits,
    /// How many bytes have been read.
    position: usize,
    fault: Option<Fault>,
}

/// How far the value has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartialState {
    /// More is to come.
    Open,
    /// The value is whole. A number that stands alone is so at each of its digits.
    Complete,
    /// It is not JSON. The value so far stays, and nothing more is read.
    Invalid {
        /// Where, in bytes from the beginning.
        position: usize,
        /// What is wrong.
        reason: &'static str,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before a value.
    Value,
    /// After `[`.
    FirstItem,
    /// After `{`.
    FirstKey,
    /// After a comma in an object.
    Key,
    /// After a key.
    Colon,
    /// In a key.
    KeyText,
    /// In a string.
    Text,
    /// In a number.
    Number,
    /// In `true`, `false` or `null`, after some of its letters.
    Word { word: &'static str, letters: usize },
    /// After a value.
    After,
}

/// The number that is being read.
#[derive(Clone, Debug, Default)]
struct Digits {
    text: String,
    number: Number,
    /// How much of the text is a number as it stands.
    whole: usize,
    /// Whether it is in the tree.
    shown: bool,
}

#[derive(Clone, Copy, Debug)]
struct Fault {
    position: usize,
    reason: &'static str,
}

impl Default for PartialJson {
    fn default() -> Self {
        Self::new()
    }
}

impl PartialJson {
    /// Nothing yet.
    pub fn new() -> Self {
        Self {
            tree: Tree::new(),
            place: Place::Value,
            body: Body::default(),
            key: String::new(),
            digits: Digits::default(),
            position: 0,
            fault: None,
        }
    }

    /// Reads on.
    pub fn push(&mut self, text: &str) {
        if self.fault.is_some() {
            return;
        }
        self.tree.take_apart();
        self.read(text);
        if self.place == Place::Number {
            self.show_number();
        }
        self.tree.put_together();
    }

    /// The value so far.
    pub fn value(&self) -> &Value {
        self.tree.root()
    }

    /// How far it has come.
    pub fn state(&self) -> PartialState {
        if let Some(Fault { position, reason }) = self.fault {
            return PartialState::Invalid { position, reason };
        }
        let ended = match self.place {
            Place::After => true,
            Place::Number => self.digits.shown && self.digits.is_whole(),
            _ => false,
        };
        if ended && self.tree.depth_at_rest() == 0 {
            PartialState::Complete
        } else {
            PartialState::Open
        }
    }

    /// Whether the value is whole.
    pub fn is_complete(&self) -> bool {
        self.state() == PartialState::Complete
    }

    fn read(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            match self.step(rest) {
                Ok(used) => {
                    self.position += used;
                    rest = &rest[used..];
                }
                Err(fault) => {
                    let position = self.position + fault.position;
                    self.fault = Some(Fault { position, ..fault });
                    return;
                }
            }
        }
    }

    /// Reads on from text that is not empty; gives how many bytes it took. The position of a
    /// fault is one in this text.
    fn step(&mut self, text: &str) -> Result<usize, Fault> {
        match self.place {
            Place::Text | Place::KeyText => self.text(text),
            Place::Number => self.number(text),
            Place::Word { word, letters } => self.word(word, letters, text),
            _ => self.structure(text),
        }
    }

    fn structure(&mut self, text: &str) -> Result<usize, Fault> {
        let bytes = text.as_bytes();
        let blanks = bytes.iter().take_while(|byte| b" \t\n\r".contains(byte)).count();
        let Some(byte) = bytes.get(blanks) else { return Ok(blanks) };
        self.token(*byte).map_err(|reason| Fault { position: blanks, reason })?;
        Ok(blanks + 1)
    }

    fn token(&mut self, byte: u8) -> Result<(), &'static str> {
        match (self.place, byte) {
            (Place::FirstItem, b']') | (Place::FirstKey, b'}') => self.close(),
            (Place::After, b']' | b'}') if self.closes(byte) => self.close(),
            (Place::After, b',') if self.tree.depth() > 0 => self.place = self.after_comma(),
            (Place::FirstKey | Place::Key, b'"') => self.begin_key(),
            (Place::Colon, b':') => self.place = Place::Value,
            (Place::Value | Place::FirstItem, _) => return self.begin_value(byte),
            _ => return Err(self.expected()),
        }
        Ok(())
    }

    fn closes(&self, byte: u8) -> bool {
        match self.tree.innermost() {
            Some(Value::Array(_)) => byte == b']',
            Some(_) => byte == b'}',
            None => false,
        }
    }

    fn close(&mut self) {
        self.tree.close();
        self.place = Place::After;
    }

    fn after_comma(&self) -> Place {
        match self.tree.innermost() {
            Some(Value::Array(_)) => Place::Value,
            _ => Place::Key,
        }
    }

    fn expected(&self) -> &'static str {
        match self.place {
            Place::FirstKey | Place::Key => "expected a key in double quotes",
            Place::Colon => "expected `:` after the key",
            Place::After if self.tree.depth() == 0 => "something follows the value",
            Place::After => "expected `,` or the closing bracket",
            _ => "expected a value",
        }
    }

    fn begin_key(&mut self) {
        self.key.clear();
        self.body = Body::default();
        self.place = Place::KeyText;
    }

    fn begin_value(&mut self, byte: u8) -> Result<(), &'static str> {
        match byte {
            b'{' => self.open(Value::Object(Map::new()), Place::FirstKey)?,
            b'[' => self.open(Value::Array(Vec::new()), Place::FirstItem)?,
            b'"' => {
                self.tree.add(&mut self.key, Value::String(String::new()));
                self.body = Body::default();
                self.place = Place::Text;
            }
            b't' => self.place = Place::Word { word: "true", letters: 1 },
            b'f' => self.place = Place::Word { word: "false", letters: 1 },
            b'n' => self.place = Place::Word { word: "null", letters: 1 },
            _ => self.begin_number(byte)?,
        }
        Ok(())
    }

    fn open(&mut self, container: Value, inside: Place) -> Result<(), &'static str> {
        if self.tree.depth() == MAX_DEPTH {
            return Err(TOO_DEEP);
        }
        self.tree.open(&mut self.key, container);
        self.place = inside;
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<usize, Fault> {
        let in_key = self.place == Place::KeyText;
        let fed = match self.tree.last() {
            _ if in_key => self.body.feed(text, &mut self.key),
            Some(Value::String(out)) => self.body.feed(text, out),
            // The place says that a string is open, so it is there.
            _ => Fed::GoesOn,
        };
        match fed {
            Fed::GoesOn => Ok(text.len()),
            Fed::BadEscape(position) => Err(Fault { position, reason: "there is no such escape" }),
            Fed::Ended(used) => {
                self.place = if in_key { Place::Colon } else { Place::After };
                Ok(used)
            }
        }
    }

    fn word(&mut self, word: &'static str, seen: usize, text: &str) -> Result<usize, Fault> {
        let same = word[seen..].bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
        let letters = seen + same;
        if letters == word.len() {
            self.tree.add(&mut self.key, meaning(word));
            self.place = Place::After;
        } else if same < text.len() {
            return Err(Fault { position: same, reason: "expected `true`, `false` or `null`" });
        } else {
            self.place = Place::Word { word, letters };
        }
        Ok(same)
    }

    fn begin_number(&mut self, byte: u8) -> Result<(), &'static str> {
        self.digits.clear();
        if !self.digits.push(byte) {
            return Err("expected a value");
        }
        self.place = Place::Number;
        Ok(())
    }

    fn number(&mut self, text: &str) -> Result<usize, Fault> {
        for (position, byte) in text.bytes().enumerate() {
            if self.digits.text.len() == LONGEST_NUMBER {
                return Err(Fault { position, reason: "the number is too long" });
            }
            if !self.digits.push(byte) {
                let ended = self.end_number().map_err(|reason| Fault { position, reason });
                return ended.map(|()| position);
            }
        }
        Ok(text.len())
    }

    fn end_number(&mut self) -> Result<(), &'static str> {
        self.show_number();
        if !self.digits.is_whole() {
            return Err("the number is not finished");
        }
        if !self.digits.shown {
            return Err("the number is too large");
        }
        self.place = Place::After;
        Ok(())
    }

    /// Brings the tree up to date with the digits.
    fn show_number(&mut self) {
        if self.digits.whole == 0 {
            return;
        }
        let value = self.digits.value();
        let shown = std::mem::replace(&mut self.digits.shown, value.is_some());
        match (value, shown) {
            (Some(value), false) => self.tree.add(&mut self.key, value),
            (Some(value), true) => {
                if let Some(last) = self.tree.last() {
                    *last = value;
                }
            }
            // Too large by now. Nothing is shown of it, nor of an older member of the same
            // name, whether or not it was shown before: that depends on how the text was cut.
            (None, true) => self.tree.remove_last(&mut self.key),
            (None, false) => self.tree.forget(&self.key),
        }
    }
}

impl Digits {
    fn clear(&mut self) {
        self.text.clear();
        (self.number, self.whole, self.shown) = (Number::Start, 0, false);
    }

    /// Takes a byte; false if it is no part of the number.
    fn push(&mut self, byte: u8) -> bool {
        let Some(next) = self.number.next(byte) else { return false };
        self.number = next;
        self.text.push(char::from(byte));
        if next.is_whole() {
            self.whole = self.text.len();
        }
        true
    }

    fn is_whole(&self) -> bool {
        self.whole == self.text.len()
    }

    /// The number as it stands; nothing if it is too large to be one.
    fn value(&self) -> Option<Value> {
        serde_json::from_str(&self.text[..self.whole]).ok()
    }
}

fn meaning(word: &str) -> Value {
    if word == "null" { Value::Null } else { Value::Bool(word == "true") }
}
