//! Redirections, by real servers.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod server;

use std::error::Error as _;
use std::sync::Once;

use dogu_net::Reach;
use reqwest::Url;
use server::{Server, reply};

/// The body that the small server wants to read.
async fn ask(reach: &Reach, url: &str) -> Result<String, String> {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    let client = reach.client().build().unwrap();
    let answer = client.post(url).body("null").send().await.map_err(|error| {
        let cause = error.source().map(ToString::to_string).unwrap_or_default();
        format!("{error}: {cause}")
    })?;
    answer.text().await.map_err(|error| error.to_string())
}

fn redirect(to: &str) -> Vec<u8> {
    format!("HTTP/1.1 307 Elsewhere\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n").into_bytes()
}

#[tokio::test]
async fn s5_a_redirection_leads_nowhere_that_was_not_granted() {
    let inner = Server::start(|_| reply("200 OK", "the inner secret"));
    let inner_url = inner.url();
    let outer = Server::start(move |request| match request.path.as_str() {
        "/v1/in" => redirect(&inner_url),
        "/v1/file" => redirect("file:///etc/passwd"),
        "/v1/cloud" => redirect("http://169.254.169.254/latest/meta-data"),
        "/v1/name" => redirect("http://localhost:1/"),
        "/v1/here" => redirect("/v1/end"),
        "/v1/round" => redirect("/v1/round"),
        _ => reply("200 OK", "reached"),
    });
    let base = outer.url();
    let reach = Reach::to([&Url::parse(&base).unwrap()]);
    assert_eq!(ask(&reach, &base).await.unwrap(), "reached");
    assert_eq!(ask(&reach, &format!("{base}/here")).await.unwrap(), "reached");
    for (path, words) in [
        ("in", "was not granted"),
        ("cloud", "was not granted"),
        ("name", "was not granted"),
        ("round", "more than 10 times"),
    ] {
        let refused = ask(&reach, &format!("{base}/{path}")).await.unwrap_err();
        assert!(refused.contains(words), "{path}: {refused}");
    }
    // What is no address of the web is not followed at all.
    assert_eq!(ask(&reach, &format!("{base}/file")).await.unwrap(), "");
    assert!(inner.received().is_empty());
    // Granted, the same redirection is followed.
    let reach = Reach::to([&Url::parse(&base).unwrap(), &Url::parse(&inner.url()).unwrap()]);
    assert_eq!(ask(&reach, &format!("{base}/in")).await.unwrap(), "the inner secret");
}

#[tokio::test]
async fn s5_a_name_is_looked_at_after_it_was_resolved() {
    let server = Server::start(|_| reply("200 OK", "reached"));
    let port = Url::parse(&server.url()).unwrap().port().unwrap();
    // The address alone does not tell here; what it stands for does.
    let refused = ask(&Reach::default(), &format!("http://localhost:{port}/")).await.unwrap_err();
    assert!(refused.contains("localhost"), "{refused}");
    assert!(server.received().is_empty());
}
