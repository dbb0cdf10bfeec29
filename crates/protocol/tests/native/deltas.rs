//! Pieces that were decoded elsewhere.

use dogu_protocol::native::{DeltaParser, Finish, ToolCallDelta};
use serde_json::json;

use crate::support::{Seen, record, run_deltas, tools};

fn delta<'a>(index: usize, name: &'a str, arguments: &'a str) -> ToolCallDelta<'a> {
    ToolCallDelta {
        index: Some(index),
        id: None,
        name: Some(name.into()),
        arguments: Some(arguments.into()),
    }
}

#[test]
fn the_events_in_full() {
    let run = run_deltas(
        &[delta(0, "read_file", ""), delta(0, "", "{\"a\":"), delta(0, "", "1}")],
        Finish::Complete,
    );
    assert_eq!(run.events[0], Seen::Started(0, None, "read_file".to_owned()));
    assert_eq!(run.events[1], Seen::Delta(0, "{\"a\":1}".to_owned()));
    assert_eq!(run.calls(), [("read_file".to_owned(), json!({"a": 1}))]);
    assert_eq!(run.events.len(), 3);
}

#[test]
fn numbering_goes_on_after_other_calls() {
    let mut events = Vec::new();
    let mut parser = DeltaParser::from_index(tools(), 7);
    parser.feed(&delta(0, "read_file", "{}"), &mut |event| record(&mut events, event));
    parser.end(Finish::Complete, &mut |event| record(&mut events, event));
    assert_eq!(events[0], Seen::Started(7, None, "read_file".to_owned()));
}

#[test]
fn a_call_without_a_name_fails() {
    let run = run_deltas(&[delta(0, "", "{\"a\":1}")], Finish::Complete);
    assert_eq!(run.failed()[0].error.message, "The call names no tool");
    assert_eq!(run.events.len(), 1);
}

#[test]
fn pieces_after_the_end_are_nothing() {
    let mut events = Vec::new();
    let mut parser = DeltaParser::new(tools());
    parser.feed(&delta(0, "read_file", "{}"), &mut |event| record(&mut events, event));
    parser.end(Finish::Complete, &mut |event| record(&mut events, event));
    let before = events.clone();
    parser.feed(&delta(0, "", "more"), &mut |event| record(&mut events, event));
    parser.end(Finish::Complete, &mut |event| record(&mut events, event));
    assert_eq!(events, before);
}
