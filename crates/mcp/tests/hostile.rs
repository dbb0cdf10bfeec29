//! Clients that mean harm or are broken, over HTTP.

mod common;

use std::time::Duration;

use common::http::{ONE, Request, Server, TWO};
use common::{call, initialize, modern, modern_with, request, text};
use dogu_mcp::ServeOptions;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Until the other side has closed, for at most half a minute.
async fn closed(stream: &mut TcpStream) -> Vec<u8> {
    let mut rest = Vec::new();
    let read = tokio::time::timeout(Duration::from_secs(30), stream.read_to_end(&mut rest)).await;
    let _ = read.unwrap_or_else(|_| panic!("it is still open"));
    rest
}

#[tokio::test]
async fn a_connection_without_a_request_is_closed_and_one_with_a_request_is_not() {
    let head_time = Duration::from_millis(200);
    let options = ServeOptions { head_time, ..ServeOptions::default() };
    let server = Server::serving(options, |builder| builder).await;
    let mut waits = TcpStream::connect(server.addr).await.unwrap();
    let mut half = TcpStream::connect(server.addr).await.unwrap();
    half.write_all(b"POST /mcp HTTP/1.1\r\nHost: x\r\nX-A: ").await.unwrap();
    let mut again = TcpStream::connect(server.addr).await.unwrap();
    again.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let listen = modern("sub", "subscriptions/listen", filter);
    let mut listening = server.open(&Request::modern(ONE, &listen)).await;
    let slow = modern(1, "tools/call", call("wait", json!({"milliseconds": 1_000})));
    let slow = Request::modern(ONE, &slow);
    let (slow, ..) =
        tokio::join!(server.send(&slow), closed(&mut waits), closed(&mut half), closed(&mut again));
    assert_eq!(text(&slow.answer()), "waited", "a call takes as long as it takes");
    let mut first = [0; 12];
    listening.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    let more = tokio::time::timeout(head_time * 2, async {
        let mut bytes = [0; 4_096];
        while listening.read(&mut bytes).await.unwrap() > 0 {}
    });
    assert!(more.await.is_err(), "a stream of announcements stays open");
}

#[tokio::test]
async fn a_client_that_opens_sessions_without_end_loses_those_it_does_not_use() {
    let server = Server::start().await;
    let list = request(2, "tools/list", json!({}));
    let mut sessions: Vec<String> = Vec::new();
    for _ in 0..300 {
        let answer = server.send(&Request::post(ONE, &initialize(1, "2025-11-25"))).await;
        sessions.push(answer.header("mcp-session-id").unwrap().to_owned());
        // The first is used all the time. What is no session moves nothing.
        for id in [sessions[0].as_str(), "no-such-session"] {
            server.send(&Request::in_session(ONE, id, &list)).await;
        }
    }
    let status = async |token: &str, id: &str| {
        server.send(&Request::in_session(token, id, &list)).await.status
    };
    assert_eq!(status(ONE, &sessions[0]).await, 200);
    for (at, expected) in [(1, 404), (44, 404), (45, 200), (299, 200)] {
        assert_eq!(status(ONE, &sessions[at]).await, expected, "{at}");
    }
    assert_eq!(status(TWO, &sessions[299]).await, 404);
}

#[tokio::test]
async fn headers_that_say_something_else_than_the_message_are_refused() {
    let server = Server::start().await;
    let echo = Request::modern(ONE, &modern(1, "tools/call", call("echo", json!({"text": "hi"}))));
    for (name, value) in [
        ("Mcp-Method", "tools/list"),
        ("Mcp-Method", ""),
        ("Mcp-Name", "write_file"),
        ("Mcp-Name", "ECHO"),
        ("Mcp-Name", "echo, write_file"),
        ("Mcp-Name", "=?base64?d3JpdGVfZmlsZQ==?="),
        ("MCP-Protocol-Version", "2025-11-25"),
        ("MCP-Protocol-Version", "1999-01-01"),
    ] {
        let answer = server.send(&echo.clone().header(name, value)).await;
        assert_eq!(answer.status, 400, "{name}: {value}: {answer:?}");
        assert_eq!(answer.answer()["error"]["code"], -32020, "{name}: {value}: {answer:?}");
    }
    for name in ["Mcp-Method", "Mcp-Name", "MCP-Protocol-Version"] {
        let answer = server.send(&echo.clone().without(name)).await;
        assert_eq!((answer.status, &answer.answer()["error"]["code"]), (400, &json!(-32020)));
    }
    assert_eq!(server.runtime.in_flight(), 0);
    assert_eq!(text(&server.send(&echo).await.answer()), "hi");
}

#[tokio::test]
async fn an_answer_that_is_sent_many_times_at_once_counts_once() {
    let options = ServeOptions { ask_client: true, ..ServeOptions::default() };
    let server = Server::serving(options, |builder| builder).await;
    let forms = || json!({"elicitation": {}});
    let mut params = call("write_file", json!({"path": "a.txt", "content": "x"}));
    let first = modern_with(forms(), 1, "tools/call", params.clone());
    let asked = server.send(&Request::modern(ONE, &first)).await.answer()["result"].clone();
    let key = asked["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    params["requestState"] = asked["requestState"].clone();
    params["inputResponses"] =
        json!({key: {"action": "accept", "content": {"answer": "allow_once"}}});
    let retry = Request::modern(ONE, &modern_with(forms(), 2, "tools/call", params.clone()));
    // With the state under another method, it is nothing at all.
    let mut read = json!({"uri": "file:///etc/passwd"});
    read["requestState"] = params["requestState"].clone();
    read["inputResponses"] = params["inputResponses"].clone();
    let read = Request::modern(ONE, &modern_with(forms(), 3, "resources/read", read));
    let other = server.send(&read).await.answer();
    assert_eq!(other["result"]["resultType"], "input_required", "{other}");

    let answers = futures::future::join_all((0..16).map(|_| server.send(&retry))).await;
    let written = |answer: &Value| answer["result"]["content"][0]["text"] == "written";
    let answers: Vec<Value> = answers.iter().map(common::http::Response::answer).collect();
    assert_eq!(answers.iter().filter(|answer| written(answer)).count(), 1, "{answers:?}");
}

#[tokio::test]
async fn a_thousand_streams_leave_room_for_others_and_end_with_their_token() {
    // Both ends of each are in this process.
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let most = limit.current.map_or(1_000, |limit| (limit / 4).min(1_000));
    let server = Server::start().await;
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let mut open = Vec::new();
    for number in 0..most {
        let listen = modern(format!("s{number}"), "subscriptions/listen", filter.clone());
        open.push(server.open(&Request::modern(ONE, &listen)).await);
    }
    let list = Request::modern(TWO, &modern(1, "tools/list", json!({})));
    assert_eq!(server.send(&list).await.status, 200);
    if most > 300 {
        let refused = closed(open.last_mut().unwrap()).await;
        let refused = String::from_utf8_lossy(&refused);
        assert!(refused.contains("there are already 256 streams of announcements"), "{refused}");
    }
    server.tokens.revoke("one").unwrap();
    for stream in &mut open {
        closed(stream).await;
    }
    assert_eq!(server.send(&list).await.status, 200);
}
