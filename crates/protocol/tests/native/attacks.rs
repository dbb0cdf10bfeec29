//! Wires that a hostile tester thought of: nothing runs with half of what was asked for.

use dogu_protocol::Provider::{self, Anthropic, Gemini, OpenAi, Responses};
use dogu_protocol::{Format, MessageParser};
use serde_json::{Value, json};

use crate::support::{Seen, record, run, sse, tools};

fn calls(provider: Provider, documents: &[Value]) -> Vec<(String, Value)> {
    run(provider, &sse(documents)).calls()
}

fn call(name: &str, input: Value) -> Vec<(String, Value)> {
    vec![(name.to_owned(), input)]
}

/// A piece of OpenAI's stream.
fn piece(name: Option<&str>, arguments: &str) -> Value {
    let id = name.map(|_| "c");
    json!({"choices": [{"index": 0, "delta": {"tool_calls": [
        {"index": 0, "id": id, "function": {"name": name, "arguments": arguments}},
    ]}}]})
}

/// The document may be cut before the word `arguments`: nothing says then what it was.
#[test]
fn a_call_that_lost_a_piece_does_not_run_however_little_of_the_piece_is_left() {
    let (first, last) = (piece(Some("read"), "{\"path\":\"a"), piece(None, "z\"}"));
    let whole = piece(None, "lost").to_string();
    for cut in [r#"{"choices""#, r#""index":0"#, r#""function""#] {
        let left = &whole[..whole.find(cut).unwrap() + cut.len()];
        let wire = format!("data: {first}\n\ndata: {left}\n\ndata: {last}\n\ndata: [DONE]\n\n");
        let run = run(OpenAi, &wire);
        assert_eq!((run.calls(), run.failed().len()), (Vec::new(), 1), "{left}");
    }
}

fn block_start(index: Option<usize>, kind: &str, id: &str) -> Value {
    json!({"type": "content_block_start", "index": index,
        "content_block": {"type": kind, "id": id, "name": "set", "input": {}}})
}

fn block_delta(index: Option<usize>, json: &str) -> Value {
    json!({"type": "content_block_delta", "index": index,
        "delta": {"type": "input_json_delta", "partial_json": json}})
}

#[test]
fn arguments_that_belong_to_no_open_call_are_not_dropped_in_silence() {
    let end = json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}});
    let given = call("set", json!({"count": 5}));
    for (begun, at, expected) in [
        (Some(0), Some(0), given.clone()),
        (None, None, given.clone()),
        (Some(0), None, given),
        (Some(0), Some(1), vec![]),
        (None, Some(0), vec![]),
    ] {
        let start = block_start(begun, "tool_use", "a");
        let found = calls(Anthropic, &[start, block_delta(at, "{\"count\":5}"), end.clone()]);
        assert_eq!(found, expected, "{begun:?} {at:?}");
    }
    let both = [0, 1].map(|index| block_start(Some(index), "tool_use", &index.to_string()));
    let [first, second] = both;
    assert_eq!(calls(Anthropic, &[first, second, block_delta(None, "{}"), end]), []);
}

#[test]
fn blocks_without_indices_come_one_after_another() {
    let stop = json!({"type": "content_block_stop"});
    let found = calls(
        Anthropic,
        &[
            block_start(None, "tool_use", "a"),
            block_delta(None, " {\"count\""),
            block_delta(None, ":1}"),
            stop.clone(),
            block_start(None, "tool_use", "b"),
            block_delta(None, "{\"count\":2}"),
            stop,
        ],
    );
    assert_eq!(
        found,
        [call("set", json!({"count": 1})), call("set", json!({"count": 2}))].concat()
    );
}

/// What the provider runs itself has arguments too, and they are not missing in the open call.
#[test]
fn arguments_of_a_block_that_is_no_call_do_no_harm() {
    let found = calls(
        Anthropic,
        &[
            block_start(Some(0), "tool_use", "a"),
            block_delta(Some(0), "{}"),
            block_start(Some(1), "server_tool_use", "b"),
            block_delta(Some(1), "{\"query\":1}"),
            json!({"type": "message_stop"}),
        ],
    );
    assert_eq!(found, call("set", json!({})));
}

fn item(arguments: &str) -> Value {
    json!({"type": "function_call", "id": "f", "call_id": "c", "name": "set",
        "arguments": arguments})
}

fn added() -> Value {
    json!({"type": "response.output_item.added", "output_index": 0, "item": item("")})
}

