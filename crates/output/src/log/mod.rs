//! The bounded log of one process.

mod state;

use std::fs::File;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

use encoding_rs::Encoding;

use crate::decode::{BLOCK, guess};
use crate::kept::Kept;
use state::State;

/// Where a program writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    #[default]
    Out,
    /// Standard error.
    Err,
}

impl Stream {
    pub(crate) fn index(self) -> usize {
        usize::from(self == Self::Err)
    }

    pub(crate) fn other(self) -> Self {
        if self == Self::Out { Self::Err } else { Self::Out }
    }
}

/// How much a log keeps, in bytes where nothing else is said.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The beginning of both streams, in memory.
    pub head: usize,
    /// The end of both streams, in memory; at the end of the spill file, too.
    pub tail: usize,
    /// The beginning of each stream by itself, in memory.
    pub stream_head: usize,
    /// The end of each stream by itself, in memory.
    pub stream_tail: usize,
    /// The beginning of both streams, in the spill file.
    pub spill: u64,
    /// Memory for the order of the streams in head and spill file. When it is full, these end.
    pub order: usize,
    /// How often the streams may take turns in the tail. Before that it is cut.
    pub tail_turns: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            head: 256 * 1024,
            tail: 1024 * 1024,
            stream_head: 64 * 1024,
            stream_tail: 64 * 1024,
            spill: 64 * 1024 * 1024,
            order: 1024 * 1024,
            tail_turns: 64 * 1024,
        }
    }
}

/// How much a stream had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// All bytes.
    pub bytes: u64,
    /// Newlines among them.
    pub lines: u64,
}

/// Called after each change of a log.
pub type OnChange = Box<dyn Fn() + Send + Sync>;

/// What one process prints: pushed by the thread that reads its pipes, read by others.
///
/// A push copies the bytes and counts; nothing is parsed until somebody reads.
///
/// ```
/// use dogu_output::{Log, Stream};
///
/// let log = Log::new();
/// log.push(Stream::Out, b"10%\r20%\r");
/// log.push(Stream::Out, b"100%\n");
/// log.push(Stream::Err, b"\x1b[31merror\x1b[0m: no such file\n");
/// log.push(Stream::Out, b"done\n");
/// log.close();
/// let shown = log.result(30_000);
/// assert_eq!(shown.text, "100%\nerror: no such file\ndone\n");
/// assert_eq!(shown.stdout, "100%\ndone\n");
/// assert_eq!(shown.stderr, "error: no such file\n");
/// ```
pub struct Log {
    state: Mutex<State>,
    changed: Condvar,
    listeners: RwLock<Vec<OnChange>>,
    limits: Limits,
    /// The encodings of the streams, once enough of them was seen.
    known: [OnceLock<Option<&'static Encoding>>; 2],
}

impl Default for Log {
    fn default() -> Self {
        Self::new()
    }
}

impl Log {
    /// A log in memory only.
    pub fn new() -> Self {
        Self::with(Limits::default(), None)
    }

    /// A log with an empty file for what does not fit into memory.
    pub fn with_spill(file: File) -> Self {
        Self::with(Limits::default(), Some(file))
    }

    /// A log with limits of one's own.
    pub fn with(limits: Limits, spill: Option<File>) -> Self {
        let state = State::new(&limits, spill);
        Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
            listeners: RwLock::default(),
            limits,
            known: [OnceLock::new(), OnceLock::new()],
        }
    }

    /// Appends what was read from a stream. After [`Log::close`] nothing is taken.
    pub fn push(&self, stream: Stream, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let mut state = self.lock();
        if state.closed {
            return;
        }
        state.push(stream, bytes, &self.limits);
        drop(state);
        self.tell();
    }

    /// The process has ended: the end goes into the spill file, and those who wait are told.
    pub fn close(&self) {
        let mut state = self.lock();
        if state.closed {
            return;
        }
        state.closed = true;
        let kept = state.keep(self.known(&state));
        if let Some(spill) = &mut state.spill {
            spill.close(&kept);
        }
        drop(state);
        self.tell();
    }

    /// Whether [`Log::close`] was called.
    pub fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// How much a stream had so far.
    pub fn count(&self, stream: Stream) -> Count {
        self.lock().counts[stream.index()]
    }

    /// How many bytes both streams had so far: the cursor of what comes next.
    pub fn total(&self) -> u64 {
        self.lock().total()
    }

    /// When something was written last, or else when the log was made.
    pub fn last_output(&self) -> Instant {
        self.lock().last_output
    }

    /// Why not everything is in the spill file, where writing it failed.
    pub fn spill_trouble(&self) -> Option<String> {
        self.lock().trouble()
    }

    /// Registers what is called after each push and at the end, on the thread that pushes. It
    /// should only wake somebody. It stays for the life of the log.
    pub fn on_change(&self, listener: OnChange) {
        self.listeners.write().unwrap_or_else(PoisonError::into_inner).push(listener);
    }

    /// Waits until the log has more than `seen` bytes or is closed; false when the time is over.
    pub fn wait(&self, seen: u64, timeout: Duration) -> bool {
        let waiting = |state: &mut State| !state.closed && state.total() <= seen;
        let waited = self.changed.wait_timeout_while(self.lock(), timeout, waiting);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    /// What is there now, from a cursor on.
    pub(crate) fn kept(&self, from: u64) -> Kept {
        let state = self.lock();
        let known = self.known(&state);
        let tail_begin = state.total() - state.tail.len() as u64;
        let mut kept = if from >= tail_begin {
            state.keep_tail(from - tail_begin, known)
        } else {
            state.keep(known)
        };
        drop(state);
        if from < tail_begin {
            kept.after(from);
        }
        kept.begin_tail_with_a_line();
        kept
    }

    /// The encodings of the streams by their beginnings.
    fn known(&self, state: &State) -> [Option<&'static Encoding>; 2] {
        [Stream::Out, Stream::Err].map(|stream| {
            let known = &self.known[stream.index()];
            if let Some(known) = known.get() {
                return *known;
            }
            let head = &state.apart[stream.index()].head;
            let sample = &head[..head.len().min(BLOCK)];
            let guess = guess(sample, state.closed && sample.len() == head.len());
            if sample.len() == BLOCK || state.closed {
                let _ = known.set(guess);
            }
            guess
        })
    }

    fn tell(&self) {
        self.changed.notify_all();
        for listener in self.listeners.read().unwrap_or_else(PoisonError::into_inner).iter() {
            listener();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
