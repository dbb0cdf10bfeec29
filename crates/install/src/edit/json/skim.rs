//! Where the members of an object are, in plain JSON that a parser has accepted.

use std::ops::Range;

use super::super::EditError;
use super::bare::string_end;

/// An object and its members.
pub(super) struct Object {
    /// Where its `{` is.
    pub(super) open: usize,
    /// Where its `}` is.
    pub(super) close: usize,
    pub(super) members: Vec<Member>,
}

/// A member of an object.
pub(super) struct Member {
    name: String,
    pub(super) key: Range<usize>,
    pub(super) value: Range<usize>,
}

/// Where the document's value begins.
pub(super) fn first(text: &str) -> Option<usize> {
    text.bytes().position(|byte| !byte.is_ascii_whitespace())
}

impl Object {
    /// The object that begins here; none if something else does, or if it has no end.
    pub(super) fn at(text: &str, open: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        if *bytes.get(open)? != b'{' {
            return None;
        }
        let mut members = Vec::new();
        let mut at = open + 1;
        loop {
            at = space_end(bytes, at);
            match *bytes.get(at)? {
                b'}' => return Some(Self { open, close: at, members }),
                b',' => at += 1,
                _ => {
                    let key = at..string_end(bytes, at);
                    let colon = space_end(bytes, key.end);
                    let start = space_end(bytes, colon + 1);
                    let value = start..value_end(bytes, start)?;
                    let name = serde_json::from_str(text.get(key.clone())?).ok()?;
                    at = value.end;
                    members.push(Member { name, key, value });
                }
            }
        }
    }

    /// The member of this name.
    pub(super) fn only(&self, name: &str) -> Result<Option<&Member>, EditError> {
        let mut found = self.members.iter().filter(|member| member.name == name);
        let first = found.next();
        match found.next() {
            Some(_) => Err(EditError::Twice(name.to_owned())),
            None => Ok(first),
        }
    }
}

/// The comma that is the next thing after this.
pub(super) fn comma(text: &str, after: usize) -> Option<usize> {
    let at = space_end(text.as_bytes(), after);
    (text.as_bytes().get(at) == Some(&b',')).then_some(at)
}

fn space_end(bytes: &[u8], start: usize) -> usize {
    let length = bytes.get(start..).unwrap_or(&[]).iter();
    start + length.take_while(|byte| byte.is_ascii_whitespace()).count()
}

fn value_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = start;
    loop {
        match *bytes.get(at)? {
            b'"' => at = string_end(bytes, at),
            b'{' | b'[' => (depth, at) = (depth + 1, at + 1),
            b'}' | b']' if depth > 0 => (depth, at) = (depth - 1, at + 1),
            b',' | b'}' | b']' if depth == 0 => return Some(at),
            byte if byte.is_ascii_whitespace() && depth == 0 => return Some(at),
            _ => at += 1,
        }
        if depth == 0 && matches!(bytes.get(at - 1), Some(b'"' | b'}' | b']')) {
            return Some(at);
        }
    }
}
