//! Telling listeners how far a walk is, now and then.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use dogu_tool::Ctx;

/// How often listeners are told, in milliseconds.
const BETWEEN: u64 = 250;

/// When listeners were told last, and how many files are done.
pub(super) struct Progress {
    begun: Instant,
    told: AtomicU64,
    done: AtomicU64,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self { begun: Instant::now(), told: AtomicU64::new(0), done: AtomicU64::new(0) }
    }

    /// A file is done.
    pub(super) fn add(&self, ctx: &Ctx) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let now = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let told = self.told.load(Ordering::Relaxed);
        if now < told + BETWEEN {
            return;
        }
        // Whoever sets the time tells; the others go on.
        if self.told.compare_exchange(told, now, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            ctx.progress(&format!("{done} files mapped"), None);
        }
    }
}
