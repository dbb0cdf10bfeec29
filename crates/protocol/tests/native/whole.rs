//! Messages that are all in one document, and parts of them that stand alone.

use dogu_protocol::Provider::{self, Anthropic, Gemini, OpenAi, Responses};
use serde_json::{Value, json};

use crate::support::run;

fn forms() -> Vec<(Provider, &'static str, Value)> {
    let (text, object) = (json!("{\"path\":\"x\"}"), json!({"path": "x"}));
    let function = json!({"name": "read_file", "arguments": text});
    let call = json!({"id": "c", "type": "function", "function": function});
    let block = json!({"type": "tool_use", "id": "c", "name": "read_file", "input": object});
    let item = json!({"type": "function_call", "id": "fc", "call_id": "c", "name": "read_file", "arguments": text});
    let part = json!({"functionCall": {"name": "read_file", "args": object}});
    vec![
        (
            OpenAi,
            "completion",
            json!({"object": "chat.completion", "choices": [{"message": {"tool_calls": [call]}, "finish_reason": "stop"}]}),
        ),
        (OpenAi, "message", json!({"role": "assistant", "content": null, "tool_calls": [call]})),
        (
            OpenAi,
            "parts",
            json!({"role": "assistant", "content": [{"type": "text", "text": ""}], "tool_calls": [call]}),
        ),
        (OpenAi, "older", json!({"role": "assistant", "content": null, "function_call": function})),
        (OpenAi, "call", call.clone()),
        (OpenAi, "call without id", json!({"type": "function", "function": function})),
        (OpenAi, "delta", json!({"function": function})),
        (OpenAi, "object", json!({"function": {"name": "read_file", "arguments": object}})),
        (OpenAi, "list", json!([call])),
        (
            OpenAi,
            "no choices",
            json!({"message": {"role": "assistant", "tool_calls": [{"function": {"name": "read_file", "arguments": object}}]}, "done": true}),
        ),
        (
            Anthropic,
            "message",
            json!({"type": "message", "role": "assistant", "content": [block], "stop_reason": "tool_use"}),
        ),
        (Anthropic, "plain message", json!({"role": "assistant", "content": [block]})),
        (Anthropic, "content", json!([{"type": "text", "text": ""}, block])),
        (Anthropic, "block", block.clone()),
        (
            Responses,
            "response",
            json!({"object": "response", "status": "completed", "output": [item]}),
        ),
        (
            Responses,
            "completed",
            json!({"type": "response.completed", "response": {"output": [item]}}),
        ),
        (Responses, "item", item.clone()),
        (Responses, "list", json!([item])),
        (
            Gemini,
            "response",
            json!({"candidates": [{"content": {"parts": [part]}, "finishReason": "STOP"}]}),
        ),
        (Gemini, "content", json!({"role": "model", "parts": [part]})),
        (Gemini, "part", part.clone()),
        (Gemini, "snake case", json!({"function_call": {"name": "read_file", "args": object}})),
    ]
}

#[test]
fn every_form_gives_the_call() {
    for (provider, form, document) in forms() {
        for wire in [document.to_string(), serde_json::to_string_pretty(&document).unwrap()] {
            let run = run(provider, &wire);
            let expected = [("read_file".to_owned(), json!({"path": "x"}))];
            assert_eq!(run.calls(), expected, "{provider:?}, {form}: {run:#?}");
            assert!(run.ended()[0].notes.is_empty(), "{provider:?}, {form}: {run:?}");
            assert_eq!(run.problem, None, "{provider:?}, {form}");
        }
    }
}

#[test]
fn every_form_tells_its_provider() {
    for (provider, form, document) in forms() {
        assert_eq!(Provider::detect(&document.to_string()), Some(provider), "{form}");
    }
    for foreign in ["", "oops", "{}", "[]", "{\"a\":1}", "7"] {
        assert_eq!(Provider::detect(foreign), None, "{foreign}");
    }
}

#[test]
fn every_event_of_a_stream_tells_its_provider() {
    for (provider, document) in [
        (OpenAi, json!({"object": "chat.completion.chunk", "choices": []})),
        (Anthropic, json!({"type": "message_start", "message": {}})),
        (Anthropic, json!({"type": "error", "error": {"message": "x"}})),
        (Responses, json!({"type": "response.created", "response": {}})),
        (Responses, json!({"type": "error", "message": "x"})),
        (Gemini, json!({"usageMetadata": {}})),
    ] {
        assert_eq!(Provider::detect(&document.to_string()), Some(provider), "{document}");
    }
}

#[test]
fn a_list_of_bare_calls_is_as_many_calls() {
    let list = json!([{"function": {"name": "a"}}, {"function": {"name": "b"}}, {"function": {"name": "b"}}]);
    let run = run(OpenAi, &list.to_string());
    let names: Vec<_> = run.calls().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["a", "b", "b"]);
}

#[test]
fn a_whole_message_with_one_id_twice() {
    let call = |name: &str| json!({"id": "x", "function": {"name": name, "arguments": "{}"}});
    let run = run(
        OpenAi,
        &json!({"role": "assistant", "tool_calls": [call("a"), call("b")]}).to_string(),
    );
    assert_eq!(run.calls(), [("a".to_owned(), json!({}))]);
    assert_eq!(run.failed()[0].name.as_deref(), Some("b"));
}
