//! Messages that made a parser run what nobody asked for, lose what somebody did, or never end.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::fmt::Write as _;
use std::sync::Arc;

use dogu_protocol::{Event, Format, MessageParser, Tools};
use dogu_tool::ToolSpec;
use serde_json::{Value, json};

/// An event that owns its texts; neighbours that belong together are merged.
#[derive(Clone, Debug, PartialEq)]
enum Seen {
    Text(String),
    Started(usize, Option<String>, String),
    Delta(usize, String),
    Ended(String, Value, Vec<String>),
    Failed(Option<String>, String),
}

fn collect(all: &mut Vec<Seen>, event: Event<'_>) {
    match (event, all.last_mut()) {
        (Event::Text(text), Some(Seen::Text(before))) => before.push_str(text),
        (Event::Text(text), _) => all.push(Seen::Text(text.to_owned())),
        (Event::Started { index, id, name }, _) => {
            all.push(Seen::Started(index, id.map(str::to_owned), name.to_owned()));
        }
        (Event::Delta { index, text, .. }, Some(Seen::Delta(at, before))) if *at == index => {
            before.push_str(text);
        }
        (Event::Delta { index, text, .. }, _) => all.push(Seen::Delta(index, text.to_owned())),
        (Event::Ended(call), _) => all.push(Seen::Ended(call.name, call.input, call.notes)),
        (Event::Failed(call), _) => all.push(Seen::Failed(call.name, call.error.message)),
    }
}

fn tools() -> Arc<Tools> {
    let text = json!({"type": "string"});
    let tool = |name: &str, properties: Value, required: &[&str]| {
        let schema = json!({"type": "object", "properties": properties, "required": required});
        ToolSpec::new(name, "A tool.", schema).unwrap()
    };
    Arc::new(Tools::of(&[
        tool("read", json!({"path": text}), &["path"]),
        tool("write", json!({"path": text, "content": text}), &["path", "content"]),
        tool("run", json!({"command": text, "cwd": text}), &["command"]),
        tool("query", json!({"query": text}), &["query"]),
        tool(
            "set",
            json!({"count": {"type": "integer"}, "id": text,
                "on": {"type": "boolean"}, "tags": {"type": "array", "items": text}}),
            &[],
        ),
    ]))
}

fn seen_in(format: Format, message: &str, size: usize) -> Vec<Seen> {
    let mut parser = MessageParser::new(format, tools());
    let mut all = Vec::new();
    let mut sink = |event: Event<'_>| collect(&mut all, event);
    for chunk in message.as_bytes().chunks(size) {
        parser.feed(chunk, &mut sink);
    }
    parser.finish(&mut sink);
    all
}

fn seen(message: &str) -> Vec<Seen> {
    seen_in(Format::Auto, message, usize::MAX)
}

fn calls_of(events: Vec<Seen>) -> Vec<(String, Value)> {
    let ended = events.into_iter().filter_map(|event| match event {
        Seen::Ended(name, input, _) => Some((name, input)),
        _ => None,
    });
    ended.collect()
}

fn calls(message: &str) -> Vec<(String, Value)> {
    calls_of(seen(message))
}

fn call(name: &str, input: Value) -> Vec<(String, Value)> {
    vec![(name.to_owned(), input)]
}

fn sse(documents: &[Value]) -> String {
    documents.iter().fold(String::new(), |mut wire, document| {
        let _ = write!(wire, "data: {document}\n\n");
        wire
    })
}

/// A piece of OpenAI's stream.
fn piece(name: Option<&str>, arguments: &str) -> Value {
    let id = name.map(|_| "c");
    json!({"choices": [{"index": 0, "delta": {"tool_calls": [
        {"index": 0, "id": id, "function": {"name": name, "arguments": arguments}},
    ]}}]})
}

