//! The requests that wait for an answer.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, RequestId, ServerJsonRpcMessage,
};
use tokio::sync::Notify;

/// The requests that were read and not answered yet.
#[derive(Clone, Default)]
pub(crate) struct Pending(Arc<Inner>);

#[derive(Default)]
struct Inner {
    requests: Mutex<HashSet<RequestId>>,
    /// Streams of announcements that were asked for and have not ended.
    streams: Mutex<HashSet<RequestId>>,
    changed: Notify,
}

impl Pending {
    /// Takes note of what the client sent.
    pub(crate) fn received(&self, message: &ClientJsonRpcMessage) {
        match message {
            // An open stream of announcements waits for nothing.
            ClientJsonRpcMessage::Request(request) => {
                let is_stream =
                    matches!(request.request, ClientRequest::SubscriptionsListenRequest(_));
                let set = if is_stream { &self.0.streams } else { &self.0.requests };
                locked(set).insert(request.id.clone());
            }
            // A request that was canceled gets no answer.
            ClientJsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(n) = &notification.notification
                    && let Some(request) = &n.params.request_id
                {
                    self.answered(request);
                }
            }
            _ => {}
        }
    }

    /// Takes note that an answer was written.
    pub(crate) fn answered(&self, request: &RequestId) {
        locked(&self.0.requests).remove(request);
        locked(&self.0.streams).remove(request);
        self.0.changed.notify_one();
    }

    pub(crate) fn len(&self) -> usize {
        locked(&self.0.requests).len()
    }

    /// How many streams of announcements are open, or about to be.
    pub(crate) fn streams(&self) -> usize {
        locked(&self.0.streams).len()
    }

    /// Waits for the next answer.
    pub(crate) async fn changed(&self) {
        self.0.changed.notified().await;
    }
}

fn locked(set: &Mutex<HashSet<RequestId>>) -> MutexGuard<'_, HashSet<RequestId>> {
    set.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The request that a message answers.
pub(crate) fn answers(message: &ServerJsonRpcMessage) -> Option<RequestId> {
    match message {
        ServerJsonRpcMessage::Response(response) => Some(response.id.clone()),
        ServerJsonRpcMessage::Error(error) => error.id.clone(),
        _ => None,
    }
}
