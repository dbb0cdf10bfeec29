//! Anthropic's messages.

use serde::Deserialize;

use super::calls::{Begin, Calls};
use super::document;
use super::finish::Finish;
use super::lenient::{Arguments, Content, Problem, Text, filled};
use super::reader::{Reader, Seen, begin_whole, give_piece, say};
use crate::event::Sink;

/// A piece of a block, which is nearly every event of a stream: there is one for every few
/// letters, so what only other documents have is not read with it.
#[derive(Deserialize)]
struct Piece<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Text<'a>>,
    index: Option<usize>,
    #[serde(borrow)]
    delta: Option<Delta<'a>>,
    error: Option<Problem>,
}

/// Any event of the stream, a whole message, or a bare block.
#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Text<'a>>,
    index: Option<usize>,
    #[serde(borrow)]
    content_block: Option<Box<Block<'a>>>,
    #[serde(borrow)]
    delta: Option<Delta<'a>>,
    #[serde(borrow)]
    content: Option<Box<Content<'a, Block<'a>>>>,
    #[serde(borrow)]
    stop_reason: Option<Text<'a>>,
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow, default)]
    input: Arguments<'a>,
    #[serde(borrow)]
    text: Option<Text<'a>>,
}

#[derive(Default, Deserialize)]
struct Block<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Text<'a>>,
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow, default)]
    input: Arguments<'a>,
    #[serde(borrow)]
    text: Option<Text<'a>>,
}

#[derive(Default, Deserialize)]
struct Delta<'a> {
    #[serde(borrow)]
    text: Option<Text<'a>>,
    #[serde(borrow)]
    partial_json: Option<Text<'a>>,
    #[serde(borrow)]
    stop_reason: Option<Text<'a>>,
}

/// Reads messages.
#[derive(Debug, Default)]
pub(super) struct Anthropic {
    /// The index of the block that began last, if it is no call: what comes under it is not
    /// missing anywhere.
    other_block: Option<usize>,
}

impl Reader for Anthropic {
    fn read(
        &mut self,
        document: &str,
        calls: &mut Calls,
        sink: Sink<'_>,
    ) -> Result<Seen, serde_json::Error> {
        let first: Piece<'_> = document::read(document)?;
        if let Some(problem) = first.error.and_then(|error| error.0) {
            return Ok(Seen::Problem(problem));
        }
        if filled(first.kind.as_ref()) == Some("content_block_delta") {
            self.piece(first.index, first.delta.unwrap_or_default(), calls, sink);
            return Ok(Seen::Message);
        }
        let mut document: Document<'_> = document::read(document)?;
        let kind = document.kind.take().unwrap_or_default();
        Ok(self.event(kind.as_str(), document, calls, sink))
    }
}

impl Anthropic {
    fn event(
        &mut self,
        kind: &str,
        document: Document<'_>,
        calls: &mut Calls,
        sink: Sink<'_>,
    ) -> Seen {
        let index = document.index;
        match kind {
            "content_block_start" => {
                self.start(index, *document.content_block.unwrap_or_default(), calls, sink);
            }
            "content_block_stop" => stop(index, calls, sink),
            "message_delta" => end(&document.delta.unwrap_or_default(), calls, sink),
            "message_stop" => calls.end_all(Finish::Complete, sink),
            "tool_use" | "text" => bare_block(kind, document, calls, sink),
            _ if document.content.is_some() => whole(document, calls, sink),
            _ if is_known(kind) => {}
            _ => return Seen::Foreign,
        }
        Seen::Message
    }

    /// Empty input at a block's start holds the place of what the stream will bring.
    fn start(&mut self, index: Option<usize>, block: Block<'_>, calls: &mut Calls, sink: Sink<'_>) {
        let is_call = filled(block.kind.as_ref()) == Some("tool_use");
        self.other_block = index.filter(|_| !is_call);
        let input = unless_empty(block.input);
        begin(index, Block { input, ..block }, calls, sink);
    }

