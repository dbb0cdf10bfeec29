//! What a server answers to a request.

use std::borrow::Cow;

use http::{StatusCode, header};
use reqwest::Response;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::common::http_header::{
    EVENT_STREAM_MIME_TYPE, HEADER_SESSION_ID, JSON_MIME_TYPE,
};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, StreamableHttpError,
    StreamableHttpPostResponse,
};

use super::{Answer, events};
use crate::clean::line;
use crate::wire::{MAX_MESSAGE_BYTES, failure, too_long};

/// How much of a body that is no answer is read.
const MAX_REFUSAL: usize = 64 * 1024;
/// How much of it is told.
const MAX_TOLD: usize = 300;

/// What a body is.
pub(super) enum Kind {
    Json,
    Events,
    /// Something else, or nobody says what.
    Other(Option<String>),
}

impl Kind {
    pub(super) fn of(response: &Response) -> Self {
        let said = response.headers().get(header::CONTENT_TYPE);
        let said = said.map(|kind| String::from_utf8_lossy(kind.as_bytes()).to_lowercase());
        match said {
            Some(kind) if kind.starts_with(EVENT_STREAM_MIME_TYPE) => Self::Events,
            Some(kind) if kind.starts_with(JSON_MIME_TYPE) => Self::Json,
            other => Self::Other(other),
        }
    }
}

/// Reads the answer to a message.
pub(super) async fn read(
    response: Response,
    message: &ClientJsonRpcMessage,
    had_session: bool,
) -> Answer<StreamableHttpPostResponse> {
    if let Some(refused) = wants_login(&response) {
        return Err(refused);
    }
    let status = response.status();
    if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
        return Ok(StreamableHttpPostResponse::Accepted);
    }
    if status == StatusCode::NOT_FOUND && had_session {
        return Err(StreamableHttpError::SessionExpired);
    }
    if !status.is_success() {
        return refused(response, message, had_session).await;
    }
    let id = match message {
        JsonRpcMessage::Request(request) => request.id.clone(),
        // Whatever is said to what wants no answer, it was taken.
        _ => return Ok(StreamableHttpPostResponse::Accepted),
    };
    let session = response.headers().get(HEADER_SESSION_ID);
    let session = session.and_then(|session| session.to_str().ok()).map(str::to_owned);
    match Kind::of(&response) {
        Kind::Events => {
            let events = events::read(response, MAX_MESSAGE_BYTES, Some(id));
            Ok(StreamableHttpPostResponse::Sse(events, session))
        }
        Kind::Json => {
            Ok(StreamableHttpPostResponse::Json(json_message(response, id).await?, session))
        }
        Kind::Other(kind) => Err(StreamableHttpError::UnexpectedContentType(kind)),
    }
}

async fn json_message(response: Response, id: RequestId) -> Answer<ServerJsonRpcMessage> {
    let Some(body) = body(response, MAX_MESSAGE_BYTES).await? else {
        return Ok(failure(id, too_long(format_args!("more than {MAX_MESSAGE_BYTES}"))));
    };
    serde_json::from_slice(&body).map_err(|_| {
        let beginning = String::from_utf8_lossy(&body[..body.len().min(MAX_TOLD)]).into_owned();
        unexpected(format!("its answer is not one of the protocol: {}", line(&beginning, MAX_TOLD)))
    })
}

/// A body of at most so many bytes; none where it is longer.
async fn body(mut response: Response, most: usize) -> Answer<Option<Vec<u8>>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(StreamableHttpError::Client)? {
        if body.len() + chunk.len() > most {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}

/// A status that says no. Where the body has an error of the protocol, that says why.
async fn refused(
    response: Response,
    message: &ClientJsonRpcMessage,
    had_session: bool,
) -> Answer<StreamableHttpPostResponse> {
    let status = response.status();
    let is_json = matches!(Kind::of(&response), Kind::Json);
    let by_status = check(&response);
    if status.is_redirection() || is_fault(status) && !is_json {
        return by_status.map(|()| StreamableHttpPostResponse::Accepted);
    }
    let text = body(response, MAX_REFUSAL).await.ok().flatten().unwrap_or_default();
    let is_about_login = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    let told = match serde_json::from_slice::<ServerJsonRpcMessage>(&text) {
        Ok(JsonRpcMessage::Error(error)) if is_json && !is_about_login => Some(error),
        _ => None,
    };
    if let Some(id) = rejected_probe(message, had_session, status) {
        let why = || {
            let text = format!("server/discover was refused with HTTP {status}");
            ErrorData::invalid_request(text, None)
        };
        // Whoever refuses before the protocol is spoken cannot know the id.
        let error = told.map_or_else(why, |told| told.error);
        let error = ServerJsonRpcMessage::error(error, Some(id));
        return Ok(StreamableHttpPostResponse::Json(error, None));
    }
    if let Some(told) = told {
        return Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Error(told), None));
    }
    if is_fault(status) {
        by_status?;
    }
    let text = String::from_utf8_lossy(&text);
    Err(unexpected(format!("it answered with HTTP {status}: {}", line(&text, MAX_TOLD))))
}

/// The id of a question which era a server speaks, if its refusal means that it is the older one.
fn rejected_probe(
    message: &ClientJsonRpcMessage,
    had_session: bool,
    status: StatusCode,
) -> Option<RequestId> {
    let is_about_login = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    if had_session || is_about_login || !status.is_client_error() {
        return None;
    }
    match message {
        JsonRpcMessage::Request(request)
            if matches!(request.request, ClientRequest::DiscoverRequest(_)) =>
        {
            Some(request.id.clone())
        }
        _ => None,
    }
}

/// The error that a status is, if it is one.
pub(super) fn check(response: &Response) -> Answer<()> {
    if let Some(refused) = wants_login(response) {
        return Err(refused);
    }
    let status = response.status();
    if status.is_redirection() {
        let place = response.headers().get(header::LOCATION);
        let place = place.map(|place| String::from_utf8_lossy(place.as_bytes()).into_owned());
        let place = line(&place.unwrap_or_default(), MAX_TOLD);
        return Err(unexpected(format!(
            "it leads to another address, to which nothing is sent: {place}"
        )));
    }
    if is_fault(status) {
        let again = response.headers().get(header::RETRY_AFTER);
        let again = again.and_then(|again| again.to_str().ok()).map(str::to_owned);
        return Err(HttpStatusError::new(status.as_u16(), again).into());
    }
    if !status.is_success() {
        return Err(unexpected(format!("it answered with HTTP {status}")));
    }
    Ok(())
}

/// The server has trouble of its own.
fn is_fault(status: StatusCode) -> bool {
    status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS
}

/// A refusal that says how to log in.
fn wants_login(response: &Response) -> Option<StreamableHttpError<reqwest::Error>> {
    let said = response.headers().get_all(header::WWW_AUTHENTICATE).iter();
    let said: Vec<&str> = said.filter_map(|challenge| challenge.to_str().ok()).collect();
    let is_bearer = |challenge: &&&str| challenge.to_ascii_lowercase().starts_with("bearer");
    let challenge = (*said.iter().find(is_bearer).or(said.first())?).to_owned();
    match response.status() {
        StatusCode::UNAUTHORIZED => {
            Some(StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge)))
        }
        StatusCode::FORBIDDEN => {
            let error = InsufficientScopeError::new(challenge, None);
            Some(StreamableHttpError::InsufficientScope(error))
        }
        _ => None,
    }
}

fn unexpected(told: String) -> StreamableHttpError<reqwest::Error> {
    StreamableHttpError::UnexpectedServerResponse(Cow::Owned(told))
}
