//! The server over HTTP, by raw requests.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod common;

use std::time::{Duration, Instant};

use common::http::{ONE, Request, Server, TWO, tokens};
use common::{call, initialize, modern, notification, request, text, tools};
use dogu_mcp::{HttpServer, ServeError, ServeOptions};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;

async fn session(server: &Server, token: &str) -> String {
    let answer = server.send(&Request::post(token, &initialize(1, "2025-11-25"))).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.answer()["result"]["protocolVersion"], "2025-11-25");
    let session = answer.header("mcp-session-id").unwrap().to_owned();
    let initialized = notification("notifications/initialized", json!({}));
    let accepted = server.send(&Request::in_session(token, &session, &initialized)).await;
    assert_eq!(accepted.status, 202);
    session
}

#[tokio::test]
async fn without_a_known_token_nothing_is_looked_at() {
    let server = Server::start().await;
    let list = modern(1, "tools/list", json!({}));
    let wrong = Request::modern("wrong", &list);
    let authorization = |value: &str| Request::modern(ONE, &list).header("Authorization", value);
    for request in [
        wrong.clone(),
        authorization("Bearer"),
        authorization("Bearer "),
        authorization(&format!("Basic {ONE}")),
        authorization(ONE),
        authorization(&format!("Bearer {ONE}x")),
        authorization(&format!("Bearer {}", &ONE[1..])),
        Request::post_raw(b"not json".to_vec()),
        Request::post_raw(vec![b'x'; 100_000]).header("Content-Type", "text/plain"),
        Request::get("/mcp"),
        wrong.header("Host", "evil.example").header("Origin", "http://evil.example"),
    ] {
        let answer = server.send(&request).await;
        assert_eq!(answer.status, 401, "{answer:?}");
        assert!(answer.header("www-authenticate").unwrap().starts_with("Bearer"), "{answer:?}");
        assert!(!answer.body.contains(ONE) && !answer.body.contains(TWO));
    }
    assert_eq!(server.send(&authorization(&format!("bearer {ONE}"))).await.status, 200);
}

#[tokio::test]
async fn what_needs_no_token_holds_no_secret() {
    let server = Server::start().await;
    let root = server.send(&Request::get("/")).await;
    assert_eq!(root.status, 200);
    assert!(root.body.contains("/mcp") && root.body.contains("token"), "{root:?}");
    assert!(!root.body.contains(ONE));
    let health = server.send(&Request::get("/healthz")).await;
    assert_eq!((health.status, health.body.trim()), (200, "ok"));
    assert_eq!(server.send(&Request::get("/other")).await.status, 404);
}

#[tokio::test]
async fn other_origins_and_hosts_are_forbidden() {
    let server = Server::start().await;
    let list = Request::modern(ONE, &modern(1, "tools/list", json!({})));
    for (name, value, status) in [
        ("Origin", "http://evil.example", 403),
        ("Origin", "null", 403),
        ("Origin", "http://localhost", 403),
        ("Host", "evil.example", 403),
        ("Host", "localhost:1", 200),
        ("Host", "127.0.0.1", 200),
    ] {
        let answer = server.send(&list.clone().header(name, value)).await;
        assert_eq!(answer.status, status, "{name}: {value}: {answer:?}");
    }
}

#[tokio::test]
async fn the_second_era_discovers_lists_and_calls() {
    let server = Server::start().await;
    let discover = modern(1, "server/discover", json!({}));
    let answer = server.send(&Request::modern(ONE, &discover)).await.answer();
    assert_eq!(answer["result"]["capabilities"]["tools"], json!({"listChanged": true}), "{answer}");
    let list = modern(2, "tools/list", json!({}));
    let answer = server.send(&Request::modern(ONE, &list)).await.answer();
    assert_eq!(answer["result"]["tools"][0]["name"], "echo");
    let echo = modern(3, "tools/call", call("echo", json!({"text": "hi"})));
    let answer = server.send(&Request::modern(TWO, &echo)).await.answer();
    assert_eq!(text(&answer), "hi");
    let unknown = modern(4, "tools/call", call("ech", json!({})));
    let answer = server.send(&Request::modern(ONE, &unknown)).await.answer();
    assert_eq!(answer["error"]["code"], -32602);
    let method = modern(5, "no/such", json!({}));
    let answer = server.send(&Request::modern(ONE, &method)).await;
    assert_eq!((answer.status, &answer.answer()["error"]["code"]), (404, &json!(-32601)));
    let mut count = call("count", json!({"to": 3}));
    count["_meta"] = json!({"progressToken": 1});
    let messages =
        server.send(&Request::modern(ONE, &modern(6, "tools/call", count))).await.messages();
    let methods: Vec<&Value> = messages.iter().map(|message| &message["method"]).collect();
    let progress = json!("notifications/progress");
    assert_eq!(methods, [&progress, &progress, &progress, &Value::Null]);
}