    fn piece(&self, index: Option<usize>, delta: Delta<'_>, calls: &mut Calls, sink: Sink<'_>) {
        say(filled(delta.text.as_ref()).unwrap_or_default(), sink);
        if let Some(Text(json)) = delta.partial_json
            && (index.is_none() || index != self.other_block)
        {
            give_piece(call_at(index, calls), Arguments::Text(json), calls, sink);
        }
    }
}

fn call_at(index: Option<usize>, calls: &Calls) -> Option<usize> {
    match index {
        Some(index) => calls.at_place(index),
        None => calls.only_one(),
    }
}

/// Whether a document of this kind may come without meaning anything here.
fn is_known(kind: &str) -> bool {
    let events = ["message_", "content_block_"];
    let blocks = ["thinking", "_tool_use", "_tool_result"];
    kind == "ping"
        || events.iter().any(|event| kind.starts_with(event))
        || blocks.iter().any(|block| kind.ends_with(block))
}

fn stop(index: Option<usize>, calls: &mut Calls, sink: Sink<'_>) {
    if let Some(at) = call_at(index, calls) {
        calls.end(at, sink);
    }
}

fn end(delta: &Delta<'_>, calls: &mut Calls, sink: Sink<'_>) {
    if let Some(reason) = filled(delta.stop_reason.as_ref()) {
        calls.end_all(Finish::of_reason(reason), sink);
    }
}

/// Text is passed on; of the tools, only those that are called here (the provider runs others
/// itself).
fn begin(
    place: Option<usize>,
    block: Block<'_>,
    calls: &mut Calls,
    sink: Sink<'_>,
) -> Option<usize> {
    match filled(block.kind.as_ref()) {
        Some("text") => say(filled(block.text.as_ref()).unwrap_or_default(), sink),
        Some("tool_use") => {
            let (id, name) = (filled(block.id.as_ref()), filled(block.name.as_ref()));
            return begin_whole(Begin { place, id, name }, block.input, calls, sink);
        }
        _ => {}
    }
    None
}

fn unless_empty(input: Arguments<'_>) -> Arguments<'_> {
    match input {
        Arguments::Value(value) if value.as_object().is_some_and(serde_json::Map::is_empty) => {
            Arguments::Absent
        }
        input => input,
    }
}

fn bare_block(kind: &str, document: Document<'_>, calls: &mut Calls, sink: Sink<'_>) {
    let kind = Some(Text(kind.into()));
    let Document { id, name, input, text, .. } = document;
    let call = begin(None, Block { kind, id, name, input, text }, calls, sink);
    end_block(call, calls, sink);
}

/// A message that is all in one document.
fn whole(document: Document<'_>, calls: &mut Calls, sink: Sink<'_>) {
    let reason = filled(document.stop_reason.as_ref());
    let finish = reason.map_or(Finish::Complete, Finish::of_reason);
    let last = blocks(*document.content.unwrap_or_default(), calls, sink);
    if let Some(at) = last.filter(|_| finish != Finish::Complete) {
        // Input that the limit cut off is still an object in a whole message. Only the reason
        // shows that it was cut, and that it was the last thing the model wrote.
        calls.call(at).clear_arguments();
    }
    calls.end_all(finish, sink);
}

/// Passes the blocks on; returns the call that came last, if nothing came after it.
fn blocks(content: Content<'_, Block<'_>>, calls: &mut Calls, sink: Sink<'_>) -> Option<usize> {
    let mut last = None;
    match content {
        Content::Text(text) => say(&text, sink),
        Content::Parts(parts) => {
            for block in parts {
                end_block(last, calls, sink);
                last = begin(None, block, calls, sink);
            }
        }
    }
    last
}

fn end_block(call: Option<usize>, calls: &mut Calls, sink: Sink<'_>) {
    if let Some(at) = call {
        calls.end_as(at, Finish::Complete, sink);
    }
}
