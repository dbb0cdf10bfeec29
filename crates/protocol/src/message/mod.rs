//! One message of a model, in whatever format it comes.
//!
//! Bytes go in, as they come over the wire or out of a pipe. `sniff` tells the format
//! where nobody said it; the provider's format is read by [`NativeParser`], text by [`TextParser`],
//! and in `auto` also the text inside a provider's message, because models that were not taught
//! native calls write them there.

mod sniff;
mod utf8;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::sniff::{Found, Sniffer};
use self::utf8::Decoder;
use crate::event::{Event, FailedCall, ParsedCall, Sink};
use crate::native::{NativeParser, Provider};
use crate::render::ResultForm;
use crate::text::{Form, Forms, TextParser};
use crate::tools::Tools;

/// The format of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum Format {
    /// Whatever it turns out to be.
    #[default]
    Auto,
    /// Text with calls in XML.
    Xml,
    /// A provider's own.
    Native(Provider),
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 6] = [
        Self::Auto,
        Self::Xml,
        Self::Native(Provider::OpenAi),
        Self::Native(Provider::Responses),
        Self::Native(Provider::Anthropic),
        Self::Native(Provider::Gemini),
    ];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Xml => "xml",
            Self::Native(Provider::OpenAi) => "openai",
            Self::Native(Provider::Responses) => "responses",
            Self::Native(Provider::Anthropic) => "anthropic",
            Self::Native(Provider::Gemini) => "gemini",
        }
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(word: &str) -> Result<Self, UnknownFormat> {
        let found = Self::ALL.into_iter().find(|format| format.as_str() == word);
        found.ok_or_else(|| UnknownFormat(word.to_owned()))
    }
}

impl TryFrom<String> for Format {
    type Error = UnknownFormat;

    fn try_from(word: String) -> Result<Self, UnknownFormat> {
        word.parse()
    }
}

impl From<Format> for &'static str {
    fn from(format: Format) -> Self {
        format.as_str()
    }
}

/// A word that is no format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no protocol `{0}`")]
pub struct UnknownFormat(String);

/// Reads one message.
///
/// ```
/// use dogu_protocol::{Event, Format, MessageParser, Tools};
///
/// let mut parser = MessageParser::new(Format::Auto, Tools::default().into());
/// let mut calls = Vec::new();
/// let mut sink = |event: Event<'_>| {
///     if let Event::Ended(call) = event {
///         calls.push((call.id, call.name));
///     }
/// };
/// parser.feed(br#"{"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}"#, &mut sink);
/// parser.finish(&mut sink);
/// assert_eq!(calls, [(Some("toolu_1".to_owned()), "look".to_owned())]);
/// ```
#[derive(Debug)]
pub struct MessageParser {
    tools: Arc<Tools>,
    forms: Option<Forms>,
    decoder: Decoder,
    /// Something in the bytes was not UTF-8.
    damaged: bool,
    reader: Reader,
    numbers: Numbers,
    problem: Option<String>,
}

/// Who reads the message.
#[derive(Debug)]
enum Reader {
    Undecided(Sniffer),
    Text(Box<TextParser>),
    Native(Provider, Box<NativeParser>, Option<Box<TextParser>>),
}

/// The calls of a message are numbered in the order in which they begin, whoever reads them.
#[derive(Debug, Default)]
struct Numbers {
    native: Vec<usize>,
    text: Vec<usize>,
    forms: Vec<ResultForm>,
    /// The calls that are complete, by form and content.
    made: Vec<(ResultForm, u64)>,
}

impl Numbers {
    fn of_native(&mut self, index: usize, form: ResultForm) -> usize {
        number(&mut self.native, &mut self.forms, index, form)
    }

    fn of_text(&mut self, index: usize) -> usize {
        number(&mut self.text, &mut self.forms, index, ResultForm::Xml)
    }
}

/// The most calls of a message that are compared with each other.
const MAX_COMPARED: usize = 1_000;

