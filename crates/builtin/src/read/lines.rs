//! Lines of a file in bounded memory, whatever their length, and as fast as newlines are found.

use std::borrow::Cow;
use std::io::{BufRead, ErrorKind, Result};

use dogu_tool::CancelFlag;

/// Reads lines, or passes over them.
pub(super) struct Lines<'a, R> {
    reader: R,
    cancel: &'a CancelFlag,
    /// Bytes of the block that the last line was given from: they are used up when the next is
    /// asked for, so that a line need not be copied.
    given: usize,
    /// The beginning of a line that more than one block has a piece of.
    pieces: Vec<u8>,
}

/// The beginning of a line, and how long it is.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line<'l> {
    /// Its beginning, without the end of the line.
    pub(super) start: Cow<'l, [u8]>,
    /// All its bytes, with the end of the line.
    pub(super) length: u64,
    /// Bytes of the end of the line.
    end: u64,
}

impl<'a, R: BufRead> Lines<'a, R> {
    pub(super) fn new(reader: R, cancel: &'a CancelFlag) -> Self {
        Self { reader, cancel, given: 0, pieces: Vec::new() }
    }

    /// What is read from.
    pub(super) fn inner(&self) -> &R {
        &self.reader
    }

    /// Passes over so many lines; says over how many, which is fewer at the end of the file.
    pub(super) fn skip(&mut self, lines: u64) -> Result<u64> {
        let mut left = lines;
        let mut in_line = false;
        while left > 0 {
            let block = self.block()?;
            let Some(last) = block.last() else { return Ok(lines - left + u64::from(in_line)) };
            in_line = *last != b'\n';
            let newlines = newlines(block);
            let used = if newlines < left { block.len() } else { end_of_line(block, left) };
            left -= newlines.min(left);
            self.reader.consume(used);
        }
        Ok(lines)
    }

    /// The next line; of what is longer than `keep` bytes the beginning.
    pub(super) fn next(&mut self, keep: usize) -> Result<Option<Line<'_>>> {
        let Some(end) = memchr::memchr(b'\n', self.block()?) else { return self.joined(keep) };
        self.given = end + 1;
        // The same block again, which is there already.
        let line = &self.reader.fill_buf()?[..end];
        Ok(Some(Line::new(&line[..end.min(keep)], end as u64 + 1, true)))
    }

    /// The next line, from as many blocks as it takes.
    fn joined(&mut self, keep: usize) -> Result<Option<Line<'_>>> {
        let mut pieces = std::mem::take(&mut self.pieces);
        pieces.clear();
        let mut length = 0;
        let mut ended = false;
        while !ended {
            let block = self.block()?;
            if block.is_empty() {
                break;
            }
            let end = memchr::memchr(b'\n', block);
            let piece = &block[..end.unwrap_or(block.len())];
            ended = end.is_some();
            let used = piece.len() + usize::from(ended);
            let room = keep - pieces.len().min(keep);
            pieces.extend_from_slice(&piece[..piece.len().min(room)]);
            length += used as u64;
            self.reader.consume(used);
        }
        self.pieces = pieces;
        Ok((length > 0).then(|| Line::new(&self.pieces, length, ended)))
    }

    /// Counts the lines that are left; none where more than `bytes` would have to be read.
    pub(super) fn count(&mut self, bytes: u64) -> Result<Option<u64>> {
        let (mut read, mut lines, mut in_line) = (0, 0, false);
        while read < bytes {
            let block = self.block()?;
            let Some(last) = block.last() else { return Ok(Some(lines + u64::from(in_line))) };
            in_line = *last != b'\n';
            lines += newlines(block);
            let used = block.len();
            read += used as u64;
            self.reader.consume(used);
        }
        Ok(None)
    }

    fn block(&mut self) -> Result<&[u8]> {
        if self.cancel.is_canceled() {
            return Err(ErrorKind::Interrupted.into());
        }
        self.reader.consume(std::mem::take(&mut self.given));
        self.reader.fill_buf()
    }
}

