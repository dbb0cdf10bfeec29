//! Lines of a file in bounded memory, whatever their length, and as fast as newlines are found.

use std::io::{BufRead, BufReader, ErrorKind, Read, Result};

use dogu_tool::CancelFlag;

/// How much is read at once.
const BLOCK_BYTES: usize = 256 * 1024;

/// Reads lines, or passes over them.
pub(super) struct Lines<'a, R> {
    reader: BufReader<R>,
    cancel: &'a CancelFlag,
}

/// The beginning of a line, and how long it is.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    /// Its beginning, without the end of the line.
    pub(super) start: Vec<u8>,
    /// All its bytes, with the end of the line.
    pub(super) length: u64,
    /// Bytes of the end of the line.
    end: u64,
}

impl<'a, R: Read> Lines<'a, R> {
    pub(super) fn new(reader: R, cancel: &'a CancelFlag) -> Self {
        Self { reader: BufReader::with_capacity(BLOCK_BYTES, reader), cancel }
    }

    /// What is read from.
    pub(super) fn inner(&self) -> &R {
        self.reader.get_ref()
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
    pub(super) fn next(&mut self, keep: usize) -> Result<Option<Line>> {
        let mut line = Line::default();
        loop {
            let block = self.block()?;
            if block.is_empty() {
                return Ok((line.length > 0).then_some(line));
            }
            let end = memchr::memchr(b'\n', block);
            let piece = &block[..end.unwrap_or(block.len())];
            let used = piece.len() + usize::from(end.is_some());
            line.length += used as u64;
            let room = keep - line.start.len().min(keep);
            line.start.extend_from_slice(&piece[..piece.len().min(room)]);
            self.reader.consume(used);
            if end.is_some() {
                line.drop_end();
                return Ok(Some(line));
            }
        }
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

impl Line {
    /// It ended in a newline: the carriage return before it, if any, is no part of the text.
    fn drop_end(&mut self) {
        self.end = 1;
        if !self.is_longer_than_kept() && self.start.last() == Some(&b'\r') {
            self.start.pop();
            self.end = 2;
        }
    }

    pub(super) fn is_longer_than_kept(&self) -> bool {
        self.length - self.end > self.start.len() as u64
    }
}

#[cfg(test)]
mod tests {
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
            let mut lines = Lines::new(Pieces(text.as_bytes(), piece), &cancel);
            let all: Vec<&str> = text.lines().collect();
            prop_assert_eq!(lines.skip(skipped as u64)?, skipped.min(all.len()) as u64);
            let mut left = all.iter().skip(skipped);
            for _ in 0..taken {
                let line = lines.next(1_000)?.map(|line| line.start);
                prop_assert_eq!(line.as_deref(), left.next().map(|line| line.as_bytes()));
            }
            prop_assert_eq!(lines.count(u64::MAX)?, Some(left.count() as u64));
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
