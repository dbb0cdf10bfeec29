//! A result as MCP writes it.

use std::path::PathBuf;

use dogu_tool::{Content, ErrorCode, ToolResult};
use rmcp::ErrorData;
use rmcp::model::{
    AudioContent, CallToolResult, ContentBlock, MetaObject, Resource, ResourceContents,
};
use serde_json::{Map, Value, json};

use crate::resources;

/// The answer to `tools/call`. What a model can mend is a result that says so; only a name that
/// is not offered is an error of the protocol.
///
/// Structured content is for programs, and sent where the tool promised its shape and the client
/// can read it. Elsewhere it would only say again, and be paid for again, what the text says.
pub(crate) fn answer(result: ToolResult, structured: bool) -> Result<CallToolResult, ErrorData> {
    match &result.error {
        Some(error) if error.code == ErrorCode::NotInCatalog => {
            let words = [Some(error.message.as_str()), error.suggestion.as_deref()];
            let message = words.into_iter().flatten().collect::<Vec<_>>().join(". ");
            Err(ErrorData::invalid_params(message, None))
        }
        // Without structured content: it would have to fit the schema of a success.
        _ if result.is_error() => Ok(failure(result)),
        _ => Ok(success(result, structured)),
    }
}

fn success(result: ToolResult, structured: bool) -> CallToolResult {
    let notes: Vec<ContentBlock> = result.note_lines().map(ContentBlock::text).collect();
    let links: Vec<ContentBlock> = links(&result.spilled).collect();
    let mut blocks: Vec<ContentBlock> = result.content.into_iter().map(block).collect();
    // Many clients show the model nothing but text.
    if let Some(structured) = &result.structured
        && !blocks.iter().any(|block| matches!(block, ContentBlock::Text(_)))
    {
        blocks.push(ContentBlock::text(structured.to_string()));
    }
    blocks.extend(notes);
    blocks.extend(links);
    let mut answer = CallToolResult::success(blocks);
    answer.structured_content = result.structured.filter(|_| structured).map(as_object);
    answer.meta = meta_of(result.meta);
    answer
}

/// What the tool gave back although it failed, as it is, and then what went wrong.
fn failure(mut result: ToolResult) -> CallToolResult {
    let content = std::mem::take(&mut result.content);
    let mut blocks: Vec<ContentBlock> = content.into_iter().map(block).collect();
    blocks.push(ContentBlock::text(result.to_text()));
    blocks.extend(links(&result.spilled));
    let mut answer = CallToolResult::error(blocks);
    answer.meta = meta_of(result.meta);
    answer
}

/// What is for user interfaces, if there is something.
fn meta_of(meta: Map<String, Value>) -> Option<MetaObject> {
    (!meta.is_empty()).then_some(MetaObject(meta))
}

/// Where the rest of a long result can be read.
fn links(spilled: &[PathBuf]) -> impl Iterator<Item = ContentBlock> {
    let names = spilled.iter().filter_map(|path| path.file_name()?.to_str());
    names.map(|name| ContentBlock::ResourceLink(resources::output(name)))
}

/// Clients of the first era refuse structured content that is not an object.
fn as_object(value: Value) -> Value {
    if value.is_object() { value } else { json!({ "result": value }) }
}

fn block(content: Content) -> ContentBlock {
    match content {
        Content::Text { text } => ContentBlock::text(text),
        Content::Image { data, mime_type } => ContentBlock::image(data, mime_type),
        Content::Audio { data, mime_type } => {
            ContentBlock::Audio(AudioContent::new(data, mime_type))
        }
        Content::Blob { uri, mime_type, data } => {
            let contents =
                ResourceContents::BlobResourceContents { uri, mime_type, blob: data, meta: None };
            ContentBlock::resource(contents)
        }
        Content::Json { value } => ContentBlock::text(value.to_string()),
        Content::Resource { uri, mime_type, text: Some(text) } => {
            let contents =
                ResourceContents::TextResourceContents { uri, mime_type, text, meta: None };
            ContentBlock::resource(contents)
        }
        Content::Resource { uri, mime_type, text: None } => {
            let name = uri.rsplit('/').find(|part| !part.is_empty()).unwrap_or(&uri).to_owned();
            let mut link = Resource::new(uri, name);
            link.mime_type = mime_type;
            ContentBlock::ResourceLink(link)
        }
    }
}

#[cfg(test)]
mod tests {
    use dogu_tool::{Output, ToolError};

    use super::*;

    fn written(output: Output) -> Value {
        let result = ToolResult::ok("c1", "t", output);
        serde_json::to_value(answer(result, true).unwrap()).unwrap()
    }

