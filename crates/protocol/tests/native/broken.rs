//! Wires that are not what they should be.

use dogu_protocol::Provider::{Anthropic, OpenAi};
use dogu_protocol::native::{DeltaParser, Finish, ToolCallDelta};
use serde_json::json;

use crate::support::{ALL, run, run_chunks, run_in, tools};

fn chunk(arguments: &str) -> String {
    json!({"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "c",
        "function": {"name": "read_file", "arguments": arguments}}]}}]})
    .to_string()
}

/// A call that is open, something that is no piece of it, and the rest of the call.
fn around(broken: &str) -> [String; 2] {
    let (first, second) = (chunk("{\"path\":"), chunk("\"x\"}"));
    [
        format!("data: {first}\n\ndata: {broken}\n\ndata: {second}\n\ndata: [DONE]\n\n"),
        format!("data: {first}\ndata: {broken}\n\ndata: {second}\ndata: [DONE]\n"),
    ]
}

#[track_caller]
fn check_one_unreadable(problem: Option<&str>, broken: &str) {
    let problem = problem.unwrap();
    assert!(problem.starts_with("1 pieces of the stream could not be read"), "{problem}");
    assert!(problem.contains(broken), "{problem}");
}

#[test]
fn what_is_certainly_no_piece_of_a_call_does_it_no_harm() {
    for other in ["[1,2]", "{\"a\":1}", "7", "null", "\"oops\""] {
        for wire in around(other) {
            let run = run(OpenAi, &wire);
            assert_eq!(run.calls(), [("read_file".to_owned(), json!({"path": "x"}))], "{wire}");
            check_one_unreadable(run.problem.as_deref(), other);
        }
    }
    let [wire, _] = around("{\"choices\":[]}");
    let run = run(OpenAi, &wire.replace("\n\n", "\n\n: keep-alive\n\n"));
    assert_eq!((run.calls().len(), run.problem), (1, None));
}

#[test]
fn one_broken_piece_fails_the_call_and_does_not_lose_the_stream() {
    let after = json!({"choices": [{"delta": {"content": "on"}}]});
    for broken in ["oops", "{\"id\":\"chatcmpl-", "{\"choices\": 7", "{\"choices\": [}", "[1,"] {
        for wire in around(broken) {
            let run = run(OpenAi, &format!("{wire}\ndata: {after}\n\n"));
            assert_eq!((run.calls(), run.failed().len()), (Vec::new(), 1), "{wire}");
            assert_eq!(run.text(), "on", "{wire}");
            check_one_unreadable(run.problem.as_deref(), broken);
        }
    }
}

#[test]
fn a_broken_piece_does_no_harm_to_calls_that_are_not_open() {
    let end = json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]});
    let whole = chunk("{\"path\":\"x\"}");
    for wire in [format!("oops\n{whole}\n{end}\n"), format!("{whole}\n{end}\noops\n")] {
        let run = run(OpenAi, &wire);
        assert_eq!(run.calls(), [("read_file".to_owned(), json!({"path": "x"}))], "{wire}");
        assert!(run.problem.is_some());
    }
}

#[test]
fn a_broken_line_of_json_lines_does_not_lose_the_stream() {
    let (first, second) = (chunk("{\"path\":"), chunk("\"x\"}"));
    let after = json!({"choices": [{"delta": {"content": "on"}}]});
    for broken in ["oops", "{\"id\":\"chatcmpl-", "{\"id\":", "{\"id\":1,"] {
        let run = run(OpenAi, &format!("{first}\n{broken}\n{second}\n{after}\n"));
        assert_eq!((run.calls(), run.failed().len()), (Vec::new(), 1), "{broken}");
        assert_eq!(run.text(), "on", "{broken}");
        assert!(run.problem.is_some());
    }
}

