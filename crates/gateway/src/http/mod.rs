//! HTTP with a server that may answer anything: bodies and events without end, other hosts,
//! statuses of every kind. rmcp's own client reads bodies of any length.
//!
//! - `mod`: requests, and the token that they are sent with.
//! - `answer`: what comes back.
//! - `events`: streams of events, bounded.
//! - `login`: one token for all requests, fetched once however many need it.

mod answer;
mod events;
mod login;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::BoxStream;
use http::{HeaderName, HeaderValue, StatusCode, header};
use reqwest::RequestBuilder;
use reqwest::redirect::Policy;
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::common::http_header::{
    EVENT_STREAM_MIME_TYPE, HEADER_LAST_EVENT_ID, HEADER_SESSION_ID, JSON_MIME_TYPE,
};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::Sse;

pub(crate) use login::Login;

use crate::wire::MAX_MESSAGE_BYTES;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);
/// Headers that belong to the protocol.
const OWN_HEADERS: [&str; 3] = ["accept", HEADER_SESSION_ID, HEADER_LAST_EVENT_ID];

type Answer<T> = Result<T, StreamableHttpError<reqwest::Error>>;
type Headers = HashMap<HeaderName, HeaderValue>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

/// The client of one server.
#[derive(Clone)]
pub(crate) struct HttpClient {
    client: reqwest::Client,
    login: Option<Login>,
}

impl HttpClient {
    /// What is sent may be secret, so nothing leads elsewhere.
    pub(crate) fn new(login: Option<Login>) -> reqwest::Result<Self> {
        // It is an error that there is one already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client =
            reqwest::Client::builder().connect_timeout(CONNECT).redirect(Policy::none()).build()?;
        Ok(Self { client, login })
    }

    /// Sends a request with the token that there is; once more with another one where the server
    /// does not take it any more.
    async fn ask<T, F>(&self, ask: impl Fn(Option<String>) -> F + Send) -> Answer<T>
    where
        F: Future<Output = Answer<T>> + Send,
    {
        let Some(login) = &self.login else { return ask(None).await };
        let token = login.token().await?;
        match (ask(token.clone()).await, token) {
            (Err(StreamableHttpError::AuthRequired(challenge)), Some(refused)) => {
                match login.another(&refused).await? {
                    Some(token) => ask(Some(token)).await,
                    None => Err(StreamableHttpError::AuthRequired(challenge)),
                }
            }
            (answer, _) => answer,
        }
    }

    async fn post(
        &self,
        uri: &str,
        message: &ClientJsonRpcMessage,
        session: Option<&str>,
        token: Option<String>,
        headers: &Headers,
    ) -> Answer<reqwest::Response> {
        let request = self.client.post(uri).header(header::ACCEPT, accepted());
        let request = with_session(with_token(request, token), session);
        let request = with_headers(request, headers)?.json(message);
        request.send().await.map_err(StreamableHttpError::Client)
    }

    async fn get(
        &self,
        uri: &str,
        (session, last_event): (Option<&str>, Option<&str>),
        token: Option<String>,
        headers: &Headers,
    ) -> Answer<reqwest::Response> {
        let request = self.client.get(uri).header(header::ACCEPT, accepted());
        let mut request = with_session(with_token(request, token), session);
        if let Some(last) = last_event {
            request = request.header(HEADER_LAST_EVENT_ID, last);
        }
        let request = with_headers(request, headers)?;
        request.send().await.map_err(StreamableHttpError::Client)
    }
}

fn accepted() -> String {
    format!("{EVENT_STREAM_MIME_TYPE}, {JSON_MIME_TYPE}")
}

fn with_token(request: RequestBuilder, token: Option<String>) -> RequestBuilder {
    match token {
        Some(token) => request.bearer_auth(token),
        None => request,
    }
}

fn with_session(request: RequestBuilder, session: Option<&str>) -> RequestBuilder {
    match session {
        Some(session) => request.header(HEADER_SESSION_ID, session),
        None => request,
    }
}

fn with_headers(mut request: RequestBuilder, headers: &Headers) -> Answer<RequestBuilder> {
    for (name, value) in headers {
        if OWN_HEADERS.iter().any(|own| name.as_str().eq_ignore_ascii_case(own)) {
            return Err(StreamableHttpError::ReservedHeaderConflict(name.to_string()));
        }
        request = request.header(name, value);
    }
    Ok(request)
}

impl StreamableHttpClient for HttpClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        _: Option<String>,
        custom_headers: Headers,
    ) -> Answer<StreamableHttpPostResponse> {
        let session = session_id.as_deref();
        self.ask(|token| {
            let (uri, message, headers) = (&uri, &message, &custom_headers);
            async move {
                let response = self.post(uri, message, session, token, headers).await?;
                answer::read(response, message, session.is_some()).await
            }
        })
        .await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        _: Option<String>,
        custom_headers: Headers,
    ) -> Answer<()> {
        self.ask(|token| {
            let (uri, session, headers) = (&uri, &session_id, &custom_headers);
            async move {
                let request = with_token(self.client.delete(&**uri), token);
                let request = with_headers(with_session(request, Some(session)), headers)?;
                let response = request.send().await.map_err(StreamableHttpError::Client)?;
                let is_gone = response.status() == StatusCode::METHOD_NOT_ALLOWED
                    || response.status() == StatusCode::NOT_FOUND;
                if is_gone {
                    return Ok(());
                }
                answer::check(&response)
            }
        })
        .await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        _: Option<String>,
        custom_headers: Headers,
    ) -> Answer<Events> {
        let place = (session_id.as_deref(), last_event_id.as_deref());
        self.ask(|token| {
            let (uri, headers) = (&uri, &custom_headers);
            async move {
                let response = self.get(uri, place, token, headers).await?;
                if response.status() == StatusCode::METHOD_NOT_ALLOWED {
                    return Err(StreamableHttpError::ServerDoesNotSupportSse);
                }
                answer::check(&response)?;
                match answer::Kind::of(&response) {
                    answer::Kind::Other(kind) => {
                        Err(StreamableHttpError::UnexpectedContentType(kind))
                    }
                    _ => Ok(events::read(response, MAX_MESSAGE_BYTES, None)),
                }
            }
        })
        .await
    }
}
