//! The life cycle of a tool that is written against callbacks, as one function.
//!
//! A block of the stream comes in as a [`ToolUse`]; [`handle`] takes it to the right method of a
//! [`Handler`], and the handler speaks through [`ToolCallbacks`].
//!
//! dogu's own pipeline does not run on this: there the gate judges a call before its tool is
//! reached, and every failure is a result. This is the door for tools written the other way.
//! Whoever runs one puts the pipeline behind the callbacks: `ask_approval` hands back the answer
//! that the gate has already given and asks anew only when it is forced to.

use serde_json::Value;

use crate::choice::Protocol;
use crate::event::ParsedCall;

/// The string parameters of a call in XML, in the order in which they came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Params(Vec<(String, String)>);

impl Params {
    /// The value of a parameter; where one came twice, the last.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().filter(|(key, _)| *key == name).last().map(|(_, value)| value)
    }

    /// Each parameter with its value.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Params {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

/// A tool call in a message, complete or still streaming.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolUse {
    /// The tool.
    pub name: String,
    /// The parameters as text; empty for a native call.
    pub params: Params,
    /// The typed arguments of a native call.
    pub native_args: Option<Value>,
    /// Whether more of it is still to come.
    pub partial: bool,
    /// The id that came with it.
    pub id: Option<String>,
}

impl ToolUse {
    /// A complete call with text parameters, as the XML protocol has it.
    pub fn of_params(name: impl Into<String>, params: Params) -> Self {
        Self { name: name.into(), params, native_args: None, partial: false, id: None }
    }

    /// The id that an answer must carry: only a native call has one, and an id that a model
    /// wrote into its XML is not the provider's.
    pub fn call_id(&self, protocol: Protocol) -> Option<&str> {
        match protocol {
            Protocol::Native => self.id.as_deref(),
            Protocol::Xml => None,
        }
    }
}

/// dogu's parsers give typed arguments for every protocol, so each is taken as native.
impl From<ParsedCall> for ToolUse {
    fn from(call: ParsedCall) -> Self {
        Self {
            name: call.name,
            params: Params::default(),
            native_args: Some(call.input),
            partial: false,
            id: call.id,
        }
    }
}

/// What a handler may ask of whoever runs it.
pub trait ToolCallbacks {
    /// Whether the call may go on.
    ///
    /// In dogu the gate has asked before the handler runs; this hands back its answer, and asks
    /// again only with `force_approval`.
    fn ask_approval(
        &mut self,
        kind: &str,
        partial_message: Option<&str>,
        progress_status: Option<&Value>,
        force_approval: bool,
    ) -> bool;

    /// Tells people that `action` failed.
    fn handle_error(&mut self, action: &str, error: &str);

    /// Adds to what the model is answered.
    fn push_tool_result(&mut self, content: &str);

    /// `text` without a half-streamed tag at its end; see [`remove_closing_tag`].
    fn remove_closing_tag(&self, tag: &str, text: Option<&str>) -> String;

    /// The protocol that the call came in.
    fn tool_protocol(&self) -> Protocol;

    /// The id of the call, with the native protocol only; see [`ToolUse::call_id`].
    fn tool_call_id(&self) -> Option<&str>;
}

/// A tool that is written against callbacks.
pub trait Handler {
    /// The tool's name.
    fn name(&self) -> &str;

    /// Text parameters as typed arguments, or why they are none.
    fn parse_legacy(&self, params: &Params) -> Result<Value, String>;

    /// Shows a call that is still streaming. Does nothing unless a handler wants it.
    fn handle_partial(
        &self,
        block: &ToolUse,
        callbacks: &mut dyn ToolCallbacks,
    ) -> Result<(), String> {
        let _ = (block, callbacks);
        Ok(())
    }

    /// Does the work. It has no error of its own: failures go through the callbacks.
    fn execute(&self, input: Value, callbacks: &mut dyn ToolCallbacks);
}

/// Takes one block through its life: a partial one is only shown; a complete one is parsed,
/// unless its arguments are typed already, and executed.
pub fn handle(handler: &dyn Handler, block: &ToolUse, callbacks: &mut dyn ToolCallbacks) {
    if block.partial {
        return show(handler, block, callbacks);
    }
    let input = match &block.native_args {
        Some(input) => Ok(input.clone()),
        None => handler.parse_legacy(&block.params),
    };
    match input {
        Ok(input) => handler.execute(input, callbacks),
        Err(_) => refuse(handler.name(), callbacks),
    }
}

fn show(handler: &dyn Handler, block: &ToolUse, callbacks: &mut dyn ToolCallbacks) {
    if let Err(error) = handler.handle_partial(block, callbacks) {
        callbacks.handle_error(&format!("handling partial {}", handler.name()), &error);
    }
}

/// The parser's own reason is left out: these are the exact words that callers look for.
fn refuse(name: &str, callbacks: &mut dyn ToolCallbacks) {
    let message = format!("Failed to parse {name} parameters");
    callbacks.handle_error(&format!("parsing {name} args"), &message);
    callbacks.push_tool_result(&format!("<error>{message}</error>"));
}

/// `text` without a tag at its end that has not been streamed in full, and without one white
/// space before it; only while the block is partial, and no text is "".
///
/// Stripped are true beginnings of `<tag` and `</tag`, down to a bare `<` or `</`. The pattern
/// that this follows makes every letter optional, so that `</ph` went for `path` too and with it
/// the end of a text that happened to look so; here it stays. Nothing in `tag` is special.
pub fn remove_closing_tag(tag: &str, text: Option<&str>, is_partial: bool) -> String {
    let text = text.unwrap_or_default();
    if !is_partial {
        return text.to_owned();
    }
    without_unfinished_tag(tag, text).unwrap_or(text).to_owned()
}

fn without_unfinished_tag<'t>(tag: &str, text: &'t str) -> Option<&'t str> {
    let (before, end) = text.rsplit_once('<')?;
    let begun = end.strip_prefix('/').unwrap_or(end);
    if !tag.starts_with(begun) {
        return None;
    }
    Some(before.strip_suffix(char::is_whitespace).unwrap_or(before))
}