/// A server that reads calls out of a model's text may leave them in the text too: the same call
/// in both forms is one, and is made once.
fn made_once<'e>(event: Event<'e>, numbers: &mut Numbers) -> Event<'e> {
    let Event::Ended(call) = event else { return event };
    let form = numbers.forms.get(call.index).copied().unwrap_or(ResultForm::Xml);
    let mut hasher = DefaultHasher::new();
    (&call.name, call.input.to_string()).hash(&mut hasher);
    let content = hasher.finish();
    let is_made = numbers.made.iter().any(|(of, made)| *of != form && *made == content);
    if !is_made {
        if numbers.made.len() < MAX_COMPARED {
            numbers.made.push((form, content));
        }
        return Event::Ended(call);
    }
    let message = format!(
        "The same call of `{}` stands in this message twice, as text and as a native call. It is \
         made once.",
        call.name
    );
    let repair = "Make a call in one form only.";
    Event::Failed(FailedCall::invalid(call.index, call.id, Some(call.name), message, repair))
}

/// The message's number of a reader's call. Readers count from 0 without gaps.
fn number(
    own: &mut Vec<usize>,
    all: &mut Vec<ResultForm>,
    index: usize,
    form: ResultForm,
) -> usize {
    while own.len() <= index {
        own.push(all.len());
        all.push(form);
    }
    own[index]
}

impl MessageParser {
    /// A parser for one message.
    pub fn new(format: Format, tools: Arc<Tools>) -> Self {
        let mut parser = Self {
            tools,
            forms: None,
            decoder: Decoder::default(),
            damaged: false,
            reader: Reader::Undecided(Sniffer::default()),
            numbers: Numbers::default(),
            problem: None,
        };
        match format {
            Format::Auto => parser.forms = Some(Forms::auto()),
            Format::Xml => {
                let forms = Forms::only([Form::Xml]);
                let text = TextParser::new(Arc::clone(&parser.tools), forms);
                parser.reader = Reader::Text(Box::new(text));
            }
            Format::Native(provider) => parser.reader = parser.native(provider),
        }
        parser
    }

    /// Reads these forms of calls in text, in a provider's message too.
    pub fn with_forms(mut self, forms: Forms) -> Self {
        let text = || Box::new(TextParser::new(Arc::clone(&self.tools), forms.clone()));
        self.reader = match self.reader {
            Reader::Undecided(sniffer) => Reader::Undecided(sniffer),
            Reader::Text(_) => Reader::Text(text()),
            Reader::Native(provider, native, _) => Reader::Native(provider, native, Some(text())),
        };
        self.forms = Some(forms);
        self
    }

    fn native(&self, provider: Provider) -> Reader {
        let native = NativeParser::new(provider, Arc::clone(&self.tools));
        let text = self.forms.clone().map(|forms| self.text(forms));
        Reader::Native(provider, Box::new(native), text)
    }

    fn text(&self, forms: Forms) -> Box<TextParser> {
        Box::new(TextParser::new(Arc::clone(&self.tools), forms))
    }

    /// Reads more of the message, cut anywhere.
    pub fn feed(&mut self, bytes: &[u8], sink: Sink<'_>) {
        let mut decoder = std::mem::take(&mut self.decoder);
        decoder.feed(bytes, &mut |text, damaged| self.feed_text(text, damaged, sink));
        self.decoder = decoder;
    }

    /// The message is over: what is open was cut off.
    pub fn finish(&mut self, sink: Sink<'_>) {
        let mut decoder = std::mem::take(&mut self.decoder);
        decoder.finish(&mut |text, damaged| self.feed_text(text, damaged, sink));
        self.decoder = decoder;
        if let Reader::Undecided(sniffer) = &mut self.reader {
            let (found, held) = sniffer.finish();
            self.decide(found, &held, sink);
        }
        self.finish_reader(sink);
    }

    /// What the provider said went wrong, or what of its message could not be read. Known after
    /// [`MessageParser::finish`].
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// The form in which the answer to a call goes back.
    pub fn form_of(&self, index: usize) -> ResultForm {
        self.numbers.forms.get(index).copied().unwrap_or(ResultForm::Xml)
    }

    fn feed_text(&mut self, text: &str, damaged: bool, sink: Sink<'_>) {
        self.damaged |= damaged;
        if let Reader::Undecided(sniffer) = &mut self.reader {
            if let Some((found, held)) = sniffer.feed(text) {
                self.decide(found, &held, sink);
            }
            return;
        }
        self.read(text, sink);
    }

    /// The format is known: what was held back is read.
    fn decide(&mut self, found: Found, held: &str, sink: Sink<'_>) {
        self.reader = match found {
            Found::Text => Reader::Text(self.text(self.forms.clone().unwrap_or_default())),
            Found::Native(provider) => self.native(provider),
        };
        self.read(held, sink);
    }

