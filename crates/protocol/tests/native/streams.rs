//! Streams as servers really send them.

use dogu_protocol::Provider;
use serde_json::{Value, json};

use crate::support::{Run, Seen, run, sse};

fn chat(deltas: &[Value]) -> Run {
    let chunk = |delta: &Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let mut documents: Vec<Value> = deltas.iter().map(chunk).collect();
    documents.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}));
    documents.push(json!({"choices": [], "usage": {"total_tokens": 5}}));
    run(Provider::OpenAi, &(sse(&documents) + "data: [DONE]\n\n"))
}

fn calls(pieces: &[Value]) -> Run {
    chat(&pieces.iter().map(|piece| json!({"tool_calls": [piece]})).collect::<Vec<_>>())
}

#[track_caller]
fn check(pieces: &[Value], expected: &[(&str, Value)]) -> Run {
    let run = calls(pieces);
    let expected: Vec<_> =
        expected.iter().map(|(name, input)| ((*name).to_owned(), input.clone())).collect();
    assert_eq!(run.calls(), expected, "{run:#?}");
    assert_eq!((run.failed().len(), run.problem.as_deref()), (0, None));
    run
}

#[test]
fn p8_interleaved_deltas_of_two_calls_are_rebuilt() {
    let run = check(
        &[
            json!({"index": 0, "id": "a", "function": {"name": "read_file", "arguments": ""}}),
            json!({"index": 1, "id": "b", "function": {"name": "write_file", "arguments": ""}}),
            json!({"index": 1, "function": {"arguments": "{\"path\":"}}),
            json!({"index": 0, "function": {"arguments": "{\"path\""}}),
            json!({"index": 1, "function": {"arguments": "\"y\"}"}}),
            json!({"index": 0, "function": {"arguments": ":\"x\"}"}}),
        ],
        &[("read_file", json!({"path": "x"})), ("write_file", json!({"path": "y"}))],
    );
    // Events are numbered as the calls start: the second one's arguments came first.
    let ids: Vec<_> =
        run.ended().iter().map(|call| (call.index, call.id.clone().unwrap())).collect();
    assert_eq!(ids, [(1, "a".to_owned()), (0, "b".to_owned())]);
}

#[test]
fn names_come_late_in_pieces_and_again() {
    check(
        &[
            json!({"index": 0, "id": "a", "function": {"arguments": "{\"path\":"}}),
            json!({"index": 0, "function": {"name": "read_file", "arguments": "1}"}}),
        ],
        &[("read_file", json!({"path": 1}))],
    );
    for names in [&["read", "_file"][..], &["read", "read_f", "read_file"], &["read_file", "read"]]
    {
        let mut pieces: Vec<Value> = names
            .iter()
            .map(|name| json!({"index": 0, "id": "a", "function": {"name": name}}))
            .collect();
        pieces.push(json!({"index": 0, "function": {"name": "read_file", "arguments": "{}"}}));
        check(&pieces, &[("read_file", json!({}))]);
    }
}

#[test]
fn pieces_without_index() {
    check(
        &[
            json!({"id": "a", "function": {"name": "read_file", "arguments": "{\"a\""}}),
            json!({"id": "b", "function": {"name": "read_file", "arguments": "{\"b\""}}),
            json!({"id": "a", "function": {"arguments": ":1}"}}),
            json!({"id": "b", "function": {"arguments": ":2}"}}),
        ],
        &[("read_file", json!({"a": 1})), ("read_file", json!({"b": 2}))],
    );
    check(
        &[
            json!({"function": {"arguments": "lost"}}),
            json!({"function": {"name": "read_file", "arguments": "{\"a\""}}),
            json!({"function": {"arguments": ":1}"}}),
            json!({"function": {"name": "read_file", "arguments": "{\"b\":2}"}}),
            json!({"function": {"name": "write_file", "arguments": "{}"}}),
        ],
        &[
            ("read_file", json!({"a": 1})),
            ("read_file", json!({"b": 2})),
            ("write_file", json!({})),
        ],
    );
}

#[test]
fn every_call_is_number_0() {
    check(
        &[
            json!({"index": 0, "id": "a", "function": {"name": "read_file", "arguments": "{\"a\":1}"}}),
            json!({"index": 0, "id": "b", "function": {"name": "read_file", "arguments": ""}}),
            json!({"index": 0, "id": "b", "function": {"arguments": "{\"b\":2}"}}),
        ],
        &[("read_file", json!({"a": 1})), ("read_file", json!({"b": 2}))],
    );
}

