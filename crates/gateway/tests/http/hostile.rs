//! Whatever a server answers over HTTP: the call ends with plain words, memory is bounded, and the
//! next call works.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{Response, StatusCode, header};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::world::{Server, World, event, events, plain, text};

/// A body of so many pieces of a megabyte, without any end where there is no number.
fn long_body(kind: &str, first: String, pieces: Option<usize>) -> Response<Body> {
    let piece = Bytes::from(vec![b'x'; 1_000_000]);
    let pieces = futures::stream::unfold((Some(first), 0), move |(first, sent)| {
        let piece = first.map_or_else(|| piece.clone(), Bytes::from);
        let is_over = pieces.is_some_and(|pieces| sent > pieces);
        let next = (!is_over).then(|| (Ok::<_, std::io::Error>(piece), (None, sent + 1)));
        std::future::ready(next)
    });
    Response::builder().header(header::CONTENT_TYPE, kind).body(Body::from_stream(pieces)).unwrap()
}

fn beginning(request: &Value) -> String {
    let id = &request["id"];
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\""
    )
}

fn answer(request: &Value, body: &'static str, kind: &'static str) -> Response<Body> {
    let _ = request;
    Response::builder().header(header::CONTENT_TYPE, kind).body(Body::from(body)).unwrap()
}

/// Does what the call says.
fn does(_: &Arc<Server>, request: Value) -> Response<Body> {
    let what = request["params"]["arguments"]["what"].as_str().unwrap().to_owned();
    match what.as_str() {
        "endless body" => long_body("application/json", beginning(&request), None),
        "endless event" => {
            long_body("text/event-stream", format!("data: {}", beginning(&request)), None)
        }
        "endless comment" => long_body("text/event-stream", ": ".to_owned(), None),
        "endless refusal" => {
            let mut response = long_body("application/json", "{".to_owned(), None);
            *response.status_mut() = StatusCode::BAD_REQUEST;
            response
        }
        "500" => plain(StatusCode::INTERNAL_SERVER_ERROR, &json!({"oh": "no"})),
        "503" => answer(&request, "<html>\u{1b}[2Jno", "text/html").tap(|response| {
            *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        }),
        "404" => plain(StatusCode::NOT_FOUND, &json!({"oh": "n\u{202e}o"})),
        "error in a 400" => {
            let error = json!({"code": -32602, "message": "wrong argument"});
            plain(
                StatusCode::BAD_REQUEST,
                &json!({"jsonrpc": "2.0", "id": request["id"], "error": error}),
            )
        }
        "html" => answer(&request, "<html>", "text/html"),
        "no kind" => Response::new(Body::from("what?")),
        "invalid" => answer(&request, "{\"jsonrpc\": ", "application/json"),
        "not text" => Response::builder()
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(&b"\xff\xfe{}"[..]))
            .unwrap(),
        "array" => answer(&request, "[1, 2, 3]", "application/json"),
        "empty" => answer(&request, "", "application/json"),
        "accepted" => plain(StatusCode::ACCEPTED, &json!({})),
        "other id" => {
            let mut other = text(&request, "not yours");
            other["id"] = 424_242.into();
            plain(StatusCode::OK, &other)
        }
        "no events" => events().1,
        "junk events" => {
            let (stream, response) = events();
            tokio::spawn(async move {
                for junk in
                    ["data: {\n\n", "data: \n\n", "id: 1\nretry: 0\ndata: [1]\n\n", "\n\n\n"]
                {
                    let _ = stream.send(Bytes::from(junk)).await;
                }
                let _ = stream.send(event(&text(&request, "after the junk"))).await;
            });
            response
        }
        "other event" => {
            let (stream, response) = events();
            tokio::spawn(async move {
                let other = json!({"jsonrpc": "2.0", "id": 777, "result": {}});
                let _ = stream.send(event(&other)).await;
            });
            response
        }
        "stream without end" => {
            let (stream, response) = events();
            tokio::spawn(async move {
                let told = json!({"jsonrpc": "2.0", "method": "notifications/message",
                    "params": {"level": "info", "data": "still here"}});
                while stream.send(event(&told)).await.is_ok() {}
            });
            response
        }
        other => plain(StatusCode::OK, &text(&request, other)),
    }
}

