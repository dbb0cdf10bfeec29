//! What the protocol has given up and old clients still speak: sampling, roots, log messages and
//! subscriptions to single resources. Nothing of dogu is built on it; it is here so that tools
//! which use it, and clients which ask for it, are answered as the protocol says.
#![expect(deprecated, reason = "rmcp marks all of this as given up, which is what is here")]

use std::sync::Mutex;
use std::sync::PoisonError;

use dogu_runtime::EventKind;
use dogu_tool::LogLevel;
use rmcp::model::{
    ClientCapabilities, InputRequest, LoggingLevel, LoggingMessageNotificationParam,
    RequestMetaObject, ServerCapabilities,
};
use rmcp::service::ServiceError;
use rmcp::{ErrorData, Peer, RoleServer};
use serde_json::Value;

/// Says that log messages are sent and single resources can be subscribed to.
pub(crate) fn declare(capabilities: &mut ServerCapabilities) {
    capabilities.logging = Some(serde_json::Map::new());
    if let Some(resources) = &mut capabilities.resources {
        resources.subscribe = Some(true);
    }
}

/// The capability that a request needs and the client did not declare.
pub(crate) fn lacks(
    client: &ClientCapabilities,
    request: &InputRequest,
) -> Option<ClientCapabilities> {
    match request {
        InputRequest::CreateMessage(_) if client.sampling.is_none() => {
            Some(ClientCapabilities::builder().enable_sampling().build())
        }
        InputRequest::ListRoots(_) if client.roots.is_none() => {
            Some(ClientCapabilities::builder().enable_roots().build())
        }
        _ => None,
    }
}

/// Asks a client of the older eras, and waits for its answer.
pub(crate) async fn send(
    peer: &Peer<RoleServer>,
    request: InputRequest,
) -> Result<Value, ServiceError> {
    let value = |result: serde_json::Result<Value>| {
        result.map_err(|error| {
            ServiceError::McpError(ErrorData::internal_error(error.to_string(), None))
        })
    };
    match request {
        InputRequest::Elicitation(request) => {
            value(serde_json::to_value(peer.create_elicitation(request.params).await?))
        }
        InputRequest::CreateMessage(request) => {
            value(serde_json::to_value(peer.create_message(request.params).await?))
        }
        InputRequest::ListRoots(_) => value(serde_json::to_value(peer.list_roots().await?)),
        _ => Err(ServiceError::UnexpectedResponse),
    }
}

/// What a client sends to see the log.
pub(crate) type SetLevel = rmcp::model::SetLevelRequestParams;

/// From which level on the log is wanted.
pub(crate) type WantedLevel = LoggingLevel;

/// How much of the log a connection of the older eras wants to see.
#[derive(Default)]
pub(crate) struct Level(Mutex<Option<LoggingLevel>>);

impl Level {
    pub(crate) fn set(&self, said: &SetLevel) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(said.level);
    }

    /// What a request wants to see: what it says itself, or what its session said.
    pub(crate) fn of(&self, meta: &RequestMetaObject) -> Option<LoggingLevel> {
        meta.log_level().or_else(|| *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A tool's log line for whoever wants lines of its level.
pub(crate) fn message(
    kind: &EventKind,
    wanted: LoggingLevel,
) -> Option<LoggingMessageNotificationParam> {
    let EventKind::Log { level, text } = kind else { return None };
    let level = match level {
        LogLevel::Debug => LoggingLevel::Debug,
        LogLevel::Info => LoggingLevel::Info,
        LogLevel::Warn => LoggingLevel::Warning,
        LogLevel::Error => LoggingLevel::Error,
    };
    (rank(level) >= rank(wanted))
        .then(|| LoggingMessageNotificationParam::new(level, Value::String(text.clone())))
}

/// Sends a log line.
pub(crate) async fn tell(peer: &Peer<RoleServer>, message: LoggingMessageNotificationParam) {
    // A client that is gone misses it.
    let _ = peer.notify_logging_message(message).await;
}

fn rank(level: LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => 0,
        LoggingLevel::Info => 1,
        LoggingLevel::Notice => 2,
        LoggingLevel::Warning => 3,
        LoggingLevel::Error => 4,
        LoggingLevel::Critical => 5,
        LoggingLevel::Alert => 6,
        LoggingLevel::Emergency => 7,
    }
}