#[test]
fn an_id_on_every_piece_continues() {
    for second in ["a", "made-up-anew", ""] {
        check(
            &[
                json!({"index": 0, "id": "a", "function": {"name": "read_file", "arguments": "{\"a\""}}),
                json!({"index": 0, "id": second, "function": {"name": null, "arguments": ":1}"}}),
            ],
            &[("read_file", json!({"a": 1}))],
        );
    }
}

#[test]
fn an_empty_placeholder_gives_way() {
    let run = check(
        &[
            json!({"index": 0, "id": "a", "function": {"name": "read_file", "arguments": "{}"}}),
            json!({"index": 0, "function": {"arguments": "{\"path\""}}),
            json!({"index": 0, "function": {"arguments": ":1}"}}),
        ],
        &[("read_file", json!({"path": 1}))],
    );
    assert!(run.events.contains(&Seen::Delta(0, "{\"path\":1}".to_owned())), "{run:?}");
}

#[test]
fn arguments_may_be_objects_null_or_absent() {
    check(
        &[
            json!({"index": 0, "id": "a", "function": {"name": "read_file", "arguments": {"path": "x"}}}),
            json!({"index": 1, "id": "b", "function": {"name": "read_file", "arguments": null}}),
            json!({"index": 2, "id": "c", "function": {"name": "read_file"}}),
            json!({"index": 3, "id": "d", "function": {"name": "read_file", "arguments": "  "}}),
        ],
        &[
            ("read_file", json!({"path": "x"})),
            ("read_file", json!({})),
            ("read_file", json!({})),
            ("read_file", json!({})),
        ],
    );
}

#[test]
fn the_catalogs_name_is_used_with_a_note() {
    let run = check(
        &[json!({"index": 0, "id": "a", "function": {"name": "Read_File", "arguments": "{}"}})],
        &[("read_file", json!({}))],
    );
    assert_eq!(run.ended()[0].notes, ["The tool `read_file` was called as `Read_File`."]);
    check(
        &[json!({"index": 0, "function": {"name": "other", "arguments": "{}"}})],
        &[("other", json!({}))],
    );
}

#[test]
fn a_second_call_with_the_same_id_fails() {
    let run = calls(&[
        json!({"index": 0, "id": "a", "function": {"name": "read_file", "arguments": "{\"a\""}}),
        json!({"index": 1, "id": "a", "function": {"name": "write_file", "arguments": "{\"b\""}}),
        json!({"index": 0, "function": {"arguments": ":1}"}}),
        json!({"index": 1, "function": {"arguments": ":2}"}}),
    ]);
    assert_eq!(run.calls(), [("read_file".to_owned(), json!({"a": 1}))]);
    let failed = run.failed();
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0].name.as_deref(), Some("write_file"));
    assert_eq!(
        failed[0].error.message,
        "The id `a` was already used by another call of this message"
    );
}

#[test]
fn text_before_reasoning_and_the_older_call() {
    let run = chat(&[
        json!({"role": "assistant", "content": ""}),
        json!({"reasoning_content": "hm"}),
        json!({"content": "I look"}),
        json!({"content": [{"type": "text", "text": " now."}]}),
        json!({"function_call": {"name": "read_file", "arguments": ""}}),
        json!({"function_call": {"arguments": "{\"a\":"}}),
        json!({"function_call": {"arguments": "1}"}}),
    ]);
    assert_eq!(run.text(), "I look now.");
    assert_eq!(run.calls(), [("read_file".to_owned(), json!({"a": 1}))]);
}

#[test]
fn other_choices_do_not_count() {
    let piece = |choice: usize, arguments: &str| {
        json!({"choices": [{"index": choice, "delta": {"content": "t", "tool_calls": [{"index": 0,
            "function": {"name": "read_file", "arguments": arguments}}]}}]})
    };
    let end = |choice: usize| json!({"choices": [{"index": choice, "delta": {}, "finish_reason": "stop"}]});
    let documents = [piece(1, "{\"b\":2}"), piece(0, "{\"a\":"), end(1), piece(0, "1}"), end(0)];
    let run = run(Provider::OpenAi, &sse(&documents));
    assert_eq!(run.calls(), [("read_file".to_owned(), json!({"a": 1}))]);
    assert_eq!(run.text(), "tt");
}

