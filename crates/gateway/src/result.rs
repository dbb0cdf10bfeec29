//! What a server's tool gave back, as dogu's own kinds of content: all of it kept, all of it
//! cleaned.

use base64::Engine as _;
use dogu_tool::{Content, Output, ToolError};
use rmcp::model::{CallToolResult, ContentBlock, ReadResourceResult, Resource, ResourceContents};
use serde_json::{Map, Value, json};

use crate::apps;
use crate::clean::{clean_text, clean_value, line};
use crate::definition::Definition;

/// How many characters of a name are shown.
const MAX_NAME: usize = 200;

/// A result of a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Answer {
    content: Vec<Content>,
    structured: Option<Value>,
    /// For user interfaces.
    meta: Map<String, Value>,
    is_error: bool,
    removed: usize,
}

impl Answer {
    pub(crate) fn of(result: CallToolResult) -> Self {
        let mut answer = Self { is_error: result.is_error == Some(true), ..Self::default() };
        answer.meta = result.meta.map(|meta| meta.0).unwrap_or_default();
        for block in result.content {
            answer.block(block);
        }
        answer.structure(result.structured_content);
        answer
    }

    /// The same for a result that has more than rmcp knows: what is not known is kept as it is.
    pub(crate) fn read(written: &Value) -> Option<Self> {
        let blocks = written.get("content")?.as_array()?;
        let is_error = written["isError"] == Value::Bool(true);
        let meta = written["_meta"].as_object().cloned().unwrap_or_default();
        let mut answer = Self { meta, is_error, ..Self::default() };
        for block in blocks {
            match serde_json::from_value::<ContentBlock>(block.clone()) {
                Ok(known) => answer.block(known),
                Err(_) => answer.data(block.clone()),
            }
        }
        answer.structure(written.get("structuredContent").cloned());
        Some(answer)
    }

    fn structure(&mut self, structured: Option<Value>) {
        if let Some(mut value) = structured {
            self.removed += clean_value(&mut value);
            self.structured = Some(value);
        }
    }

    fn text(&mut self, mut text: String) -> String {
        self.removed += clean_text(&mut text);
        text
    }

    fn data(&mut self, mut value: Value) {
        self.removed += clean_value(&mut value);
        self.content.push(Content::Json { value });
    }

    fn block(&mut self, block: ContentBlock) {
        let content = match block {
            ContentBlock::Text(text) => Content::Text { text: self.text(text.text) },
            ContentBlock::Image(image) => {
                Content::Image { data: image.data, mime_type: line(&image.mime_type, MAX_NAME) }
            }
            ContentBlock::Audio(audio) => {
                Content::Audio { data: audio.data, mime_type: line(&audio.mime_type, MAX_NAME) }
            }
            ContentBlock::Resource(embedded) => return self.resource(embedded.resource),
            ContentBlock::ResourceLink(link) => return self.link(&link),
            other => return self.data(serde_json::to_value(other).unwrap_or_default()),
        };
        self.content.push(content);
    }

