//! `dogu parse`.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Done, Home};

const TOOLS: &str = r#"[
    {"name": "read_file", "description": "", "input_schema": {"type": "object", "properties":
        {"path": {"type": "string"}, "start_line": {"type": "integer"}}, "required": ["path"]}},
    {"type": "function", "function": {"name": "write_to_file", "parameters": {"type": "object",
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}}}}}
]"#;

fn home() -> Home {
    let home = Home::new();
    home.write("work/tools.json", TOOLS);
    home
}

fn parsed(arguments: &[&str], message: &str) -> Done {
    let all = [&["parse", "--tools", "tools.json"], arguments].concat();
    home().dogu_with(&all, message.as_bytes())
}

fn lines(done: &Done) -> Vec<Value> {
    done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn events_are_lines() {
    let message = "Look:\n<read_file><path>a</path><start_line>3</start_line></read_file>\n<write_to_file><path>b";
    assert_snapshot!(parsed(&[], message), @r#"
    exit 1
    --- stdout
    {"event":"text","text":"Look:\n"}
    {"event":"start","index":0,"id":"call_1","name":"read_file"}
    {"event":"delta","index":0,"parameter":"path","text":"a"}
    {"event":"delta","index":0,"parameter":"start_line","text":"3"}
    {"event":"call","index":0,"id":"call_1","name":"read_file","input":{"path":"a","start_line":3},"notes":[]}
    {"event":"text","text":"\n"}
    {"event":"start","index":1,"id":"call_2","name":"write_to_file"}
    {"event":"delta","index":1,"parameter":"path","text":"b"}
    {"event":"failed","index":1,"id":"call_2","name":"write_to_file","code":"E_TOOL_INVALID_ARGS","message":"The call of `write_to_file` was cut off inside `<path>`.","suggestion":"Send the whole call again in this form: <write_to_file><path>…</path></write_to_file>"}
    --- stderr
    "#);
}

/// The same call in every protocol.
fn messages() -> Vec<(&'static str, String)> {
    let arguments = json!({"path": "한글.txt", "start_line": 3});
    let text = arguments.to_string();
    let sse = |documents: &[Value]| -> String {
        documents.iter().map(|document| format!("data: {document}\n\n")).collect()
    };
    let (half, rest) = text.split_at(9);
    vec![
        ("xml", "<read_file><path>한글.txt</path><start_line>3</start_line></read_file>".to_owned()),
        (
            "openai",
            sse(&[
                json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "read_file", "arguments": half}}]}}]}),
                json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": rest}}]}}]}),
                json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}),
            ]) + "data: [DONE]\n\n",
        ),
        (
            "anthropic",
            sse(&[
                json!({"type": "message_start", "message": {"content": []}}),
                json!({"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "c", "name": "read_file", "input": {}}}),
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": half}}),
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": rest}}),
                json!({"type": "content_block_stop", "index": 0}),
                json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
                json!({"type": "message_stop"}),
            ]),
        ),
        (
            "responses",
            json!({"object": "response", "status": "completed", "output": [{"type": "function_call", "id": "fc", "call_id": "c", "name": "read_file", "arguments": text}]}).to_string(),
        ),
        (
            "gemini",
            format!("{:#}", json!({"candidates": [{"content": {"parts": [{"functionCall": {"id": "c", "name": "read_file", "args": arguments}}]}, "finishReason": "STOP"}]})),
        ),
    ]
}

#[test]
fn every_protocol_is_read_by_name_and_by_itself() {
    for (protocol, message) in messages() {
        let named = parsed(&["--final", "--protocol", protocol], &message);
        let calls: Vec<Value> =
            lines(&named).into_iter().filter(|line| line["event"] == "call").collect();
        assert_eq!(calls.len(), 1, "{protocol}: {named}");
        assert_eq!(calls[0]["name"], "read_file");
        assert_eq!(calls[0]["input"], json!({"path": "한글.txt", "start_line": 3}), "{protocol}");
        assert_eq!(calls[0]["id"], if protocol == "xml" { "call_1" } else { "c" });
        assert_eq!(named.code, Some(0));
        for chunk in ["1", "2", "3", "7", "64", "4096"] {
            let sniffed = parsed(&["--final", "--chunk", chunk], &message);
            assert_eq!(sniffed.stdout, named.stdout, "{protocol} in chunks of {chunk}");
        }
    }
}

