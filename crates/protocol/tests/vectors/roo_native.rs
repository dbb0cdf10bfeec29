//! Roo Code's native calls: the JSON of the arguments in, typed arguments out.
//!
//! Compared are `nativeArgs`, which are what the tool gets; `params` holds the same as texts. A
//! row of a stream that goes on is asked before the end, where no call may have ended.

use std::sync::Arc;

use dogu_protocol::coerce::coerce;
use dogu_protocol::json::PartialJson;
use dogu_protocol::native::{DeltaParser, Finish, ToolCallDelta};
use serde_json::{Value, json};

use crate::events::{Seen, calls};
use crate::rows::{Comparison, Verdict, rows, same};

pub(crate) const COMPARISON: Comparison =
    Comparison { file: "roo-native.json", compare, different: &DIFFERENT };

const DIFFERENT: [(&str, &str); 3] = [
    (
        "native_parser-0003",
        "marks the older shape of read_file; what a tool accepts is its schema's matter",
    ),
    ("native_parser-0006", "renames line_ranges and marks the older shape"),
    (
        "native_parser-0008",
        "decodes a list that was written as text, which coercion to the schema does here",
    ),
];

#[test]
fn roo_native_rows_agree_or_differ_for_a_reason() {
    COMPARISON.check();
}

fn compare(row: &Value, rows: &[Value]) -> Verdict {
    let name = row["result"]["name"].as_str().unwrap();
    let (so_far, at_end) = run(name, written(row, rows));
    let ended = [calls(&so_far), calls(&at_end)];
    let partial = row["result"]["partial"] == true;
    let input = match &ended {
        [before, after] if !before.is_empty() || after.len() != 1 => {
            return Err(format!("the calls are {before:?}, then {after:?}"));
        }
        [_, _] if partial => preview(&so_far),
        [_, after] => after[0].1.clone(),
    };
    same(&row["result"]["nativeArgs"], &input)
}

/// The arguments as the model wrote them. A row that only ends a stream has them in the row that
/// streamed.
fn written<'r>(row: &'r Value, rows: &'r [Value]) -> &'r str {
    let args = &row["args"];
    if let Some(text) = args[0]["arguments"].as_str().or(args[1].as_str()) {
        return text;
    }
    let same_call = |other: &&Value| other["args"][0] == args[0] && other["args"][1].is_string();
    rows.iter().find(same_call).unwrap()["args"][1].as_str().unwrap()
}

/// The events before the end of the stream, and those of the end.
fn run(name: &str, arguments: &str) -> (Vec<Seen>, Vec<Seen>) {
    let mut parser = DeltaParser::new(Arc::default());
    let (mut so_far, mut at_end) = (Vec::new(), Vec::new());
    let delta = ToolCallDelta {
        index: Some(0),
        id: Some("toolu_1".into()),
        name: Some(name.into()),
        arguments: Some(arguments.into()),
    };
    parser.feed(&delta, &mut |event| so_far.push(Seen::of(event)));
    parser.end(Finish::Complete, &mut |event| at_end.push(Seen::of(event)));
    (so_far, at_end)
}

/// The arguments as the deltas show them.
fn preview(events: &[Seen]) -> Value {
    let mut partial = PartialJson::new();
    for event in events {
        if let Seen::Delta(_, _, text) = event {
            partial.push(text);
        }
    }
    partial.value().clone()
}

/// Also where a row differs, nothing is added to what the model wrote and nothing taken away.
#[test]
fn the_arguments_are_those_that_the_model_wrote() {
    let Some(rows) = rows(COMPARISON.file) else { return };
    for row in &rows {
        let written = written(row, &rows);
        let (_, at_end) = run("read_file", written);
        let expected: Value = serde_json::from_str(written).unwrap();
        assert_eq!(calls(&at_end), [("read_file".to_owned(), expected)]);
    }
}

/// The list that was written as text is read, but only where the schema wants a list.
#[test]
fn a_list_written_as_text_is_read_against_the_schema() {
    let path = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let files = json!({"type": "array", "items": path});
    let schema = json!({"type": "object", "properties": {"files": files}});
    let mut input = json!({"files": r#"[{"path": "a"}, {"path": "b"}]"#});
    coerce(&schema, &mut input);
    assert_eq!(input, json!({"files": [{"path": "a"}, {"path": "b"}]}));
}
