//! Containment: a tool that panics, blocks its thread or never ends must not delay any other call.
//!
//! A call of a tool that is not marked non-blocking runs on a thread of its own pool
//! ([`pool::Pool`]), outside tokio's workers. A thread that does not come back when its call has
//! ended is written off and replaced. Deadlines are kept by a thread of their own
//! ([`watchdog::Watchdog`]), because tokio's timers stand still when its workers do.

mod pool;
mod watchdog;

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use dogu_tool::{CancelFlag, Output, ToolError};
use futures::FutureExt as _;
use futures::future::{self, Either};
use tokio::sync::oneshot;

pub(crate) use pool::Pool;
pub(crate) use watchdog::{Overdue, Watchdog};

use crate::onion::panic_text;

/// How long a caller looks for the result before it is put to sleep.
const LOOK_AROUND: Duration = Duration::from_micros(15);

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

/// Runs a future on a thread of the pool, and stops waiting for it when the flag is set.
pub(crate) async fn run_on_pool(
    pool: &Pool,
    work: impl Future<Output = Result<Output, ToolError>> + Send + 'static,
    cancel: &CancelFlag,
) -> Ended {
    let (sender, receiver) = oneshot::channel();
    let tokio = tokio::runtime::Handle::current();
    let flag = cancel.clone();
    let submitted = pool.submit(move || {
        // On the thread the same race is run again: a tool that waits when the flag is set is
        // dropped there, and gives its thread back.
        let _ = sender.send(tokio.block_on(run_in_place(work, &flag)));
    });
    let ticket = match submitted {
        Ok(ticket) => ticket,
        Err(full) => return Ended::Returned(Err(full)),
    };
    let mut receiver = receiver;
    if let Some(ended) = look_around(&mut receiver) {
        return ended;
    }
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

/// Gives a quick tool the moment that it needs: less than being put to sleep and woken costs.
fn look_around(receiver: &mut oneshot::Receiver<Ended>) -> Option<Ended> {
    let until = Instant::now() + LOOK_AROUND;
    loop {
        match receiver.try_recv() {
            Ok(ended) => return Some(ended),
            Err(oneshot::error::TryRecvError::Closed) => return None,
            Err(oneshot::error::TryRecvError::Empty) if Instant::now() >= until => return None,
            Err(oneshot::error::TryRecvError::Empty) => std::thread::yield_now(),
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
    std::panic::catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(panicked(panic.as_ref())))
}