#[test]
fn forms_can_be_chosen() {
    let message =
        "<tool_call>{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}</tool_call>";
    let count = |arguments: &[&str]| {
        let done = parsed(arguments, message);
        lines(&done).iter().filter(|line| line["event"] == "call").count()
    };
    assert_eq!(count(&[]), 1);
    assert_eq!(count(&["--protocol", "xml"]), 0);
    assert_eq!(count(&["--forms", "xml,tool_call"]), 1);
    assert_eq!(count(&["--forms", "xml"]), 0);
    assert_eq!(count(&["--protocol", "xml", "--forms", "tool_call"]), 1);
}

#[test]
fn forms_and_protocol_can_be_set() {
    let home = home();
    let message =
        b"<tool_call>{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}</tool_call>";
    let count = |arguments: &[&str]| {
        let done = home.dogu_with(&[&["parse"], arguments].concat(), message);
        lines(&done).iter().filter(|line| line["event"] == "call").count()
    };
    home.user_settings("protocol: {forms: [xml, tool_call]}\n");
    assert_eq!(count(&[]), 1);
    home.write("work/dogu.yaml", "protocol: {forms: [xml, invoke]}\n");
    assert_eq!(count(&[]), 0);
    assert_eq!(count(&["--forms", "tool_call"]), 1);
    home.write("work/dogu.yaml", "protocol: {format: smoke}\n");
    let done = home.dogu_with(&["parse"], message);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("dogu.yaml:1:20: there is no protocol `smoke`"), "{done}");
}

#[test]
fn text_calls_are_found_in_a_providers_text_too() {
    let content = "Sure.\n<read_file><path>a</path></read_file>";
    let message = json!({"choices": [{"message": {"role": "assistant", "content": content, "tool_calls": [
        {"id": "c9", "type": "function", "function": {"name": "read_file", "arguments": "{\"path\":\"b\"}"}}
    ]}, "finish_reason": "tool_calls"}]});
    let found = lines(&parsed(&["--final"], &message.to_string()));
    let calls: Vec<&Value> = found.iter().filter(|line| line["event"] == "call").collect();
    let paths: Vec<&Value> = calls.iter().map(|call| &call["input"]["path"]).collect();
    assert_eq!(paths.len(), 2, "{found:?}");
    let named = lines(&parsed(&["--final", "--protocol", "openai"], &message.to_string()));
    assert_eq!(named.iter().filter(|line| line["event"] == "call").count(), 1, "{named:?}");
    assert_eq!(named[0]["text"], content);
}

#[test]
fn what_is_no_text_is_not_run() {
    let home = home();
    let message = b"<write_to_file><path>a</path><content>x\xffy</content></write_to_file>";
    let done = home.dogu_with(&["parse", "--final", "--tools", "tools.json"], message);
    assert_eq!(done.code, Some(1));
    let line = &lines(&done)[0];
    assert_eq!(line["message"], "The call of `write_to_file` holds bytes that are not UTF-8.");
    let done = home.dogu_with(&["parse", "--final"], b"caf\xe9 \0 <b>");
    assert_eq!(lines(&done), [json!({"event": "text", "text": "caf\u{fffd} \0 <b>"})]);
}

#[test]
fn wrong_use_is_explained() {
    let home = home();
    home.write("work/bad.json", "[{\"description\": \"x\"}]");
    home.write("work/worse.json", "{\"a\": ");
    home.write("work/twice.json", "[{\"name\": \"a\"}, {\"name\": \"a\"}]");
    assert_snapshot!(home.dogu(&["parse", "--tools", "bad.json"]), @"
    exit 2
    --- stdout
    --- stderr
    error: bad.json has a bad tool at place 0: it has no `name`
    ");
    assert_snapshot!(home.dogu(&["parse", "--tools", "worse.json"]), @"
    exit 2
    --- stdout
    --- stderr
    error: worse.json is not JSON
      Caused by: EOF while parsing a value at line 1 column 6
    ");
    assert_snapshot!(home.dogu(&["parse", "--tools", "twice.json"]), @"
    exit 2
    --- stdout
    --- stderr
    error: twice.json has the tool `a` twice
    ");
    assert_snapshot!(home.dogu(&["parse", "--tools", "none.json"]), @"
    exit 2
    --- stdout
    --- stderr
    error: none.json could not be read
      Caused by: No such file or directory (os error 2)

    hint: --tools wants a JSON file
    ");
    let unreadable = home.dogu_with(&["parse", "--protocol", "anthropic"], b"hello");
    assert_eq!(unreadable.code, Some(1));
    assert!(unreadable.stderr.contains("could be read as Anthropic's format"), "{unreadable}");
    assert_eq!(home.dogu(&["parse", "--chunk", "0"]).code, Some(2));
}