#[tokio::test]
async fn the_first_era_has_sessions() {
    let server = Server::start().await;
    let session = session(&server, ONE).await;
    let list = request(2, "tools/list", json!({}));
    let answer = server.send(&Request::in_session(ONE, &session, &list)).await.answer();
    assert_eq!(answer["result"]["tools"][0]["name"], "echo", "{answer}");
    let denied = request(3, "tools/call", call("write_file", json!({"path": "a", "content": ""})));
    let answer = server.send(&Request::in_session(ONE, &session, &denied)).await.answer();
    assert!(text(&answer).starts_with("ERROR: Permission denied for tool: write_file"));
    let loose = request(4, "tools/call", call("echo", json!("text")));
    let answer = server.send(&Request::in_session(ONE, &session, &loose)).await.answer();
    assert!(text(&answer).contains("E_TOOL_INVALID_ARGS"), "{answer}");
}

#[tokio::test]
async fn rubbish_is_refused_and_the_next_request_is_served() {
    let server = Server::start().await;
    let raw = |body: &[u8]| {
        Request::post_raw(body.to_vec()).header("Authorization", &format!("Bearer {ONE}"))
    };
    let deep = "[".repeat(100_000);
    for (body, code) in [
        (&b"rubbish"[..], -32700),
        (b"\xFF\xFE", -32700),
        (deep.as_bytes(), -32700),
        (b"[]", -32600),
        (b"{\"id\":1}", -32600),
    ] {
        let answer = server.send(&raw(body)).await;
        assert_eq!((answer.status, &answer.answer()["error"]["code"]), (400, &json!(code)));
    }
    let large = modern(1, "tools/call", call("echo", json!({"text": "x".repeat(50_000_000)})));
    let answer = server.send(&Request::modern(ONE, &large)).await;
    assert_eq!((answer.status, &answer.answer()["error"]["code"]), (413, &json!(-32600)));
    let fits = modern(1, "tools/call", call("echo", json!({"text": "x".repeat(9_000_000)})));
    assert_eq!(server.send(&Request::modern(ONE, &fits)).await.status, 200);
    let list = modern(2, "tools/list", json!({}));
    assert_eq!(server.send(&Request::modern(ONE, &list)).await.status, 200);
}

#[tokio::test]
async fn one_holder_neither_sees_nor_cancels_what_another_does() {
    let server = Server::start().await;
    let own = session(&server, ONE).await;
    let slow = request("slow", "tools/call", call("wait", json!({"milliseconds": 60_000})));
    let _reading = server.open(&Request::in_session(ONE, &own, &slow)).await;
    server.under_way(1).await;
    let cancel = notification("notifications/cancelled", json!({"requestId": "slow"}));
    // With the session of the other, and from a session of one's own.
    let stolen = server.send(&Request::in_session(TWO, &own, &cancel)).await;
    assert_eq!(stolen.status, 404);
    let list = request(2, "tools/list", json!({}));
    assert_eq!(server.send(&Request::in_session(TWO, &own, &list)).await.status, 404);
    let other = session(&server, TWO).await;
    assert_eq!(server.send(&Request::in_session(TWO, &other, &cancel)).await.status, 202);
    assert_eq!(server.send(&Request::modern(TWO, &cancel)).await.status, 202);
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(server.runtime.in_flight(), 1);
    assert_eq!(server.send(&Request::in_session(ONE, &own, &cancel)).await.status, 202);
    server.under_way(0).await;
}

