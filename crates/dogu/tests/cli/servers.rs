//! Other MCP servers on the command line: `dogu mcp`, and their tools in all other commands.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::support::{Home, Running};

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
    let twice = home.dogu(&["mcp", "add", "small", "http://x"]);
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
fn a_server_at_an_address_and_one_that_is_none() {
    let home = Home::new();
    let added =
        home.dogu(&["mcp", "add", "docs", "https://docs.example.com/mcp", "--header", "X-Key: 5"]);
    assert_eq!(added.code, Some(0), "{added}");
    let file = std::fs::read_to_string(home.path("config/dogu/mcp.json")).unwrap();
    let written: Value = serde_json::from_str(&file).unwrap();
    assert_eq!(
        written["mcpServers"]["docs"],
        json!({"type": "http", "url": "https://docs.example.com/mcp", "headers": {"X-Key": "5"}})
    );
    for (wrong, why) in [
        (&["bad name!", "--", "x"][..], "cannot be the name of a server"),
        (&["a__b", "--", "x"], "cannot be the name of a server"),
        (&["files", "npx"], "dogu mcp add files -- npx"),
        (&["files"], "neither a program nor an address"),
    ] {
        let done = home.dogu(&[&["mcp", "add"], wrong].concat());
        assert_eq!(done.code, Some(2), "{done}");
        assert!(done.stderr.contains(why), "{done}");
    }
    assert_eq!(std::fs::read_to_string(home.path("config/dogu/mcp.json")).unwrap(), file);
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

/// A server behind the gate that asks a person in the middle of a call.
fn asking() -> (Home, Running) {
    let home = Home::new();
    home.user_settings(&format!(
        "mcp_servers: {{small: {{command: python3, args: [\"{}\", good]}}}}\n",
        script()
    ));
    let server = home.start(&["serve"]);
    (home, server)
}

/// What a form is about, and what is answered.
fn filled(form: &Value) -> Value {
    let about = form["message"].as_str().unwrap();
    if about.starts_with("dogu asks: may this run?") {
        return json!({"action": "accept", "content": {"answer": "allow_once"}});
    }
    assert_eq!(about, "The MCP server \"small\" asks this, not dogu:\n\nYour name?");
    json!({"action": "accept", "content": {"name": "Kim"}})
}

#[test]
fn a_server_asks_the_person_behind_the_client() {
    let (_home, mut server) = asking();
    let send = |id: u64, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let client = json!({"name": "test", "version": "1"});
    server.send(&send(
        1,
        "initialize",
        json!({"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {"form": {}}}, "clientInfo": client}),
    ));
    server.receive();
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let call = json!({"name": "small__do", "arguments": {"what": "elicit"}});
    server.send(&send(2, "tools/call", call));
    let mut asked = 0;
    loop {
        let received = server.receive();
        if received["method"] == "elicitation/create" {
            asked += 1;
            let result = filled(&received["params"]);
            server.send(&json!({"jsonrpc": "2.0", "id": received["id"], "result": result}));
        } else if received["id"] == 2 {
            assert_eq!(asked, 2, "{received}");
            assert!(received["result"].to_string().contains("Kim"), "{received}");
            return;
        }
    }
}

#[test]
fn a_server_asks_the_person_behind_a_client_of_the_newest_era() {
    let (_home, mut server) = asking();
    let mut params = json!({
        "name": "small__do",
        "arguments": {"what": "elicit"},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        },
    });
    for id in 1..4 {
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        server.send(&call);
        let mut received = server.receive();
        while received["id"] != id {
            received = server.receive();
        }
        let result = &received["result"];
        if id == 3 {
            assert!(result["content"].to_string().contains("Kim"), "{received}");
            return;
        }
        assert_eq!(result["resultType"], "input_required", "{received}");
        let asked = result["inputRequests"].as_object().unwrap();
        let answers = asked.iter().map(|(key, form)| (key.clone(), filled(&form["params"])));
        params["inputResponses"] = answers.collect::<serde_json::Map<_, _>>().into();
        params["requestState"] = result["requestState"].clone();
    }
}

/// A dogu with a server of the newest era behind its gate, all of whose calls may run.
fn changing() -> (Home, Running) {
    let home = Home::new();
    let script = format!("{}/tests/gateway/modern.py", env!("CARGO_MANIFEST_DIR"));
    let arguments = json!([script, "plain", home.path("notes")]);
    home.user_settings(&format!("mcp_servers: {{m: {{command: python3, args: {arguments}}}}}\n"));
    let server = home.start(&["serve", "--approve", "all"]);
    (home, server)
}

fn wait_for(server: &mut Running, is_it: impl Fn(&Value) -> bool) -> Value {
    loop {
        let received = server.receive();
        if is_it(&received) {
            return received;
        }
    }
}

/// Asks for the tools until one is there, and says whether the client was told of it.
fn is_told_of(server: &mut Running, meta: &Value, tool: &str) {
    wait_for(server, |told| told["method"] == "notifications/tools/list_changed");
    for id in 100..200 {
        let list =
            json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {"_meta": meta}});
        server.send(&list);
        let listed = wait_for(server, |told| told["id"] == id);
        if listed.to_string().contains(&format!("\"{tool}\"")) {
            return;
        }
        // The server's list comes in several steps, and each is told.
        wait_for(server, |told| told["method"] == "notifications/tools/list_changed");
    }
    panic!("{tool} is not listed");
}

fn call(server: &mut Running, id: u64, meta: &Value) {
    let params = json!({"name": "m__do", "arguments": {"what": "change"}, "_meta": meta});
    server.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
}

#[test]
fn a_changed_list_of_a_server_reaches_a_client() {
    let (home, mut server) = changing();
    let client = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    server.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}));
    wait_for(&mut server, |told| told["id"] == 1);
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    listened_to(&home);
    call(&mut server, 2, &json!({}));
    is_told_of(&mut server, &json!({}), "m__new_0");
}

#[test]
fn a_changed_list_of_a_server_reaches_a_client_of_the_newest_era() {
    let (home, mut server) = changing();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    });
    let params = json!({"notifications": {"toolsListChanged": true}, "_meta": meta});
    let listen =
        json!({"jsonrpc": "2.0", "id": "l", "method": "subscriptions/listen", "params": params});
    server.send(&listen);
    wait_for(&mut server, |told| told["method"] == "notifications/subscriptions/acknowledged");
    listened_to(&home);
    call(&mut server, 2, &meta);
    is_told_of(&mut server, &meta, "m__new_0");
}

/// The server behind the gate is up, and dogu hears from it.
fn listened_to(home: &Home) {
    let begun = std::time::Instant::now();
    let notes = || std::fs::read_to_string(home.path("notes")).unwrap_or_default();
    while !notes().contains("listens") {
        assert!(begun.elapsed() < crate::support::PATIENCE, "nobody listens");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn a_failed_call_keeps_its_picture_for_a_client() {
    let home = Home::new();
    let settings =
        json!({"mcp_servers": {"small": {"command": "python3", "args": [script(), "good"]}}});
    home.user_settings(&settings.to_string());
    let mut server = home.start(&["serve", "--approve", "all"]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"name": "small__do", "arguments": {"what": "fail"}, "_meta": meta});
    server.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}));
    let result = server.receive()["result"].clone();
    assert_eq!(result["isError"], true, "{result}");
    let failed = "ERROR: The tool do of the server small failed.\nCODE: E_TOOL";
    assert_eq!(
        result["content"],
        json!([
            {"type": "text", "text": "no such thing"},
            {"type": "image", "data": "AA==", "mimeType": "image/png"},
            {"type": "text", "text": failed},
        ])
    );
}
