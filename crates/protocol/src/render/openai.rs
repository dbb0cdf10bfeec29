//! OpenAI's Chat Completions: a `tool` message for each call.
//!
//! A tool message takes text only: pictures are allowed in user messages alone, so they follow
//! in one, after all the tool messages, which may not be parted.

use serde_json::Value;

use super::body::{Picture, common_pictures, flatten, parts};
use super::{Answer, object};

pub(super) fn messages(answers: &[Answer<'_>]) -> Vec<Value> {
    let (mut messages, mut shown) = (Vec::new(), Vec::new());
    for answer in answers {
        let (text, pictures) = flatten(parts(answer, common_pictures), line);
        messages.push(message(answer, text));
        shown.extend(pictures.iter().flat_map(|picture| shown_in_turn(answer, picture)));
    }
    if !shown.is_empty() {
        messages.push(object([("role", "user".into()), ("content", shown.into())]));
    }
    messages
}

/// Ids go back as they came, however long: the provider compares them with its own.
fn message(answer: &Answer<'_>, text: String) -> Value {
    let id = answer.required_id();
    object([("role", "tool".into()), ("tool_call_id", id.into()), ("content", text.into())])
}

fn line(picture: Picture<'_>) -> String {
    format!("[image ({}) follows in a user message]", picture.described())
}

fn shown_in_turn(answer: &Answer<'_>, picture: &Picture<'_>) -> [Value; 2] {
    let caption = format!("Image from tool call {}", answer.required_id());
    let url = object([("url", picture.data_url().into())]);
    [
        object([("type", "text".into()), ("text", caption.into())]),
        object([("type", "image_url".into()), ("image_url", url)]),
    ]
}
