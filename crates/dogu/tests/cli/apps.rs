//! User interfaces of servers behind the gateway (MCP Apps), through `dogu serve`.

use serde_json::{Value, json};

use crate::support::{Home, Running};

/// What the servers' interface holds, byte for byte.
fn html(server: &str) -> String {
    format!(
        "<!doctype html>\r\n<p>{server} \u{200b}\u{202e}\u{1b}[31m\u{feff} &amp; \
         ghp_0123456789abcdefghijABCDEFGHIJ012345</p>\n"
    )
}

/// A home with two servers that have the same tools and addresses.
fn home(settings: &str) -> Home {
    let home = Home::new();
    let script = format!("{}/tests/cli/app_server.py", env!("CARGO_MANIFEST_DIR"));
    let notes = home.path("notes").display().to_string();
    let server = |name: &str| {
        format!("  {name}: {{command: python3, args: [\"{script}\", \"{name}\", \"{notes}\"]}}\n")
    };
    let (one, two) = (server("one"), server("two"));
    home.user_settings(&format!("mcp_servers:\n{one}{two}{settings}"));
    home
}

fn notes(home: &Home) -> String {
    std::fs::read_to_string(home.path("notes")).unwrap_or_default()
}

/// A client of the newest era.
struct Client {
    server: Running,
    next: u64,
}

impl Client {
    fn of(home: &Home, arguments: &[&str]) -> Self {
        Self { server: home.start(&[&["serve"], arguments].concat()), next: 1 }
    }

    fn ask(&mut self, method: &str, mut params: Value) -> Value {
        let extensions =
            json!({"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}});
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}, "extensions": extensions},
        });
        self.next += 1;
        let id = self.next;
        self.server.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let received = self.server.receive();
            if received["id"] == id {
                return received;
            }
        }
    }

    /// Calls until the servers are up, and lists the tools.
    fn tools(&mut self) -> Vec<Value> {
        for server in ["one", "two"] {
            let called = self.ask("tools/call", json!({"name": format!("{server}__plain")}));
            assert_eq!(called["result"]["content"][0]["text"], "plain", "{called}");
        }
        self.ask("tools/list", json!({}))["result"]["tools"].as_array().unwrap().clone()
    }

    fn read(&mut self, uri: &str) -> Value {
        self.ask("resources/read", json!({"uri": uri}))
    }
}

#[test]
fn an_interface_is_read_from_the_server_of_its_tool_as_it_is() {
    let home = home("");
    let mut client = Client::of(&home, &["--approve", "all"]);
    let tools = client.tools();
    for server in ["one", "two"] {
        let tool = tools.iter().find(|tool| tool["name"] == format!("{server}__show")).unwrap();
        let uri = tool["_meta"]["ui"]["resourceUri"].as_str().unwrap().to_owned();
        assert_eq!(uri, format!("ui://{server}/view"));
        let read = client.read(&uri);
        let contents = &read["result"]["contents"];
        assert_eq!(contents.as_array().unwrap().len(), 1, "{read}");
        assert_eq!(contents[0]["uri"], uri, "{read}");
        assert_eq!(contents[0]["mimeType"], "text/html;profile=mcp-app");
        assert_eq!(contents[0]["text"], html(server), "nothing of it is changed");
        assert_eq!(
            contents[0]["_meta"],
            json!({"ui": {"csp": {"connectDomains": ["https://api.example.com"]}, "permissions": {"camera": {}}}})
        );
        // What is listed and not named by a tool, with what only the list says of it.
        let listed = client.read(&format!("ui://{server}/listed"));
        let contents = &listed["result"]["contents"][0];
        assert_eq!(contents["text"], format!("<p>listed by {server}</p>"), "{listed}");
        assert_eq!(contents["_meta"], json!({"ui": {"prefersBorder": true}}));
    }
    let resources = client.ask("resources/list", json!({}))["result"]["resources"].clone();
    let uris: Vec<&str> =
        resources.as_array().unwrap().iter().map(|one| one["uri"].as_str().unwrap()).collect();
    let each = |server: &str| ["view", "huge", "notes"].map(|view| format!("ui://{server}/{view}"));
    assert_eq!(uris, [each("one"), each("two")].concat());
    assert_eq!(resources[0]["mimeType"], "text/html;profile=mcp-app");
    assert!(notes(&home).contains("one ui\n"), "servers are told that interfaces can be shown");
    // A text that is not for a renderer is cleaned like any other.
    let plain = client.read("ui://one/notes");
    assert_eq!(plain["result"]["contents"][0]["text"], "plain text", "{plain}");
    drop(client);
    let log = home.dogu(&["log"]);
    assert!(log.stdout.contains("read_mcp_app") && log.stdout.contains("ui://one/view"), "{log}");
}

#[test]
fn nothing_else_of_a_server_is_read_as_an_interface() {
    let home = home("");
    let mut client = Client::of(&home, &["--approve", "all"]);
    let tools = client.tools();
    let stray = tools.iter().find(|tool| tool["name"] == "one__stray").unwrap();
    assert_eq!(stray["_meta"]["ui"], json!({}), "an address of something else leads nowhere");
    for uri in [
        "ui://one/secret",
        "ui://view",
        "ui://three/view",
        "ui://one",
        "ui://one/",
        "ui://",
        "ui://one/../two/view",
        "ui://%6fne/view",
        "ui://one%2Fview",
        "ui://one/view?x",
        "UI://one/view",
        "ui://one/x://other",
        "x://other",
        "ui://one/\u{202e}view",
    ] {
        let refused = client.read(uri);
        assert_eq!(refused["error"]["code"], -32602, "{uri}: {refused}");
    }
    let huge = client.read("ui://one/huge");
    let said = huge["error"]["message"].as_str().unwrap();
    assert!(said.contains("8000000 bytes in base64 were left out"), "{huge}");
    let read: Vec<String> = notes(&home).lines().map(str::to_owned).collect();
    assert!(!read.iter().any(|note| note.contains("secret")), "{read:?}");
    assert!(read.iter().all(|note| !note.starts_with("two read")), "{read:?}");
}

