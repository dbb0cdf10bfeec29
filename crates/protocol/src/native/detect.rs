//! Whose format a document is in.
//!
//! A model's answer may be JSON too, with keys such as `output` or `message`. So a key speaks for
//! a provider only with the kind of value that the provider has there.

use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::Provider;
use super::lenient::{Few, Text, filled};

/// The keys that tell the formats apart.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Keys<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Text<'a>>,
    #[serde(borrow)]
    object: Option<Text<'a>>,
    choices: Shape,
    tool_calls: Shape,
    function: Shape,
    candidates: Shape,
    parts: Shape,
    #[serde(rename = "functionCall")]
    function_call_camel: Shape,
    #[serde(rename = "usageMetadata")]
    usage_metadata: Shape,
    function_call: Shape,
    output: Shape,
    content: Shape,
    role: Shape,
    message: Shape,
    stop_reason: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// What kind of value a key has.
#[derive(Default)]
enum Shape {
    #[default]
    Absent,
    /// A text, a number or the like.
    Plain,
    List(Vec<Shape>),
    Object(Members),
}

/// The keys inside of a value that show whose it is.
#[derive(Deserialize)]
struct Members {
    #[serde(rename = "type")]
    kind: Option<String>,
    name: Option<IgnoredAny>,
    arguments: Option<IgnoredAny>,
    args: Option<IgnoredAny>,
    role: Option<IgnoredAny>,
    content: Option<IgnoredAny>,
    tool_calls: Option<IgnoredAny>,
}

impl Shape {
    fn is_present(&self) -> bool {
        !matches!(self, Self::Absent)
    }

    fn object(&self) -> Option<&Members> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }

    fn is_object(&self) -> bool {
        self.object().is_some()
    }

    /// Whether it is a list that has nothing but objects, if anything.
    fn is_objects(&self) -> bool {
        matches!(self, Self::List(items) if items.iter().all(Self::is_object))
    }

    /// Whether it is a list with an object for which this is so.
    fn has(&self, is: impl Fn(&Members) -> bool) -> bool {
        let Self::List(items) = self else { return false };
        items.iter().filter_map(Self::object).any(is)
    }

    fn has_kind(&self, kind: &str) -> bool {
        self.has(|members| members.kind.as_deref() == Some(kind))
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ShapeVisitor)
    }
}

struct ShapeVisitor;

impl<'de> Visitor<'de> for ShapeVisitor {
    type Value = Shape;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Shape, E> {
        Ok(Shape::Absent)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Shape, E> {
        Ok(Shape::Plain)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Shape, E> {
        Ok(Shape::Plain)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Shape, E> {
        Ok(Shape::Plain)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Shape, E> {
        Ok(Shape::Plain)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Shape, E> {
        Ok(Shape::Plain)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Shape, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Shape::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Shape, A::Error> {
        Members::deserialize(MapAccessDeserializer::new(map)).map(Shape::Object)
    }
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
        "message" if keys.content.is_present() => Some(by_message(keys)),
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
    if keys.content.has_kind("output_text") { Provider::Responses } else { Provider::Anthropic }
}

fn by_keys(keys: &Keys<'_>) -> Option<Provider> {
    if is_gemini(keys) {
        Some(Provider::Gemini)
    } else if is_openai(keys) {
        Some(Provider::OpenAi)
    } else if keys.output.has(|item| item.kind.is_some()) {
        Some(Provider::Responses)
    } else if is_anthropic(keys) {
        Some(Provider::Anthropic)
    } else {
        is_message(keys).then_some(Provider::OpenAi)
    }
}

fn is_gemini(keys: &Keys<'_>) -> bool {
    // What is written `function_call` is OpenAI's with `arguments` and Gemini's with `args`.
    let is_call = |call: &Members| call.args.is_some();
    keys.candidates.is_objects()
        || keys.parts.has(|_| true)
        || keys.function_call_camel.is_object()
        || keys.usage_metadata.is_object()
        || keys.function_call.object().is_some_and(is_call)
}

fn is_openai(keys: &Keys<'_>) -> bool {
    let is_function = |call: &Members| call.name.is_some() || call.arguments.is_some();
    keys.choices.is_objects()
        || keys.tool_calls.is_objects()
        || keys.function.object().is_some_and(is_function)
        || keys.function_call.object().is_some_and(is_function)
}

fn is_anthropic(keys: &Keys<'_>) -> bool {
    let has_blocks = keys.content.has(|block| block.kind.is_some());
    keys.content.has_kind("tool_use") || (keys.stop_reason.is_some() && has_blocks)
}

/// A bare message, or one that is all there is beside its statistics.
fn is_message(keys: &Keys<'_>) -> bool {
    let is_inner = |message: &Members| {
        message.role.is_some() || message.content.is_some() || message.tool_calls.is_some()
    };
    let has_content = matches!(keys.content, Shape::Plain) || keys.content.is_objects();
    (keys.role.is_present() && has_content) || keys.message.object().is_some_and(is_inner)
}
