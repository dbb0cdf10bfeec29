//! A catalog like the seeds' one, and events that can be compared.

use std::sync::Arc;

use dogu_protocol::text::{Form, Forms, TextParser};
use dogu_protocol::{Event, Tools};
use dogu_tool::ToolSpec;
use serde_json::{Value, json};

/// An event that owns its texts; neighbours that belong together are merged.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Seen {
    Text(String),
    Started(usize, String),
    Delta(usize, Option<String>, String),
    Ended(usize, String, Value, Vec<String>),
    Failed(usize, Option<String>, String, String),
}

pub(crate) fn collect(all: &mut Vec<Seen>, event: Event<'_>) {
    match (event, all.last_mut()) {
        (Event::Text(""), _) => {}
        (Event::Text(text), Some(Seen::Text(before))) => before.push_str(text),
        (Event::Text(text), _) => all.push(Seen::Text(text.to_owned())),
        (Event::Started { index, name, .. }, _) => all.push(Seen::Started(index, name.to_owned())),
        (Event::Delta { index, parameter, text }, Some(Seen::Delta(at, of, before)))
            if *at == index && of.as_deref() == parameter =>
        {
            before.push_str(text);
        }
        (Event::Delta { index, parameter, text }, _) => {
            all.push(Seen::Delta(index, parameter.map(str::to_owned), text.to_owned()));
        }
        (Event::Ended(call), _) => {
            all.push(Seen::Ended(call.index, call.name, call.input, call.notes));
        }
        (Event::Failed(call), _) => {
            let repair = call.error.suggestion.unwrap_or_default();
            all.push(Seen::Failed(call.index, call.name, call.error.message, repair));
        }
    }
}

fn tool(name: &str, properties: &Value, required: &[&str]) -> ToolSpec {
    let schema = json!({"type": "object", "properties": properties, "required": required});
    ToolSpec::new(name, "A tool.", schema).unwrap()
}

/// The tools of the seeds, as far as the tests call them.
pub(crate) fn specs() -> Vec<ToolSpec> {
    let text = || json!({"type": "string"});
    let number = || json!({"type": ["integer", "null"]});
    let file = json!({
        "type": "object",
        "properties": {"path": text(), "start_line": number(), "end_line": number()},
        "required": ["path"],
    });
    let suggestion = json!({
        "type": "object",
        "properties": {"text": text(), "mode": {"type": ["string", "null"]}},
        "required": ["text"],
    });
    vec![
        tool(
            "read_file",
            &json!({"path": text(), "start_line": number(), "end_line": number()}),
            &["path"],
        ),
        tool("read_files", &json!({"files": {"type": "array", "items": file}}), &["files"]),
        tool("write_to_file", &json!({"path": text(), "content": text()}), &["path", "content"]),
        tool("execute_command", &json!({"command": text(), "cwd": text()}), &["command"]),
        tool("apply_diff", &json!({"path": text(), "diff": text()}), &["path", "diff"]),
        tool("search_files", &json!({"path": text(), "regex": text()}), &["path", "regex"]),
        tool(
            "ask_followup_question",
            &json!({"question": text(), "follow_up": {"type": "array", "items": suggestion}}),
            &["question", "follow_up"],
        ),
        tool("list_tabs", &json!({}), &[]),
        tool(
            "set",
            &json!({
                "on": {"type": "boolean"}, "count": {"type": "integer"}, "ratio": {"type": "number"},
                "tags": {"type": "array", "items": text()}, "options": {"type": "object"},
                "any": {}, "id": text(),
            }),
            &[],
        ),
    ]
}

pub(crate) fn parser(forms: Forms) -> TextParser {
    TextParser::new(Arc::new(Tools::of(&specs())), forms)
}

/// The events of a message that comes in these chunks.
pub(crate) fn seen_in<'c>(chunks: impl IntoIterator<Item = &'c str>) -> Vec<Seen> {
    seen_with(Forms::auto(), chunks)
}

pub(crate) fn seen_with<'c>(forms: Forms, chunks: impl IntoIterator<Item = &'c str>) -> Vec<Seen> {
    let mut parser = parser(forms);
    let mut all = Vec::new();
    let mut sink = |event: Event<'_>| collect(&mut all, event);
    for chunk in chunks {
        parser.feed(chunk, &mut sink);
    }
    parser.finish(&mut sink);
    all
}

pub(crate) fn only(form: Form, message: &str) -> Vec<Seen> {
    seen_with(Forms::only([form]), [message])
}

/// One character at a time.
pub(crate) fn characters(text: &str) -> Vec<&str> {
    text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()]).collect()
}

/// The events of a message, which are the same in one piece and character by character.
pub(crate) fn seen(message: &str) -> Vec<Seen> {
    let whole = seen_in([message]);
    assert_eq!(seen_in(characters(message)), whole, "{message}");
    whole
}

/// The calls of a message: name and input.
pub(crate) fn calls(message: &str) -> Vec<(String, Value)> {
    let ended = seen(message).into_iter().filter_map(|event| match event {
        Seen::Ended(_, name, input, _) => Some((name, input)),
        _ => None,
    });
    ended.collect()
}

/// The only call of a message.
pub(crate) fn call(message: &str) -> (String, Value) {
    let mut all = calls(message);
    assert_eq!(all.len(), 1, "{message}: {:?}", seen(message));
    all.remove(0)
}

pub(crate) fn notes(message: &str) -> Vec<String> {
    let events = seen(message).into_iter();
    events
        .filter_map(|event| if let Seen::Ended(.., notes) = event { Some(notes) } else { None })
        .flatten()
        .collect()
}

/// The message of the only failed call, and what to send instead.
pub(crate) fn failure(message: &str) -> (String, String) {
    let mut all: Vec<_> = seen(message)
        .into_iter()
        .filter_map(|event| match event {
            Seen::Failed(_, _, message, repair) => Some((message, repair)),
            _ => None,
        })
        .collect();
    assert_eq!((all.len(), calls(message).len()), (1, 0), "{message}: {:?}", seen(message));
    all.remove(0)
}

pub(crate) fn is_all_text(message: &str) -> bool {
    seen(message) == [Seen::Text(message.to_owned())]
}