#[tokio::test]
async fn a_connection_that_goes_away_cancels_nothing() {
    let server = Server::start().await;
    let own = session(&server, ONE).await;
    let mut listener = server.runtime.listen_to_all();
    let slow = call("wait", json!({"milliseconds": 300}));
    let first = request(2, "tools/call", slow.clone());
    let second = modern(3, "tools/call", slow);
    let one = server.open(&Request::in_session(ONE, &own, &first)).await;
    let two = server.open(&Request::modern(ONE, &second)).await;
    server.under_way(2).await;
    drop((one, two));
    server.under_way(0).await;
    let mut ends = Vec::new();
    while let Some(heard) = listener.try_next() {
        if let dogu_runtime::Heard::Event(event) = heard
            && event.is_terminal()
            && let dogu_runtime::EventKind::Status { to, .. } = event.kind
        {
            ends.push(to.as_str());
        }
    }
    assert_eq!(ends, ["done", "done"]);
}

#[tokio::test]
async fn the_end_answers_what_is_under_way_and_closes_what_would_never_end() {
    let mut server = Server::start().await;
    let own = session(&server, ONE).await;
    let announcements = Request::get("/mcp")
        .header("Accept", "text/event-stream")
        .header("Authorization", &format!("Bearer {ONE}"))
        .header("Mcp-Session-Id", &own);
    let mut open = server.open(&announcements).await;
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let listen = Request::modern(ONE, &modern("sub", "subscriptions/listen", filter));
    let mut listening = server.open(&listen).await;
    let slow = modern(3, "tools/call", call("wait", json!({"milliseconds": 300})));
    let mut calling = server.open(&Request::modern(ONE, &slow)).await;
    server.under_way(1).await;
    let began = Instant::now();
    server.stop.take().unwrap().send(()).unwrap();
    let mut answer = String::new();
    calling.read_to_string(&mut answer).await.unwrap();
    assert!(answer.contains("waited"), "{answer}");
    server.serving.await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    let mut rest = Vec::new();
    let _ = open.read_to_end(&mut rest).await;
    let _ = listening.read_to_end(&mut rest).await;
}

#[tokio::test]
async fn an_address_that_others_can_reach_must_be_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tools::runtime(folder.path()).unwrap().build().unwrap();
    let bind = |addr: &str, allow_remote| {
        let options = ServeOptions { allow_remote, ..ServeOptions::default() };
        HttpServer::bind(runtime.clone(), addr.parse().unwrap(), tokens(folder.path()), options)
    };
    let error = bind("0.0.0.0:0", false).await.err().unwrap();
    assert!(matches!(error, ServeError::Remote { .. }));
    assert!(error.hint().unwrap().contains("127.0.0.1"), "{error}");
    let server = bind("0.0.0.0:0", true).await.ok().unwrap();
    let taken = bind(&format!("127.0.0.1:{}", server.local_addr().port()), false).await;
    assert!(matches!(taken.err().unwrap(), ServeError::Bind { .. }));
}

/// A client with everything open that a client can have open.
async fn with_all_open(server: &Server, token: &str) -> (String, [tokio::net::TcpStream; 4]) {
    let own = session(server, token).await;
    let announcements = Request::get("/mcp")
        .header("Accept", "text/event-stream")
        .header("Authorization", &format!("Bearer {token}"))
        .header("Mcp-Session-Id", &own);
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let listen = Request::modern(token, &modern("sub", "subscriptions/listen", filter));
    let slow = call("wait", json!({"milliseconds": 60_000}));
    let first = Request::in_session(token, &own, &request(2, "tools/call", slow.clone()));
    let second = Request::modern(token, &modern(3, "tools/call", slow));
    let open = [
        server.open(&announcements).await,
        server.open(&listen).await,
        server.open(&first).await,
        server.open(&second).await,
    ];
    (own, open)
}

