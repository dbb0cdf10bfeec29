//! One request and its answer: progress extends its time, a cancel is passed on, and whoever
//! waits is told when the server is gone.

use std::sync::Arc;
use std::time::Duration;

use dogu_tool::CancelFlag;
use rmcp::RoleClient;
use rmcp::model::{
    ClientRequest, ElicitResult, ErrorData, InputRequest, InputRequests, InputResponses,
    ServerResult,
};
use rmcp::service::{PeerRequestOptions, RequestHandle, ServiceError};
use rmcp::transport::streamable_http_client::{AuthRequiredError, InsufficientScopeError};
use serde_json::json;
use tokio::time::{Instant, sleep_until};

use super::Session;
use super::connect::{MAX_REASON, words};
use super::heard::{Heard, Progress};
use crate::clean::line;

/// How long a request may take, and who hears how far it is.
pub(crate) struct Patience<'a> {
    /// The call that it is for, if it is for one.
    pub(crate) call: Option<&'a str>,
    /// Without a word from the server.
    pub(crate) idle: Duration,
    /// At most.
    pub(crate) most: Duration,
    pub(crate) cancel: &'a CancelFlag,
    pub(crate) tell: &'a (dyn Fn(&str, Option<f32>) + Send + Sync),
}

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CallError {
    Canceled,
    Timeout(Duration),
    /// The session ended first. What the server did is not known.
    Gone,
    /// The request could not be sent, or its answer not be read. What the server did is not known.
    Lost(String),
    /// Somebody has to log in first, or for more; what the server said about that.
    Login(String),
    /// The server said no.
    Refused(ErrorData),
    /// The server answered something else.
    Unreadable(&'static str),
}

impl Session {
    pub(crate) async fn request(
        &self,
        request: ClientRequest,
        patience: &Patience<'_>,
    ) -> Result<ServerResult, CallError> {
        let options = PeerRequestOptions::no_options();
        let sent = self.peer().send_cancellable_request(request, options);
        let handle = tokio::select! {
            sent = sent => sent.map_err(failed)?,
            () = patience.cancel.canceled() => return Err(CallError::Canceled),
        };
        let answer = UnderWay::new(handle, self.heard(), patience.call).wait(patience).await;
        // Whoever comes next gets a program that reads.
        if matches!(answer, Err(CallError::Timeout(_))) && self.is_deaf() {
            self.end();
        }
        answer
    }

    /// What the person says to a server's questions.
    pub(super) async fn inputs(
        &self,
        wanted: Option<InputRequests>,
        call: Option<&str>,
    ) -> Result<InputResponses, CallError> {
        let mut responses = InputResponses::new();
        for (key, request) in wanted.unwrap_or_default() {
            let response = match request {
                InputRequest::Elicitation(question) => {
                    let said: ElicitResult =
                        self.handler.elicit(&question.params, call.map(str::to_owned)).await;
                    serde_json::to_value(said).unwrap_or_default()
                }
                InputRequest::ListRoots(_) => json!({ "roots": [] }),
                _ => {
                    return Err(CallError::Unreadable(
                        "it wants to ask a model, which dogu has not",
                    ));
                }
            };
            responses.insert(key, response);
        }
        Ok(responses)
    }
}

/// A request that was sent. Dropping it tells the server that nobody waits any more.
struct UnderWay {
    handle: Option<RequestHandle<RoleClient>>,
    heard: Arc<Heard>,
    progress: tokio::sync::watch::Receiver<Progress>,
}

impl UnderWay {
    fn new(handle: RequestHandle<RoleClient>, heard: &Arc<Heard>, call: Option<&str>) -> Self {
        let progress = heard.follow(&handle, call);
        Self { handle: Some(handle), heard: Arc::clone(heard), progress }
    }

    async fn wait(mut self, patience: &Patience<'_>) -> Result<ServerResult, CallError> {
        let begun = Instant::now();
        let latest = begun + patience.most;
        let mut silent_until = begun + patience.idle;
        loop {
            let Some(handle) = &mut self.handle else { return Err(CallError::Gone) };
            tokio::select! {
                biased;
                answer = &mut handle.rx => {
                    let id = handle.id.clone();
                    self.heard.forget(&id);
                    self.handle = None;
                    return answer.map_err(|_| CallError::Gone)?.map_err(failed);
                }
                () = patience.cancel.canceled() => return Err(CallError::Canceled),
                Ok(()) = self.progress.changed() => {
                    let progress = self.progress.borrow_and_update().clone();
                    (patience.tell)(&progress.text, progress.fraction);
                    silent_until = Instant::now() + patience.idle;
                }
                () = sleep_until(silent_until.min(latest)) => {
                    if self.heard.is_asking() && Instant::now() < latest {
                        silent_until = Instant::now() + patience.idle;
                        continue;
                    }
                    let over = if Instant::now() >= latest { patience.most } else { patience.idle };
                    return Err(CallError::Timeout(over));
                }
            }
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let Some(handle) = self.handle.take() else { return };
        self.heard.forget(&handle.id);
        if let Ok(tokio) = tokio::runtime::Handle::try_current() {
            tokio.spawn(handle.cancel(Some("canceled".to_owned())));
        }
    }
}

fn failed(error: ServiceError) -> CallError {
    match error {
        ServiceError::McpError(data) => CallError::Refused(data),
        ServiceError::Timeout { timeout } => CallError::Timeout(timeout),
        ServiceError::TransportSend(error) => {
            let error = error.error.as_ref();
            // A pipe that is closed says nothing more than that.
            let is_pipe = error.is::<std::io::Error>();
            let lost = || if is_pipe { CallError::Gone } else { CallError::Lost(told(error)) };
            challenge(error).map_or_else(lost, CallError::Login)
        }
        ServiceError::TransportClosed | ServiceError::Cancelled { .. } => CallError::Gone,
        _ => CallError::Unreadable("its answer cannot be read"),
    }
}

fn told(error: &(dyn std::error::Error + Send + Sync + 'static)) -> String {
    line(&words(error), MAX_REASON)
}

/// What the server said about a login, if that is why a request was not taken.
fn challenge(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(required) = error.downcast_ref::<AuthRequiredError>() {
            return Some(required.www_authenticate_header.clone());
        }
        if let Some(more) = error.downcast_ref::<InsufficientScopeError>() {
            return Some(more.www_authenticate_header.clone());
        }
        next = error.source();
    }
    None
}
