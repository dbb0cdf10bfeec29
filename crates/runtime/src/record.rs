//! The record: who called what, when, and how it ended.
//!
//! Calls are handed to a queue in memory and written by one thread, in order, several to a
//! transaction. The flow of an entry:
//!
//! 1. [`Record::start`] puts it into the bounded queue (`queue`) and returns at once; a durable
//!    start is first noted in a file of the run (`starts`).
//! 2. The writer thread (`writer`) takes what is there.
//! 3. It is redacted, then cut, then merged with what else is there of the same call (`columns`).
//! 4. One `BEGIN IMMEDIATE` transaction writes it and gives it a revision (`store`).
//! 5. Receipts resolve (`receipt`); readers (`read`) see it.
//!
//! A process that dies leaves calls without an end; `runs` is how others know.
//!
//! ```
//! use dogu_runtime::record::{CallEnd, CallStart, Filter, Record, RecordOptions, RecordReader};
//! use dogu_runtime::{StateDir, redact::Redactor};
//! use dogu_tool::CallStatus;
//! use serde_json::json;
//!
//! # let folder = tempfile::tempdir().unwrap();
//! let state = StateDir::open(folder.path().join("state"))?;
//! let record = Record::open(&state, Redactor::new(), RecordOptions::default())?;
//! let number = record.start(CallStart::new("call_1", "read_file", json!({ "path": "a.rs" })));
//! record.end(number, CallEnd::new(CallStatus::Done));
//! record.flush().wait()?;
//!
//! let rows = RecordReader::open(&state)?.query(&Filter::default())?;
//! assert_eq!(rows[0].tool.as_deref(), Some("read_file"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bounded;
mod busy;
mod columns;
mod entry;
mod error;
mod queue;
mod read;
mod receipt;
mod row;
mod runs;
mod starts;
mod store;
mod writer;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

pub use bounded::bounded_copy;
pub use entry::{CallEnd, CallNumber, CallStart};
pub use error::RecordError;
pub use read::{Filter, RecordReader};
pub use receipt::Receipt;
pub use row::{CallRow, Gap, RecordStatus, UnknownStatus};

use columns::RowWrite;
use entry::Entry;
use queue::Queue;
use receipt::Promise;
use starts::Starts;
use writer::{Health, Writer};

use crate::redact::Redactor;
use crate::settings::Audit;
use crate::state::StateDir;

/// How long dropping the last [`Record`] waits for what is still queued.
const CLOSE_LIMIT: Duration = Duration::from_secs(2);

/// How a record is kept.
#[derive(Clone, Debug)]
pub struct RecordOptions {
    /// Whether a call may go on that cannot be recorded.
    pub audit: Audit,
    /// How many entries may wait to be written.
    pub max_entries: usize,
    /// How many bytes may wait to be written, roughly.
    pub max_bytes: usize,
    /// The first pause before a failed database is tried again; later ones are longer.
    pub retry: Duration,
}

impl Default for RecordOptions {
    fn default() -> Self {
        Self {
            audit: Audit::BestEffort,
            max_entries: 65_536,
            max_bytes: 64 * 1024 * 1024,
            retry: Duration::from_secs(1),
        }
    }
}

impl RecordOptions {
    /// The defaults, with [`Audit::Required`].
    pub fn required() -> Self {
        Self { audit: Audit::Required, ..Self::default() }
    }
}

/// Writes calls down. Cheap to clone; dropping the last clone writes what is queued, waiting
/// for two seconds at most.
#[derive(Clone, Debug)]
pub struct Record(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    queue: Arc<Queue>,
    health: Arc<Health>,
    redactor: Redactor,
    /// Where starts are noted; none where their rows are waited for.
    starts: Option<Arc<Starts>>,
    audit: Audit,
    /// The newest number that was given out.
    last: AtomicU64,
    /// Resolves when the thread has ended; none where nothing is recorded.
    ended: Option<Receipt>,
}

impl Record {
    /// Opens the record in a state folder and starts its thread.
    ///
    /// A database of a newer format is always an error. Any other failure is one under
    /// [`Audit::Required`] only: otherwise the record starts unhealthy and keeps trying.
    pub fn open(
        state: &StateDir,
        redactor: Redactor,
        options: RecordOptions,
    ) -> Result<Self, RecordError> {
        let audit = options.audit;
        let queue = Arc::new(Queue::new(options.max_entries, options.max_bytes));
        let health = Arc::new(Health::new());
        let of_writer = (Arc::clone(&queue), Arc::clone(&health));
        let mut writer =
            Writer::new(of_writer.0, of_writer.1, state.clone(), redactor.clone(), options);
        match writer.open() {
            Err(error @ RecordError::Newer { .. }) => return Err(error),
            Err(error) if audit == Audit::Required => return Err(error),
            _ => {}
        }
        // Under `Required` nothing less than the row counts.
        let starts = if audit == Audit::BestEffort { writer.starts() } else { None };
        let (promise, ended) = Promise::new(Audit::BestEffort);
        std::thread::Builder::new()
            .name("record".to_owned())
            .spawn(move || {
                writer.run();
                promise.resolve(Ok(()));
            })
            .map_err(|error| RecordError::io("start the thread for", &state.database(), error))?;
        let (last, ended) = (AtomicU64::new(now()), Some(ended));
        Ok(Self(Arc::new(Inner { queue, health, redactor, starts, audit, last, ended })))
    }

    /// A record that keeps nothing, for those who want none.
    pub fn off() -> Self {
        Self(Arc::new(Inner {
            queue: Arc::new(Queue::new(0, 0)),
            health: Arc::new(Health::new()),
            redactor: Redactor::new(),
            starts: None,
            audit: Audit::BestEffort,
            last: AtomicU64::new(now()),
            ended: None,
        }))
    }

