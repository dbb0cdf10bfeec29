//! The bounded log of one process.

use std::fs::File;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

use encoding_rs::Encoding;

use crate::amount::line_ends;
use crate::decode::{BLOCK, guess};
use crate::kept::{Apart, Kept, Prefix};
use crate::ring::{OrderedRing, Ring};
use crate::runs::Runs;
use crate::spill::Spill;

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

struct State {
    counts: [Count; 2],
    head: Vec<u8>,
    /// The order of what is in the head or the spill file, whichever is longer.
    order: Runs,
    /// Newlines in the part that `order` covers.
    order_lines: u64,
    /// Nothing more goes into head and spill file.
    full: bool,
    tail: OrderedRing,
    apart: [StreamEnds; 2],
    spill: Option<Spill>,
    last_output: Instant,
    closed: bool,
}

struct StreamEnds {
    head: Vec<u8>,
    tail: Ring,
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
        let apart = || StreamEnds { head: Vec::new(), tail: Ring::new(limits.stream_tail) };
        let state = State {
            counts: [Count::default(); 2],
            head: Vec::new(),
            order: Runs::default(),
            order_lines: 0,
            full: false,
            tail: OrderedRing::new(limits.tail, limits.tail_turns),
            apart: [apart(), apart()],
            spill: spill.map(|file| Spill::new(file, limits.spill)),
            last_output: Instant::now(),
            closed: false,
        };
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
        let kept = state.keep([None; 2]);
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
        let known = [Stream::Out, Stream::Err].map(|stream| self.known(&state, stream));
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

    /// The encoding of a stream by its beginning.
    fn known(&self, state: &State, stream: Stream) -> Option<&'static Encoding> {
        let known = &self.known[stream.index()];
        let head = &state.apart[stream.index()].head;
        let sample = &head[..head.len().min(BLOCK)];
        if let Some(known) = known.get() {
            return *known;
        }
        let guess = guess(sample, state.closed && sample.len() == head.len());
        if sample.len() == BLOCK || state.closed {
            let _ = known.set(guess);
        }
        guess
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

impl State {
    fn total(&self) -> u64 {
        self.counts[0].bytes + self.counts[1].bytes
    }

    fn push(&mut self, stream: Stream, bytes: &[u8], limits: &Limits) {
        let lines = line_ends(bytes);
        let count = &mut self.counts[stream.index()];
        count.bytes += bytes.len() as u64;
        count.lines += lines;
        self.push_prefix(stream, bytes, lines, limits);
        self.tail.push(stream, bytes);
        let apart = &mut self.apart[stream.index()];
        fill(&mut apart.head, bytes, limits.stream_head);
        apart.tail.push(bytes);
        self.last_output = Instant::now();
    }

    /// Into head and spill file, as far as they go.
    fn push_prefix(&mut self, stream: Stream, bytes: &[u8], lines: u64, limits: &Limits) {
        if self.full {
            return;
        }
        let in_head = fill(&mut self.head, bytes, limits.head);
        let in_spill = self.spill.as_mut().map_or(0, |spill| spill.push(bytes));
        let taken = in_head.max(in_spill);
        self.order.push(stream, taken as u64);
        self.order_lines += if taken == bytes.len() { lines } else { line_ends(&bytes[..taken]) };
        self.full = taken < bytes.len() || self.order.size() >= limits.order;
    }

    /// The end only, from a byte of it on.
    fn keep_tail(&self, from: u64, known: [Option<&'static Encoding>; 2]) -> Kept {
        let trouble = self.trouble();
        let (tail, tail_order) = self.tail.from(usize::try_from(from).unwrap_or(usize::MAX));
        Kept { counts: self.counts, known, trouble, tail, tail_order, ..Kept::default() }
    }

    /// Everything: what is in both beginning and end comes from the beginning.
    fn keep(&self, known: [Option<&'static Encoding>; 2]) -> Kept {
        let tail_begin = self.total() - self.tail.len() as u64;
        let mut kept = self.keep_tail(self.order.total().saturating_sub(tail_begin), known);
        kept.prefix = self.prefix();
        kept.order = self.order.clone();
        kept.order_lines = self.order_lines;
        kept.apart = Some([&self.apart[0], &self.apart[1]].map(StreamEnds::copy));
        kept.find_gap();
        kept
    }

    fn trouble(&self) -> Option<String> {
        self.spill.as_ref().and_then(|spill| spill.trouble.clone())
    }

    fn prefix(&self) -> Prefix {
        match &self.spill {
            Some(spill) if spill.length() > self.head.len() as u64 => Prefix::File {
                file: Arc::clone(spill.file()),
                begin: 0,
                length: self.order.total(),
            },
            _ => Prefix::Memory(self.head.clone()),
        }
    }
}

impl StreamEnds {
    fn copy(&self) -> Apart {
        Apart { head: self.head.clone(), tail: self.tail.from(0) }
    }
}

/// Appends what fits; returns how much that was.
fn fill(into: &mut Vec<u8>, bytes: &[u8], cap: usize) -> usize {
    let taken = bytes.len().min(cap.saturating_sub(into.len()));
    into.extend_from_slice(&bytes[..taken]);
    taken
}
