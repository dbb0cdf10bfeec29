//! The writer thread: the only one that touches the database of a process.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use super::RecordOptions;
use super::busy::Patience;
use super::columns::Batch;
use super::entry::Entry;
use super::error::RecordError;
use super::queue::{Call, Queue};
use super::runs::Run;
use super::store::{self, Store};
use crate::redact::Redactor;
use crate::state::StateDir;

/// After this silence the log is copied into the database, or a failed database tried again.
const QUIET: Duration = Duration::from_millis(200);
/// The longest pause between two attempts to open a failed database.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// After so many transactions, or rows, the log is copied even while calls come in.
const CHECKPOINT_TRANSACTIONS: usize = 512;
const CHECKPOINT_ROWS: usize = 8_192;
/// A log of more pages (64 MB) is started anew, even if others have to wait for that.
const RESET_PAGES: i64 = 16_384;

/// What callers may ask about the writer.
#[derive(Debug)]
pub(super) struct Health {
    healthy: AtomicBool,
    lost: AtomicU64,
    /// Lost, and not yet written down as a gap.
    unreported: AtomicU64,
}

impl Health {
    pub(super) fn new() -> Self {
        Self {
            healthy: AtomicBool::new(true),
            lost: AtomicU64::new(0),
            unreported: AtomicU64::new(0),
        }
    }

    pub(super) fn is_healthy(&self) -> bool {
        self.healthy.load(Ordering::Acquire)
    }

    pub(super) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Acquire)
    }

    pub(super) fn lose(&self, count: u64) {
        self.lost.fetch_add(count, Ordering::AcqRel);
        self.unreported.fetch_add(count, Ordering::AcqRel);
    }

    /// Warns when things turn bad and says when they are good again, once each.
    fn turn(&self, outcome: Result<(), &RecordError>) {
        let healthy = outcome.is_ok();
        if self.healthy.swap(healthy, Ordering::AcqRel) == healthy {
            return;
        }
        match outcome {
            Ok(()) => tracing::info!(lost = self.lost(), "calls are recorded again"),
            Err(error) => {
                let cause = std::error::Error::source(error).map(ToString::to_string);
                tracing::warn!(%error, cause, "calls are not being recorded");
            }
        }
    }
}

/// Everything that the thread owns.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) queue: Arc<Queue>,
    pub(super) health: Arc<Health>,
    state: StateDir,
    redactor: Redactor,
    options: RecordOptions,
    store: Option<Store>,
    run: Option<Run>,
    patience: Patience,
    failure: Option<Failure>,
    /// Calls that were written without an end so far.
    open: BTreeSet<u64>,
    /// The newest number that was written.
    newest: u64,
    transactions: usize,
    rows: usize,
    /// What a caller could not write because another process did; it goes first.
    stalled: Option<Batch>,
    /// How many entries are lost if what is done now panics.
    in_hand: u64,
}

/// Why there is no database, and when to try again.
#[derive(Debug)]
struct Failure {
    error: RecordError,
    retry_at: Instant,
    pause: Duration,
}

impl Writer {
    pub(super) fn new(
        queue: Arc<Queue>,
        health: Arc<Health>,
        state: StateDir,
        redactor: Redactor,
        options: RecordOptions,
    ) -> Self {
        Self {
            queue,
            health,
            state,
            redactor,
            options,
            store: None,
            run: None,
            patience: Patience::new(),
            failure: None,
            open: BTreeSet::new(),
            newest: 0,
            transactions: 0,
            rows: 0,
            stalled: None,
            in_hand: 0,
        }
    }

    /// Opens the database before the thread starts, so that the caller hears of a failure.
    pub(super) fn open(&mut self) -> Result<(), RecordError> {
        self.connect().inspect_err(|error| {
            self.health.turn(Err(error));
        })
    }

