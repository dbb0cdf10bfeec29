//! Other MCP servers on the command line: `dogu mcp`, and their tools in all other commands.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::support::Home;

fn script() -> String {
    format!("{}/tests/gateway/server.py", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_server_is_added_shown_called_and_removed() {
    let home = Home::new();
    home.write("config/dogu/mcp.json", r#"{"note": "stays", "mcpServers": {}}"#);
    let added =
        home.dogu(&["mcp", "add", "small", "--env", "K=v", "--", "python3", &script(), "good"]);
    assert_eq!(added.code, Some(0), "{added}");
    let file = home.path("config/dogu/mcp.json");
    let written: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(written["note"], "stays");
    assert_eq!(written["mcpServers"]["small"]["env"], json!({"K": "v"}));
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let twice = home.dogu(&["mcp", "add", "small", "--url", "http://x"]);
    assert_eq!(twice.code, Some(2), "{twice}");

    let listed = home.dogu(&["mcp", "list"]);
    assert_eq!(listed.code, Some(0), "{listed}");
    assert!(listed.stdout.contains("small: answers, 3 tools, MCP 2025-11-25"), "{listed}");
    let tools = home.dogu(&["mcp", "tools", "small"]);
    assert!(tools.stdout.contains("echo  Says it again\n"), "{tools}");
    let offered = home.dogu(&["tools"]);
    assert!(offered.stdout.contains("small__echo"), "{offered}");
    let called = home.dogu(&["call", "small__echo", "text=hi", "--approve", "all"]);
    assert_eq!(called.stdout, "hi\n", "{called}");
    let refused = home.dogu(&["call", "small__echo", "text=hi", "--approve", "none"]);
    assert_eq!(refused.code, Some(1), "{refused}");
    let failed = home.dogu(&["call", "small__do", "what=fail", "--approve", "all"]);
    assert_eq!(failed.code, Some(1), "{failed}");
    assert!(failed.stdout.starts_with("no such thing\n"), "{failed}");
    assert!(failed.stderr.contains("The tool do of the server small failed."), "{failed}");
    let doctor = home.dogu(&["doctor"]);
    assert!(
        doctor.stdout.contains("ok   MCP server small: answers with 3 tools, small 1"),
        "{doctor}"
    );

    assert_eq!(home.dogu(&["mcp", "remove", "small"]).code, Some(0));
    let left: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(left, json!({"note": "stays", "mcpServers": {}}));
    assert_eq!(home.dogu(&["mcp", "remove", "small"]).code, Some(2));
}

#[test]
fn a_file_that_is_none_is_left_as_it_is() {
    let home = Home::new();
    for broken in ["{ // a comment\n}", "[]", r#"{"mcpServers": 5}"#] {
        home.write("config/dogu/mcp.json", broken);
        let done = home.dogu(&["mcp", "add", "x", "--", "y"]);
        assert_eq!(done.code, Some(2), "{done}");
        let file = std::fs::read_to_string(home.path("config/dogu/mcp.json")).unwrap();
        assert_eq!(file, broken);
    }
}

#[test]
fn a_workspace_brings_servers_only_once_it_is_trusted() {
    let home = Home::new();
    let server = json!({"mcpServers": {"ws": {"command": "python3", "args": [script(), "good"]}}});
    home.write("work/.mcp.json", &server.to_string());
    let offered = home.dogu(&["tools"]);
    assert!(!offered.stdout.contains("ws__echo"), "{offered}");
    let described = home.dogu(&["trust", "--yes"]);
    assert!(described.to_string().contains(".mcp.json starts: python3 "), "{described}");
    let offered = home.dogu(&["tools"]);
    assert!(offered.stdout.contains("ws__echo"), "{offered}");
    home.write("work/.mcp.json", &server.to_string().replace("good", "odd"));
    let offered = home.dogu(&["tools"]);
    assert!(!offered.stdout.contains("ws__"), "a change ends the trust: {offered}");
}

#[test]
fn a_server_that_does_not_answer_is_told_and_the_rest_works() {
    let home = Home::new();
    home.user_settings("mcp_servers: {gone: {command: /no/such/program}}");
    let listed = home.dogu(&["mcp", "list"]);
    assert_eq!(listed.code, Some(1), "{listed}");
    assert!(
        listed.stdout.contains("gone: does not answer: `/no/such/program` cannot be started"),
        "{listed}"
    );
    let offered = home.dogu(&["tools"]);
    assert!(offered.stdout.contains("read_file"), "{offered}");
    assert!(offered.stderr.contains("the tools of the MCP server gone are missing"), "{offered}");
    let doctor = home.dogu(&["doctor"]);
    assert!(doctor.stdout.contains("LACK MCP server gone: "), "{doctor}");
    let wrong = home.dogu(&["mcp", "tools", "other"]);
    assert_eq!(wrong.code, Some(2), "{wrong}");
    home.user_settings("mcp_servers:\n  bad: {comand: x}\n");
    let wrong = home.dogu(&["mcp", "list"]);
    assert!(wrong.stderr.contains("config.yaml:2:9: "), "{wrong}");
}
