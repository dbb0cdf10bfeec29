//! A flag that says "stop", readable from any thread and awaitable from any executor.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::error::ToolError;

/// Says whether a call should stop. Clones share one flag.
#[derive(Clone, Debug, Default)]
pub struct CancelFlag(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    canceled: AtomicBool,
    waiting: Mutex<Vec<Waker>>,
}

impl CancelFlag {
    /// A flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the flag and wakes everyone who waits for it.
    pub fn cancel(&self) {
        self.0.canceled.store(true, Ordering::Release);
        let waiting = {
            let mut wakers = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *wakers)
        };
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Whether the flag is set.
    pub fn is_canceled(&self) -> bool {
        self.0.canceled.load(Ordering::Acquire)
    }

    /// An error once the flag is set: for loops in blocking code.
    pub fn check(&self) -> Result<(), ToolError> {
        if self.is_canceled() { Err(ToolError::canceled()) } else { Ok(()) }
    }

    /// Ends when the flag is set.
    pub fn canceled(&self) -> Canceled {
        Canceled(self.clone())
    }
}

/// The future of [`CancelFlag::canceled`].
#[derive(Debug)]
pub struct Canceled(CancelFlag);

impl Future for Canceled {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let shared = &self.0.0;
        if self.0.is_canceled() {
            return Poll::Ready(());
        }
        let mut waiting = shared.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if !waiting.iter().any(|waker| waker.will_wake(context.waker())) {
            waiting.push(context.waker().clone());
        }
        // `cancel` sets the flag before it takes the list: looking again under the lock means
        // that a waker is either taken by it or not needed.
        if self.0.is_canceled() { Poll::Ready(()) } else { Poll::Pending }
    }
}
