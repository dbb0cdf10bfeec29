//! A receipt resolves once what it stands for is committed, or is known to have failed.

use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use super::error::RecordError;
use crate::settings::Audit;

type Outcome = Result<(), RecordError>;

/// Waits for the writer: as a future, or on the thread with [`Receipt::wait`].
#[derive(Debug)]
#[must_use = "a receipt that nobody waits for says nothing"]
pub struct Receipt(Arc<Slot>);

/// The writer's half. Resolves to [`RecordError::Lost`] when it is dropped unanswered, so
/// that no path through the writer can leave a caller waiting.
#[derive(Debug)]
pub(super) struct Promise {
    slot: Arc<Slot>,
    /// Under [`Audit::BestEffort`] nobody is held up by what could not be written.
    lenient: bool,
}

#[derive(Debug, Default)]
struct Slot {
    state: Mutex<State>,
    ready: Condvar,
}

#[derive(Debug, Default)]
struct State {
    outcome: Option<Outcome>,
    waker: Option<Waker>,
}

impl Slot {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Promise {
    pub(super) fn new(audit: Audit) -> (Self, Receipt) {
        let slot = Arc::new(Slot::default());
        let lenient = audit == Audit::BestEffort;
        (Self { slot: Arc::clone(&slot), lenient }, Receipt(slot))
    }

    pub(super) fn resolve(self, outcome: Outcome) {
        self.settle(outcome);
    }

    fn settle(&self, outcome: Outcome) {
        let mut state = self.slot.lock();
        if state.outcome.is_some() {
            return;
        }
        state.outcome = Some(if self.lenient { Ok(()) } else { outcome });
        let waker = state.waker.take();
        drop(state);
        self.slot.ready.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        self.settle(Err(RecordError::Lost));
    }
}

impl Receipt {
    /// A receipt for something that is already settled.
    pub(super) fn settled(outcome: Outcome) -> Self {
        Self(Arc::new(Slot {
            state: Mutex::new(State { outcome: Some(outcome), waker: None }),
            ready: Condvar::new(),
        }))
    }

    /// Blocks the thread until the outcome is known. In async code, await the receipt instead.
    pub fn wait(self) -> Result<(), RecordError> {
        let mut state = self.0.lock();
        loop {
            if let Some(outcome) = &state.outcome {
                return outcome.clone();
            }
            state = self.0.ready.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Blocks for at most `limit`; nothing if the outcome is not known by then.
    pub fn wait_for(&self, limit: Duration) -> Option<Result<(), RecordError>> {
        let deadline = Instant::now() + limit;
        let mut state = self.0.lock();
        while state.outcome.is_none() {
            let left = deadline.checked_duration_since(Instant::now())?;
            let waited = self.0.ready.wait_timeout(state, left);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        state.outcome.clone()
    }
}

impl Future for Receipt {
    type Output = Result<(), RecordError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.0.lock();
        if let Some(outcome) = &state.outcome {
            return Poll::Ready(outcome.clone());
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }
}
