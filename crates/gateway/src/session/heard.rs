//! What a session hears, and which of its calls are under way.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ProgressToken, RequestId};
use rmcp::service::RequestHandle;
use tokio::sync::{Notify, watch};

/// How many questions a server may have in one call, and how many that belong to none at once.
const MAX_QUESTIONS: usize = 10;
/// How long it may take until a request that was sent is noted.
const NOTED_WITHIN: Duration = Duration::from_secs(1);

/// How far a call is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Progress {
    /// How often the server has said something.
    pub(crate) reports: u64,
    pub(crate) text: String,
    pub(crate) fraction: Option<f32>,
}

/// What sessions and calls share with the handler.
#[derive(Default)]
pub(crate) struct Heard {
    /// The requests that wait for their answers.
    requests: Mutex<HashMap<RequestId, Request>>,
    /// The server's list of tools is another one.
    pub(crate) list_changed: Notify,
    /// The session is over.
    pub(crate) over: Notify,
    /// How many questions of the server wait for a person.
    asking: AtomicUsize,
    /// The calls that are under way.
    under_way: Mutex<Vec<Call>>,
    /// One of them is not any more.
    ended: Notify,
}

/// A request that waits for its answer.
struct Request {
    token: ProgressToken,
    progress: watch::Sender<Progress>,
    call: Option<String>,
}

/// A call that is under way.
struct Call {
    id: String,
    /// How many questions the server has had in it.
    questions: usize,
}

impl Heard {
    fn requests(&self) -> MutexGuard<'_, HashMap<RequestId, Request>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn under_way(&self) -> MutexGuard<'_, Vec<Call>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hears about one request, until it is forgotten.
    pub(crate) fn follow(
        &self,
        handle: &RequestHandle<RoleClient>,
        call: Option<&str>,
    ) -> watch::Receiver<Progress> {
        let (progress, receiver) = watch::channel(Progress::default());
        let (token, call) = (handle.progress_token.clone(), call.map(str::to_owned));
        self.requests().insert(handle.id.clone(), Request { token, progress, call });
        receiver
    }

    /// Hears no more about a request.
    pub(crate) fn forget(&self, request: &RequestId) {
        self.requests().remove(request);
    }

    /// Notes how far the request with this token is.
    pub(super) fn tell(&self, token: &ProgressToken, told: impl FnOnce(&mut Progress)) {
        if let Some(request) = self.requests().values().find(|request| request.token == *token) {
            request.progress.send_modify(told);
        }
    }

    /// Notes a call that is under way until the guard is dropped.
    pub(crate) fn begin(self: &Arc<Self>, call: Option<&str>) -> UnderWay {
        let call = call.map(str::to_owned);
        self.under_way().extend(call.clone().map(|id| Call { id, questions: 0 }));
        UnderWay { heard: Arc::clone(self), call }
    }

    /// The call that a question of the server belongs to, where nothing says so: with more than
    /// one nobody can tell.
    pub(super) fn only_call(&self) -> Option<String> {
        match &self.under_way()[..] {
            [only] => Some(only.id.clone()),
            _ => None,
        }
    }

    /// The call that a request is for. A question may come before whoever sent the request has
    /// noted it.
    pub(super) async fn call_of(&self, request: &RequestId) -> Option<String> {
        let find = || self.requests().get(request).map(|request| request.call.clone());
        let noted = tokio::time::timeout(NOTED_WITHIN, async {
            loop {
                if let Some(call) = find() {
                    return call;
                }
                tokio::time::sleep(NOTED_WITHIN / 50).await;
            }
        });
        noted.await.ok().flatten()
    }

    /// Begins a question; none where the server has had enough of them.
    pub(super) fn ask(self: &Arc<Self>, call: Option<&str>) -> Option<Asking> {
        let may = match call {
            None => self.asking.load(Ordering::SeqCst) < MAX_QUESTIONS,
            Some(id) => {
                let mut calls = self.under_way();
                let call = calls.iter_mut().find(|call| call.id == id)?;
                call.questions += 1;
                call.questions <= MAX_QUESTIONS
            }
        };
        may.then(|| {
            self.asking.fetch_add(1, Ordering::SeqCst);
            Asking(Arc::clone(self))
        })
    }

    /// Waits for the end of a call.
    pub(super) async fn end_of(&self, call: Option<&str>) {
        let Some(id) = call else { return std::future::pending().await };
        loop {
            let ended = self.ended.notified();
            let mut ended = std::pin::pin!(ended);
            ended.as_mut().enable();
            if !self.under_way().iter().any(|call| call.id == id) {
                return;
            }
            ended.await;
        }
    }

    /// Whether a person is being asked: the time that takes is not the server's.
    pub(crate) fn is_asking(&self) -> bool {
        self.asking.load(Ordering::SeqCst) > 0
    }
}

/// A call that is under way.
pub(crate) struct UnderWay {
    heard: Arc<Heard>,
    call: Option<String>,
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let Some(id) = &self.call else { return };
        let mut calls = self.heard.under_way();
        if let Some(at) = calls.iter().position(|known| known.id == *id) {
            calls.swap_remove(at);
        }
        drop(calls);
        self.heard.ended.notify_waiters();
    }
}

/// A question that a person is asked.
pub(super) struct Asking(Arc<Heard>);

impl Drop for Asking {
    fn drop(&mut self) {
        self.0.asking.fetch_sub(1, Ordering::SeqCst);
    }
}