    fn resource(&mut self, contents: ResourceContents) {
        let content = match contents {
            ResourceContents::TextResourceContents { uri, mime_type, text, .. } => {
                let text = self.text(text);
                Content::Resource {
                    uri: self.text(uri),
                    mime_type: plain(mime_type),
                    text: Some(text),
                }
            }
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                match plain(mime_type) {
                    Some(mime_type) if mime_type.starts_with("image/") => {
                        Content::Image { data: blob, mime_type }
                    }
                    mime_type => Content::Blob { uri: self.text(uri), mime_type, data: blob },
                }
            }
            other => return self.data(serde_json::to_value(other).unwrap_or_default()),
        };
        self.content.push(content);
    }

    /// A link is its address; what it is called and says of itself comes as text before it.
    fn link(&mut self, link: &Resource) {
        let about = [Some(link.name.as_str()), link.title.as_deref(), link.description.as_deref()];
        let mut about: Vec<String> =
            about.into_iter().flatten().map(|text| line(text, MAX_NAME)).collect();
        about.dedup();
        let uri = self.text(link.uri.clone());
        about.retain(|text| !text.is_empty() && *text != uri);
        if !about.is_empty() {
            self.content.push(Content::text(format!("{uri}: {}", about.join(", "))));
        }
        let mime_type = plain(link.mime_type.clone());
        self.content.push(Content::Resource { uri, mime_type, text: None });
    }

    /// Keeps what is for the tool's user interface; a tool that has none has nothing to say there.
    pub(crate) fn shown_by(mut self, tool: &Definition) -> Self {
        let meta = std::mem::take(&mut self.meta);
        self.meta = if tool.meta.is_empty() { Map::new() } else { apps::result_meta(meta) };
        self
    }

    /// The result for the pipeline; a failure keeps what came with it.
    pub(crate) fn into_output(mut self, server: &str, tool: &str) -> Result<Output, ToolError> {
        if self.removed > 0 {
            let note = format!("[dogu took {} hidden characters out of this]", self.removed);
            self.content.push(Content::text(note));
        }
        if !self.is_error {
            let Self { content, structured, meta, .. } = self;
            return Ok(Output { content, structured, meta });
        }
        if let Some(value) = self.structured.filter(|_| self.content.is_empty()) {
            self.content.push(Content::Json { value });
        }
        let message = format!("The tool {} of the server {server} failed.", line(tool, MAX_NAME));
        let given = Output { meta: self.meta, ..Output::of(self.content) };
        Err(ToolError::failed(message).named("MCPToolError").carrying(given))
    }
}

/// A user interface, as it is: nothing of it is cleaned, cut or redacted on its way to whoever
/// renders it, and what is too large is not passed on.
pub(crate) fn interface(result: ReadResourceResult, address: &str) -> Result<Output, ToolError> {
    let empty = || ToolError::failed("The user interface is empty.");
    // There is one: a renderer has no use for more.
    let contents = result.contents.into_iter().next().ok_or_else(empty)?;
    let (content, meta) = match contents {
        ResourceContents::TextResourceContents { mime_type, text, meta, .. } => {
            (rendered(text, mime_type, address), meta)
        }
        ResourceContents::BlobResourceContents { mime_type, blob, meta, .. } => {
            let (uri, mime_type) = (address.to_owned(), plain(mime_type));
            (Content::Blob { uri, mime_type, data: blob }, meta)
        }
        _ => return Err(empty()),
    };
    let meta = meta.map(|meta| apps::resource_meta(&meta.0)).unwrap_or_default();
    Ok(Output { meta, ..Output::of(vec![content]) })
}

/// Bytes are what nothing on the way reads as text.
fn rendered(text: String, mime_type: Option<String>, address: &str) -> Content {
    let (uri, mime_type) = (address.to_owned(), plain(mime_type));
    if apps::is_rendered(mime_type.as_deref()) {
        let data = base64::engine::general_purpose::STANDARD.encode(text);
        return Content::Blob { uri, mime_type, data };
    }
    Content::Resource { uri, mime_type, text: Some(crate::clean::cleaned(&text)) }
}

/// The contents of a resource.
pub(crate) fn resource(result: ReadResourceResult) -> Output {
    let mut answer = Answer::default();
    for contents in result.contents {
        answer.resource(contents);
    }
    if answer.content.is_empty() {
        answer.content.push(Content::text("[the resource is empty]"));
    }
    answer.into_output("", "").unwrap_or_default()
}

fn plain(mime_type: Option<String>) -> Option<String> {
    mime_type.map(|text| line(&text, MAX_NAME))
}

