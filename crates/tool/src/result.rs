//! Results: exactly one for each call.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};

use crate::error::ErrorInfo;

/// A piece of what a tool gives back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Content {
    /// Words.
    Text {
        /// The words.
        text: String,
    },
    /// A picture.
    Image {
        /// The bytes, in base64.
        data: String,
        /// Their type, such as `image/png`.
        mime_type: String,
    },
    /// A recording.
    Audio {
        /// The bytes, in base64.
        data: String,
        /// Their type, such as `audio/wav`.
        mime_type: String,
    },
    /// Bytes that can be fetched elsewhere too.
    Blob {
        /// Where they are.
        uri: String,
        /// Their type.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mime_type: Option<String>,
        /// The bytes, in base64.
        data: String,
    },
    /// Data.
    Json {
        /// The data.
        value: Value,
    },
    /// Something that can be fetched elsewhere.
    Resource {
        /// Where it is.
        uri: String,
        /// Its type.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mime_type: Option<String>,
        /// Its text, where it was taken along.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
}

impl Content {
    /// Words.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

/// What a tool's run gives back, before the pipeline puts the call's id on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// What the model reads.
    pub content: Vec<Content>,
    /// The same for programs; any JSON value.
    pub structured: Option<Value>,
    /// For user interfaces, by name; no model sees it.
    pub meta: Map<String, Value>,
}

impl Output {
    /// Several pieces for the model.
    pub fn of(content: Vec<Content>) -> Self {
        Self { content, ..Self::default() }
    }

    /// Words for the model and data for programs.
    pub fn with_structured(text: impl Into<String>, structured: impl Serialize) -> Self {
        let structured = serde_json::to_value(structured).ok();
        Self { structured, ..Self::of(vec![Content::text(text)]) }
    }
}

impl From<String> for Output {
    fn from(text: String) -> Self {
        Self::of(vec![Content::text(text)])
    }
}

impl From<&str> for Output {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<()> for Output {
    fn from((): ()) -> Self {
        Self::default()
    }
}

impl From<Content> for Output {
    fn from(content: Content) -> Self {
        Self::of(vec![content])
    }
}

/// A string is text; every other value is data, and both forms keep the value.
impl From<Value> for Output {
    fn from(value: Value) -> Self {
        match value {
            Value::String(text) => text.into(),
            value => {
                Self { structured: Some(value.clone()), ..Self::of(vec![Content::Json { value }]) }
            }
        }
    }
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ResultStatus {
    /// With what was asked for.
    Ok,
    /// With an error.
    Error,
}

/// The answer to one call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The id of the call.
    pub tool_call_id: String,
    /// The name that was called.
    pub tool_name: String,
    /// How it ended.
    pub status: ResultStatus,
    /// What the model reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<Content>,
    /// The same for programs; `null` is a value, absent is none.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "null_is_a_value"
    )]
    pub structured: Option<Value>,
    /// For user interfaces, by name; no model sees it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorInfo>,
    /// What was repaired in the call before it could run: no repair is silent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Where what was too long to show is kept, for whoever can offer it in another way than by
    /// its path. The texts name it too.
    #[serde(skip)]
    pub spilled: Vec<PathBuf>,
}

fn null_is_a_value<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl ToolResult {
    /// The answer of a tool that did what was asked.
    pub fn ok(id: impl Into<String>, name: impl Into<String>, output: Output) -> Self {
        Self {
            tool_call_id: id.into(),
            tool_name: name.into(),
            status: ResultStatus::Ok,
            content: output.content,
            structured: output.structured,
            meta: output.meta,
            error: None,
            notes: Vec::new(),
            spilled: Vec::new(),
        }
    }

    /// The answer to a call that failed.
    pub fn error(id: impl Into<String>, name: impl Into<String>, error: ErrorInfo) -> Self {
        Self {
            tool_call_id: id.into(),
            tool_name: name.into(),
            status: ResultStatus::Error,
            content: Vec::new(),
            structured: None,
            meta: Map::new(),
            error: Some(error),
            notes: Vec::new(),
            spilled: Vec::new(),
        }
    }

    /// Whether the call failed.
    pub fn is_error(&self) -> bool {
        self.status == ResultStatus::Error
    }

    /// The result as one text, as a model without structured results reads it.
    pub fn to_text(&self) -> String {
        let mut parts: Vec<String> = self.content.iter().map(content_text).collect();
        if let Some(error) = &self.error {
            parts.push(error_text(error));
        }
        parts.extend(self.note_lines());
        parts.join("\n")
    }

    /// The notes as the model reads them, a line each.
    pub fn note_lines(&self) -> impl Iterator<Item = String> {
        self.notes.iter().map(|note| format!("NOTE: {}", note.replace(['\n', '\r'], " ")))
    }

    /// The output as one JSON value: `structured` where there is any, else the text, else `null`.
    pub fn output_value(&self) -> Value {
        match (&self.structured, self.content.as_slice()) {
            (Some(value), _) | (None, [Content::Json { value }]) => value.clone(),
            (None, []) => Value::Null,
            (None, parts) => json!(parts.iter().map(content_text).collect::<Vec<_>>().join("\n")),
        }
    }
}

fn content_text(content: &Content) -> String {
    match content {
        Content::Text { text } | Content::Resource { text: Some(text), .. } => text.clone(),
        Content::Json { value } => value.to_string(),
        Content::Image { mime_type, data } => {
            format!("[{mime_type} image, {} bytes in base64]", data.len())
        }
        Content::Audio { mime_type, data } => {
            format!("[{mime_type} recording, {} bytes in base64]", data.len())
        }
        Content::Blob { uri, data, .. } => {
            format!("[resource {uri}, {} bytes in base64]", data.len())
        }
        Content::Resource { uri, .. } => format!("[resource {uri}]"),
    }
}

fn error_text(error: &ErrorInfo) -> String {
    let mut text = format!("ERROR: {}\nCODE: {}", error.message, error.code);
    for (label, value) in [("SUGGESTION", &error.suggestion), ("HELP", &error.help_url)] {
        if let Some(value) = value {
            let _ = write!(text, "\n{label}: {value}");
        }
    }
    text
}