    /// Takes down that a call begins. Returns before it is written.
    pub fn start(&self, start: CallStart) -> CallNumber {
        self.push_start(start, None)
    }

    /// Like [`Record::start`], with a receipt for when it is on disk. A call that may change
    /// something waits for this before it runs, so that nothing changes without a trace: under
    /// [`Audit::Required`] until its row is committed, otherwise until it is noted where the row
    /// will come from if this process dies.
    pub fn start_durable(&self, start: CallStart) -> (CallNumber, Receipt) {
        if self.is_off() {
            return (CallNumber::UNRECORDED, Receipt::settled(Ok(())));
        }
        if let Some(starts) = self.0.starts.as_ref().filter(|_| self.healthy()) {
            return self.note(starts, start);
        }
        let (promise, receipt) = Promise::new(self.0.audit);
        (self.push_start(start, Some(promise)), receipt)
    }

    /// A person is asked since `at`.
    pub fn waiting(&self, number: CallNumber, at: SystemTime) {
        self.push_step(number, || Entry::Waiting { number, at });
    }

    /// The call runs since `at`.
    pub fn calling(&self, number: CallNumber, at: SystemTime) {
        self.push_step(number, || Entry::Calling { number, at });
    }

    /// Takes down how a call ended, and what became known on the way.
    pub fn end(&self, number: CallNumber, end: CallEnd) {
        self.push_step(number, || Entry::end(number, end));
    }

    /// A receipt for everything that was handed over before.
    pub fn flush(&self) -> Receipt {
        if self.is_off() {
            return Receipt::settled(Ok(()));
        }
        let (promise, receipt) = Promise::new(self.0.audit);
        self.push(Entry::Flush(promise));
        receipt
    }

    /// Whether the last attempt to write succeeded.
    pub fn healthy(&self) -> bool {
        self.0.health.is_healthy()
    }

    /// How many entries (starts, steps and ends) were lost so far.
    pub fn lost(&self) -> u64 {
        self.0.health.lost()
    }

    fn is_off(&self) -> bool {
        self.0.ended.is_none()
    }

    /// Notes a start in the file of the run, from where it cannot get lost; its row may follow.
    /// Where that fails, the row is waited for.
    fn note(&self, starts: &Starts, start: CallStart) -> (CallNumber, Receipt) {
        let number = self.next_number();
        let row = Box::new(RowWrite::of_start(number, start, &self.0.redactor));
        let (entry, receipt) = if starts.append(&row) {
            (Entry::Noted(row), Receipt::settled(Ok(())))
        } else {
            let (promise, receipt) = Promise::new(self.0.audit);
            (Entry::Row { row, done: promise }, receipt)
        };
        let noted = matches!(entry, Entry::Noted(_));
        let taken = self.push(entry);
        if noted && !taken {
            starts.settle(1);
        }
        (if taken { number } else { CallNumber::UNRECORDED }, receipt)
    }

    fn push_start(&self, start: CallStart, done: Option<Promise>) -> CallNumber {
        if self.is_off() {
            return CallNumber::UNRECORDED;
        }
        let number = self.next_number();
        let taken = self.push(Entry::start(number, start, done));
        if taken { number } else { CallNumber::UNRECORDED }
    }

    /// The time in microseconds; the next free one where calls come faster, or the clock goes back.
    fn next_number(&self) -> CallNumber {
        let now = now();
        let next = |last: u64| Some(now.max(last + 1));
        let last = self.0.last.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
        CallNumber(last.map_or(now, |last| now.max(last + 1)))
    }

    fn push_step(&self, number: CallNumber, entry: impl FnOnce() -> Entry) {
        if number != CallNumber::UNRECORDED {
            self.push(entry());
        } else if !self.is_off() {
            // Its start was lost, so this is lost too.
            self.0.health.lose(1);
        }
    }

    fn push(&self, entry: Entry) -> bool {
        let Err(refused) = self.0.queue.push(entry) else { return true };
        self.0.health.lose(u64::from(refused.counts()));
        if let Entry::Start { done: Some(promise), .. }
        | Entry::Row { done: promise, .. }
        | Entry::Flush(promise) = refused
        {
            promise.resolve(Err(RecordError::Full));
        }
        false
    }
}

fn now() -> u64 {
    columns::micros(SystemTime::now()).unsigned_abs()
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.queue.close();
        if let Some(ended) = &self.ended
            && ended.wait_for(CLOSE_LIMIT).is_none()
        {
            tracing::warn!("the record was not written to its end in time");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn start() -> CallStart {
        CallStart::new("c", "t", json!({}))
    }

    #[test]
    fn the_thread_survives_a_panic() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateDir::open(folder.path()).unwrap();
        let options = RecordOptions { retry: Duration::ZERO, ..RecordOptions::required() };
        let record = Record::open(&state, Redactor::new(), options).unwrap();
        record.push(Entry::Panic);
        // In the same batch it is lost, in the next one it is not.
        assert!(matches!(record.flush().wait(), Ok(()) | Err(RecordError::Lost)));
        let (_, receipt) = record.start_durable(start());
        receipt.wait().unwrap();
        assert_eq!(record.lost(), 1);
        assert!(record.healthy());
        assert_eq!(RecordReader::open(&state).unwrap().gaps().unwrap()[0].lost, 1);
    }

    #[test]
    fn a_record_that_is_off_keeps_and_loses_nothing() {
        let record = Record::off();
        let (number, receipt) = record.start_durable(start());
        receipt.wait().unwrap();
        record.end(number, CallEnd::new(dogu_tool::CallStatus::Done));
        record.flush().wait().unwrap();
        assert_eq!(record.lost(), 0);
        assert!(record.healthy());
    }
}
