//! OpenAI's chat completions, and the many servers that speak them more or less.

use serde::Deserialize;

use super::calls::{Begin, Calls};
use super::deltas::Which;
use super::document;
use super::finish::Finish;
use super::lenient::{Arguments, Content, Few, Problem, Text, filled};
use super::reader::{Reader, Seen, begin_whole, give_piece, say};
use crate::event::Sink;

/// The one call of the format that came before `tool_calls` has no index; no list has this one.
const FUNCTION_CALL: usize = usize::MAX;

/// A chunk, or a whole completion. It is lean, and what a chunk does not have is boxed, because
/// there is a chunk for every few letters.
#[derive(Deserialize)]
struct Completion<'a> {
    #[serde(borrow)]
    choices: Option<Few<Choice<'a>>>,
    error: Option<Problem>,
}

/// A bare message or a bare call: they share no field in different meanings.
#[derive(Deserialize)]
struct Bare<'a> {
    #[serde(borrow)]
    message: Option<Message<'a>>,
    #[serde(borrow)]
    role: Option<Text<'a>>,
    #[serde(borrow)]
    content: Option<Content<'a, Part<'a>>>,
    #[serde(borrow)]
    tool_calls: Option<Few<ToolCall<'a>>>,
    #[serde(borrow)]
    function_call: Option<Box<Function<'a>>>,
    index: Option<usize>,
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    function: Option<Function<'a>>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    index: Option<usize>,
    #[serde(borrow)]
    delta: Option<Message<'a>>,
    #[serde(borrow)]
    message: Option<Box<Message<'a>>>,
    #[serde(borrow)]
    finish_reason: Option<Text<'a>>,
}

#[derive(Default, Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    content: Option<Content<'a, Part<'a>>>,
    #[serde(borrow)]
    refusal: Option<Text<'a>>,
    #[serde(borrow)]
    tool_calls: Option<Few<ToolCall<'a>>>,
    #[serde(borrow)]
    function_call: Option<Box<Function<'a>>>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow)]
    text: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct ToolCall<'a> {
    index: Option<usize>,
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    function: Option<Function<'a>>,
}

#[derive(Default, Deserialize)]
struct Function<'a> {
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow, default)]
    arguments: Arguments<'a>,
}

/// Reads chat completions.
#[derive(Debug, Default)]
pub(super) struct OpenAi {
    documents: usize,
    /// Calls came in pieces, so a message that repeats them at the end is nothing new.
    streamed: bool,
    /// A bare call came that no list numbers.
    bare: bool,
}

impl Reader for OpenAi {
    fn read(
        &mut self,
        document: &str,
        calls: &mut Calls,
        sink: Sink<'_>,
    ) -> Result<Seen, serde_json::Error> {
        let completion: Completion<'_> = document::read(document)?;
        self.documents += 1;
        if let Some(problem) = completion.error.and_then(|error| error.0) {
            return Ok(Seen::Problem(problem));
        }
        if let Some(choices) = completion.choices {
            let first = choices.into_iter().find(|choice| choice.index.unwrap_or(0) == 0);
            if let Some(choice) = first {
                self.choice(choice, calls, sink);
            }
            return Ok(Seen::Message);
        }
        Ok(self.bare(document::read(document)?, calls, sink))
    }

    /// One document alone is not a stream that could have been cut between two.
    fn at_end(&self) -> Finish {
        if self.bare && self.documents == 1 { Finish::Complete } else { Finish::EndOfStream }
    }
}

impl OpenAi {
    fn choice(&mut self, choice: Choice<'_>, calls: &mut Calls, sink: Sink<'_>) {
        let reason = filled(choice.finish_reason.as_ref());
        let is_whole = choice.message.is_some() && choice.delta.is_none();
        if let Some(delta) = choice.delta {
            self.delta(delta, calls, sink);
        } else if let Some(message) = choice.message {
            self.message(*message, calls, sink);
        }
        match reason {
            Some(reason) => calls.end_all(Finish::of_reason(reason), sink),
            None if is_whole => calls.end_all(Finish::Complete, sink),
            None => {}
        }
    }

    fn delta(&mut self, delta: Message<'_>, calls: &mut Calls, sink: Sink<'_>) {
        prose(&delta, sink);
        if let Some(function) = delta.function_call {
            self.piece(Some(FUNCTION_CALL), None, *function, calls, sink);
        }
        for call in delta.tool_calls.unwrap_or_default() {
            let function = call.function.unwrap_or_default();
            self.piece(call.index, filled(call.id.as_ref()), function, calls, sink);
        }
    }

    fn piece(
        &mut self,
        place: Option<usize>,
        id: Option<&str>,
        function: Function<'_>,
        calls: &mut Calls,
        sink: Sink<'_>,
    ) {
        self.streamed = true;
        let has_arguments = !function.arguments.is_empty();
        let name = filled(function.name.as_ref());
        let found = calls.take(Which { place, id, name, has_arguments }, sink);
        give_piece(found, function.arguments, calls, sink);
    }

    /// A message that is all in one document.
    fn message(&mut self, message: Message<'_>, calls: &mut Calls, sink: Sink<'_>) {
        if self.streamed {
            return;
        }
        prose(&message, sink);
        if let Some(function) = message.function_call {
            begin(None, *function, calls, sink);
        }
        for call in message.tool_calls.into_iter().flatten() {
            let function = call.function.unwrap_or_default();
            begin(filled(call.id.as_ref()), function, calls, sink);
        }
    }

    fn bare(&mut self, document: Bare<'_>, calls: &mut Calls, sink: Sink<'_>) -> Seen {
        if let Some(function) = document.function {
            self.bare_call(document.index, filled(document.id.as_ref()), function, calls, sink);
            return Seen::Message;
        }
        let Bare { role, content, tool_calls, function_call, message, .. } = document;
        let is_message = role.is_some() || tool_calls.is_some() || function_call.is_some();
        if message.is_none() && !is_message {
            return Seen::Foreign;
        }
        let own = Message { content, refusal: None, tool_calls, function_call };
        self.message(message.unwrap_or(own), calls, sink);
        calls.end_all(Finish::Complete, sink);
        Seen::Message
    }

    /// A call that no message holds. With an index it is a piece of a stream; else each name
    /// begins one, as in a list of calls.
    fn bare_call(
        &mut self,
        index: Option<usize>,
        id: Option<&str>,
        function: Function<'_>,
        calls: &mut Calls,
        sink: Sink<'_>,
    ) {
        self.bare |= index.is_none();
        let begins = index.is_none() && filled(function.name.as_ref()).is_some();
        if begins && id.is_none_or(|id| calls.with_id(id).is_none()) {
            begin(id, function, calls, sink);
        } else {
            self.piece(index, id, function, calls, sink);
        }
    }
}

fn begin(id: Option<&str>, function: Function<'_>, calls: &mut Calls, sink: Sink<'_>) {
    let call = Begin { place: None, id, name: filled(function.name.as_ref()) };
    begin_whole(call, function.arguments, calls, sink);
}

fn prose(message: &Message<'_>, sink: Sink<'_>) {
    match &message.content {
        Some(Content::Text(text)) => say(text, sink),
        Some(Content::Parts(parts)) => {
            parts.iter().for_each(|part| say(filled(part.text.as_ref()).unwrap_or_default(), sink));
        }
        None => {}
    }
    say(filled(message.refusal.as_ref()).unwrap_or_default(), sink);
}
