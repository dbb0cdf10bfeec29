//! Where a JSON value ends, found as its text arrives.

use memchr::memchr3;

/// What is known of a value after some more of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scan {
    /// More must come.
    Open,
    /// The value ends before this byte of the text that was pushed last.
    Closed(usize),
    /// From this byte on it cannot be JSON any more: it did not begin as an object or a list,
    /// or a line ended inside a string, where JSON has no line ends.
    Broken(usize),
}

/// Counts brackets outside strings. It looks at each byte once, however the text is cut.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    depth: usize,
    in_string: bool,
    after_backslash: bool,
}

impl Frame {
    /// Looks at the next piece of the value. Must not be used after the value closed or broke.
    pub(super) fn push(&mut self, text: &str) -> Scan {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let step = if self.in_string { self.string(bytes, at) } else { self.token(bytes, at) };
            match step {
                Ok(next) => at = next,
                Err(end) => return end,
            }
        }
        Scan::Open
    }

    /// One byte between strings.
    fn token(&mut self, bytes: &[u8], at: usize) -> Result<usize, Scan> {
        match bytes[at] {
            b'{' | b'[' => self.depth += 1,
            b' ' | b'\t' | b'\r' | b'\n' => {}
            _ if self.depth == 0 => return Err(Scan::Broken(at)),
            b'"' => self.in_string = true,
            b'}' | b']' => {
                self.depth -= 1;
                if self.depth == 0 {
                    return Err(Scan::Closed(at + 1));
                }
            }
            _ => {}
        }
        Ok(at + 1)
    }

    /// A run inside a string.
    fn string(&mut self, bytes: &[u8], at: usize) -> Result<usize, Scan> {
        if self.after_backslash {
            self.after_backslash = false;
            return Ok(at + 1);
        }
        let Some(found) = memchr3(b'"', b'\\', b'\n', &bytes[at..]) else {
            return Ok(bytes.len());
        };
        match bytes[at + found] {
            b'"' => self.in_string = false,
            b'\\' => self.after_backslash = true,
            _ => return Err(Scan::Broken(at + found)),
        }
        Ok(at + found + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(text: &str) -> Scan {
        Frame::default().push(text)
    }

    #[test]
    fn the_end_is_found_outside_strings_only() {
        assert_eq!(end(r#"{"a":"}\"}"} tail"#), Scan::Closed(12));
        assert_eq!(end("[{},[]]"), Scan::Closed(7));
        assert_eq!(end("{\"a\":{}"), Scan::Open);
        assert_eq!(end("oops"), Scan::Broken(0));
        assert_eq!(end("{\"a\n"), Scan::Broken(3));
    }

    #[test]
    fn every_cut_gives_the_same_end() {
        let text = r#"{"a":"\\","b":["}",{"c\"":1}]}"#;
        for cut in 0..text.len() {
            let mut frame = Frame::default();
            assert_eq!(frame.push(&text[..cut]), Scan::Open);
            assert_eq!(frame.push(&text[cut..]), Scan::Closed(text.len() - cut));
        }
    }
}
