//! Continue's merging of a native call's pieces: the name, the arguments' text and their value.
//!
//! The state before a piece is one more piece here. It stands in the row, or an earlier row made
//! it; where that row was not recorded, it is what the expected text has before the piece.

use std::sync::Arc;

use dogu_protocol::json::PartialJson;
use dogu_protocol::native::{DeltaParser, Finish, ToolCallDelta};
use serde_json::{Value, json};

use crate::events::Seen;
use crate::rows::{Comparison, Verdict, same};

pub(crate) const COMPARISON: Comparison =
    Comparison { file: "continue-deltas.json", compare, different: &DIFFERENT };

const DIFFERENT: [(&str, &str); 2] = [
    (
        "call 1 toolCall function name",
        "a name is fixed once arguments came; a different one begins another call",
    ),
    (
        "call 31 toolCall function arguments",
        "text after whole arguments is not dropped in silence, but makes the call an error",
    ),
];

#[test]
fn continue_delta_rows_agree_or_differ_for_a_reason() {
    COMPARISON.check();
}

/// A call so far, or what was added to it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Piece {
    id: String,
    name: String,
    arguments: String,
}

impl Piece {
    fn of(call: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let function = &call["function"];
        let (name, arguments) = (text(&function["name"]), text(&function["arguments"]));
        Self { id: text(&call["id"]), name, arguments }
    }

    /// The call, in the shape of Continue's state.
    fn state(&self) -> Value {
        let function = json!({"name": self.name, "arguments": self.arguments});
        let mut partial = PartialJson::new();
        partial.push(&self.arguments);
        json!({
            "status": "generating",
            "toolCall": {"id": self.id, "type": "function", "function": function},
            "toolCallId": self.id,
            "parsedArgs": partial.value(),
        })
    }
}

fn compare(row: &Value, rows: &[Value]) -> Verdict {
    let merged = merged(&before(row, rows), &Piece::of(&row["args"][0])).state();
    let path = row["path"].as_array().unwrap();
    let found = path.iter().fold(&merged, |value, step| &value[step.as_str().unwrap()]);
    same(&row["expected"], found)
}

/// The state before the row's piece.
fn before(row: &Value, rows: &[Value]) -> Piece {
    let state = &row["args"][1];
    if let Some(call) = state.get("toolCall") {
        return Piece::of(call);
    }
    match state.pointer("/$ref/call") {
        Some(call) => after(call, rows),
        None => Piece::default(),
    }
}

/// The state that a recorded call made.
fn after(call: &Value, rows: &[Value]) -> Piece {
    match rows.iter().find(|row| &row["call"] == call) {
        Some(row) => merged(&before(row, rows), &Piece::of(&row["args"][0])),
        None => lost(call, rows),
    }
}

/// The state that a call made of which there is no row: told by the rows that go on from it.
fn lost(call: &Value, rows: &[Value]) -> Piece {
    let goes_on = |row: &&Value| row.pointer("/args/1/$ref/call") == Some(call);
    let texts = rows.iter().filter(goes_on).filter_map(|row| {
        let expected = row["expected"].pointer("/toolCall/function/arguments");
        let text = expected.unwrap_or(&row["expected"]).as_str()?;
        let arguments = text.strip_suffix(Piece::of(&row["args"][0]).arguments.as_str())?;
        Some((&row["test"], arguments.to_owned()))
    });
    let (test, arguments) = texts.into_iter().next().unwrap();
    let first = rows.iter().find(|row| &row["test"] == test && row["args"][0].get("id").is_some());
    Piece { arguments, ..Piece::of(&first.unwrap()["args"][0]) }
}

/// The first call after both pieces.
fn merged(before: &Piece, delta: &Piece) -> Piece {
    spelt(&run(before, delta, Finish::EndOfStream))
}

fn run(before: &Piece, delta: &Piece, finish: Finish) -> Vec<Seen> {
    let mut events = Vec::new();
    let mut sink = |event: dogu_protocol::Event<'_>| events.push(Seen::of(event));
    let mut parser = DeltaParser::new(Arc::default());
    for piece in [before, delta] {
        let Piece { id, name, arguments } = piece;
        let [id, name, arguments] = [id, name, arguments].map(|text| Some(text.as_str().into()));
        parser.feed(&ToolCallDelta { index: Some(0), id, name, arguments }, &mut sink);
    }
    parser.end(finish, &mut sink);
    events
}

/// What the events say of the first call.
fn spelt(events: &[Seen]) -> Piece {
    let mut call = Piece::default();
    for event in events {
        match event {
            Seen::Started(0, id, name) => {
                call.id = id.clone().unwrap_or_default();
                call.name.clone_from(name);
            }
            Seen::Delta(0, None, text) => call.arguments.push_str(text),
            _ => {}
        }
    }
    call
}

/// What becomes of the rows that differ, with names of our own: neither call is what the model
/// sent, so it is not made, even where the provider says that the message is complete.
#[test]
fn a_call_whose_pieces_do_not_fit_is_not_made() {
    let piece = |name: &str, arguments: &str| Piece {
        name: name.to_owned(),
        arguments: arguments.to_owned(),
        ..Piece::default()
    };
    let rows = [
        [piece("find", r#"{"q":"#), piece("All", "")],
        [piece("find", r#"{"q":"a"}"#), piece("", r#","n":1}"#)],
    ];
    for [before, delta] in rows {
        for finish in [Finish::Complete, Finish::EndOfStream] {
            let events = run(&before, &delta, finish);
            let failed = |event: &Seen| matches!(event, Seen::Failed(0, _));
            assert!(events.iter().any(failed), "{events:?}");
        }
    }
}
