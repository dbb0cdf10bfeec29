//! A thread that keeps deadlines, outside tokio: its timers stand still when its workers do.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The longest sleep while anything happens. A deadline later than the next look needs no wake-up,
/// which is what keeps watching cheap.
const TICK: Duration = Duration::from_secs(1);

/// Something with a deadline.
pub(crate) trait Overdue: Send + Sync {
    /// The deadline passed; may ask to be looked at again.
    fn overdue(&self) -> Option<Instant>;
}

/// Watches deadlines.
pub(crate) struct Watchdog(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    due: BTreeMap<(Instant, u64), Arc<dyn Overdue>>,
    /// When the thread looks next; none while it sleeps until it is woken.
    next_look: Option<Instant>,
    started: bool,
    closed: bool,
}

impl Default for Watchdog {
    fn default() -> Self {
        Self(Arc::new(Shared::default()))
    }
}

impl Watchdog {
    /// Watches until `at`; the number tells deadlines of the same moment apart.
    pub(crate) fn watch(&self, at: Instant, number: u64, overdue: Arc<dyn Overdue>) {
        let mut state = self.0.lock();
        state.due.insert((at, number), overdue);
        self.ensure_started(&mut state);
        if state.next_look.is_none_or(|next| at < next) {
            drop(state);
            self.0.changed.notify_one();
        }
    }

    /// Stops watching.
    pub(crate) fn forget(&self, at: Instant, number: u64) {
        self.0.lock().due.remove(&(at, number));
    }

    /// How many deadlines are watched.
    pub(crate) fn watching(&self) -> usize {
        self.0.lock().due.len()
    }

    fn ensure_started(&self, state: &mut State) {
        if state.started {
            return;
        }
        let shared = Arc::clone(&self.0);
        let thread = std::thread::Builder::new().name("dogu-watchdog".into());
        state.started = thread.spawn(move || shared.keep_watch()).is_ok();
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.changed.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep_watch(&self) {
        let mut state = self.lock();
        let mut quiet = false;
        while !state.closed {
            let now = Instant::now();
            if let Some(entry) = state.due.first_entry().filter(|entry| entry.key().0 <= now) {
                let ((_, number), overdue) = entry.remove_entry();
                drop(state);
                let again = overdue.overdue();
                state = self.lock();
                if let Some(at) = again {
                    state.due.insert((at, number), overdue);
                }
                continue;
            }
            (state, quiet) = self.sleep(state, now, quiet);
        }
    }

    /// Sleeps to the next deadline or tick; after a tick with nothing to watch, until woken.
    fn sleep<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        now: Instant,
        quiet: bool,
    ) -> (MutexGuard<'a, State>, bool) {
        let nothing = state.due.is_empty();
        if nothing && quiet {
            state.next_look = None;
            return (self.changed.wait(state).unwrap_or_else(PoisonError::into_inner), false);
        }
        let tick = now + TICK;
        let next = state.due.first_key_value().map_or(tick, |((at, _), _)| tick.min(*at));
        state.next_look = Some(next);
        let waited = self.changed.wait_timeout(state, next - now);
        (waited.unwrap_or_else(PoisonError::into_inner).0, nothing)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    struct Report(Mutex<mpsc::Sender<Instant>>, Mutex<Option<Instant>>);

    impl Overdue for Report {
        fn overdue(&self) -> Option<Instant> {
            self.0.lock().unwrap().send(Instant::now()).unwrap();
            self.1.lock().unwrap().take()
        }
    }

    #[test]
    fn an_earlier_deadline_is_kept_though_a_later_one_came_first() {
        let (sender, receiver) = mpsc::channel();
        let report = |again| Arc::new(Report(Mutex::new(sender.clone()), Mutex::new(again)));
        let watchdog = Watchdog::default();
        let start = Instant::now();
        let (soon, later) = (start + Duration::from_millis(30), start + Duration::from_mins(10));
        watchdog.watch(later, 1, report(None));
        watchdog.watch(soon, 2, report(Some(soon + Duration::from_millis(30))));
        assert!(receiver.recv().unwrap() >= soon);
        assert!(receiver.recv().unwrap() >= soon + Duration::from_millis(30));
        assert_eq!(watchdog.watching(), 1);
        watchdog.forget(later, 1);
        assert_eq!(watchdog.watching(), 0);
    }
}
