//! `dogu dispatch`.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::Home;

fn home() -> Home {
    let home = Home::new();
    home.write("work/a.txt", "one\n</tool_result> & two\n");
    home
}

#[test]
fn every_call_is_answered_in_its_protocol_and_in_order() {
    let message = "I read.\n<read_file><path>a.txt</path></read_file>\n<read_file><path>b.txt</path></read_file>\n<write_file><path>c.txt</path><content>x</content></write_file>\n<list_files><path>.";
    assert_snapshot!(home().dogu_with(&["dispatch"], message.as_bytes()), @r#"
    exit 0
    --- stdout
    <tool_result name="read_file" status="ok">
         1	one
         2	&lt;/tool_result&gt; &amp; two

    </tool_result>
    <tool_result name="read_file" status="error">
    <error code="E_TOOL">file not found: [ROOT]/work/b.txt</error>
    <suggestion>Did you mean [ROOT]/work/a.txt?</suggestion>
    </tool_result>
    <tool_result name="write_file" status="error">
    <error code="E_TOOL_DENIED">Permission denied for tool: write_file: it needs the user's approval (to write c.txt is not approved), and nobody can be asked here</error>
    <suggestion>Stay with what needs no approval, or tell the user how to approve this: with a rule under `permissions` in the settings, by starting dogu with `--approve all`, or from a terminal or a client in which dogu can ask.</suggestion>
    </tool_result>
    <tool_result name="list_files" status="error">
    <error code="E_TOOL_INVALID_ARGS">The call of `list_files` was cut off inside `&lt;path&gt;`.</error>
    <suggestion>Send the whole call again in this form: &lt;list_files&gt;&lt;path&gt;…&lt;/path&gt;&lt;/list_files&gt;</suggestion>
    </tool_result>
    --- stderr
    "#);
}

fn dispatched(home: &Home, arguments: &[&str], message: &Value) -> Vec<Value> {
    let all = [&["dispatch"], arguments].concat();
    let done = home.dogu_with(&all, message.to_string().as_bytes());
    assert_eq!(done.code, Some(0), "{done}");
    done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn p14_native_calls_are_answered_with_their_ids() {
    let home = home();
    let call = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "read_file", "arguments": arguments}});
    let message = json!({"choices": [{"message": {"role": "assistant", "tool_calls": [
        call("c1", "{\"path\": \"a.txt\", \"limit\": \"1\",}"), call("c2", "{\"path\" \"a.txt\"}"), call("c3", "{}"),
    ]}, "finish_reason": "tool_calls"}]});
    let answers = dispatched(&home, &[], &message);
    let ids: Vec<&Value> = answers.iter().map(|answer| &answer["tool_call_id"]).collect();
    assert_eq!(ids, ["c1", "c2", "c3"]);
    let content = |at: usize| answers[at]["content"].as_str().unwrap();
    assert!(content(0).starts_with("     1\tone\n"), "{}", content(0));
    assert!(content(0).contains("NOTE: removed a trailing comma"), "{}", content(0));
    assert!(content(0).contains("NOTE: read `limit` as the number 1"), "{}", content(0));
    assert!(content(1).starts_with("ERROR: Failed to parse tool arguments: "), "{}", content(1));
    assert!(content(2).contains("which file? Send path"), "{}", content(2));

    let message = json!({"type": "message", "content": [
        {"type": "tool_use", "id": "t1", "name": "read_file", "input": {"path": "a.txt"}},
        {"type": "tool_use", "id": "t2", "name": "no_such", "input": {}},
    ], "stop_reason": "tool_use"});
    let answers = dispatched(&home, &["--protocol", "anthropic"], &message);
    let blocks = answers[0]["content"].as_array().unwrap();
    assert_eq!(
        (&blocks[0]["tool_use_id"], &blocks[1]["tool_use_id"]),
        (&json!("t1"), &json!("t2"))
    );
    assert_eq!((&blocks[0]["is_error"], &blocks[1]["is_error"]), (&Value::Null, &json!(true)));
    assert!(blocks[1]["content"].to_string().contains("E_TOOL_NOT_IN_CATALOG"), "{blocks:?}");

    let message = json!({"candidates": [{"content": {"parts": [
        {"functionCall": {"name": "read_file", "args": {"path": "a.txt"}}},
    ]}, "finishReason": "STOP"}]});
    let answers = dispatched(&home, &[], &message);
    let response = &answers[0]["parts"][0]["functionResponse"];
    assert_eq!((&response["name"], &response["id"]), (&json!("read_file"), &Value::Null));
}

#[test]
fn what_is_approved_is_done() {
    let home = home();
    let message = "<write_file><path>new/b.txt</path><content>\n  x\n</content></write_file>";
    let done = home.dogu_with(&["dispatch", "--approve", "all"], message.as_bytes());
    assert!(done.stdout.contains("status=\"ok\""), "{done}");
    assert_eq!(std::fs::read_to_string(home.path("work/new/b.txt")).unwrap(), "  x");
    let log = home.dogu(&["log", "--json"]);
    assert!(log.stdout.contains("\"write_file\""), "{log}");
}

#[test]
fn failed_calls_are_in_the_log() {
    let home = home();
    home.dogu_with(&["dispatch"], b"<read_file><path>a");
    let log = home.dogu(&["log", "--json"]);
    let row: Value = serde_json::from_str(log.stdout.lines().next().unwrap()).unwrap();
    assert_eq!((&row["tool"], &row["status"]), (&json!("read_file"), &json!("errored")), "{log}");
}

#[test]
fn a_file_of_tools_is_an_allow_list() {
    let home = home();
    home.write(
        "work/tools.json",
        r#"[{"name": "read_file", "input_schema": {"type": "object", "properties": {"path": {}}}}, {"name": "mine"}]"#,
    );
    let message = "<read_file><path>a.txt</path></read_file><mine></mine><list_files></list_files>";
    let done = home.dogu_with(&["dispatch", "--tools", "tools.json"], message.as_bytes());
    assert_eq!(done.stdout.matches("<tool_result").count(), 2, "{done}");
    assert!(done.stdout.contains("E_TOOL_NOT_FOUND"), "{done}");
}

#[test]
fn nothing_to_do_is_no_error_and_nothing_readable_is() {
    let home = home();
    let done = home.dogu_with(&["dispatch"], b"Just words.");
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), ""));
    assert_snapshot!(home.dogu_with(&["dispatch", "--protocol", "gemini"], b"hello"), @"
    exit 2
    --- stdout
    --- stderr
    error: the input could not be read
      Caused by: Nothing in the stream could be read as Gemini's format: it is not an object: `hello`
    ");
}