    #[test]
    fn every_kind_of_content_has_its_block() {
        let link = |text: Option<&str>| Content::Resource {
            uri: "file:///tmp/spill/abc.txt".to_owned(),
            mime_type: Some("text/plain".to_owned()),
            text: text.map(str::to_owned),
        };
        let image = Content::Image { data: "AA==".to_owned(), mime_type: "image/png".to_owned() };
        let json = Content::Json { value: json!({"a": [1, 2]}) };
        let content = vec![Content::text("hi"), image, json, link(Some("body")), link(None)];
        let answer = written(Output::of(content));
        assert_eq!(
            answer["content"],
            json!([
                {"type": "text", "text": "hi"},
                {"type": "image", "data": "AA==", "mimeType": "image/png"},
                {"type": "text", "text": "{\"a\":[1,2]}"},
                {"type": "resource", "resource": {
                    "uri": "file:///tmp/spill/abc.txt", "mimeType": "text/plain", "text": "body"}},
                {"type": "resource_link", "uri": "file:///tmp/spill/abc.txt", "name": "abc.txt",
                 "mimeType": "text/plain"},
            ])
        );
        assert_eq!(answer.get("structuredContent"), None);
        assert_eq!(answer["isError"], false);
    }

    #[test]
    fn structured_content_is_an_object_and_never_without_text() {
        let only = |structured| Output { structured: Some(structured), ..Output::default() };
        let answer = written(only(json!([1, 2])));
        assert_eq!(answer["structuredContent"], json!({"result": [1, 2]}));
        assert_eq!(answer["content"], json!([{"type": "text", "text": "[1,2]"}]));
        let answer = written(only(json!({"n": 1})));
        assert_eq!(answer["structuredContent"], json!({"n": 1}));
        let answer = written(only(Value::Null));
        assert_eq!(answer["structuredContent"], json!({"result": null}));
    }

    #[test]
    fn what_the_text_says_is_not_said_again() {
        let result = ToolResult::ok("c1", "t", json!({"n": [1, 2]}).into());
        let answer = serde_json::to_value(answer(result, false).unwrap()).unwrap();
        assert_eq!(answer["content"], json!([{"type": "text", "text": "{\"n\":[1,2]}"}]));
        assert_eq!(answer.get("structuredContent"), None);
    }

    #[test]
    fn what_is_for_user_interfaces_is_beside_what_a_model_reads() {
        let meta = serde_json::Map::from_iter([("view".to_owned(), json!({"id": 7}))]);
        let answer = written(Output { meta, ..Output::from("hi") });
        assert_eq!(answer["_meta"], json!({"view": {"id": 7}}));
        assert_eq!(answer["content"], json!([{"type": "text", "text": "hi"}]));
        assert_eq!(written("hi".into()).get("_meta"), None);
    }

    #[test]
    fn what_was_spilled_is_linked() {
        let mut result = ToolResult::ok("c1", "t", "head … tail".into());
        result.spilled = vec![PathBuf::from("/state/spills/ab/0123.txt")];
        let answer = serde_json::to_value(answer(result, true).unwrap()).unwrap();
        assert_eq!(
            answer["content"][1],
            json!({"type": "resource_link", "uri": "dogu://output/0123.txt", "name": "0123.txt",
                   "title": "The whole output", "mimeType": "text/plain"})
        );
    }

    #[test]
    fn a_failure_keeps_its_pictures_and_sounds_and_says_nothing_twice() {
        let content = vec![
            Content::text("no such thing"),
            Content::Image { data: "AA==".to_owned(), mime_type: "image/png".to_owned() },
            Content::Audio { data: "BB==".to_owned(), mime_type: "audio/wav".to_owned() },
        ];
        let info = ToolError::failed("It failed.").into_info(usize::MAX).0;
        let mut result = ToolResult::error("c1", "x", info);
        (result.content, result.notes) = (content, vec!["a comma".to_owned()]);
        result.meta = serde_json::Map::from_iter([("view".to_owned(), json!(7))]);
        let answer = serde_json::to_value(answer(result, true).unwrap()).unwrap();
        assert_eq!(
            answer["content"],
            json!([
                {"type": "text", "text": "no such thing"},
                {"type": "image", "data": "AA==", "mimeType": "image/png"},
                {"type": "audio", "data": "BB==", "mimeType": "audio/wav"},
                {"type": "text", "text": "ERROR: It failed.\nCODE: E_TOOL\nNOTE: a comma"},
            ])
        );
        assert_eq!((&answer["isError"], answer.get("structuredContent")), (&json!(true), None));
        assert_eq!(answer["_meta"], json!({"view": 7}));
    }

    #[test]
    fn a_failure_is_text_and_an_unknown_name_is_a_protocol_error() {
        let error = |code| {
            let info = ToolError::new(code, "Unknown tool: x").suggest("Did you mean y?");
            answer(ToolResult::error("c1", "x", info.into_info(usize::MAX).0), true)
        };
        let failed = serde_json::to_value(error(ErrorCode::Denied).unwrap()).unwrap();
        assert_eq!(failed["isError"], true);
        assert_eq!(
            failed["content"][0]["text"],
            "ERROR: Unknown tool: x\nCODE: E_TOOL_DENIED\nSUGGESTION: Did you mean y?"
        );
        let unknown = error(ErrorCode::NotInCatalog).unwrap_err();
        assert_eq!(unknown.code.0, -32602);
        assert_eq!(unknown.message, "Unknown tool: x. Did you mean y?");
    }
}
