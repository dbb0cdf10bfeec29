//! What was kept of an output, at one moment: a beginning, perhaps a gap, and an end.

mod prefix;
mod visit;

use std::borrow::Cow;
use std::fs::File;
use std::io::Result;
use std::ops::ControlFlow;

use encoding_rs::Encoding;

use crate::amount::{LeftOut, line_ends};
use crate::decode::{BLOCK, cut_end_of, guess, is_wide};
use crate::log::{Count, Stream};
use crate::runs::Runs;
use crate::spill;

pub(crate) use prefix::Prefix;
pub(crate) use visit::{Noticed, Piece};

/// How far the first whole line is looked for behind a gap.
const MAX_CUT_LINE: usize = 8 * 1024;
/// The beginning and the end that are looked at where everything would take too long.
const END_BYTES: u64 = 1024 * 1024;

/// The ends of one stream by itself.
#[derive(Clone)]
pub(crate) struct Apart {
    pub(crate) head: Vec<u8>,
    pub(crate) tail: Vec<u8>,
}

/// What is kept of an output: of a running process at one moment ([`Log::snapshot`]), or of an
/// ended one in its spill file ([`Kept::open`]).
///
/// [`Log::snapshot`]: crate::Log::snapshot
#[derive(Clone, Default)]
pub struct Kept {
    pub(crate) counts: [Count; 2],
    pub(crate) prefix: Prefix,
    pub(crate) order: Runs,
    pub(crate) order_lines: u64,
    pub(crate) gap: LeftOut,
    pub(crate) tail: Vec<u8>,
    pub(crate) tail_order: Runs,
    pub(crate) apart: Option<[Apart; 2]>,
    pub(crate) known: [Option<&'static Encoding>; 2],
    pub(crate) trouble: Option<String>,
}

impl Kept {
    /// Opens the spill file of a log. A file without the table that [`Log::close`] writes, because
    /// its process was killed, is read as standard output.
    ///
    /// [`Log::close`]: crate::Log::close
    pub fn open(file: File) -> Result<Self> {
        let mut kept = spill::open(file)?;
        kept.begin_tail_with_a_line();
        if kept.trouble.is_some() {
            kept.known = kept.guess_encodings();
        }
        Ok(kept)
    }

    /// How much a stream had, kept or not.
    pub fn count(&self, stream: Stream) -> Count {
        self.counts[stream.index()]
    }

    /// What is missing between the beginning and the end.
    pub fn gap(&self) -> LeftOut {
        self.gap
    }

    /// Why something is missing that should be there.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// How many bytes are here.
    pub(crate) fn size(&self) -> u64 {
        self.order.total() + self.tail.len() as u64
    }

    /// What lies between prefix and tail by the counts.
    pub(crate) fn find_gap(&mut self) {
        let [out, err] = self.counts;
        let bytes = (out.bytes + err.bytes).saturating_sub(self.size());
        if bytes > 0 {
            let here = self.order_lines + line_ends(&self.tail);
            self.gap = LeftOut { bytes, lines: (out.lines + err.lines).saturating_sub(here) };
        }
    }

    /// Cuts the tail behind a gap so that it begins with a line, or at least with a character.
    pub(crate) fn begin_tail_with_a_line(&mut self) {
        if self.gap.is_none() {
            return;
        }
        let begin = &self.tail[..self.tail.len().min(MAX_CUT_LINE)];
        let cut = match memchr::memchr(b'\n', begin) {
            Some(at) if at + 1 < self.tail.len() => at + 1,
            _ => begin.iter().take(3).take_while(|byte| (0x80..0xc0).contains(*byte)).count(),
        };
        self.gap.add(LeftOut { bytes: cut as u64, lines: line_ends(&self.tail[..cut]) });
        self.tail.drain(..cut);
        self.tail_order = self.tail_order.slice(cut as u64, u64::MAX);
    }

    /// Forgets the first bytes of all.
    pub(crate) fn after(&mut self, from: u64) {
        if from == 0 {
            return;
        }
        self.apart = None;
        let in_prefix = from.min(self.order.total());
        self.prefix.skip(in_prefix);
        self.order = self.order.slice(in_prefix, u64::MAX);
        let in_gap = (from - in_prefix).min(self.gap.bytes);
        if in_gap > 0 {
            let lines =
                u128::from(self.gap.lines) * u128::from(in_gap) / u128::from(self.gap.bytes);
            self.gap.bytes -= in_gap;
            self.gap.lines -= u64::try_from(lines).unwrap_or(0);
        }
        let in_tail = usize::try_from(from - in_prefix - in_gap).unwrap_or(usize::MAX);
        self.tail.drain(..in_tail.min(self.tail.len()));
        self.tail_order = self.tail_order.slice(in_tail as u64, u64::MAX);
    }

    /// Forgets the last bytes, of one run, as if they had not come yet.
    pub(crate) fn shorten(&mut self, bytes: u64) {
        let order = if self.tail.is_empty() { &self.order } else { &self.tail_order };
        if let Some((stream, _)) = order.iter().last() {
            self.counts[stream.index()].bytes -= bytes;
        }
        if self.tail.is_empty() {
            let left = self.order.total().saturating_sub(bytes);
            self.prefix.shorten(left);
            self.order = self.order.slice(0, left);
        } else {
            let left = self.tail.len().saturating_sub(usize::try_from(bytes).unwrap_or(0));
            self.tail.truncate(left);
            self.tail_order = self.tail_order.slice(0, left as u64);
        }
    }

