//! OpenAI's responses.

use std::collections::HashMap;

use serde::Deserialize;

use super::calls::{Begin, Calls};
use super::document;
use super::finish::Finish;
use super::lenient::{Arguments, Content, Few, Problem, Text, filled};
use super::reader::{Reader, Seen, begin_whole, give_piece, say};
use crate::event::Sink;

/// A piece of an item, which is nearly every event of a stream: there is one for every few
/// letters, so what only other documents have is not read with it.
#[derive(Deserialize)]
struct Piece<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Text<'a>>,
    output_index: Option<usize>,
    #[serde(borrow)]
    item_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    delta: Arguments<'a>,
    error: Option<Problem>,
}

/// Any other event of the stream, a whole response, or a bare item.
#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Text<'a>>,
    output_index: Option<usize>,
    #[serde(borrow)]
    item_id: Option<Text<'a>>,
    #[serde(borrow)]
    item: Option<Box<Item<'a>>>,
    #[serde(borrow, default)]
    arguments: Arguments<'a>,
    #[serde(borrow)]
    response: Option<Box<Response<'a>>>,
    #[serde(borrow)]
    message: Option<Text<'a>>,
    #[serde(borrow)]
    status: Option<Text<'a>>,
    #[serde(borrow)]
    output: Option<Box<Few<Item<'a>>>>,
    incomplete_details: Option<Incomplete>,
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    call_id: Option<Text<'a>>,
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    content: Option<Box<Content<'a, Part<'a>>>>,
}

#[derive(Default, Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    status: Option<Text<'a>>,
    #[serde(borrow)]
    output: Option<Few<Item<'a>>>,
    incomplete_details: Option<Incomplete>,
    error: Option<Problem>,
}

#[derive(Default, Deserialize)]
struct Incomplete {
    reason: Option<String>,
}

#[derive(Default, Deserialize)]
struct Item<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Text<'a>>,
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    call_id: Option<Text<'a>>,
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow, default)]
    arguments: Arguments<'a>,
    #[serde(borrow)]
    content: Option<Content<'a, Part<'a>>>,
    #[serde(borrow)]
    status: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow)]
    text: Option<Text<'a>>,
    #[serde(borrow)]
    refusal: Option<Text<'a>>,
}

impl Item<'_> {
    fn is_call(&self) -> bool {
        filled(self.kind.as_ref()) == Some("function_call")
    }

    /// The id that the answer must carry, which is not the item's own.
    fn call_id(&self) -> Option<&str> {
        filled(self.call_id.as_ref())
    }

    fn is_incomplete(&self) -> bool {
        filled(self.status.as_ref()) == Some("incomplete")
    }
}

/// Reads responses.
#[derive(Debug, Default)]
pub(super) struct Responses {
    /// Text came in pieces, so a response that repeats it at the end is nothing new.
    streamed_text: bool,
    /// The places of the calls by the ids of their items, which is all that some events have.
    places: HashMap<String, usize>,
}

impl Reader for Responses {
    fn read(
        &mut self,
        document: &str,
        calls: &mut Calls,
        sink: Sink<'_>,
    ) -> Result<Seen, serde_json::Error> {
        let event: Piece<'_> = document::read(document)?;
        if let Some(problem) = event.error.and_then(|error| error.0) {
            return Ok(Seen::Problem(problem));
        }
        match filled(event.kind.as_ref()) {
            Some("response.function_call_arguments.delta") => {
                let item = filled(event.item_id.as_ref());
                let found = self.find(event.output_index, item, calls);
                give_piece(found, event.delta, calls, sink);
                return Ok(Seen::Message);
            }
            Some("response.output_text.delta" | "response.refusal.delta") => {
                self.text(&event.delta, sink);
                return Ok(Seen::Message);
            }
            _ => {}
        }
        let mut document: Document<'_> = document::read(document)?;
        let kind = document.kind.take().unwrap_or_default();
        Ok(self.event(kind.as_str(), document, calls, sink))
    }
}

