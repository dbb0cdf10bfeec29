//! Telling listeners how far the threads of a walk are, now and then.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use dogu_tool::Ctx;

/// How many names a thread comes by between two looks at the clock.
const NAMES_BETWEEN_LOOKS: u64 = 1_024;
/// How often listeners are told.
const BETWEEN_WORDS: Duration = Duration::from_millis(250);

/// How far all threads of a walk are.
pub(crate) struct Progress<'a> {
    ctx: &'a Ctx,
    begun: Instant,
    /// When listeners were told last, in milliseconds since the beginning.
    told: AtomicU64,
    done: AtomicU64,
}

impl<'a> Progress<'a> {
    pub(crate) fn new(ctx: &'a Ctx) -> Self {
        Self { ctx, begun: Instant::now(), told: AtomicU64::new(0), done: AtomicU64::new(0) }
    }

    /// A thread has come by so many names; `what` they are to it.
    pub(crate) fn count(&self, own: u64, what: &str) {
        if own.is_multiple_of(NAMES_BETWEEN_LOOKS) {
            self.add(NAMES_BETWEEN_LOOKS, |names| format!("{names} {what}"));
        }
    }

    /// So much more is done; `words` make of all that is done what listeners are told, where it is
    /// time to tell them.
    pub(crate) fn add(&self, more: u64, words: impl FnOnce(u64) -> String) {
        let done = self.done.fetch_add(more, Ordering::Relaxed) + more;
        let now = self.begun.elapsed();
        let told = self.told.load(Ordering::Relaxed);
        if now < Duration::from_millis(told) + BETWEEN_WORDS {
            return;
        }
        let now = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        // Whoever sets the time tells; the others go on.
        if self.told.compare_exchange(told, now, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            self.ctx.progress(&words(done), None);
        }
    }
}
