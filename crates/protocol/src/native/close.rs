//! The first and the last thing said of a call.

use serde_json::Value;

use super::finish::Finish;
use super::open::OpenCall;
use crate::event::{Event, FailedCall, ParsedCall, Sink};
use crate::json::{Arguments, ArgumentsError, End, parse_arguments};
use crate::tools::Tools;

/// How much of a schema an error shows.
const SHOWN_SCHEMA: usize = 600;

/// What became of a call.
#[derive(Debug)]
pub(super) enum Closed {
    /// Its arguments are an object, after what the notes say.
    Read(Arguments),
    /// It cannot be made.
    Failed { message: String, repair: String },
}

impl Closed {
    /// Its arguments were an object as they stood.
    pub(super) fn whole(input: Value) -> Self {
        Self::Read(Arguments { input, notes: Vec::new() })
    }
}

/// Says that a call began, under the catalog's name.
pub(super) fn announce(call: &mut OpenCall, tools: &Tools, next: &mut usize, sink: Sink<'_>) {
    let index = *next;
    *next += 1;
    if let Some(tool) = tools.find(&call.name)
        && tool.name != call.name
    {
        call.notes.push(format!("The tool `{}` was called as `{}`.", tool.name, call.name));
        call.name.clone_from(&tool.name);
    }
    call.index = Some(index);
    sink(Event::Started { index, id: call.id.as_deref(), name: &call.name });
}

/// Passes on what was kept back of the arguments.
pub(super) fn show_rest(call: &mut OpenCall, sink: Sink<'_>) {
    let Some(index) = call.index else { return };
    if let Some(text) = call.show(&mut String::new()) {
        sink(Event::Delta { index, parameter: None, text });
    }
}

/// What becomes of a call when the message ends in this way.
pub(super) fn outcome(call: &mut OpenCall, finish: Finish, tools: &Tools) -> Closed {
    if call.name.is_empty() {
        return unnamed();
    }
    // What it has may be valid as it stands, and is not what was meant all the same.
    if call.unfinished {
        return cut(call, finish);
    }
    if finish == Finish::Complete {
        return said(call, tools);
    }
    match call.object() {
        Some(input) => Closed::Read(Arguments { input, notes: notes_of(finish) }),
        None => cut(call, finish),
    }
}

fn notes_of(finish: Finish) -> Vec<String> {
    let lost = "The stream ended without saying that the message is complete.";
    if finish == Finish::EndOfStream { vec![lost.to_owned()] } else { Vec::new() }
}

fn unnamed() -> Closed {
    Closed::Failed {
        message: "The call names no tool".to_owned(),
        repair: "Send the call again with the name of a tool.".to_owned(),
    }
}

fn cut(call: &OpenCall, finish: Finish) -> Closed {
    let (name, cause) = (&call.name, finish.cause());
    Closed::Failed {
        message: format!("The arguments of `{name}` were cut off by {cause}"),
        repair: finish.repair().to_owned(),
    }
}

/// The wire said that the call is complete, so what is left open is the model's mistake.
fn said(call: &mut OpenCall, tools: &Tools) -> Closed {
    if let Some(input) = call.object() {
        return Closed::whole(input);
    }
    let text = call.text();
    if matches!(text.trim(), "" | "null") {
        return Closed::whole(Value::Object(serde_json::Map::new()));
    }
    match parse_arguments(text, End::Said).and_then(|read| object_only(read, text)) {
        Ok(read) => Closed::Read(read),
        Err(error) => {
            Closed::Failed { message: error.to_string(), repair: fitting(&call.name, tools) }
        }
    }
}

fn object_only(read: Arguments, text: &str) -> Result<Arguments, ArgumentsError> {
    if read.input.is_object() {
        return Ok(read);
    }
    let excerpt = text[..text.floor_char_boundary(40)].to_owned();
    Err(ArgumentsError { reason: "they are not an object".to_owned(), position: 0, excerpt })
}

/// What to send instead of arguments that cannot be read.
fn fitting(name: &str, tools: &Tools) -> String {
    let Some(tool) = tools.find(name) else {
        return "Send the arguments as one JSON object.".to_owned();
    };
    let mut schema = tool.input_schema.to_string();
    if schema.len() > SHOWN_SCHEMA {
        schema.truncate(schema.floor_char_boundary(SHOWN_SCHEMA));
        schema.push('…');
    }
    format!("Send the arguments as one JSON object that fits the schema: {schema}")
}

/// How a call ended.
pub(super) fn last_event(call: OpenCall, index: usize, closed: Closed) -> Event<'static> {
    let closed = if call.damaged { damaged(&call.name) } else { closed };
    let OpenCall { id, name, mut notes, .. } = call;
    match closed {
        Closed::Read(read) => {
            notes.extend(read.notes);
            Event::Ended(ParsedCall { index, id, name, input: read.input, notes })
        }
        Closed::Failed { message, repair } => {
            let name = (!name.is_empty()).then_some(name);
            Event::Failed(FailedCall::invalid(index, id, name, message, repair))
        }
    }
}

fn damaged(name: &str) -> Closed {
    Closed::Failed {
        message: format!("A part of the stream that belonged to the call of `{name}` was lost"),
        repair: "Send the call again with its whole arguments.".to_owned(),
    }
}