impl Responses {
    fn event(
        &mut self,
        kind: &str,
        document: Document<'_>,
        calls: &mut Calls,
        sink: Sink<'_>,
    ) -> Seen {
        match kind {
            "response.output_item.added" => self.added(document, calls, sink),
            "response.function_call_arguments.done" => self.done(document, calls, sink),
            "response.output_item.done" => self.item_done(document, calls, sink),
            "response.completed" | "response.incomplete" | "response.failed" | "response.done" => {
                return self.response(*document.response.unwrap_or_default(), calls, sink);
            }
            "error" => return Seen::Problem(text_or(document.message, "an unknown error")),
            "function_call" | "message" => self.bare_item(kind, document, calls, sink),
            "reasoning" => {}
            _ if kind.starts_with("response.") => {}
            _ => return self.whole(document, calls, sink),
        }
        Seen::Message
    }

    fn text(&mut self, delta: &Arguments<'_>, sink: Sink<'_>) {
        self.streamed_text = true;
        if let Arguments::Text(text) = delta {
            say(text, sink);
        }
    }

    /// The place that the events of an item have in common: its index, or one that no index has.
    fn place(&mut self, index: Option<usize>, item: Option<&str>) -> Option<usize> {
        let Some(item) = item else { return index };
        let known = index.or_else(|| self.places.get(item).copied());
        let place = known.unwrap_or(usize::MAX - self.places.len());
        self.places.insert(item.to_owned(), place);
        Some(place)
    }

    fn added(&mut self, document: Document<'_>, calls: &mut Calls, sink: Sink<'_>) {
        let Some(item) = document.item.filter(|item| item.is_call()) else { return };
        let place = self.place(document.output_index, filled(item.id.as_ref()));
        // Some servers give their items no id, and name them by the id of the call.
        let by_call = self.place(place, item.call_id());
        begin(place.or(by_call), *item, calls, sink);
    }

    /// The call of an event.
    fn find(&self, index: Option<usize>, item: Option<&str>, calls: &Calls) -> Option<usize> {
        match (index, item) {
            (Some(index), _) => calls.at_place(index),
            (None, Some(item)) => calls.at_place(*self.places.get(item)?),
            (None, None) => calls.only_one(),
        }
    }

    /// The call of an event that may hold the item itself.
    fn find_ended(&self, document: &Document<'_>, calls: &Calls) -> Option<usize> {
        let item = document.item.as_ref();
        let id = filled(document.item_id.as_ref())
            .or(item.and_then(|item| filled(item.id.as_ref()).or(item.call_id())));
        self.find(document.output_index, id, calls)
    }

    fn done(&mut self, document: Document<'_>, calls: &mut Calls, sink: Sink<'_>) {
        match self.find_ended(&document, calls) {
            Some(at) => finish_arguments(at, document.arguments, calls, sink),
            None => give_piece(None, document.arguments, calls, sink),
        }
    }

    fn item_done(&mut self, document: Document<'_>, calls: &mut Calls, sink: Sink<'_>) {
        let found = self.find_ended(&document, calls);
        let Some(item) = document.item.filter(|item| item.is_call()) else { return };
        let index = document.output_index;
        match found.or_else(|| self.find_unended(index, &item, calls)) {
            Some(at) => finish_item(at, *item, calls, sink),
            None if is_known(&item, calls) => {}
            None => self.item(*item, calls, sink),
        }
    }

    /// The call of an item, also where the wire said before that its arguments end.
    fn find_unended(&self, index: Option<usize>, item: &Item<'_>, calls: &Calls) -> Option<usize> {
        let known = filled(item.id.as_ref()).and_then(|id| self.places.get(id).copied());
        calls.unended(item.call_id(), known.or(index))
    }

    /// The end of the stream, which repeats what the stream had. What it has counts for the calls
    /// that are not over yet.
    fn response(&mut self, response: Response<'_>, calls: &mut Calls, sink: Sink<'_>) -> Seen {
        let streamed = calls.any_begun();
        for (index, item) in response.output.into_iter().flatten().enumerate() {
            if !item.is_call() || !streamed {
                self.item(item, calls, sink);
            } else if let Some(at) = self.find_unended(Some(index), &item, calls) {
                finish_item(at, item, calls, sink);
            } else if !is_known(&item, calls) {
                self.item(item, calls, sink);
            }
        }
        let finish = finish_of(response.status.as_ref(), response.incomplete_details.as_ref());
        if let Some(problem) = response.error.and_then(|error| error.0) {
            return Seen::Problem(problem);
        }
        calls.end_all(finish, sink);
        Seen::Message
    }