/// A result as a list of what it holds, as other systems show one: a name, a description and a
/// text for each piece.
pub fn context_items(output: &Output, tool_title: &str, icon: Option<&str>) -> Vec<Value> {
    let items = output.content.iter().map(|content| {
        let text = match content {
            Content::Text { text } | Content::Resource { text: Some(text), .. } => text.clone(),
            other => {
                let alone = Output::of(vec![other.clone()]);
                dogu_tool::ToolResult::ok("", "", alone).to_text()
            }
        };
        let mut item = json!({
            "name": tool_title, "description": "Tool output", "content": text,
        });
        if let Some(icon) = icon {
            item["icon"] = icon.into();
        }
        if let Content::Resource { uri, .. } | Content::Blob { uri, .. } = content {
            item["uri"] = json!({"type": "url", "value": uri});
        }
        item
    });
    items.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(written: &Value) -> Result<Output, ToolError> {
        let typed: Result<CallToolResult, _> = serde_json::from_value(written.clone());
        let answer = typed.map_or_else(|_| Answer::read(written).unwrap(), Answer::of);
        answer.into_output("s", "t")
    }

    #[test]
    fn m4_every_kind_of_content_is_kept() {
        let output = read(&json!({"content": [
            {"type": "text", "text": "hi\u{202e}"},
            {"type": "image", "data": "AA==", "mimeType": "image/png"},
            {"type": "audio", "data": "BB==", "mimeType": "audio/wav"},
            {"type": "resource", "resource": {"uri": "a://t", "text": "body", "mimeType": "text/plain"}},
            {"type": "resource", "resource": {"uri": "a://b", "blob": "CC==", "mimeType": "application/zip"}},
            {"type": "resource", "resource": {"uri": "a://i", "blob": "DD==", "mimeType": "image/png"}},
            {"type": "resource_link", "uri": "a://l", "name": "link", "description": "about"},
        ], "structuredContent": {"n": [1, "x\u{200b}"]}}))
        .unwrap();
        let text = |text: &str| Content::text(text);
        assert_eq!(
            output.content,
            [
                text("hi"),
                Content::Image { data: "AA==".into(), mime_type: "image/png".into() },
                Content::Audio { data: "BB==".into(), mime_type: "audio/wav".into() },
                Content::Resource {
                    uri: "a://t".into(),
                    mime_type: Some("text/plain".into()),
                    text: Some("body".into())
                },
                Content::Blob {
                    uri: "a://b".into(),
                    mime_type: Some("application/zip".into()),
                    data: "CC==".into()
                },
                Content::Image { data: "DD==".into(), mime_type: "image/png".into() },
                text("a://l: link, about"),
                Content::Resource { uri: "a://l".into(), mime_type: None, text: None },
                text("[dogu took 2 hidden characters out of this]"),
            ]
        );
        assert_eq!(output.structured, Some(json!({"n": [1, "x"]})));
    }

    #[test]
    fn m4_an_unknown_kind_is_kept_as_data() {
        let output = read(
            &json!({"content": [{"type": "hologram", "x": 1}, {"type": "text", "text": "a"}]}),
        );
        let content = output.unwrap().content;
        assert_eq!(content[0], Content::Json { value: json!({"type": "hologram", "x": 1}) });
        assert_eq!(content[1], Content::text("a"));
    }

    #[test]
    fn m4_a_failure_is_an_error_that_carries_its_content() {
        let mut error = read(&json!({"isError": true, "_meta": {"view": 7}, "content": [
            {"type": "text", "text": "no such issue"},
            {"type": "image", "data": "AA==", "mimeType": "image/png"}]}))
        .unwrap_err();
        assert_eq!(error.to_string(), "The tool t of the server s failed.");
        let Output { content, meta, .. } = error.take_given();
        assert_eq!(content[0], Content::text("no such issue"));
        assert!(matches!(&content[1], Content::Image { .. }));
        assert_eq!(meta["view"], 7);
    }

    #[test]
    fn m4_as_a_list_of_items_nothing_is_lost() {
        let output = read(&json!({"content": [
            {"type": "text", "text": "a"},
            {"type": "resource", "resource": {"uri": "u://x", "text": "b"}},
            {"type": "image", "data": "AA==", "mimeType": "image/png"}]}))
        .unwrap();
        let items = context_items(&output, "My tool", Some("https://x/icon.png"));
        assert_eq!(items.len(), 3);
        assert_eq!(
            items[0],
            json!({"name": "My tool", "description": "Tool output", "content": "a", "icon": "https://x/icon.png"})
        );
        assert_eq!(items[1]["content"], "b");
        assert_eq!(items[1]["uri"]["value"], "u://x");
        assert_eq!(items[2]["content"], "[image/png image, 4 bytes in base64]");
    }

    proptest! {
        #[test]
        fn m4_any_text_comes_out_clean(text in any::<String>()) {
            let output = read(&json!({"content": [{"type": "text", "text": text}]})).unwrap();
            let Content::Text { text } = &output.content[0] else { panic!() };
            prop_assert!(text.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t')));
        }
    }
}
