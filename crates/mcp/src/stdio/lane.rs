//! The way of a call over a pipe: from its line to the tool and back to a line on one thread, past
//! the loop in which rmcp serves everything else. What a call means is the same on both ways, as
//! both ask the same handler; only the tasks and channels between the two are left out. Everything
//! that can block goes this way, so that the thread of the loop never does.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, GetExtensions as _, GetMeta as _,
    JsonRpcRequest, RequestId, ServerJsonRpcMessage, ServerResult,
};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer, Service as _};
use tokio::io::AsyncWrite;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::writer::Writer;
use crate::handler::{Handler, Way};

/// How often a look is taken for calls that hold the thread which would answer them.
const LOOK: Duration = Duration::from_millis(250);
/// What is under way for so long is looked after.
const SLOW: Duration = Duration::from_millis(500);
/// How often, at the end, a look is taken for calls that are still being answered.
const END_LOOK: Duration = Duration::from_millis(1);

/// The calls of one session.
pub(crate) struct Lane<W> {
    /// Who answers, once the session is open.
    open: OnceLock<Open>,
    calls: Mutex<HashMap<RequestId, Arc<Underway>>>,
    /// Somebody looks after slow calls.
    watching: AtomicBool,
    writer: Writer<W>,
}

struct Open {
    handler: Arc<Handler>,
    peer: Peer<RoleServer>,
}

struct Underway {
    cancel: CancellationToken,
    begun: Instant,
    /// Its answer is the result of its tool.
    is_call: bool,
    answered: AtomicBool,
    /// It is slow, and somebody waits for its end beside it.
    attended: AtomicBool,
}

