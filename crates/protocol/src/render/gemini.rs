//! Gemini: one user content with a `functionResponse` part for each call.
//!
//! `response` is a protobuf `Struct`, where every number is a double; data goes as JSON text
//! instead, so that long ids survive.

use serde_json::{Map, Value};

use super::body::{Picture, flatten, gemini_pictures, parts};
use super::{Answer, object};

/// Pictures in the `parts` of their `functionResponse`, where version 3 wants them: beside it,
/// it rejects them.
pub(super) fn content(answers: &[Answer<'_>]) -> Value {
    let responses = answers.iter().map(|answer| {
        let (text, pictures) = flattened(answer, "is attached");
        function_response(answer, text, pictures)
    });
    user_content(responses.collect())
}

/// Pictures as parts after all the `functionResponse`s.
pub(super) fn content_with_pictures_after(answers: &[Answer<'_>]) -> Value {
    let (mut all, mut after) = (Vec::new(), Vec::new());
    for answer in answers {
        let (text, pictures) = flattened(answer, "follows after the responses");
        all.push(function_response(answer, text, Vec::new()));
        after.extend(pictures.into_iter().map(inline_data));
    }
    all.append(&mut after);
    user_content(all)
}

fn flattened<'a>(answer: &Answer<'a>, place: &str) -> (String, Vec<Picture<'a>>) {
    flatten(parts(answer, gemini_pictures), |picture| {
        format!("[image ({}) {place}]", picture.described())
    })
}

/// The id goes back only where one came: older models have none.
fn function_response(answer: &Answer<'_>, text: String, pictures: Vec<Picture<'_>>) -> Value {
    let outcome = if answer.result.is_error() { "error" } else { "output" };
    let mut response = Map::new();
    if let Some(id) = answer.id {
        response.insert("id".to_owned(), id.into());
    }
    response.insert("name".to_owned(), answer.result.tool_name.as_str().into());
    response.insert("response".to_owned(), object([(outcome, text.into())]));
    if !pictures.is_empty() {
        response.insert("parts".to_owned(), pictures.into_iter().map(inline_data).collect());
    }
    object([("functionResponse", response.into())])
}

fn inline_data(picture: Picture<'_>) -> Value {
    let (media_type, data) = (picture.media_type.into(), picture.data.into());
    object([("inlineData", object([("mimeType", media_type), ("data", data)]))])
}

fn user_content(parts: Vec<Value>) -> Value {
    object([("role", "user".into()), ("parts", parts.into())])
}
