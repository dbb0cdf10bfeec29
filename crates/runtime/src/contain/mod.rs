//! Containment: a tool that panics, blocks its thread or never ends must not delay any other call.
//!
//! A call of a tool that is not marked non-blocking runs on a thread of its own pool
//! ([`pool::Pool`]), outside tokio's workers. A thread that does not come back when its call has
//! ended is written off and replaced. Deadlines are kept by a thread of their own
//! ([`watchdog::Watchdog`]), because tokio's timers stand still when its workers do.
//!
//! Passing work from thread to thread costs more than most tools do. So a caller may let the whole
//! way of a call begin on a thread of the pool ([`begin`]) and, where nobody wants to hear of it
//! before its end, let the tool run right there: as long as nothing waits, the answer goes out from
//! there. What waits goes on in tokio, and in the pool what may still block.

mod pool;
mod watchdog;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll, Waker};

use dogu_tool::{BoxFuture, CancelFlag, Output, ToolError};
use futures::FutureExt as _;
use futures::future::{self, Either};
use tokio::sync::oneshot;

pub(crate) use pool::{Pool, Ticket};
use pool::{drive, set_first_stretch, take_first_stretch};
pub(crate) use watchdog::{Overdue, Watchdog};

use crate::flight::Flight;
use crate::onion::panic_text;

/// How a contained run ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// By itself.
    Returned(Result<Output, ToolError>),
    /// The flag was set first.
    Stopped,
}

/// Runs a future in place, for tools that promise never to block.
pub(crate) async fn run_in_place(
    work: impl Future<Output = Result<Output, ToolError>>,
    cancel: &CancelFlag,
) -> Ended {
    let work = std::pin::pin!(AssertUnwindSafe(work).catch_unwind());
    match future::select(work, cancel.canceled()).await {
        Either::Left((Ok(returned), _)) => Ended::Returned(returned),
        Either::Left((Err(panic), _)) => Ended::Returned(Err(panicked(panic.as_ref()))),
        Either::Right(((), _)) => Ended::Stopped,
    }
}

/// Begins some work on a thread of the pool, where it may block; `alone` also lets the first tool
/// that it runs block that thread. Once it waits for something, tokio goes on with it.
pub(crate) fn begin(pool: &Pool, alone: bool, work: impl Future<Output = ()> + Send + 'static) {
    let tokio = tokio::runtime::Handle::current();
    let mut work: BoxFuture<'static, ()> = Box::pin(work);
    let job = move || {
        let _inside = tokio.enter();
        let mut context = Context::from_waker(Waker::noop());
        set_first_stretch(alone);
        let polled = catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(&mut context)));
        set_first_stretch(false);
        if let Ok(Poll::Pending) = polled {
            tokio.spawn(work);
        }
    };
    if let Err((_, job)) = pool.submit(job) {
        tokio::task::spawn_blocking(job);
    }
}

/// Runs a future on a thread of the pool, and stops waiting for it when the call is to stop.
pub(crate) async fn run_on_pool(
    flight: &Flight,
    work: impl Future<Output = Result<Output, ToolError>> + Send + 'static,
) -> Ended {
    let flag = flight.cancel.clone();
    // On the thread the same race is run again: a tool that waits when the flag is set is
    // dropped there, and gives its thread back.
    let mut work: BoxFuture<'static, Ended> =
        Box::pin(async move { run_in_place(work, &flag).await });
    if let Some(thread) = take_first_stretch() {
        flight.hold(Some(thread));
        // From here on a cancel sees what is held; one that came before did not.
        let polled = if flight.cancel.is_canceled() {
            Poll::Ready(Ended::Stopped)
        } else {
            futures::poll!(work.as_mut())
        };
        flight.hold(None);
        if let Poll::Ready(ended) = polled {
            return ended;
        }
    }
    let (sender, receiver) = oneshot::channel();
    let tokio = tokio::runtime::Handle::current();
    let submitted = flight.runtime.pool.submit(move || {
        let _inside = tokio.enter();
        let _ = sender.send(drive(work));
    });
    match submitted {
        Ok(ticket) => ended_or_stopped(receiver, ticket, &flight.cancel).await,
        Err((full, _)) => Ended::Returned(Err(full)),
    }
}

async fn ended_or_stopped(
    receiver: oneshot::Receiver<Ended>,
    ticket: Ticket,
    cancel: &CancelFlag,
) -> Ended {
    match future::select(receiver, cancel.canceled()).await {
        Either::Left((Ok(ended), _)) => ended,
        Either::Left((Err(_), _)) => Ended::Returned(Err(panicked(&"its thread ended early"))),
        Either::Right(((), mut receiver)) => {
            // It may have ended in the same moment; what is finished is not thrown away.
            if let Ok(ended) = receiver.try_recv() {
                return ended;
            }
            ticket.give_up();
            Ended::Stopped
        }
    }
}

/// The error of a tool that panicked; what it said is private.
pub(crate) fn panicked(panic: &(dyn std::any::Any + Send)) -> ToolError {
    ToolError::failed("The tool crashed while it worked on this call.")
        .suggest("The tool is at fault, not the arguments. Try another way, or report it.")
        .because(panic_text(panic))
}

/// Runs code of a tool that must not take the pipeline down with it.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T, ToolError>) -> Result<T, ToolError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(panic.as_ref())))
}
