//! Calls that were cut off never run.

use dogu_protocol::Provider::{self, Anthropic, Gemini, OpenAi, Responses};
use dogu_protocol::json::{End, parse_arguments};
use serde_json::{Value, json};

use crate::support::{Run, run, sse};

/// A call whose arguments are as given, and the end as given.
fn wire(provider: Provider, arguments: &str, end: Option<&str>) -> String {
    let mut documents = match provider {
        OpenAi => vec![json!({"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "c",
                "function": {"name": "read_file", "arguments": arguments}}]}}]})],
        Anthropic => vec![
            json!({"type": "content_block_start", "index": 0, "content_block":
                {"type": "tool_use", "id": "c", "name": "read_file", "input": {}}}),
            json!({"type": "content_block_delta", "index": 0, "delta":
                {"type": "input_json_delta", "partial_json": arguments}}),
            json!({"type": "content_block_stop", "index": 0}),
        ],
        Responses => {
            let item = json!({"type": "function_call", "id": "f", "call_id": "c",
                "name": "read_file", "arguments": ""});
            vec![
                json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
                json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": arguments}),
                json!({"type": "response.function_call_arguments.done", "output_index": 0, "arguments": arguments}),
            ]
        }
        // What does not say that it goes on is complete with that.
        Gemini => vec![json!({"candidates": [{"content": {"parts": [{"functionCall":
            {"name": "read_file", "id": "c", "args": arguments,
                "willContinue": end != Some("STOP")}}]}}]})],
    };
    documents.extend(end.map(|reason| ending(provider, reason)));
    sse(&documents)
}

fn ending(provider: Provider, reason: &str) -> Value {
    match provider {
        OpenAi => json!({"choices": [{"delta": {}, "finish_reason": reason}]}),
        Anthropic => json!({"type": "message_delta", "delta": {"stop_reason": reason}}),
        Responses if reason == "completed" => {
            json!({"type": "response.completed", "response": {"status": reason}})
        }
        Responses => json!({"type": "response.incomplete", "response": {"status": "incomplete",
            "incomplete_details": {"reason": reason}}}),
        Gemini => json!({"candidates": [{"finishReason": reason}]}),
    }
}

#[track_caller]
fn check_cut(run: &Run, cause: &str) {
    assert_eq!(run.ended(), Vec::<&dogu_protocol::ParsedCall>::new());
    let failed = run.failed();
    assert_eq!(failed.len(), 1, "{run:#?}");
    assert_eq!(failed[0].error.code.as_str(), "E_TOOL_INVALID_ARGS");
    assert_eq!(
        failed[0].error.message,
        format!("The arguments of `read_file` were cut off by {cause}")
    );
    let suggestion = failed[0].error.suggestion.as_deref().unwrap();
    assert!(suggestion.starts_with("Send the call again"), "{suggestion}");
    assert_eq!(suggestion.contains("smaller parts"), cause.contains("length"), "{suggestion}");
}

const LIMITS: [(Provider, &str, &str); 4] = [
    (OpenAi, "length", "content_filter"),
    (Anthropic, "max_tokens", "refusal"),
    (Responses, "max_output_tokens", "content_filter"),
    (Gemini, "MAX_TOKENS", "SAFETY"),
];

#[test]
fn what_the_limit_a_filter_or_the_end_cut_off_fails() {
    for (provider, limit, filter) in LIMITS {
        for arguments in ["", "{", "{\"path\":\"a", "{\"path\":\"a\"", "{\"path\":\"a\"}}", "[1]"] {
            check_cut(
                &run(provider, &wire(provider, arguments, Some(limit))),
                "the limit of the answer's length",
            );
            check_cut(
                &run(provider, &wire(provider, arguments, Some(filter))),
                "the provider's content filter",
            );
            check_cut(
                &run(provider, &wire(provider, arguments, Some("what?"))),
                "the end of the stream",
            );
            check_cut(&run(provider, &wire(provider, arguments, None)), "the end of the stream");
        }
    }
}