    /// The last bytes only, from a line on.
    pub(crate) fn last(mut self) -> Self {
        let whole = self.size() + self.gap.bytes;
        if whole > END_BYTES {
            let cut = whole - END_BYTES;
            self.after(cut);
            self.apart = None;
            let bytes = self.prefix.read(0, self.order.total());
            self.join_tail(bytes);
            self.gap = LeftOut { bytes: cut, lines: 0 };
            self.begin_tail_with_a_line();
        }
        self
    }

    /// Beginning and end, where all of it would take too long.
    pub(crate) fn ends(&self, at_most: u64) -> Cow<'_, Self> {
        let prefix = self.order.total();
        let missing =
            if self.gap.is_none() { END_BYTES.saturating_sub(self.tail.len() as u64) } else { 0 };
        let (head_end, tail_begin) = (END_BYTES.min(prefix), prefix - missing.min(prefix));
        if self.size() <= at_most || head_end >= tail_begin {
            return Cow::Borrowed(self);
        }
        let mut tail = self.prefix.read(tail_begin, prefix);
        tail.extend_from_slice(&self.tail);
        let mut tail_order = self.order.slice(tail_begin, prefix);
        tail_order.append(&self.tail_order);
        let mut gap = self.gap;
        gap.add(LeftOut {
            bytes: tail_begin - head_end,
            lines: self.prefix.line_ends(head_end, tail_begin),
        });
        let mut ends = Self {
            counts: self.counts,
            prefix: Prefix::Memory(self.prefix.read(0, head_end)),
            order: self.order.slice(0, head_end),
            gap,
            tail,
            tail_order,
            known: self.known,
            ..Self::default()
        };
        ends.begin_tail_with_a_line();
        Cow::Owned(ends)
    }

    /// Puts prefix and tail together as a tail.
    fn join_tail(&mut self, mut bytes: Vec<u8>) {
        let mut order = std::mem::take(&mut self.order);
        order.append(&self.tail_order);
        bytes.append(&mut self.tail);
        self.tail = bytes;
        self.tail_order = order;
        self.prefix = Prefix::default();
    }

    /// One stream by its own ends, where they are known.
    pub(crate) fn of_stream(&self, stream: Stream) -> Option<Self> {
        let apart = &self.apart.as_ref()?[stream.index()];
        let mut counts = [Count::default(); 2];
        counts[stream.index()] = self.count(stream);
        let bytes = self.count(stream).bytes;
        let tail_begin = bytes - apart.tail.len() as u64;
        let both = (apart.head.len() as u64).saturating_sub(tail_begin);
        let tail = apart.tail[usize::try_from(both).unwrap_or(0)..].to_vec();
        let order = |bytes: &[u8]| {
            let mut runs = Runs::default();
            runs.push(stream, bytes.len() as u64);
            runs
        };
        let mut kept = Self {
            counts,
            order: order(&apart.head),
            order_lines: line_ends(&apart.head),
            tail_order: order(&tail),
            tail,
            prefix: Prefix::Memory(apart.head.clone()),
            known: self.known,
            ..Self::default()
        };
        kept.find_gap();
        kept.begin_tail_with_a_line();
        Some(kept)
    }

    fn guess_encodings(&self) -> [Option<&'static Encoding>; 2] {
        let mut heads = [Vec::new(), Vec::new()];
        let mut seen = 0;
        let _ = self.visit([false; 2], &mut |piece| {
            let Piece::Bytes(stream, bytes) = piece else { return ControlFlow::Break(()) };
            let head = &mut heads[stream.index()];
            head.extend_from_slice(&bytes[..bytes.len().min(BLOCK - head.len())]);
            seen += bytes.len() as u64;
            if seen > END_BYTES { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        heads.map(|head| guess(&head, head.len() < BLOCK))
    }

    /// How many bytes at the end wait for what makes them complete: a cut character or sequence.
    pub(crate) fn unfinished(&self) -> u64 {
        const MAX_SEQUENCE: u64 = 128;
        let (order, length) = match self.tail.len() as u64 {
            0 => (&self.order, self.order.total()),
            length => (&self.tail_order, length),
        };
        let Some((stream, run)) = order.iter().last() else { return 0 };
        let known = self.known[stream.index()];
        if known.is_some_and(is_wide) {
            return self.count(stream).bytes % 2;
        }
        let from = length - run.min(MAX_SEQUENCE).min(length);
        let end = if self.tail.is_empty() {
            self.prefix.read(from, length)
        } else {
            self.tail[usize::try_from(from).unwrap_or(0)..].to_vec()
        };
        let escape = memchr::memrchr(0x1b, &end).map(|at| &end[at..]);
        let cut = match escape {
            Some([_]) => 1,
            Some([_, b'[', rest @ ..]) if rest.iter().all(|byte| (0x20..0x40).contains(byte)) => {
                rest.len() + 2
            }
            _ => cut_end_of(&end, known),
        };
        cut as u64
    }
}
