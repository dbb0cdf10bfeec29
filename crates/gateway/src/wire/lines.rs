//! Lines of bounded length, from a program that may write anything.

use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// How much of the beginning and of the end of a line is kept that is too long: its id is in one
/// of them.
pub(super) const EDGE: usize = 512;

/// What was found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A whole line, without its end. The last one may have none.
    Whole(Vec<u8>),
    /// A line that was longer than it may be: how long, its beginning and its end.
    TooLong { bytes: u64, head: Vec<u8>, tail: Vec<u8> },
    /// There is nothing more.
    End,
}

/// Reads lines and never holds more of one than the limit.
pub(crate) struct Lines<R> {
    read: BufReader<R>,
    limit: usize,
    line: Vec<u8>,
    /// The line is too long, and this is what is known of it.
    long: Option<Long>,
}

struct Long {
    bytes: u64,
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(read: R, limit: usize) -> Self {
        Self {
            read: BufReader::with_capacity(64 * 1024, read),
            limit,
            line: Vec::new(),
            long: None,
        }
    }

    /// The next line. Dropping the future loses nothing: every byte is either still in the buffer
    /// or in `self`, because nothing is awaited between taking it from there and keeping it here.
    pub(crate) async fn next(&mut self) -> io::Result<Line> {
        loop {
            let bytes = self.read.fill_buf().await?;
            if bytes.is_empty() {
                return Ok(self.last());
            }
            let end = memchr::memchr(b'\n', bytes);
            let part = &bytes[..end.unwrap_or(bytes.len())];
            keep(&mut self.line, &mut self.long, part, self.limit);
            let consumed = part.len() + usize::from(end.is_some());
            self.read.consume(consumed);
            if end.is_some() {
                return Ok(self.ended());
            }
        }
    }

    fn last(&mut self) -> Line {
        if self.line.is_empty() && self.long.is_none() { Line::End } else { self.ended() }
    }

    fn ended(&mut self) -> Line {
        match self.long.take() {
            Some(Long { bytes, head, tail }) => Line::TooLong { bytes, head, tail },
            None => Line::Whole(std::mem::take(&mut self.line)),
        }
    }
}

fn keep(line: &mut Vec<u8>, long: &mut Option<Long>, part: &[u8], limit: usize) {
    if long.is_none() && line.len() + part.len() <= limit {
        line.extend_from_slice(part);
        return;
    }
    let begun = std::mem::take(line);
    let long = long.get_or_insert_with(|| Long {
        bytes: begun.len() as u64,
        head: begun.iter().chain(part).take(EDGE).copied().collect(),
        tail: begun[begun.len().saturating_sub(EDGE)..].to_vec(),
    });
    long.bytes += part.len() as u64;
    long.tail.extend_from_slice(&part[part.len().saturating_sub(EDGE)..]);
    let surplus = long.tail.len().saturating_sub(EDGE);
    long.tail.drain(..surplus);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    async fn all(bytes: &[u8], limit: usize) -> Vec<Line> {
        let mut lines = Lines::new(bytes, limit);
        let mut found = Vec::new();
        loop {
            match lines.next().await.unwrap() {
                Line::End => return found,
                line => found.push(line),
            }
        }
    }

    fn whole(text: &str) -> Line {
        Line::Whole(text.as_bytes().to_vec())
    }

    #[tokio::test]
    async fn lines_end_with_a_newline_or_with_the_stream() {
        assert_eq!(all(b"a\n\nbc", 9).await, [whole("a"), whole(""), whole("bc")]);
        assert_eq!(all(b"a\n", 9).await, [whole("a")]);
        assert_eq!(all(b"", 9).await, []);
    }

    #[tokio::test]
    async fn of_a_long_line_the_edges_are_kept_and_the_next_one_is_read() {
        let long = format!("{{\"id\":7,{}\"end\":1}}\nok\n", "x".repeat(300_000));
        let lines = all(long.as_bytes(), 100_000).await;
        let Line::TooLong { bytes, head, tail } = &lines[0] else { panic!("{lines:?}") };
        assert_eq!(*bytes, long.len() as u64 - 4);
        assert!(head.starts_with(b"{\"id\":7,xxx") && head.len() == EDGE);
        assert!(tail.ends_with(b"xxx\"end\":1}") && tail.len() == EDGE);
        assert_eq!(lines[1], whole("ok"));
    }

    proptest! {
        #[test]
        fn no_byte_is_lost_or_made_up(parts in prop::collection::vec("[a-z]{0,12}", 0..10), limit in 1_usize..10) {
            let text = parts.join("\n");
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let lines = runtime.block_on(all(text.as_bytes(), limit));
            let expected: Vec<&str> = text.split('\n').collect();
            let expected = if text.is_empty() || text.ends_with('\n') { &expected[..expected.len() - 1] } else { &expected[..] };
            prop_assert_eq!(lines.len(), expected.len());
            for (line, expected) in lines.iter().zip(expected) {
                match line {
                    Line::Whole(bytes) => prop_assert_eq!(bytes.as_slice(), expected.as_bytes()),
                    Line::TooLong { bytes, .. } => prop_assert_eq!(*bytes, expected.len() as u64),
                    Line::End => prop_assert!(false),
                }
            }
        }
    }
}
