//! Whose format a document is in.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::Provider;
use super::lenient::{Content, Few, Text, filled};

/// The keys that tell the formats apart.
#[derive(Default, Deserialize)]
struct Keys<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Text<'a>>,
    #[serde(borrow)]
    object: Option<Text<'a>>,
    choices: Option<IgnoredAny>,
    tool_calls: Option<IgnoredAny>,
    function: Option<IgnoredAny>,
    candidates: Option<IgnoredAny>,
    parts: Option<IgnoredAny>,
    #[serde(rename = "functionCall")]
    function_call_camel: Option<IgnoredAny>,
    #[serde(rename = "usageMetadata")]
    usage_metadata: Option<IgnoredAny>,
    function_call: Option<OldCall>,
    output: Option<IgnoredAny>,
    #[serde(borrow)]
    content: Option<Content<'a, Kind<'a>>>,
    role: Option<IgnoredAny>,
    message: Option<IgnoredAny>,
    stop_reason: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// What is written `function_call` is OpenAI's with `arguments` and Gemini's with `args`.
#[derive(Deserialize)]
struct OldCall {
    args: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Kind<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Text<'a>>,
}

/// See [`Provider::detect`].
pub(super) fn detect(document: &str) -> Option<Provider> {
    let document = document.trim_start();
    if document.starts_with('[') {
        let list: Few<Keys<'_>> = serde_json::from_str(document).ok()?;
        return list.iter().find_map(provider);
    }
    provider(&serde_json::from_str(document).ok()?)
}

fn provider(keys: &Keys<'_>) -> Option<Provider> {
    by_kind(keys).or_else(|| by_keys(keys))
}

fn by_kind(keys: &Keys<'_>) -> Option<Provider> {
    let object = filled(keys.object.as_ref()).unwrap_or_default();
    match filled(keys.kind.as_ref()).unwrap_or_default() {
        "message_start" | "message_delta" | "message_stop" | "ping" | "tool_use" => {
            Some(Provider::Anthropic)
        }
        "message" => Some(by_message(keys)),
        "error" if keys.error.is_some() => Some(Provider::Anthropic),
        "function_call" | "error" => Some(Provider::Responses),
        kind if kind.starts_with("response.") => Some(Provider::Responses),
        kind if kind.starts_with("content_block_") => Some(Provider::Anthropic),
        _ if object == "response" => Some(Provider::Responses),
        _ if object.starts_with("chat.completion") => Some(Provider::OpenAi),
        _ => None,
    }
}

/// Both Anthropic's messages and the message items of responses call themselves so.
fn by_message(keys: &Keys<'_>) -> Provider {
    if has_part(keys, "output_text") { Provider::Responses } else { Provider::Anthropic }
}

fn by_keys(keys: &Keys<'_>) -> Option<Provider> {
    let gemini = [&keys.candidates, &keys.parts, &keys.function_call_camel, &keys.usage_metadata];
    let openai = [&keys.choices, &keys.tool_calls, &keys.function];
    let is_old_gemini = keys.function_call.as_ref().is_some_and(|call| call.args.is_some());
    if gemini.iter().any(|key| key.is_some()) || is_old_gemini {
        Some(Provider::Gemini)
    } else if openai.iter().any(|key| key.is_some()) || keys.function_call.is_some() {
        Some(Provider::OpenAi)
    } else if keys.output.is_some() {
        Some(Provider::Responses)
    } else if keys.stop_reason.is_some() || has_part(keys, "tool_use") {
        Some(Provider::Anthropic)
    } else {
        let is_message = keys.role.is_some() && keys.content.is_some();
        (is_message || keys.message.is_some()).then_some(Provider::OpenAi)
    }
}

fn has_part(keys: &Keys<'_>, kind: &str) -> bool {
    let Some(Content::Parts(parts)) = &keys.content else { return false };
    parts.iter().any(|part| filled(part.kind.as_ref()) == Some(kind))
}