trait Tap: Sized {
    fn tap(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

impl Tap for Response<Body> {}

#[tokio::test]
async fn whatever_is_answered_the_call_ends_in_plain_words_and_the_next_one_works() {
    for (what, expected) in [
        ("endless body", "answered with more than 33554432 bytes"),
        ("endless event", "answered with more than 33554432 bytes"),
        ("endless comment", "answered with more than 33554432 bytes"),
        ("endless refusal", "it answered with HTTP 400 Bad Request"),
        ("500", "HTTP 500"),
        ("503", "HTTP 503"),
        ("404", "it answered with HTTP 404 Not Found: {\"oh\":\"no\"}"),
        ("error in a 400", "refused: wrong argument (-32602)"),
        ("html", "text/html"),
        ("no kind", "did not answer as it should"),
        ("invalid", "its answer is not one of the protocol"),
        ("not text", "its answer is not one of the protocol"),
        ("array", "its answer is not one of the protocol: [1, 2, 3]"),
        ("empty", "its answer is not one of the protocol"),
        ("junk events", "after the junk"),
    ] {
        let world = World::new(does).await;
        let told = world.call("c1", what).await;
        assert!(told.contains(expected), "{what}: {told}");
        assert!(!told.contains(['\u{1b}', '\u{202e}']), "{what}: {told:?}");
        assert_eq!(world.call("c2", "fine").await, "fine", "{what}");
    }
}

#[tokio::test]
async fn an_answer_that_never_comes_ends_with_the_time_of_the_call() {
    for what in ["accepted", "other id", "other event", "no events", "stream without end"] {
        let world = World::new(does).await;
        let told = world.call("c1", what).await;
        let is_told = told.contains("did not answer within 5 seconds")
            || told.contains("did not answer as it should")
            || told.contains("broke off before it had answered");
        assert!(is_told, "{what}: {told}");
        assert_eq!(world.call("c2", "fine").await, "fine", "{what}");
    }
}

/// The most memory that this process ever had, in KB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn bodies_without_end_take_no_memory() {
    // In a process of its own: other tests take memory too.
    if std::env::var_os("DOGU_TEST_ALONE").is_none() {
        let mut process = std::process::Command::new(std::env::current_exe().unwrap());
        process.args(["--exact", "hostile::bodies_without_end_take_no_memory"]);
        let done = process.env("DOGU_TEST_ALONE", "1").output().unwrap();
        let said = String::from_utf8_lossy(&done.stdout);
        assert!(done.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let world = World::new(does).await;
    let before = peak();
    for what in ["endless body", "endless event", "endless comment", "endless refusal"] {
        world.call(what, what).await;
    }
    let grown = peak().saturating_sub(before);
    assert!(grown < 200 * 1024, "the process grew by {grown} KB");
}

/// A token is for its server alone, wherever that one leads.
#[tokio::test]
async fn a_redirection_is_told_and_never_followed() {
    let other = World::new(does).await;
    let target = format!("{}/elsewhere", other.server.base);
    let before = other.server.seen.lock().unwrap().len();
    for status in [301, 302, 303, 307, 308] {
        let target = target.clone();
        let world = World::new(move |_, request| {
            if request["params"]["arguments"]["what"] == "fine" {
                return plain(StatusCode::OK, &text(&request, "fine"));
            }
            let mut response = plain(StatusCode::from_u16(status).unwrap(), &json!({}));
            response.headers_mut().insert(header::LOCATION, target.parse().unwrap());
            response
        })
        .await;
        let told = world.call("c1", "go").await;
        assert!(told.contains("leads to another address, to which nothing is sent"), "{told}");
        assert!(told.contains("/elsewhere"), "{told}");
        assert_eq!(world.call("c2", "fine").await, "fine");
        let sent = world.server.seen.lock().unwrap();
        assert!(sent.iter().all(|headers| headers[header::AUTHORIZATION] == "Bearer s3cret"));
    }
    assert_eq!(other.server.seen.lock().unwrap().len(), before, "nothing came there");
}

/// A server that says how long its answer is and is wrong, which axum cannot be.
async fn liar(length: usize, body: &'static str) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut read = vec![0; 65_536];
                let _ = stream.read(&mut read).await;
                let head = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
                );
                let _ = stream.write_all(head.as_bytes()).await;
                // Nothing more comes, and it stays open for a while.
                tokio::time::sleep(Duration::from_millis(200)).await;
            });
        }
    });
    base
}

#[tokio::test]
async fn a_length_that_is_a_lie_ends_the_start_in_plain_words() {
    for (length, body) in [(10_000, "{}"), (2, "{\"jsonrpc\": \"2.0\"}"), (usize::MAX, "{")] {
        let address = liar(length, body).await;
        let folder = tempfile::tempdir().unwrap();
        let server = dogu_runtime::mcp::McpServer::address(address);
        let servers = std::collections::BTreeMap::from([("s".to_owned(), server)]);
        let gateway =
            dogu_gateway::Gateway::new(dogu_gateway::GatewayParts::new(servers, folder.path()));
        let failed = gateway.load().await;
        assert_eq!(failed.len(), 1, "{length}: {failed:?}");
        assert!(!failed[0].1.to_string().is_empty());
    }
}

/// A stream that ends at once and wants to be opened again at once is opened again with pauses.
#[tokio::test]
async fn a_stream_is_not_opened_again_without_a_pause() {
    let opened = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&opened);
    let world = World::new(move |_, request| {
        // A stream that is opened again is no call.
        count.fetch_add(usize::from(request.is_object()), Ordering::SeqCst);
        let (stream, response) = events();
        tokio::spawn(async move {
            let _ = stream.send(Bytes::from("id: 7\nretry: 0\ndata: \n\n")).await;
        });
        response
    })
    .await;
    let told = world.call("c1", "x").await;
    assert!(told.contains("did not"), "{told}");
    let asked = world.server.seen.lock().unwrap().len();
    assert!((3..100).contains(&asked), "{asked} requests within 5 seconds");
    assert_eq!(opened.load(Ordering::SeqCst), 1, "and the call itself is sent once");
}