#[test]
fn arguments_of_a_response_are_found_by_the_item_or_fail_the_call() {
    let completed = json!({"type": "response.completed", "response": {"status": "completed"}});
    for (event, key) in [("delta", "delta"), ("done", "arguments")] {
        let kind = format!("response.function_call_arguments.{event}");
        let piece = |index: Option<usize>, id: Option<&str>| json!({"type": kind, "output_index": index, "item_id": id, key: "{\"count\":5}"});
        for (piece, expected) in [
            (piece(None, Some("f")), call("set", json!({"count": 5}))),
            (piece(None, None), call("set", json!({"count": 5}))),
            (piece(Some(0), Some("rotated")), call("set", json!({"count": 5}))),
            (piece(Some(1), Some("f")), vec![]),
            (piece(None, Some("other")), vec![]),
        ] {
            let found = calls(Responses, &[added(), piece.clone(), completed.clone()]);
            assert_eq!(found, expected, "{piece}");
        }
    }
}

/// Arguments under an index that has no name may be those of the call that has none.
#[test]
fn stray_arguments_of_a_completion_fail_the_call_that_lacks_some() {
    let stray = |arguments: &str| {
        json!({"choices": [{"delta": {"tool_calls": [
            {"index": 1, "function": {"arguments": arguments}},
        ]}}]})
    };
    let end = json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]});
    for (own, other) in [("", "{\"count\":5}"), ("{\"count\"", ":5}")] {
        let found = calls(OpenAi, &[piece(Some("set"), own), stray(other), end.clone()]);
        assert_eq!(found, [], "{own}");
    }
    let found = calls(OpenAi, &[piece(Some("set"), "{\"count\":5}"), stray("{}"), end]);
    assert_eq!(found, call("set", json!({"count": 5})));
}

fn gemini(call: &Value) -> Value {
    json!({"candidates": [{"content": {"parts": [{"functionCall": call}]}}]})
}

fn gemini_begin(id: Option<&str>, value: &str) -> Value {
    gemini(&json!({"name": "set", "id": id, "willContinue": true,
        "partialArgs": [{"jsonPath": "$.id", "stringValue": value}]}))
}

fn gemini_stop() -> Value {
    json!({"candidates": [{"finishReason": "STOP"}]})
}

#[test]
fn partial_arguments_of_gemini_are_neither_lost_nor_mixed_up() {
    let (begin, over) = (|value: &str| gemini_begin(None, value), gemini(&json!({})));
    let name_only = gemini(&json!({"name": "set", "willContinue": true}));
    let whole = gemini(&json!({"name": "set", "args": {"id": "x"}, "willContinue": true}));
    for unfinished in [begin("x"), name_only, whole] {
        let run = run(Gemini, &sse(&[unfinished.clone(), gemini_stop()]));
        assert_eq!((run.calls(), run.failed().len()), (Vec::new(), 1), "{unfinished}");
    }
    let found = calls(Gemini, &[begin("x"), begin("y"), over.clone(), over.clone(), gemini_stop()]);
    assert_eq!(found, call("set", json!({"id": "y"})));
    let other = gemini(&json!({"name": "get", "args": {}}));
    let found = calls(Gemini, &[begin("x"), other, over, gemini_stop()]);
    assert_eq!(found, call("get", json!({})));
}

#[test]
fn pieces_of_gemini_that_have_ids_are_those_calls() {
    let more = |id: &str, goes_on: bool| {
        gemini(&json!({"id": id, "willContinue": goes_on,
            "partialArgs": [{"jsonPath": "$.id", "stringValue": "z"}]}))
    };
    let (x, y) = (gemini_begin(Some("1"), "x"), gemini_begin(Some("2"), "y"));
    let found = calls(Gemini, &[x.clone(), x.clone(), more("1", false), gemini_stop()]);
    assert_eq!(found, call("set", json!({"id": "xxz"})), "a name may be repeated with its id");
    let found = calls(Gemini, &[x.clone(), y, more("1", false), more("2", false), gemini_stop()]);
    assert_eq!(found, call("set", json!({"id": "yz"})));
    let found = calls(Gemini, &[x, more("3", true), more("1", false), gemini_stop()]);
    assert_eq!(found, []);
}

#[test]
fn arguments_of_gemini_do_not_come_in_two_ways_at_once() {
    let both = gemini(&json!({"name": "set", "args": {"count": 1},
        "partialArgs": [{"jsonPath": "$.id", "stringValue": "x"}]}));
    assert_eq!(calls(Gemini, &[both, gemini_stop()]), []);
}

