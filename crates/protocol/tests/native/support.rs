//! Events that outlive their parser, and ways to run one.

use std::sync::Arc;

use dogu_protocol::native::{DeltaParser, Finish, NativeParser, Provider, ToolCallDelta};
use dogu_protocol::{Event, FailedCall, ParsedCall, Tools};
use dogu_tool::ToolSpec;
use serde_json::{Value, json};

pub(crate) const ALL: [Provider; 4] =
    [Provider::OpenAi, Provider::Responses, Provider::Anthropic, Provider::Gemini];

/// An event with its own text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Seen {
    Text(String),
    Started(usize, Option<String>, String),
    Delta(usize, String),
    Ended(ParsedCall),
    Failed(FailedCall),
}

/// Adds an event; runs of text and of one call's arguments become one.
pub(crate) fn record(events: &mut Vec<Seen>, event: Event<'_>) {
    match (events.last_mut(), event) {
        (Some(Seen::Text(run)), Event::Text(text)) => run.push_str(text),
        (_, Event::Text(text)) => events.push(Seen::Text(text.to_owned())),
        (_, Event::Started { index, id, name }) => {
            events.push(Seen::Started(index, id.map(str::to_owned), name.to_owned()));
        }
        (Some(Seen::Delta(at, run)), Event::Delta { index, text, .. }) if *at == index => {
            run.push_str(text);
        }
        (_, Event::Delta { index, parameter, text }) => {
            assert_eq!(parameter, None);
            assert!(!text.is_empty(), "an empty delta says nothing");
            events.push(Seen::Delta(index, text.to_owned()));
        }
        (_, Event::Ended(call)) => events.push(Seen::Ended(call)),
        (_, Event::Failed(call)) => events.push(Seen::Failed(call)),
    }
}

pub(crate) fn tools() -> Arc<Tools> {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let spec = |name: &str| ToolSpec::new(name, "A tool.", schema.clone()).unwrap();
    Arc::new(Tools::of(&[spec("read_file"), spec("write_file")]))
}

/// What came out of a run.
#[derive(Debug, PartialEq)]
pub(crate) struct Run {
    pub(crate) events: Vec<Seen>,
    pub(crate) problem: Option<String>,
}

impl Run {
    pub(crate) fn ended(&self) -> Vec<&ParsedCall> {
        let ended = |event: &'_ Seen| matches!(event, Seen::Ended(_));
        self.events.iter().filter(|event| ended(event)).map(as_ended).collect()
    }

    pub(crate) fn failed(&self) -> Vec<&FailedCall> {
        let mut failed = Vec::new();
        for event in &self.events {
            if let Seen::Failed(call) = event {
                failed.push(call);
            }
        }
        failed
    }

    pub(crate) fn text(&self) -> String {
        let text =
            |event: &Seen| if let Seen::Text(text) = event { text.clone() } else { String::new() };
        self.events.iter().map(text).collect()
    }

    /// The ended calls as name and input.
    pub(crate) fn calls(&self) -> Vec<(String, Value)> {
        self.ended().into_iter().map(|call| (call.name.clone(), call.input.clone())).collect()
    }
}

fn as_ended(event: &Seen) -> &ParsedCall {
    match event {
        Seen::Ended(call) => call,
        other => panic!("not an end: {other:?}"),
    }
}

/// Feeds a wire in chunks of so many characters.
pub(crate) fn run_in(provider: Provider, wire: &str, chunk: usize) -> Run {
    let letters: Vec<char> = wire.chars().collect();
    let chunks = letters.chunks(chunk.max(1)).map(|part| part.iter().collect::<String>());
    run_chunks(provider, chunks)
}

pub(crate) fn run_chunks<S: AsRef<str>>(
    provider: Provider,
    chunks: impl IntoIterator<Item = S>,
) -> Run {
    let mut events = Vec::new();
    let mut parser = NativeParser::new(provider, tools());
    for chunk in chunks {
        parser.feed(chunk.as_ref(), &mut |event| record(&mut events, event));
    }
    parser.finish(&mut |event| record(&mut events, event));
    Run { events, problem: parser.problem().map(str::to_owned) }
}

/// Feeds a wire whole and in several chunk sizes, and checks that it makes no difference.
#[track_caller]
pub(crate) fn run(provider: Provider, wire: &str) -> Run {
    let whole = run_chunks(provider, [wire]);
    for chunk in [1, 2, 3, 7, 64] {
        assert_eq!(run_in(provider, wire, chunk), whole, "in chunks of {chunk}");
    }
    whole
}

/// Documents as server-sent events.
pub(crate) fn sse(documents: &[Value]) -> String {
    documents.iter().map(|document| format!("data: {document}\n\n")).collect()
}

pub(crate) fn run_deltas(deltas: &[ToolCallDelta<'_>], finish: Finish) -> Run {
    let mut events = Vec::new();
    let mut parser = DeltaParser::new(tools());
    for delta in deltas {
        parser.feed(delta, &mut |event| record(&mut events, event));
    }
    parser.end(finish, &mut |event| record(&mut events, event));
    Run { events, problem: None }
}
