//! Asking: batches of texts, some at a time.

use std::error::Error as _;
use std::time::Duration;

use dogu_tool::CancelFlag;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE};
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use serde_json::json;

use super::answer::{self, vectors};
use super::options::Endpoint;

/// How many texts one request has.
const BATCH: usize = 32;
/// How many requests are under way at a time.
const AT_A_TIME: usize = 4;
/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(5);
/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(20);
/// How large an answer may be: numbers of 32 vectors, written out, take three megabytes.
const MAX_BYTES: usize = 32 * 1024 * 1024;

/// The vectors of texts, or why there are none.
pub(super) fn embed(
    endpoint: &Endpoint,
    texts: &[String],
    cancel: &CancelFlag,
) -> Result<Vec<Vec<f32>>, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    runtime.block_on(async {
        tokio::select! {
            asked = ask_all(endpoint, texts) => asked,
            () = cancel.canceled() => Err("canceled".to_owned()),
        }
    })
}

async fn ask_all(endpoint: &Endpoint, texts: &[String]) -> Result<Vec<Vec<f32>>, String> {
    let client = client().map_err(|error| failed(endpoint, &error))?;
    let batches = texts.chunks(BATCH).map(|batch| ask(&client, endpoint, batch));
    let answers: Vec<_> = stream::iter(batches).buffered(AT_A_TIME).try_collect().await?;
    let vectors: Vec<Vec<f32>> = answers.into_iter().flatten().collect();
    match answer::uneven(&vectors) {
        Some(problem) => Err(format!("{} {problem}", endpoint.host())),
        None => Ok(vectors),
    }
}

fn client() -> reqwest::Result<Client> {
    // It is an error that there is one already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // A redirect would carry the texts to an address that nobody has set.
    Client::builder().connect_timeout(CONNECT).timeout(ANSWER).redirect(Policy::none()).build()
}

async fn ask(
    client: &Client,
    endpoint: &Endpoint,
    batch: &[String],
) -> Result<Vec<Vec<f32>>, String> {
    let mut body = json!({"model": endpoint.model, "input": batch});
    if let Some(dimensions) = endpoint.dimensions {
        body["dimensions"] = dimensions.into();
    }
    let mut request = client.post(endpoint.url.clone()).header(CONTENT_TYPE, "application/json");
    if let Some(authorization) = &endpoint.authorization {
        request = request.header(AUTHORIZATION, authorization.clone());
    }
    let response = request.body(body.to_string()).send().await;
    let response = response.map_err(|error| failed(endpoint, &error))?;
    let status = response.status();
    let bytes = bounded(response, endpoint).await?;
    if !status.is_success() {
        let said = answer::complaint(&bytes);
        return Err(format!("{} answered {}{said}", endpoint.host(), status.as_u16()));
    }
    vectors(&bytes, batch.len(), endpoint.dimensions)
        .map_err(|problem| format!("{} {problem}", endpoint.host()))
}

async fn bounded(mut response: Response, endpoint: &Endpoint) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| failed(endpoint, &error))? {
        if bytes.len() + chunk.len() > MAX_BYTES {
            return Err(format!("{} answered with more than is possible", endpoint.host()));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// What went wrong, without the address, which may have secrets in its query.
fn failed(endpoint: &Endpoint, error: &reqwest::Error) -> String {
    let host = endpoint.host();
    if error.is_timeout() {
        return format!("{host} did not answer in time");
    }
    let mut source = error.source();
    let mut deepest = None;
    while let Some(inner) = source {
        deepest = Some(inner.to_string());
        source = inner.source();
    }
    let why = deepest.unwrap_or_else(|| "the request could not be made".to_owned());
    if error.is_connect() {
        return format!("{host} cannot be reached ({why})");
    }
    format!("{host} broke off ({why})")
}
