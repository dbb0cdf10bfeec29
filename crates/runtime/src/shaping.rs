//! The last thing that happens to a result: secrets out, size within bounds, the rest spilled.
//! It is applied after the outermost middleware, so nothing gets around it.

use std::cell::RefCell;
use std::io::Write as _;
use std::path::PathBuf;

use dogu_tool::text::{ceil_boundary, floor_boundary, truncate_marked};
use dogu_tool::{Content, ErrorInfo, Principal, ToolResult};
use serde_json::{Map, Value};

use crate::redact::{Level, Redactor};
use crate::state::StateDir;

/// The most that is spilled of one result.
const MAX_SPILL_BYTES: usize = 64 * 1024 * 1024;
/// Of what is kept of a text that is too long, how much is its beginning, in percent.
const HEAD_PERCENT: usize = 60;
/// The most base64 that an image or a sound may have.
const MAX_IMAGE_BYTES: usize = 5 * 1024 * 1024;
/// The most that is passed on for user interfaces.
const MAX_META_BYTES: usize = 64 * 1024;
/// How many repairs of a call are told.
const MAX_NOTES: usize = 10;
/// How much of each.
const NOTE_CHARACTERS: usize = 300;
/// Results larger than this are shaped on a thread of the pool.
pub(crate) const LARGE_RESULT: usize = 256 * 1024;

/// What results are shaped by.
pub(crate) struct Shaper<'a> {
    pub(crate) redactor: &'a Redactor,
    pub(crate) state: Option<&'a StateDir>,
    pub(crate) who: &'a Principal,
    pub(crate) result_bytes: usize,
    pub(crate) message_characters: usize,
    /// What was spilled so far.
    pub(crate) spilled: RefCell<Vec<PathBuf>>,
}