#[tokio::test]
async fn a_token_that_is_taken_away_ends_all_of_its_holder_and_nothing_of_others() {
    let server = Server::start().await;
    let (own, open) = with_all_open(&server, ONE).await;
    let (other, others_open) = with_all_open(&server, TWO).await;
    server.under_way(4).await;
    assert!(server.tokens.revoke("one").unwrap());
    let list = modern(9, "tools/list", json!({}));
    assert_eq!(server.send(&Request::modern(ONE, &list)).await.status, 401, "at once");
    let in_session = request(9, "tools/list", json!({}));
    assert_eq!(server.send(&Request::in_session(ONE, &own, &in_session)).await.status, 401);
    server.under_way(2).await;
    for mut stream in open {
        let mut rest = Vec::new();
        let ended = tokio::time::timeout(Duration::from_secs(30), stream.read_to_end(&mut rest));
        let _ = ended.await.expect("a stream of the revoked token is still open");
    }
    assert_eq!(server.send(&Request::modern(TWO, &list)).await.status, 200);
    assert_eq!(server.send(&Request::in_session(TWO, &other, &in_session)).await.status, 200);
    assert_eq!(server.runtime.in_flight(), 2, "the calls of the other go on");
    drop(others_open);

    // The same name with another token is somebody else, who has none of those sessions.
    let new = server.tokens.find_or_add("one").unwrap().secret;
    assert_eq!(server.send(&Request::modern(&new, &list)).await.status, 200, "at once, too");
    assert_eq!(server.send(&Request::in_session(&new, &own, &in_session)).await.status, 404);
    assert_eq!(server.send(&Request::modern(ONE, &list)).await.status, 401);
}

#[tokio::test]
async fn what_a_revoked_holder_has_open_ends_without_another_request() {
    let server = Server::start().await;
    let (_, open) = with_all_open(&server, ONE).await;
    server.under_way(2).await;
    assert!(server.tokens.revoke("one").unwrap());
    server.under_way(0).await;
    for mut stream in open {
        let mut rest = Vec::new();
        let ended = tokio::time::timeout(Duration::from_secs(30), stream.read_to_end(&mut rest));
        let _ = ended.await.expect("a stream of the revoked token is still open");
    }
}

#[tokio::test]
async fn a_token_that_is_taken_away_while_its_request_arrives_is_none() {
    let server = Server::start().await;
    let echo = modern(1, "tools/call", call("echo", json!({"text": "hi"})));
    let request = Request::modern(ONE, &echo);
    let slow = server.open_slowly(&request).await;
    assert!(server.tokens.revoke("one").unwrap());
    // Somebody else's request, or the clock, makes the server look.
    assert_eq!(server.send(&request).await.status, 401);
    assert_eq!(slow.finish().await.status, 401);
    assert_eq!(server.runtime.in_flight(), 0);
}

#[tokio::test]
async fn a_call_is_recorded_under_the_name_of_its_token() {
    use dogu_runtime::record::{Filter, Record, RecordOptions, RecordReader};
    use dogu_runtime::{StateDir, redact::Redactor};
    let folder = tempfile::tempdir().unwrap();
    let state = StateDir::open(folder.path().join("state")).unwrap();
    let record = Record::open(&state, Redactor::new(), RecordOptions::default()).unwrap();
    let server = Server::serving(ServeOptions::default(), |builder| {
        builder.state(state.clone()).record(record)
    })
    .await;
    for token in [ONE, TWO] {
        let echo = modern(1, "tools/call", call("echo", json!({"text": "hi"})));
        assert_eq!(server.send(&Request::modern(token, &echo)).await.status, 200);
    }
    let reader = RecordReader::open(&state).unwrap();
    let mut seen = Vec::new();
    while seen.len() < 2 {
        let rows = reader.query(&Filter::default()).unwrap();
        seen = rows.iter().map(|row| (row.agent.clone(), row.principal.clone())).collect();
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    seen.sort();
    for ((agent, principal), (name, token)) in seen.iter().zip([("one", ONE), ("two", TWO)]) {
        assert_eq!(agent.as_deref(), Some(name));
        let digest = blake3::hash(token.as_bytes()).to_hex()[..16].to_owned();
        assert_eq!(principal.as_deref(), Some(format!("token:{name}:{digest}").as_str()));
    }
}
