//! Telling listeners how far a walk is.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use dogu_tool::Ctx;

/// How many names a thread comes by between two looks at the clock.
const NAMES_BETWEEN_LOOKS: u64 = 1_024;
/// How often listeners are told.
const BETWEEN_WORDS: Duration = Duration::from_millis(250);

/// How far all threads of a walk are.
pub(super) struct Progress<'a> {
    ctx: &'a Ctx,
    begun: Instant,
    /// When listeners were told last, in milliseconds since the beginning.
    told: AtomicU64,
    seen: AtomicU64,
}

impl<'a> Progress<'a> {
    pub(super) fn new(ctx: &'a Ctx) -> Self {
        Self { ctx, begun: Instant::now(), told: AtomicU64::new(0), seen: AtomicU64::new(0) }
    }

    /// A thread has come by so many names; `what` they are to it.
    pub(super) fn count(&self, own: u64, what: &str) {
        if own.is_multiple_of(NAMES_BETWEEN_LOOKS) {
            self.tell(what);
        }
    }

    fn tell(&self, what: &str) {
        let more = NAMES_BETWEEN_LOOKS;
        let seen = self.seen.fetch_add(more, Ordering::Relaxed) + more;
        let now = self.begun.elapsed();
        let told = self.told.load(Ordering::Relaxed);
        if now < Duration::from_millis(told) + BETWEEN_WORDS {
            return;
        }
        let now = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        // Whoever sets the time tells; the others go on.
        if self.told.compare_exchange(told, now, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            self.ctx.progress(&format!("{seen} {what}"), None);
        }
    }
}