impl Shaper<'_> {
    /// Redacts and bounds a result.
    pub(crate) fn shape(&self, result: &mut ToolResult) {
        let mut room = self.result_bytes;
        result.content = std::mem::take(&mut result.content)
            .into_iter()
            .map(|content| self.content(content, &mut room))
            .collect();
        self.structured(result);
        self.meta(result);
        if let Some(error) = &mut result.error {
            self.error(error);
        }
        self.notes(&mut result.notes);
        result.spilled = self.spilled.take();
    }

    /// Notes quote the call, so they are bounded and hold no secrets either.
    fn notes(&self, notes: &mut Vec<String>) {
        let more = notes.len().saturating_sub(MAX_NOTES);
        notes.truncate(MAX_NOTES);
        for note in notes.iter_mut() {
            *note = truncate_marked(&self.redactor.redact(note, Level::Result), NOTE_CHARACTERS);
        }
        if more > 0 {
            notes.push(format!("and {more} more repairs"));
        }
    }

    fn content(&self, content: Content, room: &mut usize) -> Content {
        match content {
            Content::Text { text } => Content::Text { text: self.text(text, room, "txt") },
            Content::Json { value } => self.json(value, room),
            Content::Image { data, .. } if data.len() > MAX_IMAGE_BYTES => Content::text(format!(
                "[an image of {} bytes in base64 was left out; at most {MAX_IMAGE_BYTES} are passed on]",
                data.len()
            )),
            Content::Audio { data, .. } | Content::Blob { data, .. }
                if data.len() > MAX_IMAGE_BYTES =>
            {
                Content::text(format!(
                    "[{} bytes in base64 were left out; at most {MAX_IMAGE_BYTES} are passed on]",
                    data.len()
                ))
            }
            Content::Resource { uri, mime_type, text: Some(text) } => {
                Content::Resource { uri, mime_type, text: Some(self.text(text, room, "txt")) }
            }
            other => other,
        }
    }

    fn json(&self, mut value: Value, room: &mut usize) -> Content {
        self.redactor.redact_value(&mut value, Level::Result);
        let text = value.to_string();
        if text.len() <= *room {
            *room -= text.len();
            return Content::Json { value };
        }
        Content::Text { text: self.cut(&text, room, "json") }
    }

    fn text(&self, text: String, room: &mut usize, extension: &str) -> String {
        // Redaction comes before the cut: half a secret is not recognised.
        let text = match self.redactor.redact(&text, Level::Result) {
            std::borrow::Cow::Borrowed(_) => text,
            std::borrow::Cow::Owned(redacted) => redacted,
        };
        if text.len() <= *room {
            *room -= text.len();
            return text;
        }
        self.cut(&text, room, extension)
    }

    /// Head and tail, and between them what was left out and where it is.
    fn cut(&self, text: &str, room: &mut usize, extension: &str) -> String {
        let kept = std::mem::take(room);
        let head = floor_boundary(text, kept * HEAD_PERCENT / 100);
        let tail = ceil_boundary(text, text.len() - (kept - kept * HEAD_PERCENT / 100));
        let place = self.spill(text, extension);
        let left_out = tail - head;
        format!(
            "{}\n[... {left_out} of {} bytes left out; {place} ...]\n{}",
            &text[..head],
            text.len(),
            &text[tail..]
        )
    }

    fn spill(&self, text: &str, extension: &str) -> String {
        let Some(state) = self.state else { return "they were not kept".to_owned() };
        let kept = floor_boundary(text, MAX_SPILL_BYTES);
        match write_spill(state, self.who, &text[..kept], extension) {
            Ok(path) => {
                let place = path.display();
                let words = if kept == text.len() {
                    format!("the whole is in {place}")
                } else {
                    format!("the first {kept} bytes are in {place}")
                };
                self.spilled.borrow_mut().push(path);
                words
            }
            Err(error) => {
                tracing::warn!(target: "dogu", %error, "a long result could not be spilled");
                "they could not be kept".to_owned()
            }
        }
    }

    fn structured(&self, result: &mut ToolResult) {
        let Some(value) = &mut result.structured else { return };
        // Many tools say the same as text and as data. What was looked at need not be again.
        let content = &result.content;
        let is_shaped = |text: &str| content.iter().any(|content| is_text(content, text));
        self.redactor.redact_value_unless(value, Level::Result, is_shaped);
        // Nearly every value is told by its length alone not to be too long, and the rest by its
        // escapes.
        if most_json(value, longest_json_text) <= self.result_bytes
            || most_json(value, most_json_text) <= self.result_bytes
        {
            return;
        }
        let text = value.to_string();
        if text.len() <= self.result_bytes {
            return;
        }
        let mut room = 0;
        let note = self.cut(&text, &mut room, "json");
        result.structured = None;
        result.content.push(Content::text(format!("[structured output too large]{note}")));
    }

    /// What is for user interfaces holds no secrets either. Half of it would be wrong, so it is
    /// passed on whole or not at all.
    fn meta(&self, result: &mut ToolResult) {
        if result.meta.is_empty() {
            return;
        }
        let mut meta = Value::Object(std::mem::take(&mut result.meta));
        self.redactor.redact_value(&mut meta, Level::Result);
        match meta {
            Value::Object(meta) if size_of_map(&meta) <= MAX_META_BYTES => result.meta = meta,
            _ => {
                let tool = &result.tool_name;
                tracing::warn!(target: "dogu", tool, "what it has for user interfaces is too large and left out");
            }
        }
    }

    fn error(&self, error: &mut ErrorInfo) {
        let message = self.redactor.redact(&error.message, Level::Result);
        error.message = truncate_marked(&message, self.message_characters);
        for text in [&mut error.suggestion, &mut error.help_url].into_iter().flatten() {
            let redacted = self.redactor.redact(text, Level::Result);
            *text = truncate_marked(&redacted, self.message_characters);
        }
    }
}

