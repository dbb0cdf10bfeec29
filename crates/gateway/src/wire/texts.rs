//! Long texts of a line, read beside the rest of it. Nearly all of most answers is one or two of
//! them, and a parser of JSON looks at every byte of them, and copies them, more than once. So they
//! are taken out, the parser reads what is left, and then they are put where they belong.

use std::sync::LazyLock;

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

/// From which length on a text is worth the detour, as it is written.
const LONG: usize = 1024;
/// What a line has room for besides its texts.
const FRAME: usize = 1024;
/// How much room a text gets before its length is known.
const ROOM: usize = 16 * 1024;
/// How many texts are taken out of one line. Each has room of its own, and a server could send
/// very many of them.
const MOST_TEXTS: usize = 64;

/// What stands in the place of a text, before its number. Nobody outside of this process can know
/// it, so no other text can look like it.
static MARK: LazyLock<Option<String>> =
    LazyLock::new(|| Some(format!("text-{}-", dogu_runtime::random_hex().ok()?)));

/// The texts that were taken out of a line.
pub(super) struct Texts {
    mark: &'static str,
    found: Vec<String>,
    put_back: usize,
}

/// What is left of a line, and its texts. None where there are none, or where something about
/// them is unusual: the parser is better at that.
pub(super) fn take(line: &[u8]) -> Option<(Vec<u8>, Texts)> {
    let mark = MARK.as_deref()?;
    let mut frame = Vec::with_capacity(FRAME);
    let mut found = Vec::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(quote) = memchr::memchr(b'"', &line[at..]) {
        let start = at + quote + 1;
        if let Some(length) = end_of_short(&line[start..]) {
            at = start + length + 1;
            continue;
        }
        if found.len() == MOST_TEXTS {
            return None;
        }
        let (text, length) = unescaped(&line[start..])?;
        at = start + length + 1;
        frame.extend_from_slice(&line[copied..start]);
        frame.extend_from_slice(format!("{mark}{}", found.len()).as_bytes());
        copied = start + length;
        found.push(text);
    }
    if found.is_empty() {
        return None;
    }
    frame.extend_from_slice(&line[copied..]);
    Some((frame, Texts { mark, found, put_back: 0 }))
}

impl Texts {
    /// Puts the texts where they belong; false where one of them is in another place.
    pub(super) fn put_into(mut self, result: &mut CallToolResult) -> bool {
        for block in &mut result.content {
            if let ContentBlock::Text(block) = block {
                self.put(&mut block.text);
            }
        }
        if let Some(structured) = &mut result.structured_content {
            self.put_into_value(structured);
        }
        self.put_back == self.found.len()
    }

    /// As deep as the parser has let through.
    fn put_into_value(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => self.put(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.put_into_value(item)),
            Value::Object(map) => map.values_mut().for_each(|item| self.put_into_value(item)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn put(&mut self, place: &mut String) {
        let number = place.strip_prefix(self.mark).and_then(|number| number.parse::<usize>().ok());
        if let Some(text) = number.and_then(|number| self.found.get_mut(number)) {
            *place = std::mem::take(text);
            self.put_back += 1;
        }
    }
}

/// The length of a string, up to its quote, where it is short.
fn end_of_short(rest: &[u8]) -> Option<usize> {
    let rest = &rest[..rest.len().min(LONG)];
    let mut at = 0;
    loop {
        at += memchr::memchr2(b'"', b'\\', rest.get(at..)?)?;
        if rest[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

/// A string, and its length as it is written, up to its quote.
fn unescaped(rest: &[u8]) -> Option<(String, usize)> {
    let mut text = Vec::with_capacity(ROOM);
    let mut at = 0;
    loop {
        let plain = memchr::memchr2(b'"', b'\\', rest.get(at..)?)?;
        text.extend_from_slice(&rest[at..at + plain]);
        at += plain;
        if rest[at] == b'"' {
            break;
        }
        text.push(meaning(*rest.get(at + 1)?)?);
        at += 2;
    }
    // Control characters may not stand for themselves. Without an early end, so that many bytes
    // are looked at in one step.
    let is_control = |byte: &u8| u8::from(*byte < b' ');
    if rest[..at].iter().fold(0, |found, byte| found | is_control(byte)) != 0 {
        return None;
    }
    Some((String::from_utf8(text).ok()?, at))
}

/// What is meant by a letter behind a backslash; the rare ones with numbers are left to the parser.
fn meaning(letter: u8) -> Option<u8> {
    match letter {
        b'"' | b'\\' | b'/' => Some(letter),
        b'n' => Some(b'\n'),
        b't' => Some(b'\t'),
        b'r' => Some(b'\r'),
        b'b' => Some(0x08),
        b'f' => Some(0x0c),
        _ => None,
    }
}
