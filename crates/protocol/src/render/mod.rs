//! The results of a message, in the form in which its calls came.
//!
//! Every form answers each call exactly once, in the order of the calls, and never with nothing:
//! providers reject empty contents. What was repaired in a call is told after its result.
//!
//! - `body`: the content of an answer as texts and pictures, whatever the form
//! - `xml`, `openai`, `responses`, `anthropic`, `gemini`: one form each
//! - `escape`: what makes foreign text harmless inside XML

mod anthropic;
mod body;
mod escape;
mod gemini;
mod openai;
mod responses;
mod xml;

use dogu_tool::ToolResult;
use serde_json::Value;

pub use escape::{escape_attribute, escape_text};

/// The form that the calls of a message came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResultForm {
    /// XML in the model's text: one text of `<tool_result>` blocks.
    Xml,
    /// OpenAI's Chat Completions: a `tool` message for each call.
    OpenAi,
    /// OpenAI's Responses: a `function_call_output` item for each call.
    Responses,
    /// Anthropic's Messages: one user message of `tool_result` blocks.
    Anthropic,
    /// Gemini from version 3 on: one user content of `functionResponse`s, pictures inside them.
    Gemini,
    /// Gemini up to version 2, whose `functionResponse` cannot hold pictures: they follow.
    Gemini2,
}

/// A result with what its call came with.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    /// The result.
    pub result: &'a ToolResult,
    /// The call's id as it came over the wire; none where it came without.
    pub id: Option<&'a str>,
}

impl<'a> Answer<'a> {
    /// The id for a form that must have one: where none came, the one that the pipeline gave.
    fn required_id(&self) -> &'a str {
        self.id.unwrap_or(&self.result.tool_call_id)
    }
}

/// What goes back to the model.
#[derive(Clone, Debug, PartialEq)]
pub enum Rendered {
    /// A text for the next user message.
    Text {
        /// The text.
        text: String,
        /// The pictures that the text names but cannot carry, in its order, for callers who
        /// can attach them.
        images: Vec<Image>,
    },
    /// Messages, or items, to append to the history.
    Messages(Vec<Value>),
}

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Its type, such as `image/png`.
    pub mime_type: String,
    /// Its bytes, in base64.
    pub data: String,
}

/// The answers to the calls of one message, in their order. No answers give no messages.
///
/// ```
/// use dogu_protocol::render::{Answer, Rendered, ResultForm, results};
/// use dogu_tool::{Output, ToolResult};
/// use serde_json::json;
///
/// let result = ToolResult::ok("1", "read_file", Output::from("fn main() {}"));
/// let answer = Answer { result: &result, id: Some("call_7") };
/// let message = json!({ "role": "tool", "tool_call_id": "call_7", "content": "fn main() {}" });
/// assert_eq!(results(ResultForm::OpenAi, &[answer]), Rendered::Messages(vec![message]));
/// ```
pub fn results(form: ResultForm, answers: &[Answer<'_>]) -> Rendered {
    Rendered::Messages(match form {
        ResultForm::Xml => return xml::text(answers),
        _ if answers.is_empty() => Vec::new(),
        ResultForm::OpenAi => openai::messages(answers),
        ResultForm::Responses => responses::items(answers),
        ResultForm::Anthropic => vec![anthropic::message(answers)],
        ResultForm::Gemini => vec![gemini::content(answers)],
        ResultForm::Gemini2 => vec![gemini::content_with_pictures_after(answers)],
    })
}

/// An object of these fields. They are moved: `json!` would copy each part again at every level
/// that it is put into, and a picture is megabytes.
fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}