    /// The thread's life. A panic costs the batch that it happened in, never the thread.
    pub(super) fn run(writer: &Mutex<Self>) {
        let queue = Arc::clone(&lock(writer).queue);
        let mut quiet = None;
        loop {
            let call = queue.wait(quiet);
            let mut writer = lock(writer);
            writer.contained(|writer| match call {
                Call::Work => writer.write_all(),
                Call::Quiet => writer.chores(),
                Call::Closed => writer.close(),
            });
            quiet = writer.has_chores().then_some(QUIET);
            if call == Call::Closed {
                return;
            }
        }
    }

    /// Writes an entry on the thread of the caller who waits for it: handing it to the thread and
    /// back costs more than writing it. It may overtake what is queued, which is of other calls.
    /// Gives it back where another writer is at it.
    pub(super) fn write_now(writer: &Mutex<Self>, queue: &Queue, entry: Entry) -> Option<Entry> {
        let mut writer = match writer.try_lock() {
            Ok(writer) => writer,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Some(entry),
        };
        if writer.stalled.is_some() || writer.failure.is_some() {
            return Some(entry);
        }
        let resting = !writer.has_chores();
        let patience = writer.patience.clone();
        patience.briefly(|| writer.contained(|writer| writer.write_for_caller(entry)));
        // The thread sleeps for ever while there is nothing to tidy up; now there is.
        if writer.stalled.is_some() || resting && writer.has_chores() {
            queue.rouse();
        }
        None
    }

    /// Does work that may panic; what is lost by that is counted.
    fn contained(&mut self, work: impl FnOnce(&mut Self)) {
        let lost_before = self.health.lost();
        self.in_hand = 0;
        if catch_unwind(AssertUnwindSafe(|| work(self))).is_err() {
            let known = self.health.lost() - lost_before;
            self.health.lose(self.in_hand.saturating_sub(known));
            self.fail(&RecordError::Lost);
        }
    }

    fn write_all(&mut self) {
        if let Some(stalled) = self.stalled.take() {
            self.write(stalled);
        }
        let entries = self.queue.take();
        let batch = self.batch_of(entries);
        self.write(batch);
        if self.transactions >= CHECKPOINT_TRANSACTIONS || self.rows >= CHECKPOINT_ROWS {
            self.checkpoint();
        }
    }

    fn write_for_caller(&mut self, entry: Entry) {
        let batch = self.batch_of(vec![entry]);
        match self.try_commit(&batch) {
            Ok(()) => self.settle(batch, &Ok(())),
            Err(error) if error.is_busy() => {
                self.store.iter().for_each(Store::roll_back);
                self.stalled = Some(batch);
            }
            // The thread's way of writing knows what to do about it.
            Err(_) => self.write(batch),
        }
    }

    fn batch_of(&mut self, entries: Vec<Entry>) -> Batch {
        self.in_hand = counted(&entries);
        Batch::prepare(entries, &self.redactor)
    }

    fn write(&mut self, batch: Batch) {
        let outcome = if batch.rows.is_empty() { self.ready() } else { self.commit(&batch) };
        self.settle(batch, &outcome);
    }

    fn settle(&mut self, batch: Batch, outcome: &Result<(), RecordError>) {
        if outcome.is_err() {
            self.health.lose(batch.entries);
        }
        for promise in batch.promises {
            promise.resolve(outcome.clone());
        }
        self.in_hand = 0;
    }

    /// Writes a batch; a broken database is moved aside and the batch goes to the new one.
    fn commit(&mut self, batch: &Batch) -> Result<(), RecordError> {
        let error = match self.try_commit(batch) {
            Err(error) if error.is_corruption() && self.replace_broken(&error) => {
                match self.try_commit(batch) {
                    Err(error) => error,
                    Ok(()) => return Ok(()),
                }
            }
            Err(error) => error,
            Ok(()) => return Ok(()),
        };
        self.fail(&error);
        Err(error)
    }

