//! The writer thread: the only one that touches the database of a process.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::RecordOptions;
use super::busy::Patience;
use super::columns::Batch;
use super::entry::Entry;
use super::error::RecordError;
use super::queue::{Queue, Work};
use super::runs::Run;
use super::starts::Starts;
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
    starts: Option<Arc<Starts>>,
    patience: Patience,
    failure: Option<Failure>,
    /// Calls that were written without an end so far.
    open: BTreeSet<u64>,
    /// The newest number that was written.
    newest: u64,
    transactions: usize,
    rows: usize,
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
            starts: None,
            patience: Patience::new(),
            failure: None,
            open: BTreeSet::new(),
            newest: 0,
            transactions: 0,
            rows: 0,
        }
    }

    /// Opens the database before the thread starts, so that the caller hears of a failure.
    pub(super) fn open(&mut self) -> Result<(), RecordError> {
        self.connect().inspect_err(|error| {
            self.health.turn(Err(error));
        })
    }

    /// The file for starts of this run; none where no run could begin.
    pub(super) fn starts(&mut self) -> Option<Arc<Starts>> {
        self.starts = self.run.as_ref().map(|run| Arc::new(run.starts()));
        self.starts.clone()
    }

    /// The thread's life. A panic costs the batch that it happened in, never the thread.
    pub(super) fn run(mut self) {
        loop {
            let work = self.queue.take(self.has_chores().then_some(QUIET));
            let closed = matches!(work, Work::Closed);
            let entries = match &work {
                Work::Batch(entries) => counted(entries),
                Work::Quiet | Work::Closed => 0,
            };
            let lost_before = self.health.lost();
            if catch_unwind(AssertUnwindSafe(|| self.work(work))).is_err() {
                let known = self.health.lost() - lost_before;
                self.health.lose(entries.saturating_sub(known));
                self.fail(&RecordError::Lost);
            }
            if closed {
                return;
            }
        }
    }

    fn work(&mut self, work: Work) {
        match work {
            Work::Batch(entries) => self.write(entries),
            Work::Quiet => self.chores(),
            Work::Closed => self.close(),
        }
    }

    fn write(&mut self, entries: Vec<Entry>) {
        let batch = Batch::prepare(entries, &self.redactor);
        let outcome = if batch.rows.is_empty() { self.ready() } else { self.commit(&batch) };
        if outcome.is_err() {
            self.health.lose(batch.entries);
        }
        if let Some(starts) = self.starts.as_ref().filter(|_| batch.starts > 0) {
            starts.settle(batch.starts);
        }
        for promise in batch.promises {
            promise.resolve(outcome.clone());
        }
        if self.transactions >= CHECKPOINT_TRANSACTIONS || self.rows >= CHECKPOINT_ROWS {
            self.checkpoint();
        }
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

/// How many of the entries are missed if they are lost.
fn counted(entries: &[Entry]) -> u64 {
    entries.iter().map(|entry| u64::from(entry.counts())).sum()
}
