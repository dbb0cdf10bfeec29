//! One call that is still arriving.

use serde_json::Value;

use super::document;
use crate::json::{JsonFramer, Scan};

/// How far a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// More may come.
    Arriving,
    /// The wire said that it ends here, but its arguments are not a whole object: whether the
    /// model or the limit left them open, the end of the message says.
    Held,
    /// It has failed already; what still comes of it is dropped.
    Dead,
}

/// A call that is still arriving.
#[derive(Debug)]
pub(super) struct OpenCall {
    /// Its place among all calls that were begun.
    pub(super) order: usize,
    /// The index of its events, once there was one.
    pub(super) index: Option<usize>,
    /// The index that the wire has for it.
    pub(super) place: Option<usize>,
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) state: State,
    /// Part of the wire was lost while it arrived.
    pub(super) damaged: bool,
    /// The wire said that this is not all of it.
    pub(super) unfinished: bool,
    pub(super) notes: Vec<String>,
    /// What came of the arguments as text.
    text: String,
    /// The arguments, where the wire had a value in the place of a text; there is no text then.
    value: Option<Value>,
    /// How many bytes of the arguments' text were passed on.
    shown: usize,
    frame: JsonFramer,
    framed: usize,
}

impl OpenCall {
    pub(super) fn new(order: usize, place: Option<usize>) -> Self {
        Self {
            order,
            index: None,
            place,
            id: None,
            name: String::new(),
            state: State::Arriving,
            damaged: false,
            unfinished: false,
            notes: Vec::new(),
            text: String::new(),
            value: None,
            shown: 0,
            frame: JsonFramer::strict(),
            framed: 0,
        }
    }

    /// Adds a piece of the name. Servers send it in parts, or again and again, or longer each
    /// time; once the call was announced it stands.
    pub(super) fn name_more(&mut self, piece: &str) {
        if self.index.is_some() || self.name.starts_with(piece) {
            return;
        }
        if piece.starts_with(self.name.as_str()) {
            self.name.clear();
        }
        self.name.push_str(piece);
    }

    /// Whether a name cannot be a part or a repetition of this call's.
    pub(super) fn is_named_otherwise(&self, name: &str) -> bool {
        let (own, other) = (self.name.as_bytes(), name.as_bytes());
        let shared = own.len().min(other.len());
        !own[..shared].eq_ignore_ascii_case(&other[..shared])
    }

    /// Keeps a piece of the arguments.
    pub(super) fn push(&mut self, piece: &str) {
        if piece.starts_with('{') && self.is_placeholder() {
            self.clear_arguments();
        }
        self.print_value();
        self.text.push_str(piece);
    }

    /// Keeps arguments that came as a value.
    pub(super) fn push_whole(&mut self, value: Value) {
        if self.has_arguments() && !self.is_placeholder() {
            self.push(&value.to_string());
        } else {
            self.clear_arguments();
            self.value = Some(value);
        }
    }

    /// Puts the text that the wire calls final in the place of what came.
    pub(super) fn replace(&mut self, text: &str) {
        self.print_value();
        // What was shown cannot be taken back; more of it is shown only where it continues.
        let continues = text.as_bytes().starts_with(&self.text.as_bytes()[..self.shown]);
        let shown = if continues { self.shown } else { text.len() };
        self.clear_arguments();
        self.text.push_str(text);
        self.shown = shown;
    }

    /// Drops the arguments and their memory.
    pub(super) fn clear_arguments(&mut self) {
        self.text = String::new();
        self.value = None;
        self.shown = 0;
        self.frame = JsonFramer::strict();
        self.framed = 0;
    }

    /// Whether anything came of the arguments.
    pub(super) fn has_arguments(&self) -> bool {
        !self.text.is_empty() || self.value.is_some()
    }

    /// Whether arguments came under an index or an id that no name came under.
    pub(super) fn is_stray(&self) -> bool {
        self.name.is_empty() && self.state != State::Dead && self.has_arguments()
    }

    /// Stray arguments may be the ones that are missing here, if any are.
    pub(super) fn suspect(&mut self) {
        let is_whole = self.is_whole();
        self.damaged |= !self.is_stray() && !is_whole;
    }

    /// Whether all there is are the empty arguments that some servers send before the real ones.
    pub(super) fn is_placeholder(&self) -> bool {
        let empty = match &self.value {
            Some(value) => value.as_object().is_some_and(serde_json::Map::is_empty),
            None => self.text == "{}",
        };
        empty && self.shown == 0
    }

    /// Whether the arguments so far are a whole value. Looks only at what is new since it was
    /// asked last.
    pub(super) fn is_whole(&mut self) -> bool {
        if self.value.is_some() || self.framed == usize::MAX {
            return true;
        }
        let whole = matches!(self.frame.scan(&self.text[self.framed..]), Scan::Closed(_));
        self.framed = if whole { usize::MAX } else { self.text.len() };
        whole
    }

    /// The text that was not passed on yet, if any; from now on it was. `printed` gives the
    /// text of a value its place.
    pub(super) fn show<'a>(&'a mut self, printed: &'a mut String) -> Option<&'a str> {
        let text = match &self.value {
            Some(_) if self.shown > 0 => return None,
            Some(value) => {
                *printed = value.to_string();
                printed
            }
            None => &self.text,
        };
        let new = &text[self.shown..];
        self.shown = text.len();
        (!new.is_empty()).then_some(new)
    }

    /// Whether the piece that came last is all that was not passed on yet; it counts as passed
    /// on from now.
    pub(super) fn show_last(&mut self, piece: &str) -> bool {
        let alone = self.shown + piece.len() == self.text.len();
        if alone {
            self.shown = self.text.len();
        }
        alone
    }

    /// The arguments as one object, if they are one strictly as they stand.
    pub(super) fn object(&mut self) -> Option<Value> {
        match &mut self.value {
            Some(value) => value.is_object().then(|| value.take()),
            None => document::read_arguments(&self.text).filter(Value::is_object),
        }
    }

    /// The text of the arguments, whatever they came as.
    pub(super) fn text(&mut self) -> &str {
        self.print_value();
        &self.text
    }

    fn print_value(&mut self) {
        if let Some(value) = self.value.take() {
            self.text = value.to_string();
        }
    }
}
