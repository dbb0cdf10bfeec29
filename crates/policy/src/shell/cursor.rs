//! A place in the text of a line.

/// How deep constructs may be nested: what is deeper is not understood.
pub(crate) const MAX_DEPTH: usize = 64;

/// Why a line is not understood, in words that follow "because".
pub(crate) type Refusal = String;

pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str, depth: usize) -> Self {
        Self { text, at: 0, depth }
    }

    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The character after the next one.
    pub(crate) fn second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    pub(crate) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    pub(crate) fn starts_with(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    /// Passes `text` if it comes next.
    pub(crate) fn take(&mut self, text: &str) -> bool {
        let there = self.starts_with(text);
        if there {
            self.at += text.len();
        }
        there
    }

    /// Passes what `wanted` holds for.
    pub(crate) fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Passes so many bytes, which must end at a character's boundary.
    pub(crate) fn skip(&mut self, bytes: usize) -> &'a str {
        let rest = self.rest();
        self.at += bytes;
        &rest[..bytes]
    }

    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Goes one level deeper, if that is not too deep.
    pub(crate) fn enter(&mut self) -> Result<(), Refusal> {
        if self.depth >= MAX_DEPTH {
            return Err(format!("it is nested more than {MAX_DEPTH} levels deep"));
        }
        self.depth += 1;
        Ok(())
    }

    /// Comes back from it.
    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }
}
