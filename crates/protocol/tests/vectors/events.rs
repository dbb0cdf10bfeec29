//! Tools, and events that outlive their parser.

use std::sync::Arc;

use dogu_protocol::text::{Forms, TextParser};
use dogu_protocol::{Event, Tools};
use dogu_tool::ToolSpec;
use serde_json::{Map, Value, json};

/// An event that owns its texts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Seen {
    Text(String),
    Started(usize, Option<String>, String),
    Delta(usize, Option<String>, String),
    Ended(usize, String, Value),
    Failed(usize, String),
}

impl Seen {
    pub(crate) fn of(event: Event<'_>) -> Self {
        match event {
            Event::Text(text) => Self::Text(text.to_owned()),
            Event::Started { index, id, name } => {
                Self::Started(index, id.map(str::to_owned), name.to_owned())
            }
            Event::Delta { index, parameter, text } => {
                Self::Delta(index, parameter.map(str::to_owned), text.to_owned())
            }
            Event::Ended(call) => Self::Ended(call.index, call.name, call.input),
            Event::Failed(call) => Self::Failed(call.index, call.error.message),
        }
    }
}

/// Tools whose parameters are all texts, so that values stay as they were written.
pub(crate) fn text_tools(tools: &[(&str, &[&str])]) -> Arc<Tools> {
    let spec = |(name, parameters): &(&str, &[&str])| {
        let text = |name: &&str| ((*name).to_owned(), json!({"type": "string"}));
        let properties: Map<String, Value> = parameters.iter().map(text).collect();
        let schema = json!({"type": "object", "properties": properties});
        ToolSpec::new(*name, "A tool.", schema).unwrap()
    };
    let specs: Vec<ToolSpec> = tools.iter().map(spec).collect();
    Arc::new(Tools::of(&specs))
}

/// The tools that the XML rows call.
pub(crate) fn roo_tools() -> Arc<Tools> {
    text_tools(&[
        ("read_file", &["path", "start_line", "end_line"]),
        ("write_to_file", &["path", "content"]),
        ("execute_command", &["command", "cwd"]),
        ("search_files", &["path", "regex", "file_pattern"]),
    ])
}

/// The events of each chunk, and those of the end as the last.
pub(crate) fn read_text<'c>(
    tools: &Arc<Tools>,
    chunks: impl IntoIterator<Item = &'c str>,
) -> Vec<Vec<Seen>> {
    let mut parser = TextParser::new(tools.clone(), Forms::auto());
    let mut all = Vec::new();
    for chunk in chunks {
        let mut events = Vec::new();
        parser.feed(chunk, &mut |event| events.push(Seen::of(event)));
        all.push(events);
    }
    let mut events = Vec::new();
    parser.finish(&mut |event| events.push(Seen::of(event)));
    all.push(events);
    all
}

/// One character at a time.
pub(crate) fn characters(text: &str) -> Vec<&str> {
    text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()]).collect()
}

/// Name and input of the calls that ended.
pub(crate) fn calls<'e>(events: impl IntoIterator<Item = &'e Seen>) -> Vec<(String, Value)> {
    let ended = events.into_iter().filter_map(|event| match event {
        Seen::Ended(_, name, input) => Some((name.clone(), input.clone())),
        _ => None,
    });
    ended.collect()
}
