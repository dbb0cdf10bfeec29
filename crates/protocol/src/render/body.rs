//! The content of an answer as texts and pictures, which each form then puts in its own words.

use dogu_tool::{Content, ErrorInfo, Output, ToolResult};
use serde_json::Value;

use super::Answer;

/// What stands for a result with nothing in it, because providers reject empty contents.
pub(super) const NO_OUTPUT: &str = "(no output)";

/// A piece of an answer. No text is blank and no two texts follow each other: providers reject
/// blank texts.
#[derive(Debug, PartialEq)]
pub(super) enum Part<'a> {
    Text(String),
    Picture(Picture<'a>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Picture<'a> {
    pub(super) media_type: &'a str,
    pub(super) data: &'a str,
}

impl Picture<'_> {
    pub(super) fn data_url(&self) -> String {
        format!("data:{};base64,{}", self.media_type, self.data)
    }

    /// The type and the size of the bytes, not of their base64.
    pub(super) fn described(&self) -> String {
        let digits = self.data.trim_end_matches('=').len();
        format!("{}, {} bytes", self.media_type, digits * 3 / 4)
    }
}

/// The type under which a form takes pictures of a type, if it does. One picture that a provider
/// does not take would cost the whole message.
pub(super) type Accepts = fn(&str) -> Option<&str>;

/// For a caller who decides later.
#[expect(clippy::unnecessary_wraps, reason = "one of several `Accepts`")]
pub(super) fn any_picture(mime_type: &str) -> Option<&str> {
    Some(mime_type)
}

/// What OpenAI and Anthropic take.
pub(super) fn common_pictures(mime_type: &str) -> Option<&str> {
    match mime_type.to_ascii_lowercase().as_str() {
        "image/gif" => Some("image/gif"),
        _ => gemini_pictures(mime_type),
    }
}

/// What Gemini takes. `image/jpg` is not a registered type, but a common one.
pub(super) fn gemini_pictures(mime_type: &str) -> Option<&str> {
    match mime_type.to_ascii_lowercase().as_str() {
        "image/png" => Some("image/png"),
        "image/jpeg" | "image/jpg" => Some("image/jpeg"),
        "image/webp" => Some("image/webp"),
        _ => None,
    }
}

/// All that the model is told: the content, the error, the notes. Never empty.
pub(super) fn parts<'a>(answer: &Answer<'a>, accepts: Accepts) -> Vec<Part<'a>> {
    let mut parts = content_parts(answer.result, accepts);
    if let Some(error) = &answer.result.error {
        push_text(&mut parts, &error_text(error));
    }
    if parts.is_empty() {
        push_text(&mut parts, NO_OUTPUT);
    }
    for line in answer.result.note_lines() {
        push_text(&mut parts, &line);
    }
    parts
}

/// The content alone; data where a tool gave nothing else.
pub(super) fn content_parts(result: &ToolResult, accepts: Accepts) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    for content in &result.content {
        push_content(&mut parts, content, accepts);
    }
    if let (true, Some(data)) = (result.content.is_empty(), &result.structured) {
        push_text(&mut parts, &data.to_string());
    }
    parts.retain(|part| !matches!(part, Part::Text(text) if text.trim().is_empty()));
    parts
}

fn push_content<'a>(parts: &mut Vec<Part<'a>>, content: &'a Content, accepts: Accepts) {
    match content {
        Content::Image { data, mime_type } => match accepts(mime_type) {
            Some(media_type) => parts.push(Part::Picture(Picture { media_type, data })),
            None => push_text(parts, &left_out(Picture { media_type: mime_type, data })),
        },
        Content::Text { text } | Content::Resource { text: Some(text), .. } => {
            push_text(parts, text);
        }
        Content::Json { value } => push_text(parts, &value.to_string()),
        Content::Audio { .. } | Content::Blob { .. } => {
            let alone = Output::of(vec![content.clone()]);
            push_text(parts, &ToolResult::ok("", "", alone).to_text());
        }
        Content::Resource { uri, .. } => push_text(parts, &format!("[resource {uri}]")),
    }
}

fn push_text(parts: &mut Vec<Part<'_>>, text: &str) {
    match parts.last_mut() {
        Some(Part::Text(last)) => {
            last.push('\n');
            last.push_str(text);
        }
        _ => parts.push(Part::Text(text.to_owned())),
    }
}

fn left_out(picture: Picture<'_>) -> String {
    format!(
        "[image ({}) left out: the model's provider does not take this type]",
        picture.described()
    )
}

/// The same words as everywhere else.
fn error_text(error: &ErrorInfo) -> String {
    ToolResult::error("", "", error.clone()).to_text()
}

/// One text, with a line where each picture was, and the pictures: for a place that takes no
/// pictures between texts.
pub(super) fn flatten<'a>(
    parts: Vec<Part<'a>>,
    mut line_for: impl FnMut(Picture<'a>) -> String,
) -> (String, Vec<Picture<'a>>) {
    let (mut lines, mut pictures) = (Vec::new(), Vec::new());
    for part in parts {
        match part {
            Part::Text(text) => lines.push(text),
            Part::Picture(picture) => {
                lines.push(line_for(picture));
                pictures.push(picture);
            }
        }
    }
    (lines.join("\n"), pictures)
}

/// A text as it is where there is nothing else, or the list of the parts.
pub(super) fn text_or_list(mut parts: Vec<Part<'_>>, part: fn(Part<'_>) -> Value) -> Value {
    match parts.as_mut_slice() {
        [Part::Text(text)] => Value::String(std::mem::take(text)),
        _ => parts.into_iter().map(part).collect(),
    }
}
