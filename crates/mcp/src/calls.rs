//! The calls of one connection that are under way, so that the client can cancel them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use tokio_util::sync::CancellationToken;

/// The calls of one connection. Request ids mean something only inside it.
#[derive(Clone, Default)]
pub(crate) struct Calls(Arc<Mutex<Vec<Entry>>>);

struct Entry {
    request: RequestId,
    call: Arc<str>,
    cancel: CancellationToken,
}

impl Calls {
    /// Writes a call down until the guard is dropped.
    pub(crate) fn enter(&self, request: RequestId, call: Arc<str>) -> Entered {
        let cancel = CancellationToken::new();
        let entry = Entry { request, call: Arc::clone(&call), cancel: cancel.clone() };
        self.lock().push(entry);
        Entered { calls: self.clone(), call, cancel }
    }

    /// Asks for the end of a request's call, if there is one.
    pub(crate) fn cancel(&self, request: &RequestId) {
        let calls = self.lock();
        calls.iter().filter(|entry| entry.request == *request).for_each(|e| e.cancel.cancel());
    }

    /// The call of a request that is under way.
    pub(crate) fn of(&self, request: &RequestId) -> Option<Arc<str>> {
        let calls = self.lock();
        let found = calls.iter().find(|entry| entry.request == *request);
        found.map(|entry| Arc::clone(&entry.call))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that is written down.
pub(crate) struct Entered {
    calls: Calls,
    pub(crate) call: Arc<str>,
    pub(crate) cancel: CancellationToken,
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.calls.lock().retain(|entry| entry.call != self.call);
    }
}
