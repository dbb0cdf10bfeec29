//! OpenAI's responses.

use serde::Deserialize;

use super::calls::{Begin, Calls};
use super::finish::Finish;
use super::lenient::{Arguments, Content, Few, Problem, Text, filled};
use super::reader::{Reader, Seen, begin_whole, give, say};
use crate::event::Sink;

/// An event of the stream, a whole response, or a bare item.
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
    delta: Arguments<'a>,
    #[serde(borrow, default)]
    arguments: Arguments<'a>,
    #[serde(borrow)]
    response: Option<Box<Response<'a>>>,
    error: Option<Problem>,
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
}

/// Reads responses.
#[derive(Debug, Default)]
pub(super) struct Responses {
    /// Text came in pieces, so a response that repeats it at the end is nothing new.
    streamed_text: bool,
    /// The items that came without an index, which is then their place in this list, counted
    /// down from the largest number.
    unnumbered: Vec<String>,
}

impl Reader for Responses {
    fn read(
        &mut self,
        document: &str,
        calls: &mut Calls,
        sink: Sink<'_>,
    ) -> Result<Seen, serde_json::Error> {
        let mut document: Document<'_> = serde_json::from_str(document)?;
        if let Some(problem) = document.error.take().and_then(|error| error.0) {
            return Ok(Seen::Problem(problem));
        }
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
            "response.function_call_arguments.delta" => self.piece(document, calls, sink),
            "response.output_text.delta" | "response.refusal.delta" => {
                self.text(&document.delta, sink);
            }
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

    /// The place that the events of an item have in common.
    fn place(&mut self, index: Option<usize>, item: Option<&str>) -> Option<usize> {
        let item = match (index, item) {
            (Some(index), _) => return Some(index),
            (None, item) => item?,
        };
        let known = self.unnumbered.iter().rposition(|id| id == item);
        let position = known.unwrap_or_else(|| {
            self.unnumbered.push(item.to_owned());
            self.unnumbered.len() - 1
        });
        Some(usize::MAX - position)
    }

    fn added(&mut self, document: Document<'_>, calls: &mut Calls, sink: Sink<'_>) {
        let Some(item) = document.item.filter(|item| item.is_call()) else { return };
        let place = self.place(document.output_index, filled(item.id.as_ref()));
        begin(place, *item, calls, sink);
    }

    /// The call of an event.
    fn find(&mut self, document: &Document<'_>, calls: &Calls) -> Option<usize> {
        let item = document.item.as_ref().and_then(|item| item.id.as_ref());
        let id = filled(document.item_id.as_ref()).or(filled(item));
        match self.place(document.output_index, id) {
            Some(place) => calls.at_place(place),
            None => calls.touched_last(),
        }
    }

    fn piece(&mut self, document: Document<'_>, calls: &mut Calls, sink: Sink<'_>) {
        if let Some(at) = self.find(&document, calls) {
            give(at, document.delta, calls, sink);
        }
    }

    fn done(&mut self, document: Document<'_>, calls: &mut Calls, sink: Sink<'_>) {
        if let Some(at) = self.find(&document, calls) {
            finish_arguments(at, document.arguments, calls, sink);
        }
    }

    fn item_done(&mut self, document: Document<'_>, calls: &mut Calls, sink: Sink<'_>) {
        let found = self.find(&document, calls);
        let Some(item) = document.item.filter(|item| item.is_call()) else { return };
        let is_known = item.call_id().is_some_and(|id| calls.knows_id(id));
        match found {
            Some(at) => finish_arguments(at, item.arguments, calls, sink),
            None if is_known => {}
            None if item.call_id().is_none() && calls.any_begun() => {}
            None => {
                if let Some(at) = begin(document.output_index, *item, calls, sink) {
                    calls.end(at, sink);
                }
            }
        }
    }

    /// The end of the stream, which repeats what the stream had.
    fn response(&mut self, response: Response<'_>, calls: &mut Calls, sink: Sink<'_>) -> Seen {
        let streamed = calls.any_begun();
        for item in response.output.into_iter().flatten() {
            let is_known = item.call_id().map_or(streamed, |id| streamed && calls.knows_id(id));
            if !item.is_call() || !is_known {
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
            let incomplete = filled(item.status.as_ref()) == Some("incomplete");
            let at = begin(None, item, calls, sink);
            match at {
                Some(at) if incomplete => calls.end_as(at, Finish::LengthLimit, sink),
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
