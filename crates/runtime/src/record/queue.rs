//! The ordered, bounded queue between callers and the writer thread.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::entry::Entry;

/// How many entries share a transaction. Few enough that another process waits for less than
/// a millisecond, many enough that the cost of the commit does not show.
const BATCH: usize = 64;
/// How long entries that nobody waits for may wait for company. The end of one call and the start
/// of the next then share a transaction.
const LINGER: Duration = Duration::from_millis(2);

/// What the writer is woken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// There are entries, or someone asked for the thread.
    Work,
    /// Nothing came for the time that was asked for.
    Quiet,
    /// Nothing is left and nothing will come.
    Closed,
}

#[derive(Debug)]
pub(super) struct Queue {
    state: Mutex<State>,
    filled: Condvar,
    max_entries: usize,
    max_bytes: usize,
}

#[derive(Debug, Default)]
struct State {
    entries: VecDeque<(usize, Entry)>,
    bytes: usize,
    closed: bool,
    /// How many of the entries someone waits for.
    urgent: usize,
    /// Someone asked for the thread itself.
    roused: bool,
    sleep: Sleep,
}

/// What the writer sleeps for: waking it is a system call, which is made only where it helps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Sleep {
    #[default]
    Awake,
    /// For any entry.
    Empty,
    /// For one that someone waits for, or for enough of them.
    Lingering,
}

impl Queue {
    pub(super) fn new(max_entries: usize, max_bytes: usize) -> Self {
        Self { state: Mutex::default(), filled: Condvar::new(), max_entries, max_bytes }
    }

    /// Takes an entry, or gives it back if there is no room.
    ///
    /// Ends and flushes may use as much room again: a call whose start was written should not
    /// stay open because others came in between.
    pub(super) fn push(&self, entry: Entry) -> Result<(), Entry> {
        let weight = entry.weight();
        let urgent = entry.is_waited_for();
        let share = if matches!(entry, Entry::End { .. } | Entry::Flush(_)) { 2 } else { 1 };
        let mut state = self.lock();
        let full = state.entries.len() >= self.max_entries * share
            || state.bytes.saturating_add(weight) > self.max_bytes * share;
        if full || state.closed {
            return Err(entry);
        }
        state.bytes += weight;
        state.entries.push_back((weight, entry));
        state.urgent += usize::from(urgent);
        let enough = state.urgent > 0 || state.entries.len() >= BATCH;
        let wake = state.sleep == Sleep::Empty || state.sleep == Sleep::Lingering && enough;
        if wake {
            state.sleep = Sleep::Awake;
        }
        drop(state);
        if wake {
            self.filled.notify_one();
        }
        Ok(())
    }

    /// Waits for work; for ever, unless `quiet` says after which silence to come back. Takes
    /// nothing: whoever writes first locks the writer, then takes, so that order is kept.
    pub(super) fn wait(&self, quiet: Option<Duration>) -> Call {
        let mut state = self.lock();
        let mut lingered = false;
        loop {
            let due = state.urgent > 0 || state.closed || lingered || state.entries.len() >= BATCH;
            if std::mem::take(&mut state.roused) || due && !state.entries.is_empty() {
                return Call::Work;
            }
            if state.closed {
                return Call::Closed;
            }
            let lingering = !state.entries.is_empty();
            let limit = if lingering { Some(LINGER) } else { quiet };
            state.sleep = if lingering { Sleep::Lingering } else { Sleep::Empty };
            let timed_out;
            (state, timed_out) = self.sleep(state, limit);
            state.sleep = Sleep::Awake;
            lingered = lingering && timed_out;
            let silent = state.entries.is_empty() && !state.closed && !state.roused;
            if timed_out && !lingering && silent {
                return Call::Quiet;
            }
        }
    }

    /// The next entries, oldest first; none where there are none.
    pub(super) fn take(&self) -> Vec<Entry> {
        self.lock().batch()
    }

    /// Wakes the thread, whatever it sleeps for.
    pub(super) fn rouse(&self) {
        let mut state = self.lock();
        state.roused = true;
        let asleep = std::mem::replace(&mut state.sleep, Sleep::Awake) != Sleep::Awake;
        drop(state);
        if asleep {
            self.filled.notify_one();
        }
    }

    fn sleep<'a>(
        &'a self,
        state: MutexGuard<'a, State>,
        limit: Option<Duration>,
    ) -> (MutexGuard<'a, State>, bool) {
        let Some(limit) = limit else {
            let woken = self.filled.wait(state);
            return (woken.unwrap_or_else(PoisonError::into_inner), false);
        };
        let waited = self.filled.wait_timeout(state, limit);
        let (woken, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        (woken, timeout.timed_out())
    }

    /// Nothing more is taken; what is there is still handed out.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.filled.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn batch(&mut self) -> Vec<Entry> {
        let count = self.entries.len().min(BATCH);
        let mut batch = Vec::with_capacity(count);
        for (weight, entry) in self.entries.drain(..count) {
            self.bytes -= weight;
            self.urgent -= usize::from(entry.is_waited_for());
            batch.push(entry);
        }
        batch
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;
    use crate::record::entry::CallNumber;

    fn waiting() -> Entry {
        Entry::Waiting { number: CallNumber(1), at: SystemTime::now() }
    }

    #[test]
    fn is_bounded_by_count_and_by_bytes() {
        let queue = Queue::new(2, usize::MAX / 4);
        assert!(queue.push(waiting()).is_ok());
        assert!(queue.push(waiting()).is_ok());
        assert!(queue.push(waiting()).is_err());
        assert_eq!(queue.wait(None), Call::Work);
        assert_eq!(queue.take().len(), 2);
        assert!(queue.push(waiting()).is_ok());
        assert!(Queue::new(2, 10).push(waiting()).is_err());
    }

    #[test]
    fn a_closed_queue_is_emptied_first() {
        let queue = Queue::new(2, 10_000);
        assert!(queue.push(waiting()).is_ok());
        queue.close();
        assert!(queue.push(waiting()).is_err());
        assert_eq!(queue.wait(None), Call::Work);
        assert_eq!(queue.take().len(), 1);
        assert_eq!(queue.wait(None), Call::Closed);
    }

    #[test]
    fn silence_is_reported_when_asked_for() {
        assert_eq!(Queue::new(1, 1).wait(Some(Duration::from_millis(1))), Call::Quiet);
    }

    #[test]
    fn whoever_asks_for_the_thread_gets_it_without_an_entry() {
        let queue = Queue::new(1, 1);
        queue.rouse();
        assert_eq!(queue.wait(None), Call::Work);
        assert!(queue.take().is_empty());
    }
}