#[test]
fn what_a_result_has_for_an_interface_is_passed_on_and_nothing_else() {
    let home = home("");
    let mut client = Client::of(&home, &["--approve", "all"]);
    client.tools();
    let shown = client.ask("tools/call", json!({"name": "one__show"}))["result"].clone();
    let mut meta = shown["_meta"].clone();
    let info = meta.as_object_mut().unwrap().remove("io.modelcontextprotocol/serverInfo");
    assert_eq!(meta, json!({"view": "vvv", "acme.com/x": {"a": "one"}}), "{shown}");
    assert!(info.is_none_or(|info| info["name"] == "dogu"), "{shown}");
    assert_eq!(shown["content"], json!([{"type": "text", "text": "show"}]));
    let failed = client.ask("tools/call", json!({"name": "one__fails"}))["result"].clone();
    assert_eq!((&failed["isError"], &failed["_meta"]["view"]), (&json!(true), &json!("vvv")));
    for tool in ["one__plain", "one__huge"] {
        let result = client.ask("tools/call", json!({"name": tool}))["result"].clone();
        assert_eq!(result["_meta"].get("view"), None, "{tool}: {result}");
        assert_eq!(result["_meta"].get("acme.com/x"), None, "{tool}: {result}");
    }
}

/// An interface knows the tools of its server by no other names.
#[test]
fn a_tool_can_be_called_as_its_server_calls_it_where_only_one_can_be_meant() {
    let home = home("permissions: {rules: [{deny: \"Mcp(two/own_two)\"}]}\n");
    let mut client = Client::of(&home, &["--approve", "all"]);
    client.tools();
    let called = client.ask("tools/call", json!({"name": "own_one"}))["result"].clone();
    assert_eq!(called["content"][0]["text"], "own_one", "{called}");
    let note = called["content"][1]["text"].as_str().unwrap();
    assert!(note.contains("own_one: here this tool is called one__own_one"), "{called}");
    let both = client.ask("tools/call", json!({"name": "plain"}));
    assert_eq!(both["error"]["code"], -32602, "two servers have it: {both}");
    let denied = client.ask("tools/call", json!({"name": "own_two"}))["result"].clone();
    assert_eq!(denied["isError"], true, "by the rule for what it is: {denied}");
}

#[test]
fn a_tool_for_interfaces_alone_is_for_clients_and_not_for_models() {
    let home = home("");
    let mut client = Client::of(&home, &["--approve", "all"]);
    let tools = client.tools();
    let refresh = tools.iter().find(|tool| tool["name"] == "one__refresh").unwrap();
    assert_eq!(refresh["_meta"]["ui"]["visibility"], json!(["app"]));
    let called = client.ask("tools/call", json!({"name": "one__refresh"}));
    assert_eq!(called["result"]["content"][0]["text"], "refresh", "{called}");
    drop(client);
    let offered = home.dogu(&["tools"]);
    assert!(offered.stdout.contains("one__show") && !offered.stdout.contains("one__refresh"));
    let refused = home.dogu(&["call", "one__refresh", "--approve", "all"]);
    assert_eq!(refused.code, Some(1), "{refused}");
    assert!(!offered.stdout.contains("read_mcp_app"));
}

#[test]
fn an_interface_passes_the_gate_like_any_resource() {
    // Without a word from anybody it asks.
    let home = home("");
    let mut client = Client::of(&home, &[]);
    let asked = client.read("ui://one/view");
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let question = asked["result"]["inputRequests"].to_string();
    assert!(
        question.contains("Show the user interface ui://view of the MCP server one")
            && question.contains("Mcp(one/resource:ui://view)"),
        "{question}"
    );
    assert!(!notes(&home).contains("read"), "{}", notes(&home));
    let key = asked["result"]["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    let retry = |answer: &str| {
        let answer = json!({"action": "accept", "content": {"answer": answer}});
        json!({"uri": "ui://one/view", "requestState": asked["result"]["requestState"],
               "inputResponses": {key.clone(): answer}})
    };
    let read = client.ask("resources/read", retry("allow_once"));
    assert_eq!(read["result"]["contents"][0]["text"], html("one"), "{read}");

    for (settings, approve) in [
        ("permissions: {rules: [{deny: \"Mcp(one/resource:*)\"}]}\n", "all"),
        ("permissions: {rules: [{deny: \"Mcp(one/*)\"}]}\n", "all"),
        ("", "none"),
    ] {
        let home = self::home(settings);
        let mut client = Client::of(&home, &["--approve", approve]);
        let refused = client.read("ui://one/view");
        let said = refused["error"]["message"].as_str().unwrap_or_else(|| panic!("{refused}"));
        assert!(said.contains("E_TOOL_DENIED"), "{refused}");
        assert!(!notes(&home).contains("read"), "{}", notes(&home));
    }
    let home = self::home("permissions: {rules: [{allow: \"Mcp(one/resource:ui://view)\"}]}\n");
    let mut client = Client::of(&home, &["--approve", "none"]);
    assert_eq!(client.read("ui://one/view")["result"]["contents"][0]["text"], html("one"));
    assert!(client.read("ui://two/view")["error"].is_object(), "of that server alone");
}
