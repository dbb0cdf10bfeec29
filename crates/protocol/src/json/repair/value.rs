//! Values: objects, arrays, numbers and words.

use serde_json::map::Entry;
use serde_json::{Map, Value};

use super::super::error::ArgumentsError;
use super::super::number::Number;
use super::super::{MAX_DEPTH, TOO_DEEP};
use super::notes::Note;
use super::reader::{Reader, quoted};
use super::string::Quote;

type Parsed = Result<Value, ArgumentsError>;

impl Reader<'_> {
    /// Reads the value that begins here, inside so many others.
    pub(super) fn value(&mut self, depth: usize) -> Parsed {
        if let Some(quote) = Quote::opening(self.rest()) {
            return self.text(quote);
        }
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(byte) if byte.is_ascii_alphabetic() => self.word(),
            _ => Err(self.error("expected a value")),
        }
    }

    fn text(&mut self, quote: Quote) -> Parsed {
        let text = self.string(quote)?;
        if let Some(doubt) = text.doubt {
            return Err(self.unfinished(doubt));
        }
        if !text.closed {
            self.close_at_end('"')?;
        }
        Ok(Value::String(text.value))
    }

    fn object(&mut self, depth: usize) -> Parsed {
        let mut members = Map::new();
        let mut more = self.enter(depth, b'}')?;
        while more {
            let start = self.at;
            let key = self.key()?;
            self.colon(&key)?;
            let value = self.value(depth + 1)?;
            self.add(&mut members, key, value).map_err(|twice| self.error_at(start, twice))?;
            more = self.more(b'}')?;
        }
        Ok(Value::Object(members))
    }

    /// Adds a member, or says that its key is given twice: which of two values was meant is a guess.
    fn add(
        &mut self,
        members: &mut Map<String, Value>,
        key: String,
        value: Value,
    ) -> Result<(), String> {
        match members.entry(key) {
            Entry::Vacant(place) => {
                place.insert(value);
            }
            Entry::Occupied(before) if *before.get() == value => {
                self.notes.add(Note::SameKey(quoted(before.key())));
            }
            Entry::Occupied(before) => {
                return Err(format!("the key `{}` is given twice", quoted(before.key())));
            }
        }
        Ok(())
    }

    fn array(&mut self, depth: usize) -> Parsed {
        let mut items = Vec::new();
        let mut more = self.enter(depth, b']')?;
        while more {
            items.push(self.value(depth + 1)?);
            more = self.more(b']')?;
        }
        Ok(Value::Array(items))
    }

    /// Takes the opening bracket. True if something is in it.
    fn enter(&mut self, depth: usize, closer: u8) -> Result<bool, ArgumentsError> {
        if depth == MAX_DEPTH {
            return Err(self.error(TOO_DEEP));
        }
        self.take(1);
        self.unless_closed(closer)
    }

    /// Takes the closing bracket if it comes here, or is missing at the end. True if neither.
    fn unless_closed(&mut self, closer: u8) -> Result<bool, ArgumentsError> {
        self.blanks()?;
        match self.peek() {
            None => self.close_at_end(char::from(closer)).map(|()| false),
            Some(byte) if byte == closer => {
                self.take(1);
                Ok(false)
            }
            Some(_) => Ok(true),
        }
    }

    /// Takes what stands between two members, or the end. True if another follows.
    fn more(&mut self, closer: u8) -> Result<bool, ArgumentsError> {
        let line_ended = self.blanks()?;
        if self.peek() == Some(b',') {
            return self.after_comma(closer);
        }
        if !self.unless_closed(closer)? {
            return Ok(false);
        }
        // In an array it could be one text that was broken in two, so only a key will do; and one
        // in quotes, since a word may be the rest of a string that a quote ended too early.
        if line_ended && closer == b'}' && Quote::opening(self.rest()).is_some() {
            self.notes.add(Note::MissingComma);
            return Ok(true);
        }
        Err(self.error(format!("expected `,` or `{}`", char::from(closer))))
    }

    fn after_comma(&mut self, closer: u8) -> Result<bool, ArgumentsError> {
        self.take(1);
        let more = self.unless_closed(closer)?;
        if !more {
            self.notes.add(Note::TrailingComma);
        }
        Ok(more)
    }

    fn key(&mut self) -> Result<String, ArgumentsError> {
        if let Some(quote) = Quote::opening(self.rest()) {
            let text = self.string(quote)?;
            let unfinished = || format!("the key `{}` is not finished", quoted(&text.value));
            return if text.closed { Ok(text.value) } else { Err(self.unfinished(&unfinished())) };
        }
        let key = self.take_while(is_bare);
        if key.is_empty() {
            return Err(self.error("expected a key in double quotes"));
        }
        self.notes.add(Note::Key(quoted(key)));
        Ok(key.into())
    }

    /// Takes the colon after a key, up to the value.
    fn colon(&mut self, key: &str) -> Result<(), ArgumentsError> {
        self.blanks()?;
        match self.peek() {
            Some(b':') => self.take(1),
            Some(_) => {
                return Err(self.error(format!("expected `:` after the key `{}`", quoted(key))));
            }
            None => return Err(self.no_value(key)),
        };
        self.blanks()?;
        if self.at_end() { Err(self.no_value(key)) } else { Ok(()) }
    }

    fn no_value(&self, key: &str) -> ArgumentsError {
        self.unfinished(&format!("the key `{}` has no value", quoted(key)))
    }

    fn number(&mut self) -> Parsed {
        let start = self.at;
        let text = self.take_while(is_of_number);
        let shown = quoted(text);
        match Number::of(text) {
            Some(number) if number.is_whole() => serde_json::from_str(text)
                .map_err(|_| self.error_at(start, format!("the number `{shown}` is too large"))),
            Some(_) if self.at_end() => {
                Err(self.unfinished(&format!("the number `{shown}` is not finished")))
            }
            _ => Err(self.error_at(start, format!("`{shown}` is not a JSON number"))),
        }
    }

    fn word(&mut self) -> Parsed {
        let start = self.at;
        let word = self.take_while(is_bare);
        if let Some(value) = literal(word) {
            let means = meaning(&value);
            if word != means {
                self.notes.add(Note::Word { wrote: word.into(), means });
            }
            return Ok(value);
        }
        let shown = quoted(word);
        if self.at_end() && is_cut_literal(word) {
            return Err(self.unfinished(&format!("the value `{shown}` is not finished")));
        }
        Err(self.error_at(start, not_a_value(&shown)))
    }
}

/// Characters of a key without quotes, or of a word.
fn is_bare(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$' | '-')
}

/// Characters that belong to a number, or show that it is none.
fn is_of_number(character: char) -> bool {
    is_bare(character) || matches!(character, '+' | '.')
}

fn literal(word: &str) -> Option<Value> {
    match word {
        "true" | "True" => Some(Value::Bool(true)),
        "false" | "False" => Some(Value::Bool(false)),
        "null" | "None" | "undefined" => Some(Value::Null),
        _ => None,
    }
}

fn meaning(literal: &Value) -> &'static str {
    match literal {
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        _ => "null",
    }
}

fn is_cut_literal(word: &str) -> bool {
    let literals = ["true", "True", "false", "False", "null", "None", "undefined"];
    literals.iter().any(|literal| literal.starts_with(word))
}

fn not_a_value(word: &str) -> String {
    match word {
        "NaN" | "Infinity" => format!("`{word}` is not a JSON number"),
        _ => format!("expected a value but got `{word}`, which is not in quotes"),
    }
}