#[test]
fn what_is_whole_as_it_stands_runs() {
    // Gemini's says itself whether it is whole.
    for (provider, limit, filter) in LIMITS.into_iter().filter(|limits| limits.0 != Gemini) {
        for end in [Some(limit), Some(filter), None] {
            let run = run(provider, &wire(provider, "{\"path\":\"a\"}", end));
            assert_eq!(run.calls(), [("read_file".to_owned(), json!({"path": "a"}))]);
            // Where each block says that it ends, nothing is missing.
            let said = matches!(provider, Anthropic | Responses);
            assert_eq!(run.ended()[0].notes.len(), usize::from(end.is_none() && !said), "{run:?}");
        }
    }
}

#[test]
fn what_the_model_left_open_is_repaired_if_it_can_be() {
    let ends = [
        (OpenAi, "tool_calls"),
        (Anthropic, "tool_use"),
        (Responses, "completed"),
        (Gemini, "STOP"),
    ];
    for (provider, end) in ends {
        for text in ["{\"path\":\"a", "{\"path\":\"a\"}}", "{\"path\":[1,2", "nonsense", "[1]"] {
            let run = run(provider, &wire(provider, text, Some(end)));
            let read = parse_arguments(text, End::Said).ok().filter(|read| read.input.is_object());
            match read {
                Some(read) => assert_eq!(run.calls(), [("read_file".to_owned(), read.input)]),
                None => check_unreadable(&run),
            }
        }
    }
}

#[track_caller]
fn check_unreadable(run: &Run) {
    assert_eq!(run.calls(), []);
    let error = &run.failed()[0].error;
    assert!(error.message.starts_with("Failed to parse tool arguments: "), "{error:?}");
    let suggestion = error.suggestion.as_deref().unwrap();
    let schema = r#"{"type":"object","properties":{"path":{"type":"string"}}}"#;
    assert_eq!(
        suggestion,
        format!("Send the arguments as one JSON object that fits the schema: {schema}")
    );
}

#[test]
fn done_says_that_the_message_is_complete() {
    let run = run(OpenAi, &(wire(OpenAi, "", None) + "data: [DONE]\n\n"));
    assert_eq!(run.calls(), [("read_file".to_owned(), json!({}))]);
    assert!(run.ended()[0].notes.is_empty());
}

#[test]
fn a_whole_message_that_the_limit_cut() {
    let function = json!({"name": "read_file", "arguments": "{\"path\":\"a"});
    let block = |id: &str| json!({"type": "tool_use", "id": id, "name": "read_file", "input": {"path": "a"}});
    let item = json!({"type": "function_call", "call_id": "c", "name": "read_file",
        "arguments": "{\"path\":\"a", "status": "incomplete"});
    for (provider, whole) in [
        (
            OpenAi,
            json!({"choices": [{"message": {"tool_calls": [{"id": "c", "function": function}]},
            "finish_reason": "length"}]}),
        ),
        (
            Anthropic,
            json!({"type": "message", "content": [block("c")], "stop_reason": "max_tokens"}),
        ),
        (Responses, json!({"object": "response", "status": "incomplete", "output": [item]})),
    ] {
        check_cut(&run(provider, &whole.to_string()), "the limit of the answer's length");
    }
    // Only the last block can be the one that was cut.
    let two = json!({"type": "message", "content": [block("c"), block("d")], "stop_reason": "max_tokens"});
    let run = run(Anthropic, &two.to_string());
    assert_eq!((run.ended().len(), run.failed().len()), (1, 1));
    assert_eq!(run.failed()[0].id.as_deref(), Some("d"));
}

#[test]
fn an_error_of_the_provider_cuts_and_is_told() {
    for (provider, error) in [
        (OpenAi, json!({"error": {"message": "overloaded", "code": 5}})),
        (
            Anthropic,
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "overloaded"}}),
        ),
        (Responses, json!({"type": "error", "message": "overloaded"})),
        (
            Responses,
            json!({"type": "response.failed", "response": {"status": "failed", "error": {"message": "overloaded"}}}),
        ),
        (Gemini, json!({"error": {"code": 503, "message": "overloaded"}})),
    ] {
        let run = run(provider, &(wire(provider, "{\"path\":", None) + &sse(&[error])));
        check_cut(&run, "an error of the provider");
        assert_eq!(run.problem.as_deref(), Some("overloaded"), "{provider:?}");
    }
}
