//! What a log holds, under its lock.

use std::fs::File;
use std::sync::Arc;
use std::time::Instant;

use encoding_rs::Encoding;

use crate::amount::line_ends;
use crate::kept::{Apart, Kept, Prefix};
use crate::log::{Count, Limits, Stream};
use crate::ring::{OrderedRing, Ring, in_pieces};
use crate::runs::Runs;
use crate::spill::Spill;

/// What a log holds.
pub(super) struct State {
    pub(super) counts: [Count; 2],
    head: Vec<u8>,
    /// The order of what is in the head or the spill file, whichever is longer.
    order: Runs,
    /// Newlines in the part that `order` covers.
    order_lines: u64,
    /// Nothing more goes into head and spill file.
    full: bool,
    pub(super) tail: OrderedRing,
    pub(super) apart: [StreamEnds; 2],
    pub(super) spill: Option<Spill>,
    pub(super) last_output: Instant,
    pub(super) closed: bool,
}

pub(super) struct StreamEnds {
    pub(super) head: Vec<u8>,
    tail: Ring,
}

impl State {
    pub(super) fn new(limits: &Limits, spill: Option<File>) -> Self {
        let apart = || StreamEnds { head: Vec::new(), tail: Ring::new(limits.stream_tail) };
        Self {
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
        }
    }

    pub(super) fn total(&self) -> u64 {
        self.counts[0].bytes + self.counts[1].bytes
    }

    pub(super) fn push(&mut self, stream: Stream, bytes: &[u8], limits: &Limits) {
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
    pub(super) fn keep_tail(&self, from: u64, known: [Option<&'static Encoding>; 2]) -> Kept {
        let trouble = self.trouble();
        let (tail, tail_order) = self.tail.from(usize::try_from(from).unwrap_or(usize::MAX));
        Kept { counts: self.counts, known, trouble, tail, tail_order, ..Kept::default() }
    }

    /// Everything: what is in both beginning and end comes from the beginning.
    pub(super) fn keep(&self, known: [Option<&'static Encoding>; 2]) -> Kept {
        let tail_begin = self.total() - self.tail.len() as u64;
        let mut kept = self.keep_tail(self.order.total().saturating_sub(tail_begin), known);
        kept.prefix = self.prefix();
        kept.order = self.order.clone();
        kept.order_lines = self.order_lines;
        kept.apart = Some([&self.apart[0], &self.apart[1]].map(StreamEnds::copy));
        kept.find_gap();
        kept
    }

    pub(super) fn trouble(&self) -> Option<String> {
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
    in_pieces(&bytes[..taken], |piece| into.extend_from_slice(piece));
    taken
}