#[test]
fn responses_do_not_report_a_call_twice() {
    let item = |arguments: &str| {
        json!({"type": "function_call", "id": "fc_1", "call_id": "call_1",
        "name": "read_file", "arguments": arguments})
    };
    let full = "{\"path\":\"x\"}";
    let other = json!({"type": "function_call", "id": "fc_2", "call_id": "call_2",
        "name": "write_file", "arguments": "{}"});
    let documents = [
        json!({"type": "response.output_item.added", "output_index": 0, "item": item("")}),
        json!({"type": "response.function_call_arguments.delta", "item_id": "fc_1", "output_index": 0, "delta": "{\"path\""}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item(full)}),
        json!({"type": "response.completed", "response": {"status": "completed", "output": [item(full), other]}}),
    ];
    let run = run(Provider::Responses, &sse(&documents));
    let ids: Vec<_> = run.ended().iter().map(|call| call.id.clone().unwrap()).collect();
    assert_eq!(ids, ["call_1", "call_2"]);
    assert!(run.events.contains(&Seen::Delta(0, full.to_owned())), "the rest is shown: {run:?}");
}

#[test]
fn responses_without_indices_are_told_apart_by_their_items() {
    let added = |id: &str| {
        json!({"type": "response.output_item.added", "item": {"type": "function_call",
        "id": id, "call_id": format!("call_{id}"), "name": "read_file", "arguments": ""}})
    };
    let delta = |id: &str, text: &str| {
        json!({"type": "response.function_call_arguments.delta",
        "item_id": id, "delta": text})
    };
    let done = |id: &str| json!({"type": "response.function_call_arguments.done", "item_id": id});
    let run = run(
        Provider::Responses,
        &sse(&[
            added("x"),
            added("y"),
            delta("x", "{\"x\""),
            delta("y", "{\"y\""),
            delta("x", ":1}"),
            delta("y", ":2}"),
            done("y"),
            done("x"),
        ]),
    );
    let expected =
        [("read_file".to_owned(), json!({"y": 2})), ("read_file".to_owned(), json!({"x": 1}))];
    assert_eq!(run.calls(), expected);
}

#[test]
fn anthropic_drops_thinking_and_what_it_runs_itself() {
    let start = |index: usize, block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
    let delta = |index: usize, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    let stop = |index: usize| json!({"type": "content_block_stop", "index": index});
    let run = run(
        Provider::Anthropic,
        &sse(&[
            start(0, json!({"type": "thinking", "thinking": ""})),
            delta(0, json!({"type": "thinking_delta", "thinking": "hm"})),
            delta(0, json!({"type": "signature_delta", "signature": "xx"})),
            stop(0),
            start(
                1,
                json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}),
            ),
            delta(1, json!({"type": "input_json_delta", "partial_json": "{}"})),
            stop(1),
            start(2, json!({"type": "tool_use", "id": "t", "name": "read_file", "input": {}})),
            delta(2, json!({"type": "input_json_delta", "partial_json": ""})),
            stop(2),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
            json!({"type": "message_stop"}),
        ]),
    );
    assert_eq!(run.calls(), [("read_file".to_owned(), json!({}))]);
    assert_eq!((run.text().as_str(), run.problem), ("", None));
}

#[test]
fn gemini_drops_thoughts_and_builds_partial_arguments() {
    let part =
        |part: Value| json!({"candidates": [{"content": {"role": "model", "parts": [part]}}]});
    let piece = |path: &str, key: &str, value: Value| {
        part(
            json!({"functionCall": {"partialArgs": [{"jsonPath": path, key: value, "willContinue": true}],
            "willContinue": true}}),
        )
    };
    let run = run(
        Provider::Gemini,
        &sse(&[
            part(json!({"text": "secret", "thought": true})),
            part(json!({"text": "Hi"})),
            part(json!({"functionCall": {"name": "write_file", "id": "g", "willContinue": true}})),
            piece("$.path", "stringValue", json!("a")),
            piece("$.path", "stringValue", json!(".txt")),
            piece("$.edits[0]['new text']", "stringValue", json!("x")),
            piece("$.edits[1].n", "numberValue", json!(2)),
            piece("$.force", "boolValue", json!(true)),
            part(json!({"functionCall": {}})),
            json!({"candidates": [{"content": {"parts": [{"text": ""}]}, "finishReason": "STOP"}]}),
        ]),
    );
    let input = json!({"path": "a.txt", "edits": [{"new text": "x"}, {"n": 2}], "force": true});
    assert_eq!(run.calls(), [("write_file".to_owned(), input)]);
    assert_eq!(run.text(), "Hi");
}