impl<W: AsyncWrite + Send + Unpin + 'static> Lane<W> {
    pub(crate) fn new(writer: Writer<W>) -> Arc<Self> {
        Arc::new(Self {
            open: OnceLock::new(),
            calls: Mutex::default(),
            watching: AtomicBool::new(false),
            writer,
        })
    }

    /// From now on calls may go this way.
    pub(crate) fn open(&self, handler: Arc<Handler>, peer: Peer<RoleServer>) {
        // A session is opened once.
        let _ = self.open.set(Open { handler, peer });
    }

    /// Takes a message that is a call, or like one; gives every other one back.
    pub(crate) fn take(
        self: &Arc<Self>,
        message: ClientJsonRpcMessage,
    ) -> Option<ClientJsonRpcMessage> {
        match message {
            ClientJsonRpcMessage::Request(JsonRpcRequest { id, request, .. })
                if calls(&request) && self.open.get().is_some() =>
            {
                self.begin(id, request);
                None
            }
            message => Some(message),
        }
    }

    /// Takes note that nobody waits for an answer any more.
    pub(crate) fn cancel(&self, request: &RequestId) {
        if let Some(call) = self.lock().remove(request) {
            call.cancel.cancel();
        }
    }

    /// Ends what is under way, and waits a moment for the last answers.
    pub(crate) async fn end(&self, patience: Duration) {
        let calls: Vec<RequestId> = self.lock().keys().cloned().collect();
        if let Some(open) = self.open.get() {
            for call in &calls {
                open.handler.stop_now(call);
            }
        }
        let until = Instant::now() + patience;
        while self.is_busy() && Instant::now() < until {
            sleep(END_LOOK).await;
        }
    }

    fn is_busy(&self) -> bool {
        !self.lock().is_empty() || self.writer.is_busy()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Arc<Underway>>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(self: &Arc<Self>, id: RequestId, request: ClientRequest) {
        let Some(open) = self.open.get() else { return };
        let call = Arc::new(Underway {
            cancel: CancellationToken::new(),
            begun: Instant::now(),
            is_call: matches!(request, ClientRequest::CallToolRequest(_)),
            answered: AtomicBool::new(false),
            attended: AtomicBool::new(false),
        });
        self.lock().insert(id.clone(), Arc::clone(&call));
        self.watch();
        let way = open.handler.way_of(&request);
        let (lane, runtime) = (Arc::clone(self), &open.handler.caller.runtime);
        // It has ten kilobytes, and whoever takes it over would copy them.
        let work = Box::pin(async move {
            let answer = lane.serve(&id, request, &call).await;
            lane.answer(id, &call, answer).await;
        });
        match way {
            Way::Waiting => drop(tokio::spawn(work)),
            Way::Heard => runtime.begin(work),
            Way::Alone => runtime.begin_alone(work),
        }
    }

    async fn serve(
        &self,
        id: &RequestId,
        mut request: ClientRequest,
        call: &Underway,
    ) -> Result<ServerResult, ErrorData> {
        let Some(open) = self.open.get() else { return Err(crate::handler::ended()) };
        let mut context = RequestContext::new(id.clone(), open.peer.clone());
        context.ct = call.cancel.clone();
        // In this order: the meta data is one of the extensions.
        context.meta = std::mem::take(request.get_meta_mut());
        context.extensions = std::mem::take(request.extensions_mut());
        open.handler.handle_request(request, context).await
    }

    /// Answers a call, unless it was answered or nobody waits for it.
    async fn answer(
        &self,
        id: RequestId,
        call: &Underway,
        answer: Result<ServerResult, ErrorData>,
    ) {
        if call.answered.swap(true, Ordering::AcqRel) {
            return;
        }
        // Before it is written: then the client may use the id again.
        if self.lock().remove(&id).is_none() {
            return;
        }
        let message = match answer {
            Ok(result) => ServerJsonRpcMessage::response(result, id.clone()),
            Err(error) => ServerJsonRpcMessage::error(error, Some(id.clone())),
        };
        // A client that is gone is seen by the transport.
        self.writer.answer(message, id).await;
    }

    /// Sees to it that slow calls are looked after.
    fn watch(self: &Arc<Self>) {
        if self.watching.swap(true, Ordering::AcqRel) {
            return;
        }
        // It keeps nothing alive: what is recorded is written when the last holder is gone.
        let lane = Arc::downgrade(self);
        tokio::spawn(async move {
            loop {
                sleep(LOOK).await;
                if !lane.upgrade().is_some_and(|lane| lane.look()) {
                    return;
                }
            }
        });
    }

    /// Looks for slow calls; false where there are no calls at all.
    fn look(self: &Arc<Self>) -> bool {
        let calls = self.lock();
        if calls.is_empty() {
            self.watching.store(false, Ordering::Release);
            return false;
        }
        let slow = calls.iter().filter(|(_, call)| call.begun.elapsed() > SLOW);
        for (id, call) in slow.filter(|(_, call)| !call.attended.swap(true, Ordering::AcqRel)) {
            tokio::spawn(Arc::clone(self).attend(id.clone(), Arc::clone(call)));
        }
        true
    }

    /// Answers a call that ended while its tool still holds the thread that would have answered.
    async fn attend(self: Arc<Self>, id: RequestId, call: Arc<Underway>) {
        let Some(open) = self.open.get() else { return };
        let Some(answer) = open.handler.end_of(&id, &open.peer).await else {
            // It has not begun: there may be more of them than threads.
            call.attended.store(false, Ordering::Release);
            return;
        };
        // Where nothing holds its thread it answers itself, and better.
        sleep(LOOK).await;
        let answer = if call.is_call { answer } else { Err(ended_early()) };
        self.answer(id, &call, answer).await;
    }
}

/// The answer to what held its thread for too long and is no call.
fn ended_early() -> ErrorData {
    ErrorData::internal_error("the request did not end in time and was stopped", None)
}

/// Whether a request can be one of a tool.
fn calls(request: &ClientRequest) -> bool {
    matches!(
        request,
        ClientRequest::CallToolRequest(_)
            | ClientRequest::ReadResourceRequest(_)
            | ClientRequest::GetPromptRequest(_)
            | ClientRequest::CompleteRequest(_)
            | ClientRequest::ListResourcesRequest(_)
            | ClientRequest::ListPromptsRequest(_)
    )
}
