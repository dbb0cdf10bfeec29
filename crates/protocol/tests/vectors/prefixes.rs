//! Every prefix of every recorded input, through every reader: none of them panics, and nothing
//! that is cut off is a call.

use std::collections::BTreeSet;
use std::sync::Arc;

use dogu_protocol::Tools;
use dogu_protocol::json::{End, PartialJson, parse_arguments};
use dogu_protocol::native::{DeltaParser, Finish, NativeParser, Provider, ToolCallDelta};
use serde_json::Value;

use crate::continue_text;
use crate::events::{Seen, calls, characters, read_text, roo_tools};
use crate::rows::rows;
use crate::summary::ALL;

const PROVIDERS: [Provider; 4] =
    [Provider::OpenAi, Provider::Responses, Provider::Anthropic, Provider::Gemini];

/// The inputs of all files, each once.
fn inputs() -> Option<BTreeSet<String>> {
    let mut all = BTreeSet::new();
    for comparison in ALL {
        for row in rows(comparison.file)? {
            collect(&row, &mut all);
        }
    }
    Some(all)
}

/// Takes the texts under the keys that hold inputs; what is expected of them is none.
fn collect(row: &Value, all: &mut BTreeSet<String>) {
    let Some(map) = row.as_object() else { return };
    for (key, value) in map {
        match (key.as_str(), value) {
            ("input" | "arguments", Value::String(text)) => add(text.clone(), all),
            ("chunks", Value::Array(chunks)) => {
                add(chunks.iter().filter_map(Value::as_str).collect(), all);
            }
            ("args", Value::Array(args)) => {
                for arg in args {
                    match arg {
                        Value::String(text) => add(text.clone(), all),
                        other => collect(other, all),
                    }
                }
            }
            ("expected" | "result" | "blocks" | "blocks_after_last_chunk", _) => {}
            (_, other) => collect(other, all),
        }
    }
}

fn add(text: String, all: &mut BTreeSet<String>) {
    if text.chars().count() > 1 {
        all.insert(text);
    }
}

/// From the empty text to all but the last character.
fn proper_prefixes(text: &str) -> impl Iterator<Item = &str> {
    text.char_indices().map(|(at, _)| &text[..at])
}

#[test]
fn no_prefix_of_an_input_makes_a_reader_panic() {
    let Some(inputs) = inputs() else { return };
    assert!(inputs.len() > 30, "{}", inputs.len());
    let tools = roo_tools();
    for input in &inputs {
        for prefix in proper_prefixes(input).chain([input.as_str()]) {
            read_everywhere(prefix, &tools);
        }
    }
}

fn read_everywhere(text: &str, tools: &Arc<Tools>) {
    read_text(tools, [text]);
    for end in [End::Said, End::Cut] {
        let _ = parse_arguments(text, end);
    }
    let mut partial = PartialJson::new();
    partial.push(text);
    let _ = (partial.is_complete(), partial.value(), partial.state());
    for provider in PROVIDERS {
        let mut parser = NativeParser::new(provider, tools.clone());
        parser.feed(text, &mut |_| {});
        parser.finish(&mut |_| {});
        let _ = parser.problem();
    }
}

/// A message that stops after any of its chunks comes to what it comes to in one piece.
#[test]
fn a_stream_that_stops_after_a_chunk_has_the_calls_of_its_text() {
    let Some(rows) = rows("roo-xml.json") else { return };
    for row in rows.iter().filter(|row| row["chunks"].is_array()) {
        let chunks: Vec<&str> =
            row["chunks"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        for end in 0..=chunks.len() {
            let cut = &chunks[..end];
            let by_chunk = calls(&read_text(&roo_tools(), cut.iter().copied()).concat());
            let whole = calls(&read_text(&roo_tools(), [cut.concat().as_str()]).concat());
            assert_eq!(by_chunk, whole, "{cut:?}");
        }
    }
}

/// In a message that breaks off, only the calls are made that were closed before; the one that
/// is under way fails, and is not made from what has come.
#[test]
fn no_proper_prefix_of_an_xml_call_ends_as_a_call() {
    let Some(rows) = rows("roo-xml.json") else { return };
    let mut checked = 0;
    for row in &rows {
        let input = row["input"].as_str().unwrap();
        let all = calls(&read_text(&roo_tools(), [input]).concat());
        let names: BTreeSet<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        for prefix in proper_prefixes(input) {
            let made = cut_calls(prefix);
            let closed: usize =
                names.iter().map(|name| prefix.matches(&format!("</{name}>")).count()).sum();
            assert!(made.len() <= closed, "{prefix}: {made:?}");
            assert_eq!(made, all[..made.len()], "{prefix}");
            checked += 1;
        }
    }
    assert!(checked > 1000, "{checked}");
}

/// The calls of a message that breaks off here, which are the same however it came.
fn cut_calls(prefix: &str) -> Vec<(String, Value)> {
    let whole = calls(&read_text(&roo_tools(), [prefix]).concat());
    assert_eq!(calls(&read_text(&roo_tools(), characters(prefix)).concat()), whole, "{prefix}");
    whole
}

/// The same of the fenced blocks. The line break behind the closing fence is not part of it.
#[test]
fn no_proper_prefix_of_a_fenced_block_ends_as_a_call() {
    let Some(rows) = rows(continue_text::COMPARISON.file) else { return };
    let tools = continue_text::tools();
    for block in continue_text::blocks(&rows) {
        assert_eq!(calls(&read_text(&tools, [block.as_str()]).concat()).len(), 1, "{block}");
        for prefix in proper_prefixes(block.trim_end()) {
            read_everywhere(prefix, &tools);
            for chunks in [vec![prefix], characters(prefix)] {
                assert_eq!(calls(&read_text(&tools, chunks).concat()), [], "{prefix}");
            }
        }
    }
}

/// The same of arguments as JSON. An empty text is left out: it means that there are none.
#[test]
fn no_proper_prefix_of_an_object_is_an_object() {
    let Some(inputs) = inputs() else { return };
    let is_object =
        |text: &&String| serde_json::from_str::<Value>(text).is_ok_and(|value| value.is_object());
    let objects: Vec<&String> = inputs.iter().filter(is_object).collect();
    assert!(objects.len() > 5, "{}", objects.len());
    for prefix in objects.into_iter().flat_map(|text| proper_prefixes(text).skip(1)) {
        assert!(parse_arguments(prefix, End::Cut).is_err(), "{prefix}");
        let mut partial = PartialJson::new();
        partial.push(prefix);
        assert!(!partial.is_complete(), "{prefix}");
        assert_eq!(calls(&cut_native(prefix)), [], "{prefix}");
    }
}

/// A native call whose stream breaks off after these arguments.
fn cut_native(arguments: &str) -> Vec<Seen> {
    let mut events = Vec::new();
    let mut parser = DeltaParser::new(Arc::default());
    let (name, arguments) = (Some("read_file".into()), Some(arguments.into()));
    let delta = ToolCallDelta { index: Some(0), name, arguments, ..Default::default() };
    parser.feed(&delta, &mut |event| events.push(Seen::of(event)));
    parser.end(Finish::EndOfStream, &mut |event| events.push(Seen::of(event)));
    events
}
