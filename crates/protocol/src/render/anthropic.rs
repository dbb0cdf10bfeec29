//! Anthropic's Messages: one user message with a `tool_result` block for each call.
//!
//! All of them in one message, and before anything else in it: the API rejects the next request
//! otherwise.

use serde_json::Value;

use super::body::{Part, Picture, common_pictures, flatten, parts, text_or_list};
use super::{Answer, object};

pub(super) fn message(answers: &[Answer<'_>]) -> Value {
    let (mut content, mut after) = (Vec::new(), Vec::new());
    for answer in answers {
        content.push(block(answer, &mut after));
    }
    content.append(&mut after);
    object([("role", "user".into()), ("content", content.into())])
}

fn block(answer: &Answer<'_>, after: &mut Vec<Value>) -> Value {
    let parts = parts(answer, common_pictures);
    if answer.result.is_error() {
        return error_block(answer, parts, after);
    }
    object([
        ("type", "tool_result".into()),
        ("tool_use_id", answer.required_id().into()),
        ("content", text_or_list(parts, part)),
    ])
}

/// With `is_error` all content must be text, so the pictures of a failure go after the results.
fn error_block(answer: &Answer<'_>, parts: Vec<Part<'_>>, after: &mut Vec<Value>) -> Value {
    let (text, pictures) = flatten(parts, |picture| {
        format!("[image ({}) follows after the results]", picture.described())
    });
    after.extend(pictures.into_iter().map(image));
    object([
        ("type", "tool_result".into()),
        ("tool_use_id", answer.required_id().into()),
        ("content", text.into()),
        ("is_error", true.into()),
    ])
}

fn part(part: Part<'_>) -> Value {
    match part {
        Part::Text(text) => object([("type", "text".into()), ("text", text.into())]),
        Part::Picture(picture) => image(picture),
    }
}

fn image(picture: Picture<'_>) -> Value {
    let source = object([
        ("type", "base64".into()),
        ("media_type", picture.media_type.into()),
        ("data", picture.data.into()),
    ]);
    object([("type", "image".into()), ("source", source)])
}