    /// An item that is all in one document.
    fn item(&mut self, item: Item<'_>, calls: &mut Calls, sink: Sink<'_>) {
        if item.is_call() {
            let is_incomplete = item.is_incomplete();
            let at = begin(None, item, calls, sink);
            match at {
                Some(at) if is_incomplete => calls.end_incomplete(at, sink),
                Some(at) => calls.end(at, sink),
                None => {}
            }
        } else if !self.streamed_text && filled(item.kind.as_ref()) == Some("message") {
            prose(item.content, sink);
        }
    }

    fn bare_item(&mut self, kind: &str, document: Document<'_>, calls: &mut Calls, sink: Sink<'_>) {
        let Document { id, call_id, name, arguments, content, status, .. } = document;
        let (kind, content) = (Some(Text(kind.into())), content.map(|content| *content));
        self.item(Item { kind, id, call_id, name, arguments, content, status }, calls, sink);
        calls.end_all(Finish::Complete, sink);
    }

    /// A response that is no event's.
    fn whole(&mut self, document: Document<'_>, calls: &mut Calls, sink: Sink<'_>) -> Seen {
        let Document { status, output, incomplete_details, .. } = document;
        if output.is_none() {
            return Seen::Foreign;
        }
        let output = output.map(|output| *output);
        let response = Response { status, output, incomplete_details, error: None };
        self.response(response, calls, sink)
    }
}

fn begin(place: Option<usize>, item: Item<'_>, calls: &mut Calls, sink: Sink<'_>) -> Option<usize> {
    let (id, name) = (filled(item.call_id.as_ref()), filled(item.name.as_ref()));
    begin_whole(Begin { place, id, name }, item.arguments, calls, sink)
}

/// The text at the end is the one that counts; it is usually what came in pieces.
fn finish_arguments(at: usize, arguments: Arguments<'_>, calls: &mut Calls, sink: Sink<'_>) {
    match arguments {
        Arguments::Text(text) if !text.is_empty() => calls.arguments_final(at, &text, sink),
        Arguments::Value(value) => calls.arguments_final(at, &value.to_string(), sink),
        _ => {}
    }
    calls.end(at, sink);
}

/// Ends a call with what its item says of it.
fn finish_item(at: usize, item: Item<'_>, calls: &mut Calls, sink: Sink<'_>) {
    if item.is_incomplete() {
        calls.end_incomplete(at, sink);
    } else {
        finish_arguments(at, item.arguments, calls, sink);
    }
}

/// Whether an item must be one of those that the stream had, though none is open.
fn is_known(item: &Item<'_>, calls: &Calls) -> bool {
    item.call_id().map_or_else(|| calls.any_begun(), |id| calls.knows_id(id))
}

fn finish_of(status: Option<&Text<'_>>, details: Option<&Incomplete>) -> Finish {
    match filled(status) {
        Some("incomplete") => match details.and_then(|details| details.reason.as_deref()) {
            Some(reason) => Finish::of_reason(reason),
            None => Finish::LengthLimit,
        },
        Some(status) => Finish::of_reason(status),
        None => Finish::Complete,
    }
}

fn prose(content: Option<Content<'_, Part<'_>>>, sink: Sink<'_>) {
    match content.unwrap_or_default() {
        Content::Text(text) => say(&text, sink),
        Content::Parts(parts) => {
            for part in parts {
                say(filled(part.text.as_ref()).unwrap_or_default(), sink);
                say(filled(part.refusal.as_ref()).unwrap_or_default(), sink);
            }
        }
    }
}

fn text_or(text: Option<Text<'_>>, otherwise: &str) -> String {
    text.map_or_else(|| otherwise.to_owned(), |text| text.0.into_owned())
}
