//! Calls as the providers' own wire formats have them, streamed or whole.
//!
//! From outside in: `wire` cuts the stream into documents; the reader of a provider's format
//! (`openai`, `responses`, `anthropic`, `gemini`) reads one document each; `calls` puts together
//! what belongs to one call, whatever the format; `close` says what became of it.
//!
//! A call runs only if somebody said that it is complete, or if its arguments are complete as
//! they stand. What the length limit, a filter or a lost connection cut off is an error that
//! asks the model to send it again.

mod anthropic;
mod calls;
mod close;
mod deltas;
mod detect;
mod document;
mod finish;
mod gemini;
mod lenient;
mod open;
mod openai;
mod partial;
mod reader;
mod responses;
mod wire;

use std::sync::Arc;

use serde::de::IgnoredAny;

use self::calls::Calls;
pub use self::deltas::{DeltaParser, ToolCallDelta};
pub use self::finish::Finish;
use self::reader::{Reader, Seen};
use self::wire::{Piece, Wire};
use crate::event::Sink;
use crate::tools::Tools;

/// How much of something unreadable is shown.
const SHOWN_UNREADABLE: usize = 120;

/// Whose wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Provider {
    /// OpenAI's chat completions, which many servers speak.
    OpenAi,
    /// OpenAI's responses.
    Responses,
    /// Anthropic's messages.
    Anthropic,
    /// Gemini's contents.
    Gemini,
}

impl Provider {
    /// Tells the format by the keys of one document, or of a list of them.
    pub fn detect(document: &str) -> Option<Self> {
        detect::detect(document)
    }

    fn reader(self) -> Box<dyn Reader> {
        match self {
            Self::OpenAi => Box::new(openai::OpenAi::default()),
            Self::Responses => Box::new(responses::Responses::default()),
            Self::Anthropic => Box::new(anthropic::Anthropic::default()),
            Self::Gemini => Box::new(gemini::Gemini::default()),
        }
    }
}

/// Reads one message of a provider, as it comes: server-sent events, JSON lines, a list of
/// documents or a whole response; which one it is, it sees itself.
///
/// ```
/// use dogu_protocol::native::{NativeParser, Provider};
/// use dogu_protocol::Event;
///
/// let wire = r#"{"choices": [{"message": {"tool_calls": [
///     {"id": "call_1", "function": {"name": "read_file", "arguments": "{\"path\":\"a\"}"}}
/// ]}}]}"#;
/// let mut parser = NativeParser::new(Provider::OpenAi, Default::default());
/// let mut calls = Vec::new();
/// let mut sink = |event: Event<'_>| {
///     if let Event::Ended(call) = event {
///         calls.push((call.name, call.input["path"].clone()));
///     }
/// };
/// for chunk in [&wire[..40], &wire[40..]] {
///     parser.feed(chunk, &mut sink);
/// }
/// parser.finish(&mut sink);
/// assert_eq!(calls, [("read_file".to_owned(), "a".into())]);
/// assert_eq!(parser.problem(), None);
/// ```
#[derive(Debug)]
pub struct NativeParser {
    wire: Wire,
    message: Message,
}

impl NativeParser {
    /// A parser of one message.
    pub fn new(provider: Provider, tools: Arc<Tools>) -> Self {
        Self::from_index(provider, tools, 0)
    }

    /// A parser whose first call has this index, after calls that the message had before.
    pub fn from_index(provider: Provider, tools: Arc<Tools>, first_index: usize) -> Self {
        let message = Message {
            provider,
            reader: provider.reader(),
            calls: Calls::new(tools, first_index),
            readable: 0,
            unreadable: 0,
            first_unreadable: String::new(),
            problem: None,
        };
        Self { wire: Wire::default(), message }
    }

    /// Takes the next chunk of the wire, cut anywhere.
    pub fn feed(&mut self, chunk: &str, sink: Sink<'_>) {
        let message = &mut self.message;
        self.wire.feed(chunk, &mut |piece| message.take(piece, sink));
    }