/// The pieces of a response may have been only a part; what the end repeats is whole.
#[test]
fn the_arguments_in_the_completed_response_count() {
    let delta = json!({"type": "response.function_call_arguments.delta", "output_index": 0,
        "item_id": "f", "delta": "{\"count\":5"});
    let done = json!({"type": "response.function_call_arguments.done", "output_index": 0});
    for kind in ["response.completed", "response.done"] {
        let end = |item: Value| json!({"type": kind, "response": {"status": "completed", "output": [item]}});
        let (mut by_item, mut by_index) = (item("{\"count\":55}"), item("{\"count\":55}"));
        by_item["call_id"] = Value::Null;
        by_index["call_id"] = Value::Null;
        by_index["id"] = Value::Null;
        for item in [item("{\"count\":55}"), by_item, by_index] {
            for documents in [
                vec![added(), end(item.clone())],
                vec![added(), delta.clone(), end(item.clone())],
                vec![added(), delta.clone(), done.clone(), end(item.clone())],
            ] {
                let found = calls(Responses, &documents);
                assert_eq!(found, call("set", json!({"count": 55})), "{documents:?}");
            }
        }
    }
}

/// Its arguments may be valid as they stand, and are half of what was meant all the same.
#[test]
fn an_incomplete_item_does_not_run() {
    let completed = |output: &[Value]| json!({"type": "response.completed", "response": {"status": "completed", "output": output}});
    let held = json!({"type": "response.function_call_arguments.done", "output_index": 0,
        "arguments": "{\"id\":\"half"});
    for arguments in ["{\"id\":\"half", "{\"id\":\"half\"}", ""] {
        let mut half = item(arguments);
        half["status"] = json!("incomplete");
        let done = json!({"type": "response.output_item.done", "output_index": 0, "item": half});
        for documents in [
            vec![added(), done.clone(), completed(&[])],
            vec![added(), done.clone(), completed(&[half.clone()])],
            vec![added(), held.clone(), done.clone(), completed(&[])],
            vec![added(), completed(&[half.clone()])],
            vec![done, completed(&[])],
            vec![completed(&[half.clone()])],
            vec![half],
        ] {
            let run = run(Responses, &sse(&documents));
            assert_eq!((run.calls(), run.failed().len()), (Vec::new(), 1), "{documents:?}");
        }
    }
}

/// Where nothing but a vague key speaks for a provider, it is the model's own JSON.
#[test]
fn an_answer_in_json_is_not_lost() {
    for message in [
        r#"{"output": "42"}"#,
        r#"{"output": ["a", "b"]}"#,
        r#"{"message": "done"}"#,
        r#"{"message": {"subject": "fix"}}"#,
        r#"{"parts": 3} of it"#,
        r#"{"parts": ["a"]}"#,
        r#"{"content": [1, 2]}"#,
        r#"{"choices": ["yes", "no"]}"#,
        r#"{"candidates": "none"}"#,
        r#"{"function": "main"}"#,
        r#"{"function": {"line": 1}}"#,
        r#"{"function_call": "auto"}"#,
        r#"{"tool_calls": 0}"#,
        r#"{"stop_reason": "tired"}"#,
        r#"{"role": "admin", "content": null}"#,
        r#"{"type": "message", "text": "hi"}"#,
        r#"{"usageMetadata": 1}"#,
    ] {
        let mut events = Vec::new();
        let mut parser = MessageParser::new(Format::Auto, tools());
        parser.feed(message.as_bytes(), &mut |event| record(&mut events, event));
        parser.finish(&mut |event| record(&mut events, event));
        assert_eq!(events, [Seen::Text(message.to_owned())]);
    }
}

/// The last of two would run, and the first is what a person saw.
#[test]
fn arguments_with_a_key_twice_do_not_run() {
    for arguments in [r#"{"path":"a","path":"b"}"#, r#"{"a":[{"b":1,"b":2}]}"#] {
        let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]});
        let run = run(OpenAi, &sse(&[piece(Some("read"), arguments), end]));
        assert_eq!((run.calls(), run.failed().len()), (Vec::new(), 1), "{arguments}");
    }
}

/// llama.cpp's server gives its items no id, and its events the id of the call.
#[test]
fn items_of_responses_may_be_known_by_their_call_alone() {
    let item = |arguments: &str| json!({"type": "function_call", "call_id": "fc_1", "name": "set", "arguments": arguments});
    let delta = |text: &str| json!({"type": "response.function_call_arguments.delta", "item_id": "fc_1", "delta": text});
    let documents = [
        json!({"type": "response.output_item.added", "item": item("")}),
        delta("{\"count\""),
        delta(":5}"),
        json!({"type": "response.output_item.done", "item": item("{\"count\":5}")}),
        json!({"type": "response.completed", "response": {"status": "completed", "output": []}}),
    ];
    for upto in [4, 5] {
        assert_eq!(calls(Responses, &documents[..upto]), call("set", json!({"count": 5})));
    }
}
