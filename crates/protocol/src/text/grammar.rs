//! The three ways to write a call whose parameters are tags.

use super::tag::Tag;
use crate::tools::KnownTool;

/// Which tags open and close a call and its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grammar {
    /// `<tool><parameter>…</parameter></tool>`
    Xml,
    /// `<invoke name="tool"><parameter name="parameter">…</parameter></invoke>`
    Invoke,
    /// `<function=tool><parameter=parameter>…</parameter></function>`
    Function,
}

/// What a tag means inside a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The call opens (again, inside a value).
    CallOpens,
    /// The call ends.
    CallEnds,
    /// A parameter opens.
    ParameterOpens(String),
    /// A parameter closes.
    ParameterCloses(String),
    /// Nothing.
    Other,
}

impl Grammar {
    /// What a tag means in a call of the tool that is called `name`. A tag that opens a parameter
    /// with the name of its tool opens that parameter.
    pub(super) fn part(self, tag: &Tag<'_>, name: &str, tool: Option<&KnownTool>) -> Part {
        match self {
            Self::Xml
                if !tag.closing && tool.is_some_and(|tool| tool.parameter(name).is_some()) =>
            {
                Part::ParameterOpens(tag.name.to_owned())
            }
            Self::Xml => xml_part(tag, name),
            Self::Invoke => named_part(tag, "invoke", |tag| tag.attribute("name")),
            Self::Function => named_part(tag, "function", Tag::assigned),
        }
    }

    /// Whether a tag inside the value of `parameter` can matter at all.
    pub(super) fn matters(self, spelling: &str, call: &str, parameter: &str) -> bool {
        let is = |name: &str| spelling.eq_ignore_ascii_case(name);
        match self {
            Self::Xml => is(call) || is(parameter),
            Self::Invoke => matches!(local(spelling), "invoke" | "parameter"),
            Self::Function => is("function") || is("parameter"),
        }
    }

    /// The tag that closes a parameter, as a message names it.
    pub(super) fn parameter_end(self, parameter: &str) -> String {
        match self {
            Self::Xml => format!("</{parameter}>"),
            Self::Invoke | Self::Function => "</parameter>".to_owned(),
        }
    }

    /// The tag that opens a parameter, as a message names it.
    pub(super) fn parameter_start(self, parameter: &str) -> String {
        match self {
            Self::Xml => format!("<{parameter}>"),
            Self::Invoke => format!("<parameter name=\"{parameter}\">"),
            Self::Function => format!("<parameter={parameter}>"),
        }
    }

    /// The tag that ends the call, as a message names it.
    pub(super) fn call_end(self, tool: &str) -> String {
        match self {
            Self::Xml => format!("</{tool}>"),
            Self::Invoke => "</invoke>".to_owned(),
            Self::Function => "</function>".to_owned(),
        }
    }
}

fn xml_part(tag: &Tag<'_>, call: &str) -> Part {
    match (tag.closing, tag.name.eq_ignore_ascii_case(call)) {
        (false, true) => Part::CallOpens,
        (true, true) => Part::CallEnds,
        (false, false) => Part::ParameterOpens(tag.name.to_owned()),
        (true, false) => Part::ParameterCloses(tag.name.to_owned()),
    }
}

fn named_part<'a>(tag: &Tag<'a>, call: &str, name: impl Fn(&Tag<'a>) -> Option<&'a str>) -> Part {
    let is_call = local(tag.name) == call;
    match (tag.closing, is_call || local(tag.name) == "parameter", is_call) {
        (_, false, _) => Part::Other,
        (true, _, true) => Part::CallEnds,
        (true, _, false) => Part::ParameterCloses(String::new()),
        (false, _, _) => match name(tag) {
            Some(_) if is_call => Part::CallOpens,
            Some(name) => Part::ParameterOpens(name.to_owned()),
            None => Part::Other,
        },
    }
}

/// `<ns:invoke>` is `<invoke>`. These words are fixed, so only lower case is read.
fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// The parameter of `tool` that a tag means: one of its own, or a field of its only list of
/// objects, or `args`, which stands for that list.
pub(super) fn known_parameter(tool: Option<&KnownTool>, spelling: &str) -> Option<String> {
    let tool = tool?;
    if let Some(name) = tool.parameter(spelling) {
        return Some(name.to_owned());
    }
    let (_, item) = tool.list_of_objects()?;
    let lower = spelling.to_ascii_lowercase();
    let is_field = lower == "args" || item["properties"].get(&lower).is_some();
    is_field.then_some(lower)
}
