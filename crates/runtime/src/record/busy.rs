//! Waiting for another process's transaction.
//!
//! SQLite's own handler first sleeps a whole millisecond, longer than most transactions here
//! last. This one looks again after a fraction of that, and backs off only when it must.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;

/// How long a healthy record waits for another process.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long it waits once a write has failed: callers must not stand still for a lost cause.
const SHORT_PATIENCE: Duration = Duration::from_millis(200);

const FIRST_SLEEP: Duration = Duration::from_micros(50);
const LONGEST_SLEEP: Duration = Duration::from_millis(4);
/// After how many sleeps the next ones double.
const STEP: u32 = 8;

/// How long the connection waits; shared, because SQLite owns the handler.
#[derive(Clone, Debug)]
pub(super) struct Patience(Arc<AtomicU64>);

impl Patience {
    pub(super) fn new() -> Self {
        let patience = Self(Arc::default());
        patience.set(true);
        patience
    }

    pub(super) fn set(&self, healthy: bool) {
        let limit = if healthy { PATIENCE } else { SHORT_PATIENCE };
        self.0.store(limit.as_millis().try_into().unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    fn limit(&self) -> Duration {
        Duration::from_millis(self.0.load(Ordering::Relaxed))
    }

    /// Makes a connection wait as this says.
    pub(super) fn install(&self, connection: &mut Connection) -> rusqlite::Result<()> {
        let patience = self.clone();
        let mut since = Instant::now();
        connection.busy_handler(Some(move |tries: i32| {
            if tries == 0 {
                since = Instant::now();
            }
            let waits = since.elapsed() < patience.limit();
            if waits {
                std::thread::sleep(sleep(tries.unsigned_abs()));
            }
            waits
        }))
    }
}

fn sleep(tries: u32) -> Duration {
    let doublings = (tries / STEP).min(16);
    LONGEST_SLEEP.min(FIRST_SLEEP * 2_u32.pow(doublings))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleeps_grow_from_a_fraction_of_a_millisecond_to_a_few() {
        assert_eq!(sleep(0), FIRST_SLEEP);
        assert!(sleep(0) < sleep(STEP * 2));
        assert_eq!(sleep(u32::MAX), LONGEST_SLEEP);
    }
}
