//! What was kept of an output, at one moment: a beginning, perhaps a gap, and an end.

use std::fs::File;
use std::io::Result;
use std::ops::ControlFlow;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

use crate::amount::{LeftOut, line_ends};
use crate::decode::{BLOCK, cut_end, guess, is_binary};
use crate::log::{Count, Stream};
use crate::plain::Terminal;
use crate::runs::Runs;
use crate::screen::Sink;
use crate::spill;

/// How much of a file is read at once.
const CHUNK: usize = 64 * 1024;
/// How far the first whole line is looked for behind a gap.
const MAX_CUT_LINE: usize = 8 * 1024;
/// The beginning and the end that are looked at where everything would take too long.
const END_BYTES: u64 = 1024 * 1024;

/// The first bytes of an output.
pub(crate) enum Prefix {
    Memory(Vec<u8>),
    File { file: Arc<File>, begin: u64, length: u64 },
}

/// The ends of one stream by itself.
pub(crate) struct Apart {
    pub(crate) head: Vec<u8>,
    pub(crate) tail: Vec<u8>,
}

/// What is kept of an output: of a running process at one moment ([`Log::snapshot`]), or of an
/// ended one in its spill file ([`Kept::open`]).
///
/// [`Log::snapshot`]: crate::Log::snapshot
#[derive(Default)]
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

impl Default for Prefix {
    fn default() -> Self {
        Self::Memory(Vec::new())
    }
}

/// A part of an output.
pub(crate) enum Piece<'a> {
    Bytes(Stream, &'a [u8]),
    Gap(LeftOut),
}

/// What was noticed while something was shown.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Noticed {
    pub(crate) binary: u64,
    pub(crate) encoding: Option<&'static str>,
}

impl Kept {
    /// Opens the spill file of a log. A file without the table that [`Log::close`] writes, because
    /// its process was killed, is read as standard output.
    ///
    /// [`Log::close`]: crate::Log::close
    pub fn open(file: File) -> Result<Self> {
        let mut kept = spill::open(file)?;
        kept.begin_tail_with_a_line();
        kept.known = kept.guess_encodings();
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

    /// Forgets the last bytes, of one part.
    pub(crate) fn shorten(&mut self, bytes: u64) {
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
            let bytes = self.prefix.read_all(self.order.total());
            self.join_tail(bytes);
            self.gap = LeftOut { bytes: cut, lines: 0 };
            self.begin_tail_with_a_line();
        }
        self
    }

    /// Beginning and end, where all of it would take too long.
    pub(crate) fn ends(mut self, at_most: u64) -> Self {
        if self.size() <= at_most.max(2 * END_BYTES) {
            return self;
        }
        let prefix = self.order.total();
        let tail =
            if self.gap.is_none() { END_BYTES.saturating_sub(self.tail.len() as u64) } else { 0 };
        let (head_end, tail_begin) = (END_BYTES.min(prefix), prefix - tail.min(prefix));
        if head_end >= tail_begin {
            return self;
        }
        let left_out = LeftOut {
            bytes: tail_begin - head_end,
            lines: self.prefix.line_ends(head_end, tail_begin),
        };
        let head = self.prefix.read(0, head_end);
        let end = self.prefix.read(tail_begin, prefix);
        let end_order = self.order.slice(tail_begin, prefix);
        self.order = self.order.slice(0, head_end);
        self.prefix = Prefix::Memory(head);
        if tail > 0 {
            let order = std::mem::replace(&mut self.tail_order, end_order);
            order.iter().for_each(|(stream, bytes)| self.tail_order.push(stream, bytes));
            let rest = std::mem::replace(&mut self.tail, end);
            self.tail.extend(rest);
        }
        self.gap.add(left_out);
        self.begin_tail_with_a_line();
        self
    }

