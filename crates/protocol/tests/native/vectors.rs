//! Rows that other projects' parsers were tested with.

use std::path::{Path, PathBuf};

use dogu_protocol::native::{Finish, ToolCallDelta};
use serde_json::Value;

use crate::support::{Seen, run_deltas};

fn rows(name: &str) -> Option<Vec<Value>> {
    let folder: Option<PathBuf> = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .take(7)
        .map(|folder| folder.join("shared/vectors/protocol"))
        .find(|folder| folder.is_dir());
    let text = folder.map(|folder| std::fs::read_to_string(folder.join(name)).unwrap());
    text.map(|text| serde_json::from_str(&text).unwrap())
}

/// A call so far, or what was added to it.
fn piece(function: &Value) -> (String, String) {
    let text = |key: &str| function[key].as_str().unwrap_or_default().to_owned();
    (text("name"), text("arguments"))
}

/// Rows whose answer is not ours, and why.
const DIFFERENT: [(u64, &str); 2] = [
    (1, "a name is fixed once arguments came; a different one begins another call"),
    (31, "text after whole arguments is not dropped in silence, but read or told as an error"),
];

#[test]
fn continue_deltas_are_merged_alike() {
    let Some(rows) = rows("continue-deltas.json") else { return println!("not run: no vectors") };
    let mut checked = 0;
    for row in &rows {
        let call = row["call"].as_u64().unwrap();
        let path: Vec<&str> =
            row["path"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let pieces = [so_far(row, &rows), Some(piece(&row["args"][0]["function"]))];
        let [Some(before), Some(delta)] = pieces else { continue };
        let (name, arguments) = merged(&before, &delta);
        let expected = match path.as_slice() {
            ["toolCall", "function", "name"] => (row["expected"].as_str().unwrap(), name.as_str()),
            ["toolCall", "function", "arguments"] => {
                (row["expected"].as_str().unwrap(), arguments.as_str())
            }
            [] => (
                row["expected"]["toolCall"]["function"]["arguments"].as_str().unwrap(),
                arguments.as_str(),
            ),
            _ => continue,
        };
        let is_different = DIFFERENT.iter().any(|(row, _)| *row == call);
        assert_eq!(expected.0 == expected.1, !is_different, "row {call}: {expected:?}");
        checked += 1;
    }
    assert!(checked >= 9, "{checked}");
}

/// The state before the row's delta; a state that an earlier row made is that row's answer.
fn so_far(row: &Value, rows: &[Value]) -> Option<(String, String)> {
    let state = &row["args"][1];
    if state.get("$undefined").is_some() {
        return Some(Default::default());
    }
    if let Some(function) = state.pointer("/toolCall/function") {
        return Some(piece(function));
    }
    let call = state.pointer("/$ref/call")?;
    let before = rows.iter().find(|row| &row["call"] == call)?;
    let own = so_far(before, rows)?;
    Some(merged(&own, &piece(&before["args"][0]["function"])))
}

/// The first call's name and the text of its arguments, after both pieces.
fn merged(before: &(String, String), delta: &(String, String)) -> (String, String) {
    let pieces = [before, delta].map(|(name, arguments)| ToolCallDelta {
        index: None,
        id: None,
        name: Some(name.as_str().into()),
        arguments: Some(arguments.as_str().into()),
    });
    let run = run_deltas(&pieces, Finish::EndOfStream);
    let mut name = String::new();
    let mut text = String::new();
    for event in &run.events {
        match event {
            Seen::Started(0, _, started) => name.clone_from(started),
            Seen::Delta(0, delta) => text.push_str(delta),
            _ => {}
        }
    }
    (name, text)
}

/// Rows whose typed arguments are not the arguments that the model wrote, and why.
const NORMALISED: [(&str, &str); 3] = [
    (
        "native_parser-0003",
        "marks the older shape of read_file; what a tool accepts is its schema's matter",
    ),
    ("native_parser-0006", "renames line_ranges and marks the older shape"),
    (
        "native_parser-0008",
        "decodes a list that was written as text, which repairing against the schema does",
    ),
];

#[test]
fn p5_roo_native_calls_have_the_arguments_of_the_model() {
    let Some(rows) = rows("roo-native.json") else { return println!("not run: no vectors") };
    for row in rows {
        let written = match row["fn"].as_str().unwrap() {
            "NativeToolCallParser.parseToolCall" => row["args"][0]["arguments"].as_str(),
            "NativeToolCallParser.processStreamingChunk" => row["args"][1].as_str(),
            _ => continue,
        };
        let written = written.unwrap();
        let name = row["result"]["name"].as_str().unwrap();
        let run = run_deltas(
            &[ToolCallDelta {
                index: Some(0),
                id: Some("toolu_1".into()),
                name: Some(name.into()),
                arguments: Some(written.into()),
            }],
            Finish::Complete,
        );
        let id = row["id"].as_str().unwrap();
        let input = &run.ended()[0].input;
        assert_eq!(input, &serde_json::from_str::<Value>(written).unwrap());
        let is_normalised = NORMALISED.iter().any(|(row, _)| *row == id);
        assert_eq!(input == &row["result"]["nativeArgs"], !is_normalised, "{id}");
    }
}
