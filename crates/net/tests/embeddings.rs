//! An endpoint that works, and all the ways in which one does not.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

#[path = "server/mod.rs"]
mod server;

use std::time::{Duration, Instant};

use dogu_net::{EmbeddingsEndpoint, EndpointOptions};
use dogu_tool::{CancelFlag, Embeddings as _, ErrorCode, ToolError};
use server::{Server, embedded, reply};

fn endpoint(url: &str) -> EmbeddingsEndpoint {
    EmbeddingsEndpoint::new(EndpointOptions::new(url, "words")).unwrap()
}

fn texts(count: u8) -> Vec<String> {
    (0..count).map(|number| format!("text {number}")).collect()
}

fn embed(endpoint: &EmbeddingsEndpoint) -> Result<Vec<Vec<f32>>, ToolError> {
    endpoint.embed(&texts(2), &CancelFlag::new())
}

/// What is said where a server answers so.
fn problem(answer: impl Fn() -> Vec<u8> + Send + Sync + 'static) -> String {
    let server = Server::start(move |_| answer());
    let port = server.url().rsplit(':').next().unwrap().replace("/v1", "");
    embed(&endpoint(&server.url())).unwrap_err().to_string().replace(&port, "PORT")
}

#[test]
fn texts_go_out_in_batches_and_vectors_come_back_in_order() {
    let server =
        Server::start(|request| embedded(request, |text| vec![1.0, text[5..].parse().unwrap()]));
    let vectors = endpoint(&server.url()).embed(&texts(100), &CancelFlag::new()).unwrap();
    let numbers: Vec<f32> = vectors.iter().map(|vector| vector[1]).collect();
    assert_eq!(numbers, (0..100_u8).map(f32::from).collect::<Vec<_>>());
    let received = server.received();
    assert_eq!(received.len(), 4);
    for request in received {
        assert_eq!((request.path.as_str(), request.authorization), ("/v1/embeddings", None));
        assert_eq!(request.body["model"], "words");
        assert!(request.body.get("dimensions").is_none());
    }
}

#[test]
fn key_and_dimensions_are_sent() {
    let server = Server::start(|request| embedded(request, |_| vec![1.0, 2.0]));
    let mut options = EndpointOptions::new(server.url(), "words");
    options.key = Some("the-key".to_owned());
    options.dimensions = Some(2);
    embed(&EmbeddingsEndpoint::new(options).unwrap()).unwrap();
    let request = server.received().remove(0);
    assert_eq!(request.authorization.as_deref(), Some("Bearer the-key"));
    assert_eq!(request.body["dimensions"], 2);
}

#[test]
fn the_debug_form_does_not_show_the_key() {
    let mut options = EndpointOptions::new("https://a.example", "words");
    options.key = Some("the-key".to_owned());
    let shown = format!("{:?}", EmbeddingsEndpoint::new(options).unwrap());
    assert!(!shown.contains("the-key"), "{shown}");
}

#[test]
fn what_goes_wrong_is_said() {
    assert_eq!(
        problem(|| reply("401 Unauthorized", r#"{"error": {"message": "no such key"}}"#)),
        "127.0.0.1:PORT answered 401: no such key"
    );
    assert_eq!(problem(|| reply("500 Oops", "<html>")), "127.0.0.1:PORT answered 500");
    assert_eq!(
        problem(|| reply("200 OK", r#"{"data": [{"embedding": [1]}]}"#)),
        "127.0.0.1:PORT gave 1 vectors for 2 texts"
    );
    assert_eq!(
        problem(|| reply("200 OK", r#"{"data": [{"embedding": [1]}, {"embedding": [1, 2]}]}"#)),
        "127.0.0.1:PORT gave vectors of different lengths"
    );
    let nonsense = problem(|| reply("200 OK", "hello"));
    assert!(nonsense.starts_with("127.0.0.1:PORT did not answer with vectors"), "{nonsense}");
    let cut = b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 100\r\n\r\n{\"data\"";
    let half = problem(|| cut.to_vec());
    assert!(half.starts_with("127.0.0.1:PORT broke off"), "{half}");
    let garbage = problem(|| b"SSH-2.0 connection: close\r\n\r\n".to_vec());
    assert!(garbage.starts_with("127.0.0.1:PORT broke off"), "{garbage}");
}

#[test]
fn a_redirect_is_not_followed() {
    let elsewhere = Server::start(|request| embedded(request, |_| vec![1.0]));
    let location = format!("{}/embeddings", elsewhere.url());
    let redirecting = problem(move || {
        format!("HTTP/1.1 307 Go\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n").into_bytes()
    });
    assert_eq!(redirecting, "127.0.0.1:PORT answered 307");
    assert!(elsewhere.received().is_empty());
}

#[test]
fn an_endless_answer_is_cut_off() {
    let said = problem(|| {
        let mut answer = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n".to_vec();
        answer.resize(40 * 1024 * 1024, b' ');
        answer
    });
    assert_eq!(said, "127.0.0.1:PORT answered with more than is possible");
}

#[test]
fn a_dead_endpoint_is_left_alone_for_a_while() {
    let server = Server::start(|_| reply("503 Busy", ""));
    let endpoint = endpoint(&server.url());
    embed(&endpoint).unwrap_err();
    let again = embed(&endpoint).unwrap_err().to_string();
    assert!(again.contains("answered 503; it is asked again in"), "{again}");
    assert_eq!(server.received().len(), 1);
}

#[test]
fn nobody_there_is_said_at_once() {
    let url = Server::start(|_| Vec::new()).url();
    let said = embed(&endpoint(&url)).unwrap_err().to_string();
    assert!(said.contains("cannot be reached (Connection refused"), "{said}");
}

#[test]
fn a_call_that_is_canceled_does_not_wait_for_the_answer() {
    let server = Server::start(|_| Vec::new());
    let (endpoint, cancel) = (endpoint(&server.url()), CancelFlag::new());
    let begun = Instant::now();
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| endpoint.embed(&texts(1), &cancel));
        while server.received().is_empty() {
            std::thread::sleep(Duration::from_millis(2));
        }
        cancel.cancel();
        assert_eq!(asked.join().unwrap().unwrap_err().code(), ErrorCode::Canceled);
    });
    // The answer itself may take twenty seconds.
    assert!(begun.elapsed() < Duration::from_secs(15));
    // It was not the endpoint's fault: it is asked again.
    assert!(endpoint.embed(&[], &CancelFlag::new()).is_ok());
}
