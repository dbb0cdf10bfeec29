//! `dogu mcp tokens`: a token for each client, given and taken away while a server runs.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Home, PATIENCE, Running};

/// A server of a home, over HTTP.
struct Server {
    running: Running,
    addr: String,
}

impl Server {
    fn start(home: &Home) -> Self {
        let running = home.start(&["serve", "--http", "127.0.0.1:0"]);
        let first = running.stderr.as_ref().unwrap().next().unwrap();
        let (_, url) = first.split_once(" at http://").unwrap();
        Self { addr: url.trim_end_matches("/mcp").to_owned(), running }
    }

    fn url(&self) -> String {
        format!("http://{}/mcp", self.addr)
    }

    /// What is answered to a request of the newest era.
    fn ask(&self, token: &str, method: &str, params: &Value) -> (u16, String) {
        let mut stream = self.open(token, method, params);
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        (text.split(' ').nth(1).unwrap().parse().unwrap(), text)
    }

    fn open(&self, token: &str, method: &str, params: &Value) -> TcpStream {
        let mut params = params.clone();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let body = body.to_string();
        let name = params["name"].as_str().map(|name| format!("Mcp-Name: {name}\r\n"));
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{}Content-Length: {}\r\n\r\n",
            self.addr,
            name.unwrap_or_default(),
            body.len()
        );
        let mut stream = TcpStream::connect(&self.addr).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all((head + &body).as_bytes()).unwrap();
        stream
    }

    fn list(&self, token: &str) -> u16 {
        self.ask(token, "tools/list", &json!({})).0
    }

    fn end(mut self) {
        self.running.terminate();
        assert_eq!(self.running.ended().code(), Some(0));
    }
}

fn token(home: &Home, name: &str) -> Option<String> {
    let text = fs::read_to_string(home.path(&format!("state/dogu/http-tokens/{name}"))).ok()?;
    Some(text.trim().to_owned())
}

