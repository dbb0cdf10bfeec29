//! Clients that mean harm or are broken, at the real binary.

use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use crate::support::{Home, Running};

fn request(id: impl Into<Value>, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

fn ask(server: &mut Running, method: &str, params: Value) -> Value {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    server.send(&request(id, method, params));
    let answer = server.receive();
    assert_eq!(answer["id"], id, "{answer}");
    answer
}

#[test]
fn ten_thousand_calls_at_once_and_then_the_end() {
    let home = Home::new();
    home.write("work/a.txt", "hello\n");
    let mut server = home.start(&["serve"]);
    let mut stdin = server.child.stdin.take().unwrap();
    for number in 1..=10_000 {
        // Each is another call, so that none is refused for being the same.
        let arguments = json!({"path": "a.txt", "limit": number});
        let read = json!({"name": "read_file", "arguments": arguments});
        writeln!(stdin, "{}", request(number, "tools/call", read)).unwrap();
    }
    drop(stdin);
    assert_eq!(server.ended().code(), Some(0));
    let answers = std::iter::from_fn(|| server.stdout.as_ref().unwrap().next());
    let answers: Vec<Value> = answers.map(|line| serde_json::from_str(&line).unwrap()).collect();
    assert!(answers.len() >= 5_000, "what was read before the end is answered: {}", answers.len());
    for answer in &answers {
        let overtaken = answer["error"]["message"] == "the server ends";
        assert!(answer["result"].is_object() || overtaken, "{answer}");
    }
    let ids: std::collections::HashSet<String> =
        answers.iter().map(|answer| answer["id"].to_string()).collect();
    assert_eq!(ids.len(), answers.len(), "each once");
    assert_eq!(server.stderr.as_ref().unwrap().next(), None);
    // No call of it is left half done.
    let open = home.dogu(&["log", "--status", "calling", "--json"]);
    assert_eq!(open.quiet(), "");
}

#[test]
fn resources_and_completion_lead_nowhere_that_a_call_may_not_go() {
    let home = Home::new();
    home.write("work/a.txt", "hello\n");
    home.write("work/.env", "KEY=hidden-value\n");
    home.write("outside.txt", "hidden-value\n");
    home.write("home/.ssh/id_rsa", "hidden-value\n");
    let link = |target: &str, name: &str| {
        std::os::unix::fs::symlink(home.path(target), home.path(name)).unwrap();
    };
    link("outside.txt", "work/link.txt");
    link("work/.env", "work/plain.txt");
    link("home", "work/folder");
    let secret = home.dogu(&["mcp", "tokens", "add", "x"]).quiet().trim().to_owned();
    // Nobody can be asked, so whatever asks is a no.
    let mut server = home.start(&["serve"]);
    let (work, root) = (home.work().display().to_string(), home.path("").display().to_string());
    let own = ask(&mut server, "resources/read", json!({"uri": format!("file://{work}/a.txt")}));
    assert_eq!(own["result"]["contents"][0]["text"], "hello\n", "{own}");
    for path in [
        format!("{work}/../outside.txt"),
        format!("{work}/%2e%2e/outside.txt"),
        format!("{work}/..%2foutside.txt"),
        format!("{work}/./../outside.txt"),
        format!("{work}/link.txt"),
        format!("{work}/folder/.ssh/id_rsa"),
        format!("{work}/.env"),
        format!("{work}/%2eenv"),
        format!("{work}/plain.txt"),
        format!("{work}/a.txt%00.png"),
        format!("{work}/a.txt\0"),
        format!("{work}/a.txt?offset=18446744073709551615"),
        format!("{work}/"),
        format!("{root}state/dogu/dogu.sqlite"),
        format!("{root}state/dogu/http-tokens/x"),
        "/etc/passwd".to_owned(),
        "//etc/passwd".to_owned(),
        "/dev/zero".to_owned(),
        "/proc/self/environ".to_owned(),
    ] {
        let uri = format!("file://{path}");
        let answer = ask(&mut server, "resources/read", json!({ "uri": uri }));
        assert!(answer["error"].is_object(), "{path}: {answer}");
        let said = answer.to_string();
        assert!(!said.contains("hidden-value") && !said.contains(&secret), "{path}: {said}");
    }
    for uri in
        ["dogu://output/../dogu.sqlite", "dogu://output/%2e%2e%2fx", "FILE:///etc/passwd", ""]
    {
        let answer = ask(&mut server, "resources/read", json!({ "uri": uri }));
        assert_eq!(answer["error"]["code"], -32602, "{uri}: {answer}");
    }
    let template = format!("file://{work}/{{+path}}");
    for value in ["../", "../../", "folder/", "/etc/", "../state/dogu/", ".e", "a\0", "%2e%2e/"] {
        let params = json!({
            "ref": {"type": "ref/resource", "uri": template},
            "argument": {"name": "path", "value": value},
        });
        let answer = ask(&mut server, "completion/complete", params);
        assert_eq!(answer["result"]["completion"]["values"], json!([]), "{value:?}: {answer}");
    }
    for uri in ["file:///{+path}", "file:///etc/{+path}", &format!("file://{root}{{+path}}")] {
        let argument = json!({"name": "path", "value": ""});
        let params = json!({"ref": {"type": "ref/resource", "uri": uri}, "argument": argument});
        let answer = ask(&mut server, "completion/complete", params);
        assert_eq!(answer["error"]["code"], -32602, "{uri}: {answer}");
    }
}

#[test]
fn cancels_of_nothing_and_broken_lines_hurt_nobody() {
    let home = Home::new();
    home.write("work/a.txt", "hello\n");
    let mut server = home.start(&["serve"]);
    let read = json!({"name": "read_file", "arguments": {"path": "a.txt"}});
    let uri = format!("file://{}/a.txt", home.work().display());
    let works = |server: &mut Running| {
        let answer = ask(server, "resources/read", json!({ "uri": uri }));
        assert_eq!(answer["result"]["contents"][0]["text"], "hello\n", "{answer}");
    };
    works(&mut server);
    for params in [
        json!({"requestId": "never"}),
        json!({"requestId": 0}),
        json!({"requestId": null}),
        json!({"requestId": {"a": 1}}),
        json!({}),
        json!([]),
        Value::Null,
    ] {
        server.send(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}),
        );
        works(&mut server);
    }
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let call = request("d", "tools/call", read.clone()).to_string();
    for (line, code) in [
        (deep.clone(), -32700),
        (call.replace("\"a.txt\"", &deep), -32700),
        ("{\"jsonrpc\":\"2.0\",\"id\":1".to_owned(), -32700),
        ("\u{0}\u{1}".to_owned(), -32700),
        (call.replace("\"id\":\"d\"", "\"id\":{}"), -32600),
        (call.replace("\"id\":\"d\"", "\"id\":1.5"), -32600),
        (call.replace("2.0", "3.0"), -32600),
    ] {
        let stdin = server.child.stdin.as_mut().unwrap();
        writeln!(stdin, "{line}").unwrap();
        let answer = server.receive();
        assert_eq!(answer["error"]["code"], code, "{}: {answer}", &line[..line.len().min(80)]);
        works(&mut server);
    }
    // In two halves, with a moment between them.
    let (one, two) = call.split_at(20);
    let stdin = server.child.stdin.as_mut().unwrap();
    stdin.write_all(one.as_bytes()).unwrap();
    stdin.flush().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(50));
    writeln!(stdin, "{two}").unwrap();
    assert_eq!(server.receive()["id"], "d");
    server.child.stdin.as_mut().unwrap().write_all(one.as_bytes()).unwrap();
    drop(server.child.stdin.take());
    assert_eq!(server.receive()["error"]["code"], -32700);
    assert_eq!(server.ended().code(), Some(0));
}

