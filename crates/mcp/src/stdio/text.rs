//! A message as a line. Nearly all of most lines is a few long texts, and nearly all of what it
//! costs to write one is to look for what has to be escaped in them: byte by byte where the
//! serializer does so, sixteen at a time here. So the texts are taken out, what is left is
//! serialized, and then they are put where they belong.

use std::sync::LazyLock;

use rmcp::model::{ContentBlock, ServerJsonRpcMessage, ServerResult};
use serde_json::Value;

use super::escape::{escape, most_room};

/// From which length on a text is worth the detour.
const LONG: usize = 512;
/// What a line has room for besides its texts.
const FRAME: usize = 512;
/// How many digits the number of a text has.
const DIGITS: usize = 4;
/// How many texts are taken out of one message.
const MOST_TEXTS: usize = 1_000;

/// What stands in the place of a text, before its number. Nobody outside of this process can know
/// it, so no other text can look like it.
static MARK: LazyLock<Option<String>> =
    LazyLock::new(|| Some(format!("text-{}-", dogu_runtime::random_hex().ok()?)));

/// A message as a line of JSON, without its end.
pub(crate) fn line_of(mut message: ServerJsonRpcMessage) -> serde_json::Result<Vec<u8>> {
    let mut texts = Vec::new();
    if let Some(mark) = &*MARK {
        take_texts(&mut message, &mut Taken { texts: &mut texts, mark });
    }
    let mut frame = Vec::with_capacity(FRAME);
    serde_json::to_writer(&mut frame, &message)?;
    Ok(match &*MARK {
        Some(mark) if !texts.is_empty() => filled(&frame, mark, &texts),
        _ => frame,
    })
}

/// The texts that were taken out.
struct Taken<'a> {
    texts: &'a mut Vec<String>,
    mark: &'a str,
}

impl Taken<'_> {
    fn take(&mut self, text: &mut String) {
        let number = self.texts.len();
        if text.len() >= LONG && number < MOST_TEXTS {
            self.texts.push(std::mem::replace(text, format!("{}{number:0DIGITS$}", self.mark)));
        }
    }

    /// As deep as the parser, or the pipeline, has let through.
    fn take_from(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => self.take(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.take_from(item)),
            Value::Object(map) => map.values_mut().for_each(|value| self.take_from(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

fn take_texts(message: &mut ServerJsonRpcMessage, taken: &mut Taken<'_>) {
    let ServerJsonRpcMessage::Response(response) = message else { return };
    let ServerResult::CallToolResult(result) = &mut response.result else { return };
    for block in &mut result.content {
        if let ContentBlock::Text(block) = block {
            taken.take(&mut block.text);
        }
    }
    if let Some(structured) = &mut result.structured_content {
        taken.take_from(structured);
    }
}

/// What is left of a message, with its texts in their places.
fn filled(frame: &[u8], mark: &str, texts: &[String]) -> Vec<u8> {
    let length: usize = texts.iter().map(String::len).sum();
    let mut line = Vec::with_capacity(frame.len() + most_room(length));
    let mut copied = 0;
    for at in memchr::memmem::find_iter(frame, mark) {
        let end = at + mark.len() + DIGITS;
        let Some(text) = number_of(&frame[at + mark.len()..end.min(frame.len())])
            .and_then(|number| texts.get(number))
        else {
            continue;
        };
        line.extend_from_slice(&frame[copied..at]);
        escape(text.as_bytes(), &mut line);
        copied = end;
    }
    line.extend_from_slice(&frame[copied..]);
    line
}

fn number_of(digits: &[u8]) -> Option<usize> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rmcp::model::{CallToolResult, MetaObject, RequestId};
    use serde_json::{Value, json};

    use super::*;

    fn answer(texts: &[String], structured: Option<Value>, id: &str) -> ServerJsonRpcMessage {
        let blocks = texts.iter().map(|text| ContentBlock::text(text.clone())).collect();
        let mut result = CallToolResult::success(blocks);
        result.structured_content = structured;
        result.meta = Some(MetaObject(
            json!({"text": "", "content": [{"type": "text", "text": ""}]})
                .as_object()
                .unwrap()
                .clone(),
        ));
        let id = RequestId::String(id.into());
        ServerJsonRpcMessage::response(ServerResult::CallToolResult(result), id)
    }

    fn same(message: ServerJsonRpcMessage) {
        let theirs = serde_json::to_vec(&message).unwrap();
        let ours = line_of(message).unwrap();
        assert_eq!(String::from_utf8_lossy(&ours), String::from_utf8_lossy(&theirs));
    }

    proptest! {
        #[test]
        fn a_line_is_what_the_serializer_would_write(
            text in "([a-z]{0,40}[\"\\\\\\n\\t\\r\\x00-\\x1f\\x7fé글😀]{0,3}){0,60}",
            more in prop::collection::vec(".{0,600}", 0..3),
            id in "(\"text\":\"\"|[a-z\"\\\\]){0,5}",
        ) {
            let texts: Vec<String> = [text.repeat(3)].into_iter().chain(more).collect();
            same(answer(&texts, Some(json!({"text": "", "said": texts[0]})), &id));
        }
    }

    #[test]
    fn every_byte_is_escaped_as_the_serializer_does_it() {
        let all: String = (0..0x100_u32).filter_map(char::from_u32).collect();
        for before in 0..40 {
            same(answer(&["x".repeat(before) + &all.repeat(4)], None, "1"));
        }
        same(answer(&[], None, "1"));
        same(answer(&[String::new(), all.repeat(4)], None, "1"));
    }
}
