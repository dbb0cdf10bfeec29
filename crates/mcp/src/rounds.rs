//! Requests that are answered in several rounds. What the client is to answer first is parked
//! here with the work that waits for it; the retry finds it by its sealed state and goes on with
//! the same work: one call, one record, middleware once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dogu_runtime::Runtime;
use dogu_tool::{BoxFuture, ErrorCode, Principal, ToolResult};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolResult, ClientCapabilities, GetPromptResult, InputRequiredResult, InputResponses,
    ReadResourceResult,
};
use serde_json::Value;
use tokio::sync::mpsc;

use crate::ask::link::Client;
use crate::ask::seal::{Opened, Seal, State, nonce};
use crate::ask::want::Want;
use crate::content;

/// How many questions of one caller may wait for a retry.
const MAX_PARKED: usize = 1_024;

/// What a request comes to.
pub(crate) enum Done {
    Call(Box<Called>),
    Prompt(Result<GetPromptResult, ErrorData>),
    Resource(Result<ReadResourceResult, ErrorData>),
    /// The work was dropped: the process ends.
    Gone,
}

/// What a call came to.
pub(crate) struct Called {
    pub(crate) answer: Result<CallToolResult, ErrorData>,
    pub(crate) canceled: bool,
}

impl Called {
    /// The answer to the client of the newest era. Where the call failed because the client cannot
    /// do what its tool needs, that is an error of the protocol.
    pub(crate) fn into_answer(
        self,
        missing: Option<ClientCapabilities>,
    ) -> Result<CallToolResult, ErrorData> {
        let failed = self.answer.as_ref().is_ok_and(|answer| answer.is_error == Some(true));
        match missing.filter(|_| failed) {
            Some(needed) => Err(ErrorData::missing_required_client_capability(needed)),
            None => self.answer,
        }
    }

    pub(crate) fn new(result: ToolResult, structured: bool) -> Box<Self> {
        let error = result.error.as_ref();
        let canceled = error.is_some_and(|error| error.code == ErrorCode::Canceled);
        Box::new(Self { answer: content::answer(result, structured), canceled })
    }
}

/// Work that can be left and come back to.
pub(crate) struct Work {
    /// The id by which it can be canceled.
    pub(crate) call: Arc<str>,
    /// Of the request that began it: only its retry goes on with it.
    pub(crate) request: blake3::Hash,
    pub(crate) future: BoxFuture<'static, Done>,
    pub(crate) wants: mpsc::UnboundedReceiver<Want>,
    pub(crate) client: Client,
}

impl Work {
    /// Lets the work go on while nobody waits for it.
    pub(crate) fn detached(mut self) -> Self {
        let running = tokio::spawn(self.future);
        self.future = Box::pin(async { running.await.unwrap_or(Done::Gone) });
        self
    }
}

/// What makes a retry one of this request.
pub(crate) fn digest(method: &str, name: &str, arguments: Option<&Value>) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for part in [method, name] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.update(arguments.map(Value::to_string).unwrap_or_default().as_bytes());
    hasher.finalize()
}

/// What a retry brings.
#[derive(Default)]
pub(crate) struct Retry {
    pub(crate) responses: InputResponses,
    pub(crate) state: Option<String>,
}

impl Retry {
    pub(crate) fn new(responses: Option<InputResponses>, state: Option<String>) -> Self {
        Self { responses: responses.unwrap_or_default(), state }
    }
}

/// What a request goes on with.
pub(crate) enum Resumed {
    /// Nothing: it begins.
    New,
    /// The work that waited for it.
    Work(Work),
    /// The same, which still wants to know something.
    Wants(Work, Want),
}

/// The questions of one caller that wait for a retry.
pub(crate) struct Rounds {
    parked: Mutex<HashMap<String, Parked>>,
    seal: Arc<Seal>,
    /// How long a question counts.
    counts: Duration,
}

struct Parked {
    work: Work,
    want: Want,
    until: Instant,
}

impl Rounds {
    pub(crate) fn new(seal: Arc<Seal>, counts: Duration) -> Self {
        Self { parked: Mutex::default(), seal, counts }
    }

    /// Parks a question. The client gets what to ask, and a state that names it.
    pub(crate) fn park(
        &self,
        work: Work,
        want: Want,
        runtime: &Runtime,
        principal: &Principal,
    ) -> Result<InputRequiredResult, Work> {
        let (requests, now) = (want.requests(), Instant::now());
        let mut parked = self.lock();
        parked.retain(|_, parked| parked.until > now);
        let Some(nonce) = nonce().ok().filter(|_| parked.len() < MAX_PARKED) else {
            drop(parked);
            want.unasked("too many questions wait for an answer", runtime, principal);
            return Err(work);
        };
        let state = State {
            nonce: nonce.clone(),
            call: work.call.to_string(),
            digest: want.digest(),
            principal: principal.id().to_owned(),
            session: principal.session().to_owned(),
        };
        let sealed = self.seal.close(&state, self.counts);
        parked.insert(nonce, Parked { work: work.detached(), want, until: now + self.counts });
        Ok(InputRequiredResult::new(Some(requests), Some(sealed)))
    }

    /// Goes on where the client was asked. A state that this server did not make is an error; one
    /// that no longer counts, was used, or belongs to another caller or request is none at all:
    /// the request begins anew, and asks anew.
    pub(crate) fn resume(
        &self,
        request: blake3::Hash,
        retry: &Retry,
        runtime: &Runtime,
        principal: &Principal,
    ) -> Result<Resumed, ErrorData> {
        let Some(sealed) = &retry.state else { return Ok(Resumed::New) };
        let state = match self.seal.open(sealed) {
            Opened::State(state) => state,
            Opened::Stale => return Ok(Resumed::New),
            Opened::Forged => {
                let words = "requestState is not one of this server, or was changed; send the request without it";
                return Err(ErrorData::invalid_params(words, None));
            }
        };
        let Some(Parked { work, want, .. }) = self.take(&state, request, principal) else {
            return Ok(Resumed::New);
        };
        Ok(match want.answered(&retry.responses, runtime, principal) {
            Ok(()) => Resumed::Work(work),
            Err(want) => Resumed::Wants(work, want),
        })
    }

    /// Takes a question, once.
    fn take(&self, state: &State, request: blake3::Hash, principal: &Principal) -> Option<Parked> {
        let mut parked = self.lock();
        let found = parked.get(&state.nonce)?;
        let same = found.work.request == request
            && *found.work.call == *state.call
            && found.want.digest() == state.digest
            && found.until > Instant::now()
            && state.belongs_to(principal);
        if same { parked.remove(&state.nonce) } else { None }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Parked>> {
        self.parked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