#[test]
fn a_prompt_of_a_workspace_fills_neither_the_memory_nor_the_screen() {
    let home = Home::new();
    home.write("config/dogu/commands/many.md", &"$ARGUMENTS ".repeat(20_000));
    let head = format!(
        "---\ndescription: \"a\u{202e}\u{1b}[2J{}\"\nargument-hint: {}\n---\n$1",
        "x".repeat(9_000),
        "y".repeat(9_000)
    );
    home.write("config/dogu/commands/odd.md", &head);
    home.write("config/dogu/commands/a\u{202e}b.md", "hidden");
    let mut server = home.start(&["serve"]);
    let listed = ask(&mut server, "prompts/list", json!({}))["result"]["prompts"].clone();
    let names: Vec<&str> =
        listed.as_array().unwrap().iter().map(|prompt| prompt["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["many", "odd"]);
    let shown = listed[1].to_string();
    assert!(
        shown.len() < 1_000 && !shown.contains('\u{202e}') && !shown.contains("u001b"),
        "{shown}"
    );
    let long = json!({"name": "many", "arguments": {"arguments": "x".repeat(1_000_000)}});
    let refused = ask(&mut server, "prompts/get", long);
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    for name in ["../../config", "..", "", "many.md", "/etc/passwd", "many\0", "a\u{202e}b"] {
        let answer = ask(&mut server, "prompts/get", json!({ "name": name }));
        assert_eq!(answer["error"]["code"], -32602, "{name:?}: {answer}");
    }
    let odd = json!({"name": "odd", "arguments": {"arg1": "$1 $ARGUMENTS {{x}}", "other": [1]}});
    let filled = ask(&mut server, "prompts/get", odd);
    let text = &filled["result"]["messages"][0]["content"]["text"];
    assert_eq!(text, "$1 $ARGUMENTS {{x}}", "{filled}");
}
