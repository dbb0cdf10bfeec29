use dogu_protocol::text::{Form, Forms};
use serde_json::json;

use crate::support::*;

fn read(path: &str) -> (String, serde_json::Value) {
    ("read_file".to_owned(), json!({"path": path}))
}

#[test]
fn b6_invoke() {
    for message in [
        "<invoke name=\"read_file\"><parameter name=\"path\">a</parameter></invoke>",
        "<function_calls>\n<invoke name='read_file'>\n<parameter name=\"path\">a</parameter>\n</invoke>\n</function_calls>",
        "<x:function_calls><x:invoke name=\"read_file\"><x:parameter name=\"path\">a</x:parameter></x:invoke></x:function_calls>",
        "<tool_call><invoke name=\"Read_File\"><parameter name=\"Path\">a</parameter></invoke></tool_call>",
    ] {
        assert_eq!(call(message), read("a"), "{message}");
    }
    let message = "<invoke name=\"execute_command\"><parameter name=\"command\">echo '</parameter>'\n</parameter>\n<parameter name=\"cwd\">/</parameter></invoke>";
    assert_eq!(call(message).1, json!({"command": "echo '</parameter>'", "cwd": "/"}));
    let unknown = "<invoke name=\"no_such\"><parameter name=\"a\">1</parameter></invoke>";
    assert_eq!(call(unknown), ("no_such".into(), json!({"a": "1"})));
}

#[test]
fn b6_tool_call() {
    for message in [
        "<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>",
        "<tool_call>{\"arguments\": {\"path\": \"a\"}, \"name\": \"read_file\"}</tool_call>",
        "<tool_call>{\"name\": \"read_file\", \"arguments\": \"{\\\"path\\\": \\\"a\\\"}\"}</tool_call>",
        "<tool_call>{\"function\": {\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}}</tool_call>",
        "<tool_calls>[{\"name\": \"functions.read_file\", \"parameters\": {\"path\": \"a\"}}]</tool_calls>",
    ] {
        assert_eq!(call(message), read("a"), "{message}");
    }
    let inside = "<tool_call>{\"name\": \"read_file\", \"arguments\": {\"path\": \"</tool_call> x\"}}</tool_call>";
    assert_eq!(call(inside), read("</tool_call> x"));
    let two = "<tool_call>{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}}</tool_call>\n<tool_call>{\"name\":\"read_file\",\"arguments\":{\"path\":\"b\"}}</tool_call>";
    assert_eq!(calls(two), [read("a"), read("b")]);
    let (problem, repair) = failure("<tool_call>{\"nam\": 1}</tool_call>");
    assert_eq!(problem, "The JSON of the call cannot be used: it has no `name`.");
    assert!(repair.contains("\"arguments\""), "{repair}");
    failure("<tool_call>{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}");
}

#[test]
fn b6_tool_call_streams_its_arguments() {
    let events =
        seen("<tool_call>{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}</tool_call>");
    assert_eq!(
        events[..2],
        [Seen::Started(0, "read_file".into()), Seen::Delta(0, None, "{\"path\": \"a\"}".into())]
    );
}

#[test]
fn b6_function() {
    for message in [
        "<function=read_file>{\"path\": \"a\"}</function>",
        "<function=read_file>\n<parameter=path>\na\n</parameter>\n</function>",
        "<tool_call>\n<function=read_file>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>",
    ] {
        assert_eq!(call(message), read("a"), "{message}");
    }
}

#[test]
fn b6_bracket() {
    for message in [
        "[TOOL_CALLS] [{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}]",
        "[TOOL_CALLS]read_file[ARGS]{\"path\": \"a\"}",
        "[TOOL_CALL]{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}} done",
    ] {
        assert_eq!(call(message), read("a"), "{message}");
    }
    let two = "[TOOL_CALLS][{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}},{\"name\":\"read_file\",\"arguments\":{\"path\":\"b\"}}]";
    assert_eq!(calls(two), [read("a"), read("b")]);
    assert!(is_all_text("The [TOOL_CALLS] token and [x](y) and [TOOL"));
    failure("[TOOL_CALLS] [{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}");
}