#[test]
fn a_call_that_may_have_lost_a_piece_does_not_run() {
    let lost = chunk("lost").replace("}]}}]}", "");
    let wire = format!(
        "data: {}\n\ndata: {lost}\n\ndata: {}\n\ndata: [DONE]\n\n",
        chunk("{\"path\":\"a"),
        chunk("z\"}")
    );
    let run = run(OpenAi, &wire);
    assert_eq!(run.calls(), []);
    let message = &run.failed()[0].error.message;
    assert_eq!(message, "A part of the stream that belonged to the call of `read_file` was lost");
}

#[test]
fn a_stream_of_nothing_is_a_problem() {
    for provider in ALL {
        assert_eq!(run(provider, "").problem.as_deref(), Some("The stream was empty"));
        for wire in ["<html>Bad Gateway</html>", "{\"a\":1}", "\u{0}", "data: x\n\n", "]"] {
            let problem = run(provider, wire).problem.unwrap();
            assert!(problem.starts_with("Nothing in the stream could be read as "), "{problem}");
        }
    }
}

#[test]
fn documents_nested_very_deep_are_errors_and_not_crashes() {
    let deep = |open: &str, close: &str| open.repeat(100_000) + &close.repeat(100_000);
    for provider in ALL {
        for nest in [deep("[", "]"), deep("{\"a\":", "}").replace(":}", ":1}")] {
            for wire in [
                nest.clone(),
                format!("{{\"ignored\":{nest}}}"),
                format!("{{\"type\":\"tool_use\",\"name\":\"a\",\"input\":{nest}}}"),
                format!("{{\"function\":{{\"name\":\"a\",\"arguments\":{nest}}}}}"),
                format!("{{\"functionCall\":{{\"name\":\"a\",\"args\":{nest}}}}}"),
                format!("{{\"error\":{nest}}}"),
                format!("{{\"content\":{nest}}}"),
                format!("{{\"choices\":{nest},\"candidates\":{nest},\"output\":{nest}}}"),
            ] {
                let run = run_chunks(provider, [format!("data: {wire}\n\n")]);
                assert_eq!(run.calls(), [], "{provider:?}");
                run_in(provider, &wire, 4096);
            }
        }
    }
}

#[test]
fn deep_arguments_fail_and_do_not_crash() {
    let text = "{\"a\":".repeat(100_000);
    let run = run_chunks(OpenAi, [format!("data: {}\n\ndata: [DONE]\n\n", chunk(&text))]);
    assert!(run.ended().len() + run.failed().len() == 1);
}

#[test]
fn endless_names_and_calls_are_not_kept() {
    let mut parser = DeltaParser::new(tools());
    let mut failed = 0;
    let mut count = |event: dogu_protocol::Event<'_>| {
        failed += usize::from(matches!(event, dogu_protocol::Event::Failed(_)));
    };
    for piece in 0..2000 {
        let name = format!("{piece}").repeat(30);
        let delta = ToolCallDelta { index: Some(0), name: Some(name.into()), ..Default::default() };
        parser.feed(&delta, &mut count);
    }
    assert_eq!(failed, 1);

    let mut failed = 0;
    let mut count = |event: dogu_protocol::Event<'_>| {
        failed += usize::from(matches!(event, dogu_protocol::Event::Failed(_)));
    };
    let mut parser = DeltaParser::new(tools());
    for index in 0..10_010 {
        let name = Some("read_file".into());
        parser.feed(&ToolCallDelta { index: Some(index), name, ..Default::default() }, &mut count);
        parser.feed(
            &ToolCallDelta {
                index: Some(index),
                arguments: Some("{}".into()),
                ..Default::default()
            },
            &mut count,
        );
    }
    parser.end(Finish::Complete, &mut count);
    assert_eq!(failed, 10);
}

#[test]
fn events_of_unknown_kinds_are_no_problem() {
    let wire = "data: {\"type\":\"content_block_something\",\"index\":0}\n\ndata: {\"type\":\"message_stop\"}\n\n";
    assert_eq!(run(Anthropic, wire).problem, None);
}