    fn read(&mut self, text: &str, sink: Sink<'_>) {
        let both = matches!(self.reader, Reader::Native(_, _, Some(_)));
        let mut way = Way { numbers: &mut self.numbers, both, damaged: self.damaged, sink };
        match &mut self.reader {
            Reader::Undecided(_) => {}
            Reader::Text(parser) => parser.feed(text, &mut |event| way.pass_text(event)),
            Reader::Native(provider, native, within) => native.feed(text, &mut |event| {
                way.pass_native(event, *provider, within.as_deref_mut());
            }),
        }
    }

    fn finish_reader(&mut self, sink: Sink<'_>) {
        let both = matches!(self.reader, Reader::Native(_, _, Some(_)));
        let mut way = Way { numbers: &mut self.numbers, both, damaged: self.damaged, sink };
        match &mut self.reader {
            Reader::Undecided(_) => {}
            Reader::Text(parser) => parser.finish(&mut |event| way.pass_text(event)),
            Reader::Native(provider, native, within) => {
                native.finish(&mut |event| {
                    way.pass_native(event, *provider, within.as_deref_mut());
                });
                if let Some(text) = within {
                    text.finish(&mut |event| way.pass_text(event));
                }
                self.problem = native.problem().map(str::to_owned);
            }
        }
    }
}

/// The way of an event from its reader to whoever listens.
struct Way<'w, 's> {
    numbers: &'w mut Numbers,
    /// Calls are read both in the provider's format and in its text.
    both: bool,
    damaged: bool,
    sink: Sink<'s>,
}

impl Way<'_, '_> {
    fn pass_text(&mut self, event: Event<'_>) {
        let numbers = &mut *self.numbers;
        let event = renumbered(event, |index| numbers.of_text(index));
        let event = if self.both { made_once(event, numbers) } else { event };
        (self.sink)(if self.damaged { checked(event) } else { event });
    }

    /// A provider's text may hold calls of its own.
    fn pass_native(
        &mut self,
        event: Event<'_>,
        provider: Provider,
        within: Option<&mut TextParser>,
    ) {
        if let (Event::Text(text), Some(parser)) = (&event, within) {
            return parser.feed(text, &mut |event| self.pass_text(event));
        }
        let numbers = &mut *self.numbers;
        let event = renumbered(event, |index| numbers.of_native(index, form_of(provider)));
        let event = if self.both { made_once(event, numbers) } else { event };
        (self.sink)(if self.damaged { checked(event) } else { event });
    }
}

fn form_of(provider: Provider) -> ResultForm {
    match provider {
        Provider::OpenAi => ResultForm::OpenAi,
        Provider::Responses => ResultForm::Responses,
        Provider::Anthropic => ResultForm::Anthropic,
        Provider::Gemini => ResultForm::Gemini,
    }
}

fn renumbered(event: Event<'_>, mut number: impl FnMut(usize) -> usize) -> Event<'_> {
    match event {
        Event::Text(text) => Event::Text(text),
        Event::Started { index, id, name } => Event::Started { index: number(index), id, name },
        Event::Delta { index, parameter, text } => {
            Event::Delta { index: number(index), parameter, text }
        }
        Event::Ended(call) => Event::Ended(ParsedCall { index: number(call.index), ..call }),
        Event::Failed(call) => Event::Failed(FailedCall { index: number(call.index), ..call }),
    }
}

/// A call that lost bytes must not run: what replaces them would be written to files.
fn checked(event: Event<'_>) -> Event<'_> {
    let Event::Ended(call) = event else { return event };
    if !call.name.contains(char::REPLACEMENT_CHARACTER) && !is_damaged(&call.input) {
        return Event::Ended(call);
    }
    let message = format!("The call of `{}` holds bytes that are not UTF-8.", call.name);
    let repair = "Send the call again, in UTF-8.";
    Event::Failed(FailedCall::invalid(call.index, call.id, Some(call.name), message, repair))
}

/// Arguments are at most [`MAX_DEPTH`](crate::json::MAX_DEPTH) deep.
fn is_damaged(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(char::REPLACEMENT_CHARACTER),
        Value::Array(items) => items.iter().any(is_damaged),
        Value::Object(map) => map
            .iter()
            .any(|(key, value)| key.contains(char::REPLACEMENT_CHARACTER) || is_damaged(value)),
        _ => false,
    }
}
