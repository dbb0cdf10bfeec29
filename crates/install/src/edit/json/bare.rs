//! A document without what plain JSON does not have.

use super::super::EditError;

/// The same document as plain JSON. Whatever was taken out became spaces, so that every byte is
/// where it was.
pub(super) struct Bare {
    pub(super) text: String,
    /// Where the trailing commas were.
    commas: Vec<usize>,
}

impl Bare {
    /// The trailing comma in this range.
    pub(super) fn comma_between(&self, start: usize, end: usize) -> Option<usize> {
        self.commas.iter().copied().find(|comma| (start..end).contains(comma))
    }
}

/// Takes comments, trailing commas and a byte order mark out.
pub(super) fn bare(text: &str) -> Result<Bare, EditError> {
    let mut bytes = text.as_bytes().to_vec();
    if text.starts_with('\u{feff}') {
        bytes[..3].fill(b' ');
    }
    let mut commas = Vec::new();
    // The last two bytes that mean something, and where the last one is.
    let (mut last, mut before, mut at_last) = (0, 0, 0);
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let next = match byte {
            b'"' => string_end(&bytes, at),
            b'/' => {
                let end = comment_end(&bytes, at)?;
                blank(&mut bytes[at..end]);
                at = end;
                continue;
            }
            _ => at + 1,
        };
        if !byte.is_ascii_whitespace() {
            if matches!(byte, b'}' | b']')
                && last == b','
                && !matches!(before, b'{' | b'[' | b',' | b':')
            {
                bytes[at_last] = b' ';
                commas.push(at_last);
            }
            (before, last, at_last) = (last, byte, at);
        }
        at = next;
    }
    let text = String::from_utf8(bytes);
    let text = text.map_err(|_| EditError::Unreadable("it is not text".to_owned()))?;
    Ok(Bare { text, commas })
}

/// Where the string that begins here ends, its quote included; one without an end is the parser's
/// to refuse.
pub(super) fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn comment_end(bytes: &[u8], start: usize) -> Result<usize, EditError> {
    let rest = &bytes[start..];
    if rest.starts_with(b"//") {
        let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        return Ok(length.map_or(bytes.len(), |length| start + length));
    }
    let closed = rest.starts_with(b"/*").then(|| rest[2..].windows(2).position(|two| two == b"*/"));
    match closed.flatten() {
        Some(length) => Ok(start + 2 + length + 2),
        None => Err(EditError::Unreadable("a comment has no end".to_owned())),
    }
}

/// Spaces instead of all but the ends of lines.
fn blank(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
        *byte = b' ';
    }
}
