//! Text that is nearly JSON, read as what it can only have meant.
//!
//! Each repair leaves a note. What would need a guess is an error: prose around the JSON, a key
//! without a value or with two, half of `true`, a quote in a string that might or might not close it.

mod notes;
mod reader;
mod string;
mod value;

use serde_json::{Map, Value};

use self::notes::Note;
use self::reader::{Reader, quoted};
use super::error::ArgumentsError;
use super::strict;

/// How the text of the arguments ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The wire format said that the call is complete: what is left open may be closed.
    Said,
    /// The text just stopped, or was cut off: what is left open is lost.
    Cut,
}

/// Reads any JSON value, repairs what is slightly broken, and says in a sentence each what it
/// repaired. A blank text is `{}`.
///
/// ```
/// use dogu_protocol::json::{End, repair};
///
/// let (value, notes) = repair("{paths: ['a', 'b',", End::Said)?;
/// assert_eq!(value, serde_json::json!({ "paths": ["a", "b"] }));
/// assert_eq!(notes.len(), 4);
/// # Ok::<(), dogu_protocol::json::ArgumentsError>(())
/// ```
pub fn repair(text: &str, end: End) -> Result<(Value, Vec<String>), ArgumentsError> {
    if text.trim().is_empty() {
        return Ok((Value::Object(Map::new()), Vec::new()));
    }
    if let Some(value) = strict::read(text) {
        return Ok((value, Vec::new()));
    }
    let mut reader = Reader::new(text, end);
    let value = reader.whole()?;
    Ok((value, reader.notes.into_sentences()))
}

impl Reader<'_> {
    /// Reads all of the text.
    fn whole(&mut self) -> Result<Value, ArgumentsError> {
        self.fence();
        self.blanks()?;
        if self.at_end() {
            return Err(self.unfinished("there is no JSON in the text"));
        }
        let mut value = self.value(0)?;
        self.blanks()?;
        while value.is_object() && self.peek() == Some(b'{') {
            value = self.another(value)?;
        }
        self.stray_closers(&value)?;
        self.note_closers();
        if self.at_end() { Ok(value) } else { Err(self.error("something follows the JSON")) }
    }

    /// Reads an object that follows the first, and says which of them counts. A server may repeat
    /// an object, also while it grows; of objects that differ otherwise none may be dropped.
    fn another(&mut self, first: Value) -> Result<Value, ArgumentsError> {
        let start = self.at;
        let second = self.value(0)?;
        self.blanks()?;
        let (note, value) = if second == first {
            (Note::SameObject, first)
        } else if is_empty(&first) {
            (Note::EmptyObject, second)
        } else if is_empty(&second) {
            (Note::EmptyObject, first)
        } else if holds_all(&second, &first) {
            (Note::GrownObject, second)
        } else {
            return Err(self.error_at(start, "two different objects follow each other"));
        };
        self.notes.add(note);
        Ok(value)
    }

    /// Skips brackets that close nothing, at the end of the text.
    fn stray_closers(&mut self, value: &Value) -> Result<(), ArgumentsError> {
        if !value.is_object() && !value.is_array() {
            return Ok(());
        }
        let closers = self.take_while(|character| matches!(character, '}' | ']'));
        if !closers.is_empty() {
            self.notes.add(Note::StrayCloser(quoted(closers)));
            self.blanks()?;
        }
        Ok(())
    }
}

/// Whether an object has every member of another, with the same value.
fn holds_all(object: &Value, other: &Value) -> bool {
    let mut members = other.as_object().into_iter().flatten();
    members.all(|(key, value)| object.get(key) == Some(value))
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(Map::is_empty)
}