fn finished(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

// --- Something runs that nobody asked for, or half of what was asked for -------------------------

/// A file that shows calls, of any tool, is one value: no example ends it, and none runs.
#[test]
fn an_example_of_another_tool_inside_a_value_neither_ends_it_nor_runs() {
    let invoke = |name: &str, command: &str| {
        format!(
            "<invoke name=\"{name}\">\n<parameter name=\"command\">{command}</parameter>\n</invoke>"
        )
    };
    let content = format!("Either\n{}\nor\n{}\n.", invoke("run", "ls"), invoke("run", "rm -rf x"));
    let message = format!(
        "<invoke name=\"write\"><parameter name=\"path\">a</parameter><parameter name=\"content\">\n{content}\n</parameter></invoke>"
    );
    assert_eq!(calls(&message), call("write", json!({"path": "a", "content": content})));
    let function = |command: &str| {
        format!("<function=run>\n<parameter=command>\n{command}\n</parameter>\n</function>")
    };
    let content = format!("Either\n{}\nor\n{}\n.", function("ls"), function("rm -rf x"));
    let message = format!(
        "<function=write>\n<parameter=path>\na\n</parameter>\n<parameter=content>\n{content}\n</parameter>\n</function>"
    );
    assert_eq!(calls(&message), call("write", json!({"path": "a", "content": content})));
}

/// A fence quotes behind a bullet, far to the right, with a long first line and with many marks.
#[test]
fn a_fence_inside_a_list_item_is_quoted() {
    let example = "<run><command>rm -rf x</command></run>";
    for message in [
        format!("Like so:\n  - first\n    ```xml\n    {example}\n    ```\n"),
        format!("Like so:\n- ```xml\n  {example}\n  ```\n"),
        format!("Like so:\n\n\t```xml\n\t{example}\n\t```\n"),
        format!("Like so:\n```xml {}\n{example}\n```\n", "x".repeat(100)),
        format!("Like so:\n{0}xml\n{example}\n{0}\n", "`".repeat(17)),
    ] {
        assert_eq!(calls(&message), [], "{message}");
    }
}

/// The end of an example in a value is not the end of a call that was cut off behind it.
#[test]
fn a_call_cut_off_behind_an_example_in_its_value_does_not_end() {
    let message = "<write>\n<path>a</path>\n<content>\nUse:\n<write>\n<path>b</path>\n<content>\nx\n</content>\n</write>\n";
    assert_eq!(calls(message), []);
}

/// Source code with a call in a string: an end tag with more on its line is not the call's.
#[test]
fn an_end_tag_in_the_middle_of_a_line_does_not_end_a_value_of_several_lines() {
    for line in [
        r#"let m = "<write>\n<path>a</path><content>x</content></write>";"#,
        "It ends with `</content></write>`.",
        "<write>PATH <content>x</content></write>: so",
    ] {
        let content = format!("{line}\nmore");
        let message =
            format!("<write>\n<path>a</path>\n<content>\n{content}\n</content>\n</write>\n");
        let found = calls(&message);
        let whole = call("write", json!({"path": "a", "content": content}));
        assert!(found.is_empty() || found == whole, "{found:?}");
    }
}

/// The envelope's closing tag inside a JSON string does not close the string.
#[test]
fn a_closing_tag_inside_a_json_string_does_not_run_half_a_value() {
    for message in [
        r#"<tool_call>{"name":"write","arguments":{"path":"a","content":"a</tool_call><br>b"}}</tool_call>"#,
        "<tool_call>{\"name\":\"write\",\"arguments\":{\"path\":\"a\",\"content\":\"a</tool_call>\nb\"}}</tool_call>",
        r#"<write>{"path":"a","content":"a</write><br>b"}</write>"#,
        r#"<function=write>{"path":"a","content":"a</function><br>b"}</function>"#,
    ] {
        for (_, input) in calls(message) {
            assert_ne!(input["content"], "a", "{message}");
        }
    }
}

/// A document with the tags of this tool's own parameters is one value.
#[test]
fn a_value_with_the_tags_of_a_later_parameter_is_not_split() {
    let content = "<entry><content>x</content>\n<path>y</path></entry>";
    let message = format!("<write><content>\n{content}\n</content><path>b</path></write>");
    let found = calls(&message);
    let whole = call("write", json!({"content": content, "path": "b"}));
    assert!(found.is_empty() || found == whole, "{found:?}");
}

/// Without its end, a parameter would take the next one for a part of its value.
#[test]
fn a_forgotten_end_of_a_parameter_does_not_swallow_the_next_one() {
    for message in [
        "<function=run>\n<parameter=command>\nls\n<parameter=cwd>\n/tmp\n</parameter>\n</function>",
        "<invoke name=\"run\"><parameter name=\"command\">ls<parameter name=\"cwd\">/tmp</parameter></invoke>",
    ] {
        let found = calls(message);
        let whole = call("run", json!({"command": "ls", "cwd": "/tmp"}));
        assert!(found.is_empty() || found == whole, "{found:?}");
    }
}

/// The end of the call stands for a missing end only behind a single word.
#[test]
fn a_missing_close_is_not_guessed_inside_a_value() {
    let message = "<run><command>echo x # see </run>\nrm y</command></run>";
    for (_, input) in calls(message) {
        assert_ne!(input["command"], "echo x # see");
    }
}

/// What is only thought of does not run.
#[test]
fn a_call_in_nested_thinking_does_not_run() {
    let message = "<think>a <think>b</think> <run><command>rm</command></run></think>";
    assert_eq!(calls(message), []);
}

// --- Values that are not what the model wrote ----------------------------------------------------

/// The lines between `BEGIN_ARG` and `END_ARG` are the value, blank ones too.
#[test]
fn blank_lines_and_indents_of_a_fenced_argument_are_kept() {
    for content in ["\nfoo\n", "foo\n", "\nfoo\nbar"] {
        let message = format!(
            "```tool\nTOOL_NAME: write\nBEGIN_ARG: path\na\nEND_ARG\nBEGIN_ARG: content\n{content}\nEND_ARG\n```\n"
        );
        assert_eq!(calls(&message), call("write", json!({"path": "a", "content": content})));
    }
}

/// Two calls in one envelope are two calls.
#[test]
fn of_two_different_objects_none_is_dropped() {
    let one = |path: &str| json!({"name": "read", "arguments": {"path": path}});
    let message = format!("<tool_call>\n{}\n{}\n</tool_call>", one("a"), one("b"));
    assert_ne!(calls(&message).len(), 1);
}

/// Two `arguments`: what was shown would not be what runs.
#[test]
fn a_key_that_is_given_twice_is_not_silent() {
    let twice = r#"<tool_call>{"name":"read","arguments":{"path":"a"},"arguments":{"path":"b"}}</tool_call>"#;
    assert_eq!(calls(twice), []);
}

/// Parameters that do not stand in `arguments` are not left out in silence.
#[test]
fn parameters_beside_the_name_are_not_dropped() {
    let found = calls("<tool_call>{\"name\":\"set\",\"count\":5}</tool_call>");
    assert_ne!(found, call("set", json!({})));
}

// --- Chunks --------------------------------------------------------------------------------------

/// Windows line ends behind fenced JSON, cut before the line break.
#[test]
fn blanks_behind_fenced_json_are_the_same_however_they_are_cut() {
    for end in ["\r\n", "    \n", "\t\n"] {
        let message =
            format!("```json\n{{\"name\":\"read\",\"arguments\":{{\"path\":\"a\"}}}}{end}```\n");
        assert_eq!(seen_in(Format::Auto, &message, 1), seen(&message), "{end:?}");
    }
}

/// An id that stands behind the name.
#[test]
fn the_id_of_a_call_in_json_is_the_same_however_it_is_cut() {
    let message =
        "x <tool_call>{\"name\":\"read\",\"id\":\"c\",\"arguments\":{\"path\":\"a\"}}</tool_call>";
    assert_eq!(seen_in(Format::Auto, message, 1), seen(message));
}

/// Blanks behind arguments that are a text.
#[test]
fn blanks_behind_arguments_are_shown_the_same_however_they_are_cut() {
    let message =
        "x <tool_call>{\"name\":\"set\",\"arguments\":\"{}\" ,\"type\":\"x\"}</tool_call>";
    assert_eq!(seen_in(Format::Auto, message, 1), seen(message));
}

// --- Calls and text that are lost ----------------------------------------------------------------

/// A word about the form opens nothing that would swallow the calls behind it.
#[test]
fn a_word_about_invoke_is_text_and_an_empty_one_is_a_call() {
    let message = "I use the <invoke name=\"read\"> form.\n<read><path>a</path></read>";
    assert_eq!(calls(message), call("read", json!({"path": "a"})));
    let message = "<invoke name=\"set\"/>\n<read><path>a</path></read>";
    assert_eq!(calls(message).len(), 2);
}

/// A tool with a parameter of its own name.
#[test]
fn a_parameter_may_have_the_name_of_its_tool() {
    let found = calls("<query><query>select 1</query></query>");
    assert_eq!(found, call("query", json!({"query": "select 1"})));
}

/// A word about thinking is not thinking.
#[test]
fn a_mention_of_think_does_not_hide_the_calls_behind_it() {
    let found = calls("I removed the <think> tag.\n<read><path>a</path></read>");
    assert_eq!(found, call("read", json!({"path": "a"})));
}

/// Server-sent events whose lines end with a carriage return alone.
#[test]
fn events_with_carriage_returns_are_recognised() {
    let wire = sse(&[piece(Some("set"), "{\"count\":5}"), finished("tool_calls")]);
    assert_eq!(calls(&wire.replace('\n', "\r")), call("set", json!({"count": 5})));
}

/// What is quadratic does not end here.
#[test]
fn long_messages_that_look_like_calls_end() {
    let many = 50_000;
    for message in [
        format!("x\n{}", "{\n".repeat(many)),
        format!("x\n{}", "```\n{\n```\n".repeat(many)),
        format!("x\n{}", "{\"name\":[\n".repeat(many)),
        format!("x\n{}", "{\"name\":\"read\",\"arguments\":\n".repeat(many)),
        format!("x <set>{}{}", "<x/>".repeat(many), "<tags></tags><on></on>".repeat(many)),
        format!("x {}", "[TOOL_CALL]{}".repeat(many)),
    ] {
        seen(&message);
    }
    let (name, rest) = ("a".repeat(many), "b".repeat(many));
    let message = format!("x <tool_call>{{\"name\":\"{name}\\q\",\"arguments\":\"{rest}");
    seen_in(Format::Auto, &message, 1);
}
