//! The body of a request, before anything reads it as a message.

use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use crate::message::{self, MAX_MESSAGE_BYTES, Parsed, Refusal};

/// How much of a body that is too large is read and thrown away: a client that is still writing
/// when the connection closes sees a broken pipe and never the answer.
const MAX_DISCARDED_BYTES: usize = 128 * 1024 * 1024;
/// How long a body may take.
const BODY_TIME: Duration = Duration::from_mins(1);

/// Reads the body and refuses what is no message, with the words of JSON-RPC.
pub(crate) async fn checked(request: Request) -> Result<Request, Response> {
    let (parts, body) = request.into_parts();
    let bytes = match tokio::time::timeout(BODY_TIME, read(body)).await {
        Ok(bytes) => bytes?,
        Err(_) => return Err(StatusCode::REQUEST_TIMEOUT.into_response()),
    };
    match message::parse(&bytes) {
        Parsed::Refused(refusal) => Err(refused(StatusCode::BAD_REQUEST, &refusal)),
        // rmcp reads it again and answers.
        Parsed::Message(_) | Parsed::Nothing => Ok(Request::from_parts(parts, Body::from(bytes))),
    }
}

async fn read(body: Body) -> Result<Bytes, Response> {
    let mut body = std::pin::pin!(body);
    let mut kept = Vec::new();
    let mut seen = 0_usize;
    while let Some(frame) = std::future::poll_fn(|context| body.as_mut().poll_frame(context)).await
    {
        let frame = frame.map_err(|_| StatusCode::BAD_REQUEST.into_response())?;
        let Ok(bytes) = frame.into_data() else { continue };
        seen = seen.saturating_add(bytes.len());
        if seen <= MAX_MESSAGE_BYTES {
            kept.extend_from_slice(&bytes);
        } else {
            kept = Vec::new();
        }
        if seen > MAX_DISCARDED_BYTES {
            break;
        }
    }
    if seen > MAX_MESSAGE_BYTES {
        return Err(refused(StatusCode::PAYLOAD_TOO_LARGE, &Refusal::too_large()));
    }
    Ok(kept.into())
}

fn refused(status: StatusCode, refusal: &Refusal) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], refusal.to_json()).into_response()
}