fn write_spill(
    state: &StateDir,
    who: &Principal,
    text: &str,
    extension: &str,
) -> Result<PathBuf, String> {
    let (mut file, path) = state.create_spill(who, extension).map_err(|error| error.to_string())?;
    match file.write_all(text.as_bytes()) {
        Ok(()) => Ok(path),
        Err(error) => {
            // Half a spill would be taken for the whole.
            let _ = std::fs::remove_file(&path);
            Err(format!("{}: {error}", path.display()))
        }
    }
}

fn size_of_map(map: &Map<String, Value>) -> usize {
    map.iter().map(|(key, value)| key.len() + value.to_string().len()).sum()
}

fn is_text(content: &Content, text: &str) -> bool {
    matches!(content, Content::Text { text: shaped } if shaped == text)
}

/// The most bytes that a value has as JSON, where this tells it of a text: close enough to say of
/// nearly every value that it is not too long, without writing it.
fn most_json(value: &Value, text: fn(&str) -> usize) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 5,
        Value::Number(_) => 32,
        Value::String(string) => text(string),
        Value::Array(items) => {
            2 + items.iter().map(|item| most_json(item, text) + 1).sum::<usize>()
        }
        Value::Object(map) => {
            let entry = |(key, value): (&String, &Value)| text(key) + most_json(value, text) + 2;
            2 + map.iter().map(entry).sum::<usize>()
        }
    }
}

/// The quotes, and the longest escape for each byte.
fn longest_json_text(text: &str) -> usize {
    2 + text.len() * 6
}

/// The quotes, the bytes, and five more for each byte that has to be escaped.
fn most_json_text(text: &str) -> usize {
    let is_escaped = |byte: &u8| *byte < b' ' || *byte == b'"' || *byte == b'\\';
    2 + text.len() + 5 * text.bytes().filter(is_escaped).count()
}

/// How much there is to shape, roughly.
pub(crate) fn size_of(result: &ToolResult) -> usize {
    let content: usize = result
        .content
        .iter()
        .map(|content| match content {
            Content::Text { text } | Content::Resource { text: Some(text), .. } => text.len(),
            Content::Image { data, .. }
            | Content::Audio { data, .. }
            | Content::Blob { data, .. } => data.len(),
            Content::Json { .. } | Content::Resource { .. } => 0,
        })
        .sum();
    let meta: usize = result.meta.values().map(shallow_size).sum();
    content + meta + result.structured.as_ref().map_or(0, shallow_size)
}

/// Counts only until it is known to be large.
fn shallow_size(value: &Value) -> usize {
    let mut size = 0;
    let mut open = vec![value];
    while let Some(value) = open.pop().filter(|_| size <= LARGE_RESULT) {
        size += 8;
        match value {
            Value::String(text) => size += text.len(),
            Value::Array(items) => open.extend(items),
            Value::Object(map) => open.extend(map.values()),
            _ => {}
        }
    }
    size
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            ".{0,40}".prop_map(Value::from),
            "[\\x00-\\x1f\"\\\\]{0,40}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec(("[a\n\"]{0,6}", inner), 0..6)
                    .prop_map(|entries| Value::Object(entries.into_iter().collect())),
            ]
        })
    }

    #[test]
    fn the_longest_escapes_are_counted() {
        for text in ["\u{1}".repeat(100), "\"\\\n".repeat(100), "plain".to_owned()] {
            let value = Value::from(text);
            let length = value.to_string().len();
            assert!(length <= most_json(&value, most_json_text), "{value}");
            assert!(most_json(&value, most_json_text) <= most_json(&value, longest_json_text));
        }
    }

    proptest! {
        #[test]
        fn no_value_is_longer_than_its_bound(value in values()) {
            let (length, most) = (value.to_string().len(), most_json(&value, most_json_text));
            prop_assert!(length <= most, "{value}");
            prop_assert!(most <= most_json(&value, longest_json_text), "{value}");
        }
    }
}
