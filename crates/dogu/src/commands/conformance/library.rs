//! The suite's resources and prompts.

use dogu_mcp::model::{
    ContentBlock, GetPromptResult, InputRequests, JsonObject, Prompt, PromptArgument,
    PromptMessage, Reference, Resource, ResourceContents, ResourceTemplate, Role,
};
use dogu_mcp::{Client, ErrorData, Offers, PromptFuture};
use serde_json::{Value, json};

/// A picture of one red point.
pub(super) const PICTURE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

const TEXT: &str = "test://static-text";
const BINARY: &str = "test://static-binary";
const WATCHED: &str = "test://watched-resource";

/// All of them.
pub(super) struct Library;

fn text(uri: &str, mime: &str, text: String) -> ResourceContents {
    ResourceContents::TextResourceContents {
        uri: uri.to_owned(),
        mime_type: Some(mime.to_owned()),
        text,
        meta: None,
    }
}

impl Offers for Library {
    fn resources(&self) -> Vec<Resource> {
        let resource = |uri: &str, name: &str, mime: &str| {
            Resource::new(uri, name).with_description("A fixture").with_mime_type(mime)
        };
        vec![
            resource(TEXT, "static-text", "text/plain"),
            resource(BINARY, "static-binary", "image/png"),
            resource(WATCHED, "watched-resource", "text/plain"),
        ]
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        vec![
            ResourceTemplate::new("test://template/{id}/data", "template")
                .with_description("A fixture")
                .with_mime_type("application/json"),
        ]
    }

    fn read(&self, uri: &str) -> Option<ResourceContents> {
        match uri {
            TEXT => Some(text(uri, "text/plain", "A text that never changes.".to_owned())),
            WATCHED => Some(text(uri, "text/plain", "A text that is watched.".to_owned())),
            BINARY => Some(ResourceContents::BlobResourceContents {
                uri: uri.to_owned(),
                mime_type: Some("image/png".to_owned()),
                blob: PICTURE.to_owned(),
                meta: None,
            }),
            _ => {
                let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
                let data = json!({ "id": id, "templateTest": true });
                Some(text(uri, "application/json", data.to_string()))
            }
        }
    }

    fn prompts(&self) -> Vec<Prompt> {
        let argument = |name: &str| PromptArgument::new(name).with_required(true);
        let prompt = |name: &str, arguments: Vec<PromptArgument>| {
            Prompt::new(name, Some("A fixture"), Some(arguments).filter(|list| !list.is_empty()))
        };
        vec![
            prompt("test_simple_prompt", vec![]),
            prompt("test_prompt_with_arguments", vec![argument("arg1"), argument("arg2")]),
            prompt("test_prompt_with_embedded_resource", vec![argument("resourceUri")]),
            prompt("test_prompt_with_image", vec![]),
            prompt("test_input_required_result_prompt", vec![]),
        ]
    }

    fn prompt(&self, name: &str, arguments: &JsonObject, client: &Client) -> Option<PromptFuture> {
        let argument = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        let says = |text: String| PromptMessage::new_text(Role::User, text);
        let messages = match name {
            "test_simple_prompt" => vec![says("A simple prompt.".to_owned())],
            "test_prompt_with_arguments" => {
                let (one, two) = (argument("arg1"), argument("arg2"));
                vec![says(format!("Prompt with arguments: arg1='{one}', arg2='{two}'"))]
            }
            "test_prompt_with_embedded_resource" => {
                let resource = text(argument("resourceUri"), "text/plain", "Embedded.".to_owned());
                vec![
                    PromptMessage::new(Role::User, ContentBlock::resource(resource)),
                    says("Look at the resource above.".to_owned()),
                ]
            }
            "test_prompt_with_image" => vec![
                PromptMessage::new(Role::User, ContentBlock::image(PICTURE, "image/png")),
                says("Look at the picture above.".to_owned()),
            ],
            "test_input_required_result_prompt" => return Some(asking(client.clone())),
            _ => return None,
        };
        Some(Box::pin(async { Ok(GetPromptResult::new(messages)) }))
    }

    fn complete(&self, reference: &Reference, _: &str, value: &str) -> Option<Vec<String>> {
        let known = reference.as_prompt_name()?;
        self.prompts().iter().any(|prompt| prompt.name == known).then(|| {
            let words = ["paris", "park", "party", "test"].into_iter();
            words.filter(|word| word.starts_with(value)).map(str::to_owned).collect()
        })
    }
}

fn asking(client: Client) -> PromptFuture {
    Box::pin(async move {
        let requests = super::tools::form("user_context", "What is it about?", "context", "string");
        let failed = |error: dogu_tool::ToolError| {
            ErrorData::invalid_params(error.into_info(1_000).0.message, None)
        };
        let requests: InputRequests = requests.map_err(failed)?;
        let given = client.ask(requests).await.map_err(failed)?;
        let context = given["user_context"]["content"]["context"].as_str().unwrap_or_default();
        let message = PromptMessage::new_text(Role::User, format!("It is about: {context}"));
        Ok(GetPromptResult::new(vec![message]))
    })
}