#[test]
fn b6_fenced_tool() {
    let message = "Now:\n```tool\nTOOL_NAME: write_to_file\nBEGIN_ARG: path\na.md\nEND_ARG\nBEGIN_ARG: content\n# A\n```\nend_argument END_ARG\n```\nEND_ARG\n```\nafter";
    let content = "# A\n```\nend_argument END_ARG\n```";
    assert_eq!(call(message).1, json!({"path": "a.md", "content": content}));
    let lenient = "```tool\ntool_name: Read_File\nbegin_arg: path\n a \nend_arg\n```";
    assert_eq!(call(lenient), read("a"));
    let (problem, _) = failure("```tool\nTOOL_NAME: read_file\nBEGIN_ARG: path\na\n```\n");
    assert_eq!(problem, "The call of `read_file` was cut off before the `END_ARG` of `path`.");
    let (problem, _) = failure("```tool\nTOOL_NAME: read_file\npath: a\n```\n");
    assert!(problem.contains("the line `path: a` is neither"), "{problem}");
    assert!(is_all_text("```tool\nhammer\n```\n"));
    failure("```tool\nTOOL_NAME: read_file\né");
    failure(&format!("```tool\nTOOL_NAME: read_file\n{}\n```\n", "한".repeat(200)));
}

#[test]
fn b6_fenced_and_bare_json() {
    for message in [
        "```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n```",
        "I look:\n\n```\n[{\"tool\": \"read_file\", \"args\": {\"path\": \"a\"}}]\n```\n",
        "```tool_call\n{\n  \"name\": \"read_file\",\n  \"parameters\": {\"path\": \"a\"}\n}\n```\ndone",
        "Let me see.\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}",
        "{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\nthat was it",
    ] {
        assert_eq!(call(message), read("a"), "{message}");
    }
}

#[test]
fn b6_quoted_json_is_text() {
    for message in [
        "For example:\n```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n```\n",
        "A call looks like this:\n\n```tool\nTOOL_NAME: read_file\nBEGIN_ARG: path\na\nEND_ARG\n```\n",
        "```json\n{\"name\": \"my-package\", \"version\": \"1\"}\n```\n",
        "```json\n{\"name\": \"read_file\", \"description\": \"x\", \"parameters\": {}}\n```\n",
        "```json\n{\"name\": \"read_file\", \"parameters\": {\"type\": \"object\", \"properties\": {}}}\n```\n",
        "```json\n{\"name\": \"read_file\", \"arguments\": {}}\n```\n",
        "```json\n{\"name\": \"other\", \"arguments\": {\"path\": \"a\"}}\n```\n",
        "```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}",
        "````md\n```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n```\n````\n",
        "{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}} is a call",
        "{\"a\": 1}\n{x}\n{",
        "The call {\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}} in a line",
    ] {
        assert!(is_all_text(message), "{message}: {:?}", seen(message));
    }
}

#[test]
fn only_the_forms_that_are_on_are_read() {
    let messages = [
        (Form::Xml, "<read_file><path>a</path></read_file>"),
        (
            Form::Invoke,
            "<invoke name=\"read_file\"><parameter name=\"path\">a</parameter></invoke>",
        ),
        (
            Form::ToolCall,
            "<tool_call>{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}}</tool_call>",
        ),
        (Form::Function, "<function=read_file>{\"path\":\"a\"}</function>"),
        (Form::Bracket, "[TOOL_CALLS] [{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}}]"),
        (Form::FencedTool, "```tool\nTOOL_NAME: read_file\nBEGIN_ARG: path\na\nEND_ARG\n```\n"),
        (
            Form::FencedJson,
            "```json\n{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}}\n```\n",
        ),
        (Form::BareJson, "{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}}\n"),
    ];
    for (form, message) in &messages {
        for other in Form::ALL {
            let events = only(other, message);
            let is_call = events.iter().any(|event| matches!(event, Seen::Ended(..)));
            assert_eq!(is_call, *form == other, "{message} with only {other:?}: {events:?}");
        }
    }
    let announced =
        "For example:\n```json\n{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}}\n```\n";
    let events = seen_with(Forms::only([Form::FencedJson]), [announced]);
    assert!(events.iter().any(|event| matches!(event, Seen::Ended(..))), "{events:?}");
}
