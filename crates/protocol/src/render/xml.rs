//! XML: one text with a `<tool_result>` block for each call.

use dogu_tool::{ErrorInfo, ToolResult};

use super::body::{NO_OUTPUT, Picture, any_picture, content_parts, flatten};
use super::{Answer, Image, Rendered, escape_attribute, escape_text};

pub(super) fn text(answers: &[Answer<'_>]) -> Rendered {
    let mut images = Vec::new();
    let blocks: Vec<_> = answers.iter().map(|answer| block(answer, &mut images)).collect();
    Rendered::Text { text: blocks.join("\n"), images }
}

fn block(answer: &Answer<'_>, images: &mut Vec<Image>) -> String {
    let lines = lines(answer, images).join("\n");
    format!("<tool_result{}>\n{lines}\n</tool_result>", attributes(answer))
}

fn attributes(answer: &Answer<'_>) -> String {
    let status = if answer.result.is_error() { "error" } else { "ok" };
    let mut attributes = attribute("name", &answer.result.tool_name);
    attributes.push_str(&attribute("status", status));
    if let Some(id) = answer.id {
        attributes.push_str(&attribute("id", id));
    }
    attributes
}

fn attribute(name: &str, value: &str) -> String {
    format!(" {name}=\"{}\"", escape_attribute(value))
}

fn lines(answer: &Answer<'_>, images: &mut Vec<Image>) -> Vec<String> {
    let mut lines = Vec::new();
    let content = content(answer.result, images);
    if !content.is_empty() {
        lines.push(escape_text(&content).into_owned());
    }
    lines.extend(answer.result.error.iter().flat_map(error_lines));
    if lines.is_empty() {
        lines.push(NO_OUTPUT.to_owned());
    }
    lines.extend(answer.result.note_lines().map(|line| escape_text(&line).into_owned()));
    lines
}

/// The content as one text. Pictures are numbered through the whole message, so that the model
/// can tell which is which where they are attached.
fn content(result: &ToolResult, images: &mut Vec<Image>) -> String {
    let (text, _) = flatten(content_parts(result, any_picture), |picture| {
        images.push(owned(picture));
        format!("[image {} ({}) is not part of this text]", images.len(), picture.described())
    });
    text
}

fn owned(picture: Picture<'_>) -> Image {
    Image { mime_type: picture.media_type.to_owned(), data: picture.data.to_owned() }
}

fn error_lines(error: &ErrorInfo) -> Vec<String> {
    let code = attribute("code", error.code.as_str());
    let mut lines = vec![format!("<error{code}>{}</error>", escape_text(&error.message))];
    for (tag, value) in [("suggestion", &error.suggestion), ("help", &error.help_url)] {
        let value = value.iter().map(|value| format!("<{tag}>{}</{tag}>", escape_text(value)));
        lines.extend(value);
    }
    lines
}
