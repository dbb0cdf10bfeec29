//! The ordered, bounded queue between callers and the writer thread.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::entry::Entry;

/// How many entries share a transaction. Under load three of them are one row: few enough that
/// another process waits for a millisecond or two, many enough that the cost of the commit does
/// not show.
const BATCH: usize = 256;
/// How long entries that nobody waits for may wait for company. Calls that follow each other then
/// share a transaction, which costs more than all else of a row and takes the core from a tool.
const LINGER: Duration = Duration::from_millis(8);

/// What the writer is woken for.
#[derive(Debug)]
pub(super) enum Work {
    /// Entries, oldest first.
    Batch(Vec<Entry>),
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
        let wake = state.sleep == Sleep::Empty
            || state.sleep == Sleep::Lingering
                && (state.urgent > 0 || state.entries.len() >= BATCH);
        if wake {
            state.sleep = Sleep::Awake;
        }
        drop(state);
        if wake {
            self.filled.notify_one();
        }
        Ok(())
    }

    /// Waits for work; for ever, unless `quiet` says after which silence to come back.
    pub(super) fn take(&self, quiet: Option<Duration>) -> Work {
        let mut state = self.lock();
        let mut lingered = false;
        loop {
            let due = state.urgent > 0 || state.closed || lingered || state.entries.len() >= BATCH;
            if due && !state.entries.is_empty() {
                return Work::Batch(state.batch());
            }
            if state.closed {
                return Work::Closed;
            }
            let lingering = !state.entries.is_empty();
            let limit = if lingering { Some(LINGER) } else { quiet };
            state.sleep = if lingering { Sleep::Lingering } else { Sleep::Empty };
            let timed_out;
            (state, timed_out) = self.sleep(state, limit);
            state.sleep = Sleep::Awake;
            lingered = lingering && timed_out;
            if timed_out && !lingering && state.entries.is_empty() && !state.closed {
                return Work::Quiet;
            }
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
        assert!(matches!(queue.take(None), Work::Batch(batch) if batch.len() == 2));
        assert!(queue.push(waiting()).is_ok());
        assert!(Queue::new(2, 10).push(waiting()).is_err());
    }

    #[test]
    fn a_batch_takes_what_is_there_within_its_bound() {
        let queue = Queue::new(BATCH * 2, usize::MAX / 4);
        (0..=BATCH).for_each(|_| assert!(queue.push(waiting()).is_ok()));
        assert!(matches!(queue.take(None), Work::Batch(batch) if batch.len() == BATCH));
        assert!(matches!(queue.take(None), Work::Batch(batch) if batch.len() == 1));
    }

    #[test]
    fn a_closed_queue_is_emptied_first() {
        let queue = Queue::new(2, 10_000);
        assert!(queue.push(waiting()).is_ok());
        queue.close();
        assert!(queue.push(waiting()).is_err());
        assert!(matches!(queue.take(None), Work::Batch(_)));
        assert!(matches!(queue.take(None), Work::Closed));
    }

    #[test]
    fn silence_is_reported_when_asked_for() {
        assert!(matches!(Queue::new(1, 1).take(Some(Duration::from_millis(1))), Work::Quiet));
    }
}