#[test]
fn a_token_is_made_listed_and_taken_away() {
    let home = Home::new();
    assert_snapshot!(home.dogu(&["mcp", "tokens"]), @"
    exit 0
    --- stdout
    --- stderr
    nobody has a token
    ");
    let made = home.dogu(&["mcp", "tokens", "add", "my-script"]);
    let secret = made.quiet().trim();
    assert_eq!(token(&home, "my-script").as_deref(), Some(secret));
    let file = fs::metadata(home.path("state/dogu/http-tokens/my-script")).unwrap();
    assert_eq!(file.permissions().mode() & 0o777, 0o600);
    assert_snapshot!(home.dogu(&["mcp", "tokens", "add", "my-script"]), @"
    exit 2
    --- stdout
    --- stderr
    error: there is a token named my-script already

    hint: it is in [ROOT]/state/dogu/http-tokens/my-script; `dogu mcp tokens revoke my-script` takes it away
    ");
    let listed = home.dogu(&["mcp", "tokens"]);
    assert!(listed.quiet().ends_with("Z  my-script\n") && !listed.stdout.contains(secret));
    let rows = home.dogu(&["mcp", "tokens", "--json"]).json();
    assert_eq!((&rows[0]["name"], &rows[0]["problem"]), (&json!("my-script"), &Value::Null));
    fs::set_permissions(
        home.path("state/dogu/http-tokens/my-script"),
        fs::Permissions::from_mode(0o644),
    )
    .unwrap();
    let listed = home.dogu(&["mcp", "tokens"]);
    assert!(listed.stderr.contains("can be read by others (mode 644); it does not count"));
    assert_snapshot!(home.dogu(&["mcp", "tokens", "revoke", "my-script", "other"]), @"
    exit 1
    --- stdout
    my-script is revoked
    --- stderr
    warning: there is no token `other`; `dogu mcp tokens` shows them
    ");
    for name in ["../../grants.sealed", "", ".x", "a/b", "a b"] {
        for verb in ["add", "revoke"] {
            assert_eq!(home.dogu(&["mcp", "tokens", verb, "--", name]).code, Some(2), "{name}");
        }
    }
    let mut command = home.command(&["mcp", "tokens", "add", "inside"]);
    command.env("DOGU_SANDBOX", "1");
    assert_eq!(home.run(command, b"").code, Some(2), "not from inside the sandbox");
    assert_eq!(token(&home, "inside"), None);
}

#[test]
fn a_client_has_its_own_token_while_it_is_installed() {
    let home = Home::new();
    let server = Server::start(&home);
    let url = server.url();
    let install = |client: &str, more: &[&str]| {
        home.dogu(&[&["mcp", "install", client, "--http", &url], more].concat())
    };
    for client in ["gemini", "cursor"] {
        assert_eq!(install(client, &[]).code, Some(0));
    }
    assert_eq!(install("gemini", &["--name", "tools"]).code, Some(0));
    let secret = |name: &str| token(&home, name).unwrap_or_else(|| panic!("no token {name}"));
    let (gemini, cursor) = (secret("gemini-user"), secret("cursor-user"));
    let second = secret("gemini-user-tools");
    let settings = fs::read_to_string(home.path("home/.gemini/settings.json")).unwrap();
    assert!(settings.contains(&gemini) && settings.contains(&second), "{settings}");
    // The same again keeps it.
    let again = install("gemini", &["--json"]);
    assert_eq!(again.json()["outcome"], "already there", "{again}");
    assert_eq!(
        (again.json()["token"].as_str(), secret("gemini-user")),
        (Some("gemini-user"), gemini.clone())
    );
    for token in [&gemini, &cursor, &second] {
        assert_eq!(server.list(token), 200, "a server that runs knows it at once");
    }
    assert_eq!(server.list("dogu_other"), 401);

    // What the client was doing ends with its token, and others go on.
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let mut listening = server.open(&gemini, "subscriptions/listen", &filter);
    let shown = home.dogu(&["mcp", "uninstall", "gemini", "--dry-run"]);
    assert_eq!((shown.code, server.list(&gemini)), (Some(0), 200), "what is shown takes nothing");
    let out = home.dogu(&["mcp", "uninstall", "gemini"]);
    assert!(out.stderr.contains("note: its token, gemini-user, is revoked"), "{out}");
    let mut rest = Vec::new();
    listening.read_to_end(&mut rest).unwrap();
    assert_eq!(server.list(&gemini), 401);
    assert_eq!((server.list(&cursor), server.list(&second)), (200, 200));
    let settings = fs::read_to_string(home.path("home/.gemini/settings.json")).unwrap();
    assert!(!settings.contains(&gemini) && settings.contains(&second), "{settings}");

    // Revoked and installed again: another token, another holder.
    home.dogu(&["mcp", "tokens", "revoke", "cursor-user"]).quiet();
    assert_eq!(server.list(&cursor), 401);
    assert_eq!(install("cursor", &[]).code, Some(2), "the entry has the old one");
    assert_eq!(token(&home, "cursor-user"), None, "what was not written leaves no token");
    assert_eq!(install("cursor", &["--force"]).code, Some(0));
    assert_ne!(secret("cursor-user"), cursor);
    assert_eq!(server.list(&secret("cursor-user")), 200);
    server.end();
}

#[test]
fn the_log_says_whose_token_a_call_came_with() {
    let home = Home::new();
    home.write("work/a.txt", "hello\n");
    let server = Server::start(&home);
    for name in ["one", "two"] {
        let secret = home.dogu(&["mcp", "tokens", "add", name]).quiet().trim().to_owned();
        let read = json!({"name": "read_file", "arguments": {"path": "a.txt"}});
        let (status, text) = server.ask(&secret, "tools/call", &read);
        assert!(status == 200 && text.contains("hello"), "{text}");
    }
    home.dogu(&["call", "read_file", "path=a.txt"]).quiet();
    server.end();
    let log = home.dogu(&["log"]);
    let ends: Vec<&str> =
        log.quiet().lines().map(|line| line.rsplit_once(" ms").unwrap().1).collect();
    assert_eq!(ends, ["  by one", "  by two", ""], "{log}");
    let rows = home.dogu(&["log", "--json"]);
    let rows: Vec<Value> =
        rows.quiet().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&rows[0]["agent"], &rows[2]["agent"]), (&json!("one"), &json!("main")));
    assert!(rows[1]["principal"].as_str().unwrap().starts_with("token:two:"), "{}", rows[1]);
    assert_ne!(rows[0]["session"], rows[1]["session"]);
}

#[test]
fn the_token_that_all_clients_shared_still_counts() {
    let home = Home::new();
    home.dogu(&["mcp", "tokens"]);
    let shared = home.path("state/dogu/http-token");
    home.write("state/dogu/http-token", "dogu_shared\n");
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o600)).unwrap();
    let server = Server::start(&home);
    assert_eq!(server.list("dogu_shared"), 200);
    assert!(!shared.exists());
    home.dogu(&["mcp", "tokens", "revoke", "default"]).quiet();
    assert_eq!(server.list("dogu_shared"), 401);
    server.end();
}
