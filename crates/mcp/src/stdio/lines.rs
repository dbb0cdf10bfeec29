//! Lines of bounded length.

use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// What the reader found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A whole line, without its end. The last one may have none.
    Whole(Vec<u8>),
    /// A line that was longer than it may be, and is dropped.
    TooLong,
    /// There is nothing more.
    End,
}

/// Reads lines and never holds more of one than the limit.
pub(crate) struct Lines<R> {
    read: BufReader<R>,
    limit: usize,
    line: Vec<u8>,
    /// The rest of a dropped line is still to come.
    dropping: bool,
}

/// What to do once the bytes are no longer borrowed.
enum Found {
    Part,
    End,
    Overflow,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(read: R, limit: usize) -> Self {
        Self {
            read: BufReader::with_capacity(64 * 1024, read),
            limit,
            line: Vec::new(),
            dropping: false,
        }
    }

    /// The next line. Dropping the future loses nothing: every byte is either still in the buffer
    /// or in `self`, because nothing is awaited between taking it from there and keeping it here.
    pub(crate) async fn next(&mut self) -> io::Result<Line> {
        loop {
            let bytes = self.read.fill_buf().await?;
            if bytes.is_empty() {
                let last = std::mem::take(&mut self.line);
                self.dropping = false;
                return Ok(if last.is_empty() { Line::End } else { Line::Whole(last) });
            }
            let end = memchr::memchr(b'\n', bytes);
            let part = &bytes[..end.unwrap_or(bytes.len())];
            let consumed = end.map_or(bytes.len(), |end| end + 1);
            let found = if self.dropping {
                Found::Part
            } else if self.line.len() + part.len() > self.limit {
                Found::Overflow
            } else {
                self.line.extend_from_slice(part);
                if end.is_some() { Found::End } else { Found::Part }
            };
            self.read.consume(consumed);
            match found {
                Found::Part => self.dropping &= end.is_none(),
                Found::End => return Ok(Line::Whole(std::mem::take(&mut self.line))),
                Found::Overflow => {
                    self.line = Vec::new();
                    self.dropping = end.is_none();
                    return Ok(Line::TooLong);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(bytes: &[u8], limit: usize) -> Vec<Line> {
        let mut lines = Lines::new(bytes, limit);
        let mut found = Vec::new();
        loop {
            let line = lines.next().await.unwrap();
            if line == Line::End {
                return found;
            }
            found.push(line);
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
    async fn a_long_line_is_dropped_and_the_next_one_is_read() {
        assert_eq!(all(b"12345\n1234\n", 4).await, [Line::TooLong, whole("1234")]);
        let long = format!("{}\nok\n", "x".repeat(300_000));
        assert_eq!(all(long.as_bytes(), 100_000).await, [Line::TooLong, whole("ok")]);
        assert_eq!(all(&vec![b'x'; 300_000], 100_000).await, [Line::TooLong]);
    }
}