    /// The stream has ended: gives what is left, and ends all calls that are still open.
    pub fn finish(&mut self, sink: Sink<'_>) {
        let message = &mut self.message;
        self.wire.finish(&mut |piece| message.take(piece, sink));
        message.calls.end_all(message.reader.at_end(), sink);
        message.sum_up();
    }

    /// What the provider said went wrong, or else what of the stream could not be read. It is
    /// known in full after [`NativeParser::finish`].
    pub fn problem(&self) -> Option<&str> {
        self.message.problem.as_deref()
    }
}

#[derive(Debug)]
struct Message {
    provider: Provider,
    reader: Box<dyn Reader>,
    calls: Calls,
    readable: usize,
    unreadable: usize,
    first_unreadable: String,
    problem: Option<String>,
}

impl Message {
    fn take(&mut self, piece: Piece<'_>, sink: Sink<'_>) {
        match piece {
            Piece::Document(document) => self.read(document, sink),
            Piece::Done => self.calls.end_all(Finish::Complete, sink),
        }
    }

    fn read(&mut self, document: &str, sink: Sink<'_>) {
        // Serde would take a list for an object's fields in their order.
        if !document.starts_with('{') && !document.trim_start().starts_with('{') {
            self.complain(document, "it is not an object");
            if !holds_no_object(document) {
                self.read_lines(document, sink);
            }
            return;
        }
        match self.reader.read(document, &mut self.calls, sink) {
            Ok(Seen::Message) => self.readable += 1,
            Ok(Seen::Problem(problem)) => {
                self.readable += 1;
                self.problem.get_or_insert(problem);
                self.calls.end_all(Finish::ProviderError, sink);
            }
            Ok(Seen::Foreign) => {
                self.complain(document, "it is not of this format");
                if speaks_of_arguments(document) {
                    self.calls.damage();
                }
            }
            Err(error) => {
                self.complain(document, &error.to_string());
                self.read_lines(document, sink);
            }
        }
    }

    /// A line that breaks off opens brackets that nothing closes, and so seems to go on to the
    /// end of the stream. Lines after it that look like documents of their own are not lost with
    /// it.
    fn read_lines(&mut self, unreadable: &str, sink: Sink<'_>) {
        let mut lines = unreadable.lines();
        self.lose(lines.next().unwrap_or_default());
        for line in lines {
            if line.starts_with('{') { self.read(line, sink) } else { self.lose(line) }
        }
    }

    /// A lost piece may be one out of the middle of a call's arguments, and what is left can be
    /// valid JSON all the same: such a call must not run. How little is left of the piece says
    /// nothing about what it was.
    fn lose(&mut self, line: &str) {
        if !line.trim().is_empty() {
            self.calls.damage();
        }
    }

    fn complain(&mut self, document: &str, reason: &str) {
        self.unreadable += 1;
        if self.first_unreadable.is_empty() {
            let shown = &document[..document.floor_char_boundary(SHOWN_UNREADABLE)];
            self.first_unreadable = format!("{reason}: `{shown}`");
        }
    }

    /// What the provider said counts more than what could not be read.
    fn sum_up(&mut self) {
        if self.problem.is_some() {
            return;
        }
        let (count, first) = (self.unreadable, &self.first_unreadable);
        self.problem = match (self.readable, count) {
            (0, 0) => Some("The stream was empty".to_owned()),
            (0, _) => Some(format!(
                "Nothing in the stream could be read as {:?}'s format: {first}",
                self.provider
            )),
            (_, 0) => None,
            _ => Some(format!(
                "{count} pieces of the stream could not be read, the first because {first}"
            )),
        };
    }
}

/// Whether it is JSON that arrived whole and has no object in it: no provider's document is so,
/// whatever else it may be.
fn holds_no_object(document: &str) -> bool {
    !document.contains('{') && serde_json::from_str::<IgnoredAny>(document).is_ok()
}

/// A whole document of another format is nothing of a call's, unless it looks like a piece of one.
fn speaks_of_arguments(document: &str) -> bool {
    let keys = ["arguments", "partial_json", "partialArgs", "partial_args"];
    keys.iter().any(|key| document.contains(key))
}
