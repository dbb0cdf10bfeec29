//! The requests that wait for an answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, RequestId, ServerJsonRpcMessage,
};
use tokio::sync::Notify;

/// The requests that were read and not answered yet.
#[derive(Clone, Default)]
pub(crate) struct Pending(Arc<Inner>);

/// Each with how often: an answer may be read, and its id used again, before it is known here that
/// it was written.
type Ids = HashMap<RequestId, usize>;

#[derive(Default)]
struct Inner {
    requests: Mutex<Ids>,
    /// Streams of announcements that were asked for and have not ended.
    streams: Mutex<Ids>,
    changed: Notify,
}

impl Pending {
    /// Takes note of what the client sent; says which request it canceled, if it did.
    pub(crate) fn received<'m>(&self, message: &'m ClientJsonRpcMessage) -> Option<&'m RequestId> {
        match message {
            // An open stream of announcements waits for nothing.
            ClientJsonRpcMessage::Request(request) => {
                let is_stream =
                    matches!(request.request, ClientRequest::SubscriptionsListenRequest(_));
                let set = if is_stream { &self.0.streams } else { &self.0.requests };
                *locked(set).entry(request.id.clone()).or_default() += 1;
                None
            }
            // A request that was canceled gets no answer.
            ClientJsonRpcMessage::Notification(notification) => {
                let ClientNotification::CancelledNotification(n) = &notification.notification
                else {
                    return None;
                };
                let request = n.params.request_id.as_ref()?;
                self.answered(request);
                Some(request)
            }
            _ => None,
        }
    }

    /// Takes note that an answer was written.
    pub(crate) fn answered(&self, request: &RequestId) {
        take_one(&self.0.requests, request);
        take_one(&self.0.streams, request);
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

fn locked(ids: &Mutex<Ids>) -> MutexGuard<'_, Ids> {
    ids.lock().unwrap_or_else(PoisonError::into_inner)
}

fn take_one(ids: &Mutex<Ids>, id: &RequestId) {
    let mut ids = locked(ids);
    match ids.get_mut(id) {
        Some(count) if *count > 1 => *count -= 1,
        _ => drop(ids.remove(id)),
    }
}

/// The request that a message answers.
pub(crate) fn answers(message: &ServerJsonRpcMessage) -> Option<RequestId> {
    match message {
        ServerJsonRpcMessage::Response(response) => Some(response.id.clone()),
        ServerJsonRpcMessage::Error(error) => error.id.clone(),
        _ => None,
    }
}
