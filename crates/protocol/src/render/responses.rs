//! OpenAI's Responses: a `function_call_output` item for each call, whose output is a text or a
//! list of texts and pictures.

use serde_json::Value;

use super::body::{Part, common_pictures, parts, text_or_list};
use super::{Answer, object};

pub(super) fn items(answers: &[Answer<'_>]) -> Vec<Value> {
    answers.iter().map(item).collect()
}

fn item(answer: &Answer<'_>) -> Value {
    object([
        ("type", "function_call_output".into()),
        ("call_id", answer.required_id().into()),
        ("output", text_or_list(parts(answer, common_pictures), part)),
    ])
}

fn part(part: Part<'_>) -> Value {
    match part {
        Part::Text(text) => object([("type", "input_text".into()), ("text", text.into())]),
        Part::Picture(picture) => {
            object([("type", "input_image".into()), ("image_url", picture.data_url().into())])
        }
    }
}
