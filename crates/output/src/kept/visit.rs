//! Everything that is kept, in order: as pieces of the streams, or as a person would see it.

use std::ops::ControlFlow;

use crate::amount::{LeftOut, line_ends};
use crate::decode::{BLOCK, is_binary, is_wide};
use crate::kept::Kept;
use crate::log::{Count, Stream};
use crate::plain::Terminal;
use crate::screen::Sink;

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
    /// Shows it, or one stream of it, as a person would see it.
    pub(crate) fn show(&self, only: Option<Stream>, sink: &mut dyn Sink) -> Noticed {
        let mut terminal = Terminal::new(self.known);
        let mut lines = 0;
        let _ = self.visit(self.odd(), &mut |piece| {
            match piece {
                Piece::Bytes(stream, bytes) if only.is_none_or(|only| only == stream) => {
                    lines += if only.is_some() { line_ends(bytes) } else { 0 };
                    terminal.feed(stream, bytes, sink);
                }
                Piece::Bytes(..) => {}
                Piece::Gap(gap) => {
                    let gap = only.map_or(gap, |stream| self.gap_of(stream, lines));
                    self.pass_gap(gap, &mut terminal, sink);
                }
            }
            if sink.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        terminal.finish(sink);
        Noticed { binary: terminal.binary(), encoding: terminal.encoding() }
    }

    fn pass_gap(&self, gap: LeftOut, terminal: &mut Terminal, sink: &mut dyn Sink) {
        if gap.is_none() {
            return;
        }
        if terminal.in_binary() && self.goes_on_binary() {
            terminal.add_binary(gap.bytes);
        } else {
            // The end of a cut line is in the gap, and was counted there.
            let cut = u64::from(terminal.interrupt(sink));
            sink.gap(LeftOut { lines: gap.lines.saturating_sub(cut), ..gap });
        }
    }

    /// What of the gap is of one stream, of which so many lines were before it.
    fn gap_of(&self, stream: Stream, lines_before: u64) -> LeftOut {
        let Count { bytes, lines } = self.count(stream);
        let mut lines_behind = 0;
        let mut reader = Reader { order: &mut self.tail_order.iter(), run: (Stream::Out, 0) };
        let _ = reader.pass(&self.tail, &mut |piece| {
            if let Piece::Bytes(of, bytes) = piece
                && of == stream
            {
                lines_behind += line_ends(bytes);
            }
            ControlFlow::Continue(())
        });
        LeftOut {
            bytes: bytes.saturating_sub(self.order.of(stream) + self.tail_order.of(stream)),
            lines: lines.saturating_sub(lines_before + lines_behind),
        }
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
            wide.is_some_and(is_wide) && self.order.of(stream) == 0 && before % 2 == 1
        })
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
