//! `dogu serve`.

use std::net::TcpListener;

use dogu_tool::Group;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Home, Running, offered};

fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// A server that a client has opened a session with.
fn session(home: &Home, arguments: &[&str]) -> Running {
    let mut server = home.start(arguments);
    let client = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    server.send(&request(1, "initialize", &params));
    let answer = server.receive();
    assert_eq!(answer["result"]["serverInfo"]["name"], "dogu", "{answer}");
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    server
}

#[test]
fn a_client_lists_and_calls_over_stdio_and_the_end_of_stdin_ends_it() {
    let home = Home::new();
    home.write("work/a.txt", "hello\n");
    let mut server = session(&home, &["serve"]);
    server.send(&request(2, "tools/list", &json!({})));
    let answer = server.receive();
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, offered(|_| true));
    let read = json!({"name": "read_file", "arguments": {"path": "a.txt"}});
    server.send(&request(3, "tools/call", &read));
    assert_eq!(server.receive()["result"]["content"][0]["text"], "     1\thello\n");
    drop(server.child.stdin.take());
    assert_eq!(server.ended().code(), Some(0));
    assert_eq!(server.stdout.as_ref().unwrap().next(), None, "stdout has messages only");
    assert_eq!(server.stderr.as_ref().unwrap().next(), None, "nothing went wrong");
    // The whole pipeline: the call is in the record.
    assert!(home.dogu(&["log"]).quiet().contains("read_file"));
}

#[test]
fn what_a_server_may_do_is_said_when_it_starts() {
    for (approve, is_error) in [("none", true), ("ask", true), ("all", false)] {
        let home = Home::new();
        let mut server = session(&home, &["serve", "--approve", approve]);
        let write = json!({"name": "write_file", "arguments": {"path": "a", "content": ""}});
        server.send(&request(2, "tools/call", &write));
        let answer = server.receive();
        assert_eq!(answer["result"]["isError"].as_bool().unwrap_or(false), is_error, "{answer}");
        assert_eq!(home.path("work/a").exists(), !is_error, "{approve}");
    }
}

#[test]
fn a_mode_leaves_its_own_tools_only() {
    let home = Home::new();
    let mut server = session(&home, &["serve", "--mode", "ask", "--approve", "all"]);
    server.send(&request(2, "tools/list", &json!({})));
    let answer = server.receive();
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, offered(|spec| spec.group == Some(Group::Read)));
    let write = json!({"name": "write_file", "arguments": {"path": "a", "content": ""}});
    server.send(&request(3, "tools/call", &write));
    let answer = server.receive();
    assert!(answer["error"].is_object() || answer["result"]["isError"] == true, "{answer}");
    assert!(!home.path("work/a").exists());
}

#[test]
fn a_polite_signal_ends_it() {
    let home = Home::new();
    let mut server = session(&home, &["serve"]);
    server.terminate();
    assert_eq!(server.ended().code(), Some(0));
}

#[test]
fn http_says_what_to_do_next_and_what_it_says_can_be_done() {
    let home = Home::new();
    let mut server = home.start(&["serve", "--http", "127.0.0.1:0"]);
    let first = server.stderr.as_ref().unwrap().next().unwrap();
    let (_, url) = first.split_once(" at ").unwrap();
    assert!(url.starts_with("http://127.0.0.1:"), "{first}");
    let mut text = String::new();
    while !text.contains("Ctrl-C") {
        text.push_str(&(server.stderr.as_ref().unwrap().next().unwrap() + "\n"));
    }
    let dogu = crate::support::binary().to_str().unwrap();
    let shown = text.replace(dogu, "dogu").replace(url, "[URL]");
    assert_snapshot!(shown, @"

    Connect your client, in another terminal:
      dogu mcp install claude-code --http [URL]
      or one of: codex, cursor, vscode, zed, gemini, goose, opencode, continue, roo, jetbrains
    Any other client sends a token that you make for it:
      Authorization: Bearer $(dogu mcp tokens add NAME)
    A client can also start dogu itself, without a token: dogu mcp install CLIENT
    What is called: dogu log --follow. Ctrl-C ends the server.
    ");
    // One line of it, as it stands there, and a client is connected.
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for line in [lines[2], &lines[5].replace("NAME", "mine")] {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &line.replace("Authorization: ", "echo Authorization: ")]);
        command.current_dir(home.work()).env_clear().envs(home.environment());
        let done = home.run(command, b"");
        assert_eq!(done.code, Some(0), "{done}");
    }
    assert_eq!(home.dogu(&["mcp", "tokens"]).quiet().lines().count(), 2);
    server.terminate();
    assert_eq!(server.ended().code(), Some(0));
    assert_eq!(server.stdout.as_ref().unwrap().next(), None);
    assert_eq!(server.stderr.as_ref().unwrap().next(), None, "nothing went wrong");
}

#[test]
fn an_address_that_others_can_reach_needs_a_word() {
    let home = Home::new();
    assert_snapshot!(home.dogu(&["serve", "--http", "0.0.0.0:0"]), @"
    exit 2
    --- stdout
    --- stderr
    error: 0.0.0.0:0 can be reached from other machines

    hint: listen on 127.0.0.1:0, or let other machines in with --allow-remote
    ");
    assert_eq!(home.dogu(&["serve", "--http", "localhost"]).code, Some(2));
    assert_eq!(home.dogu(&["serve", "--allow-remote"]).code, Some(2));
}

#[test]
fn a_port_that_is_taken_is_told() {
    let home = Home::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = taken.local_addr().unwrap().to_string();
    let done = home.dogu(&["serve", "--http", &addr]);
    assert_snapshot!(done.to_string().replace(&addr, "[ADDR]"), @"
    exit 2
    --- stdout
    --- stderr
    error: could not listen on [ADDR]
      Caused by: Address already in use (os error 98)

    hint: another process has this port; port 0 takes a free one
    ");
}

#[test]
fn http_without_a_state_folder_is_told() {
    let home = Home::new();
    home.write("file", "");
    let mut command = home.command(&["serve", "--http", "127.0.0.1:0"]);
    command.env("XDG_STATE_HOME", home.path("file"));
    assert_snapshot!(home.run(command, b""), @"
    exit 2
    --- stdout
    --- stderr
    warning: could not look at [ROOT]/file/dogu: Not a directory (os error 20); calls are not recorded
    error: the tokens for HTTP need a state folder

    hint: set XDG_STATE_HOME to a folder that you may write to
    ");
}