fn newlines(block: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', block).count() as u64
}

/// The bytes up to the end of the line number `line` in `block`, from 1.
fn end_of_line(block: &[u8], line: u64) -> usize {
    let nth = usize::try_from(line - 1).unwrap_or(usize::MAX);
    memchr::memchr_iter(b'\n', block).nth(nth).map_or(block.len(), |at| at + 1)
}

impl<'l> Line<'l> {
    /// Where it ended in a newline, the carriage return before it, if any, is no part of the text.
    pub(super) fn new(start: &'l [u8], length: u64, ended: bool) -> Self {
        let mut line = Self { start: Cow::Borrowed(start), length, end: u64::from(ended) };
        if ended
            && !line.is_longer_than_kept()
            && let Some(text) = start.strip_suffix(b"\r")
        {
            line.start = Cow::Borrowed(text);
            line.end = 2;
        }
        line
    }

    /// A copy that stays when the next line is read.
    pub(super) fn into_owned(self) -> Line<'static> {
        Line { start: Cow::Owned(self.start.into_owned()), length: self.length, end: self.end }
    }

    pub(super) fn is_longer_than_kept(&self) -> bool {
        self.length - self.end > self.start.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};

    use proptest::prelude::*;

    use super::*;

    /// Gives what it has in pieces, so that lines are cut in two everywhere.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, into: &mut [u8]) -> Result<usize> {
            let size = self.1.min(into.len()).min(self.0.len());
            into[..size].copy_from_slice(&self.0[..size]);
            self.0 = &self.0[size..];
            Ok(size)
        }
    }

    proptest! {
        #[test]
        fn skipping_reading_and_counting_agree_on_what_a_line_is(
            text in "[ab\n\r]{0,80}",
            piece in 1_usize..9,
            skipped in 0_usize..12,
            taken in 0_usize..12,
        ) {
            let cancel = CancelFlag::new();
            let mut lines = Lines::new(BufReader::new(Pieces(text.as_bytes(), piece)), &cancel);
            let all: Vec<&str> = text.lines().collect();
            prop_assert_eq!(lines.skip(skipped as u64)?, skipped.min(all.len()) as u64);
            let mut left = all.iter().skip(skipped);
            for _ in 0..taken {
                let line = lines.next(1_000)?;
                let line = line.as_ref().map(|line| line.start.as_ref());
                prop_assert_eq!(line, left.next().map(|line| line.as_bytes()));
            }
            prop_assert_eq!(lines.count(u64::MAX)?, Some(left.count() as u64));
        }

        #[test]
        fn a_line_is_the_same_in_one_block_and_in_many(
            text in "[ab\n\r]{0,80}",
            piece in 1_usize..9,
            keep in 0_usize..6,
        ) {
            let cancel = CancelFlag::new();
            let mut at_once = Lines::new(text.as_bytes(), &cancel);
            let in_pieces = BufReader::with_capacity(piece, text.as_bytes());
            let mut in_pieces = Lines::new(in_pieces, &cancel);
            for line in text.split_inclusive('\n') {
                let found = in_pieces.next(keep)?;
                prop_assert_eq!(&at_once.next(keep)?, &found);
                let found = found.unwrap();
                let text = line.strip_suffix('\n').unwrap_or(line);
                let cut = text.len() > keep;
                prop_assert_eq!((found.length, found.is_longer_than_kept()), (line.len() as u64, cut));
                prop_assert!(text.as_bytes().starts_with(&found.start));
            }
            prop_assert_eq!((at_once.next(keep)?, in_pieces.next(keep)?), (None, None));
        }
    }

    #[test]
    fn a_canceled_call_reads_no_further() {
        let cancel = CancelFlag::new();
        let mut lines = Lines::new(&b"a\nb\n"[..], &cancel);
        assert_eq!(lines.skip(1).unwrap(), 1);
        cancel.cancel();
        assert_eq!(lines.next(9).unwrap_err().kind(), ErrorKind::Interrupted);
    }
}