    fn try_commit(&mut self, batch: &Batch) -> Result<(), RecordError> {
        self.ready()?;
        let Some(store) = &mut self.store else { return Err(RecordError::Lost) };
        let unreported = self.health.unreported.load(Ordering::Acquire);
        let missing = store.write(&batch.rows, unreported)?;
        self.health.unreported.fetch_sub(unreported, Ordering::AcqRel);
        self.health.lose(missing);
        self.succeed();
        self.follow(batch);
        self.transactions += 1;
        self.rows += batch.rows.len();
        Ok(())
    }

    fn follow(&mut self, batch: &Batch) {
        for row in &batch.rows {
            if row.changing.ended_at.is_some() {
                self.open.remove(&row.number);
            } else if row.fixed.is_some() {
                self.open.insert(row.number);
            }
        }
        let last = batch.rows.iter().map(|row| row.number).max();
        self.newest = self.newest.max(last.unwrap_or(0));
    }

    /// Makes sure that there is a database, without trying a failed one all the time.
    fn ready(&mut self) -> Result<(), RecordError> {
        if self.store.as_ref().is_some_and(|store| !store.was_replaced()) {
            return Ok(());
        }
        self.store = None;
        match &self.failure {
            Some(failure) if Instant::now() < failure.retry_at => Err(failure.error.clone()),
            _ => self.connect(),
        }
    }

    fn connect(&mut self) -> Result<(), RecordError> {
        match Store::open(&self.state, &mut self.run, &self.patience) {
            Ok(store) => {
                self.store = Some(store);
                Ok(())
            }
            Err(error) => {
                self.fail(&error);
                Err(error)
            }
        }
    }

    fn replace_broken(&mut self, why: &RecordError) -> bool {
        let Some(store) = self.store.take() else { return false };
        store::move_aside_if(&self.state, &store, why).is_ok()
    }

    fn fail(&mut self, error: &RecordError) {
        self.store = None;
        self.patience.set(false);
        self.health.turn(Err(error));
        let now = Instant::now();
        let pause = match &self.failure {
            // The same failure, seen again before its time was up.
            Some(failure) if now < failure.retry_at => return,
            Some(failure) => (failure.pause * 2).min(LONGEST_PAUSE),
            None => self.options.retry,
        };
        self.failure = Some(Failure { error: error.clone(), retry_at: now + pause, pause });
    }

    fn succeed(&mut self) {
        if self.failure.take().is_some() || !self.health.is_healthy() {
            self.patience.set(true);
            self.health.turn(Ok(()));
        }
    }

    fn has_chores(&self) -> bool {
        self.transactions > 0
            || self.failure.is_some()
            || self.health.unreported.load(Ordering::Acquire) > 0
    }

    /// What is done when nobody waits for it.
    fn chores(&mut self) {
        if self.failure.is_some() || self.health.unreported.load(Ordering::Acquire) > 0 {
            // Writes the gap, and finds out whether the database is back. A failure is noted inside.
            let _ = self.commit(&Batch::default());
        }
        if self.transactions > 0 {
            self.checkpoint();
        }
    }

    fn checkpoint(&mut self) {
        (self.transactions, self.rows) = (0, 0);
        let Some(store) = &self.store else { return };
        store.settled_before(self.open.first().copied().unwrap_or(self.newest));
        if store.checkpoint(false) > RESET_PAGES {
            store.checkpoint(true);
        }
    }

    fn close(&mut self) {
        if self.health.unreported.load(Ordering::Acquire) > 0 {
            let _ = self.commit(&Batch::default());
        }
        // Emptying the log is a courtesy to the next process: not worth a long wait.
        self.patience.set(false);
        if let Some(Err(error)) = self.store.take().map(Store::close) {
            self.health.turn(Err(&error));
        }
        self.run = None;
    }
}

fn lock(writer: &Mutex<Writer>) -> MutexGuard<'_, Writer> {
    writer.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many of the entries are missed if they are lost.
fn counted(entries: &[Entry]) -> u64 {
    entries.iter().map(|entry| u64::from(entry.counts())).sum()
}
