//! More tools than a model should be shown: the list, the search, and calls through it, over MCP
//! in both eras and at the terminal.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Home, Running};

/// Only one tool is always shown; all others are to be found.
const FEW: &str = "catalog: {tokens: 500, core: [read_file]}\n";

fn home() -> Home {
    let home = Home::new();
    home.user_settings(FEW);
    home.write("work/a.txt", "hello\n");
    home
}

fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// A request of 2026-07-28, which carries all that it needs.
fn modern(id: u64, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    });
    request(id, method, &params)
}

/// The answer, and the methods of what came before it.
fn answer(server: &mut Running, message: &Value) -> (Value, Vec<String>) {
    server.send(message);
    let mut before = Vec::new();
    loop {
        let received = server.receive();
        let Some(method) = received["method"].as_str() else {
            assert_eq!(received["id"], message["id"], "{received}");
            return (received, before);
        };
        before.push(method.to_owned());
    }
}

fn names(list: &Value) -> Vec<&str> {
    let tools = list["result"]["tools"].as_array().unwrap_or_else(|| panic!("{list}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

fn search(query: &str) -> Value {
    json!({"name": "search_tools", "arguments": {"query": query, "limit": 1}})
}

#[test]
fn in_the_older_eras_what_was_found_is_listed_and_announced() {
    for version in ["2025-06-18", "2025-11-25"] {
        let home = home();
        let mut server = home.start(&["serve"]);
        let client = json!({"name": "test", "version": "1"});
        let hello = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
        let (hello, _) = answer(&mut server, &request(1, "initialize", &hello));
        let capabilities = &hello["result"]["capabilities"];
        assert_eq!(capabilities["tools"]["listChanged"], true, "{capabilities}");
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        let (list, _) = answer(&mut server, &request(2, "tools/list", &json!({})));
        assert_eq!(names(&list), ["read_file", "search_tools", "call_tool"]);
        let (found, before) =
            answer(&mut server, &request(3, "tools/call", &search("delete a file")));
        let text = found["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("\ndelete_file: ") && text.contains("\"path\""), "{text}");
        assert_eq!(before, ["notifications/tools/list_changed"]);
        let (list, _) = answer(&mut server, &request(4, "tools/list", &json!({})));
        assert_eq!(names(&list), ["read_file", "delete_file", "search_tools", "call_tool"]);
        // The same again changes nothing, and nothing is announced.
        let (_, before) = answer(&mut server, &request(5, "tools/call", &search("delete a file")));
        assert_eq!(before, [""; 0]);
    }
}

#[test]
fn in_the_newest_era_the_list_stays_and_what_was_found_is_called_by_name() {
    let home = home();
    let mut server = home.start(&["serve"]);
    let list = |server: &mut Running, id| {
        let (list, _) = answer(server, &modern(id, "tools/list", json!({})));
        names(&list).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(list(&mut server, 1), ["read_file", "search_tools", "call_tool"]);
    let (found, before) = answer(&mut server, &modern(2, "tools/call", search("list_files")));
    assert!(found["result"]["content"][0]["text"].as_str().unwrap().contains("\nlist_files: "));
    assert_eq!(before, [""; 0]);
    assert_eq!(list(&mut server, 3), ["read_file", "search_tools", "call_tool"]);
    let call = json!({"name": "call_tool", "arguments": {"name": "list_files", "arguments": {}}});
    let (called, _) = answer(&mut server, &modern(4, "tools/call", call));
    let text =
        called["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{called}"));
    assert!(text.contains("a.txt (6 bytes)"), "{text}");
    // What would write asks, or is refused, as if it had been called by its name.
    let write = json!({"path": "b.txt", "content": "x"});
    let call =
        json!({"name": "call_tool", "arguments": {"name": "write_file", "arguments": write}});
    let (refused, _) = answer(&mut server, &modern(5, "tools/call", call));
    assert!(refused["error"].is_object() || refused["result"]["isError"] == true, "{refused}");
    assert!(!home.path("work/b.txt").exists());
    drop(server.child.stdin.take());
    assert_eq!(server.ended().code(), Some(0));
    // In the record each call stands under the tool's own name, once.
    let log = home.dogu(&["log", "--json"]);
    let tools: Vec<Value> =
        log.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let count = |name: &str| tools.iter().filter(|entry| entry["tool"] == name).count();
    assert_eq!((count("list_files"), count("write_file"), count("call_tool")), (1, 1, 0), "{log}");
}

#[test]
fn the_list_says_what_each_tool_costs_and_how_many_are_left_to_be_found() {
    let home = home();
    let shown = home.dogu(&["tools"]);
    let rows: Vec<&str> = shown.quiet().lines().collect();
    assert!(rows[0].starts_with("read_file "), "{shown}");
    assert!(rows[4].starts_with("3 tools, about "), "{shown}");
    assert!(rows[5].contains(" more are found by search_tools; all listed would be "), "{shown}");
    let listed = home.dogu(&["tools", "--json"]).json();
    let tokens: Vec<u64> =
        listed.as_array().unwrap().iter().map(|tool| tool["tokens"].as_u64().unwrap()).collect();
    let sum: u64 = tokens.iter().sum();
    assert!(rows[4].contains(&format!("about {sum} tokens")), "{shown} {tokens:?}");
    let cost = rows[0].split_whitespace().nth(1).unwrap();
    assert_eq!(cost, tokens[0].to_string());
}

#[test]
fn one_call_finds_and_another_goes_through() {
    let home = home();
    let text = home.dogu(&["call", "search_tools", "query=read_file", "limit=1"]);
    assert!(text.quiet().contains("\nread_file: "), "{text}");
    let input = r#"{"name": "read_file", "arguments": {"path": "a.txt"}}"#;
    assert_eq!(home.dogu(&["call", "call_tool", "--input", input]).quiet(), "     1\thello\n");
    assert_snapshot!(home.dogu(&["call", "call_tool", "name=nothing"]), @"
    exit 1
    --- stdout
    --- stderr
    error: Unknown tool: nothing (E_TOOL_NOT_IN_CATALOG)

    hint: Available tools: read_file, search_tools, call_tool
    ");
}