    /// Puts prefix and tail together as a tail.
    fn join_tail(&mut self, mut bytes: Vec<u8>) {
        let mut order = std::mem::take(&mut self.order);
        self.tail_order.iter().for_each(|(stream, bytes)| order.push(stream, bytes));
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

    /// Shows it, or one stream of it, as a person would see it.
    pub(crate) fn show(&self, only: Option<Stream>, sink: &mut dyn Sink) -> Noticed {
        let mut terminal = Terminal::new(self.known);
        let _ = self.visit(self.odd(), &mut |piece| {
            match piece {
                Piece::Bytes(stream, bytes) if only.is_none_or(|only| only == stream) => {
                    terminal.feed(stream, bytes, sink);
                }
                Piece::Bytes(..) => {}
                Piece::Gap(gap) if terminal.in_binary() && self.goes_on_binary() => {
                    terminal.add_binary(gap.bytes);
                }
                Piece::Gap(gap) => {
                    terminal.interrupt(sink);
                    sink.gap(gap);
                }
            }
            if sink.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        terminal.finish(sink);
        Noticed { binary: terminal.binary(), encoding: terminal.encoding() }
    }

    fn goes_on_binary(&self) -> bool {
        is_binary(&self.tail[..self.tail.len().min(BLOCK)])
    }

    /// Hands out everything in order. `odd` says of which streams the tail's first byte is left out.
    pub(crate) fn visit(
        &self,
        odd: [bool; 2],
        each: &mut dyn FnMut(Piece<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut gap = self.gap;
        let mut reader = Reader { order: &mut self.order.iter(), run: (Stream::Out, 0) };
        let unread = self.prefix.visit(&mut |bytes| reader.pass(bytes, each))?;
        // The file is shorter than it was, or cannot be read.
        gap.bytes += unread;
        if !gap.is_none() {
            each(Piece::Gap(gap))?;
        }
        let mut reader = Reader { order: &mut self.tail_order.iter(), run: (Stream::Out, 0) };
        reader.pass_wide(&self.tail, odd, each)
    }

    /// Which streams have wide characters, of which the tail begins with the second half.
    fn odd(&self) -> [bool; 2] {
        [Stream::Out, Stream::Err].map(|stream| {
            let wide = self.known[stream.index()];
            let before = self.count(stream).bytes.wrapping_sub(self.tail_order.of(stream));
            wide.is_some_and(|wide| wide == UTF_16LE || wide == UTF_16BE)
                && self.order.of(stream) == 0
                && before % 2 == 1
        })
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
        const MAX_SEQUENCE: u64 = 64;
        let (order, length) = match self.tail.len() as u64 {
            0 => (&self.order, self.order.total()),
            length => (&self.tail_order, length),
        };
        let Some((_, run)) = order.iter().last() else { return 0 };
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
            _ => cut_end(&end),
        };
        cut as u64
    }
}

/// Hands out bytes by their streams.
struct Reader<'a> {
    order: &'a mut dyn Iterator<Item = (Stream, u64)>,
    run: (Stream, u64),
}

impl Reader<'_> {
    fn pass(
        &mut self,
        bytes: &[u8],
        each: &mut dyn FnMut(Piece<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.pass_wide(bytes, [false; 2], each)
    }

    /// `odd` says whose first byte is left out.
    fn pass_wide(
        &mut self,
        mut bytes: &[u8],
        mut odd: [bool; 2],
        each: &mut dyn FnMut(Piece<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        while !bytes.is_empty() {
            if self.run.1 == 0 {
                self.run = self.order.next().unwrap_or((Stream::Out, bytes.len() as u64));
            }
            let now = usize::try_from(self.run.1).unwrap_or(usize::MAX).min(bytes.len());
            let (piece, rest) = bytes.split_at(now);
            let skip = usize::from(std::mem::take(&mut odd[self.run.0.index()]));
            each(Piece::Bytes(self.run.0, &piece[skip.min(now)..]))?;
            self.run.1 -= now as u64;
            bytes = rest;
        }
        ControlFlow::Continue(())
    }
}

impl Prefix {
    fn skip(&mut self, bytes: u64) {
        match self {
            Self::Memory(head) => {
                let bytes = usize::try_from(bytes).unwrap_or(usize::MAX).min(head.len());
                head.drain(..bytes);
            }
            Self::File { begin, length, .. } => {
                *begin += bytes.min(*length);
                *length -= bytes.min(*length);
            }
        }
    }

    fn shorten(&mut self, left: u64) {
        match self {
            Self::Memory(head) => head.truncate(usize::try_from(left).unwrap_or(usize::MAX)),
            Self::File { length, .. } => *length = left.min(*length),
        }
    }

    /// Passes everything on. Continues with how many bytes could not be read.
    fn visit(&self, each: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> ControlFlow<(), u64> {
        match self {
            Self::Memory(head) => {
                each(head)?;
                ControlFlow::Continue(0)
            }
            Self::File { file, begin, length } => {
                let mut chunk = vec![0; CHUNK];
                let mut rest = *length;
                while rest > 0 {
                    let want = usize::try_from(rest).unwrap_or(CHUNK).min(CHUNK);
                    let at = begin + (length - rest);
                    let Ok(got @ 1..) = read_some(file, &mut chunk[..want], at) else { break };
                    each(&chunk[..got])?;
                    rest -= got as u64;
                }
                ControlFlow::Continue(rest)
            }
        }
    }

    fn read_all(&self, length: u64) -> Vec<u8> {
        self.read(0, length)
    }

    /// A part; what cannot be read is blank, so that all lengths stay right.
    fn read(&self, from: u64, to: u64) -> Vec<u8> {
        let index = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
        match self {
            Self::Memory(head) => {
                head[index(from).min(head.len())..index(to).min(head.len())].to_vec()
            }
            Self::File { file, begin, .. } => {
                let mut bytes = vec![b'\n'; index(to - from)];
                let mut filled = 0;
                while filled < bytes.len() {
                    let at = begin + from + filled as u64;
                    let Ok(got @ 1..) = read_some(file, &mut bytes[filled..], at) else { break };
                    filled += got;
                }
                bytes
            }
        }
    }

    fn line_ends(&self, mut from: u64, to: u64) -> u64 {
        let mut lines = 0;
        while from < to {
            let until = to.min(from + CHUNK as u64);
            lines += line_ends(&self.read(from, until));
            from = until;
        }
        lines
    }
}

fn read_some(file: &File, into: &mut [u8], at: u64) -> Result<usize> {
    loop {
        match file.read_at(into, at) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}
