//! The forms of a call in plain text.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A way to write a call in text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// `<tool><parameter>value</parameter></tool>`.
    Xml,
    /// `<invoke name="tool"><parameter name="p">value</parameter></invoke>`.
    Invoke,
    /// `<tool_call>{"name": …, "arguments": …}</tool_call>`.
    ToolCall,
    /// `<function=tool>{…}</function>`, or with `<parameter=p>value</parameter>`.
    Function,
    /// `[TOOL_CALLS] [{"name": …, "arguments": …}]`.
    Bracket,
    /// A fenced block `tool` with `TOOL_NAME:`, `BEGIN_ARG:`, `END_ARG`.
    FencedTool,
    /// A fenced block with `{"name": …, "arguments": …}`.
    FencedJson,
    /// A line that begins with `{"name": …, "arguments": …}`.
    BareJson,
}

impl Form {
    /// Every form.
    pub const ALL: [Self; 8] = [
        Self::Xml,
        Self::Invoke,
        Self::ToolCall,
        Self::Function,
        Self::Bracket,
        Self::FencedTool,
        Self::FencedJson,
        Self::BareJson,
    ];

    /// The word for it in settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Xml => "xml",
            Self::Invoke => "invoke",
            Self::ToolCall => "tool_call",
            Self::Function => "function",
            Self::Bracket => "bracket",
            Self::FencedTool => "fenced_tool",
            Self::FencedJson => "fenced_json",
            Self::BareJson => "bare_json",
        }
    }
}

impl FromStr for Form {
    type Err = UnknownForm;

    fn from_str(word: &str) -> Result<Self, UnknownForm> {
        let found = Self::ALL.into_iter().find(|form| form.as_str() == word);
        found.ok_or_else(|| UnknownForm(word.to_owned()))
    }
}

/// A word that is no form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no form `{0}` of a call in text")]
pub struct UnknownForm(String);

/// Which forms are read as calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forms {
    on: Vec<Form>,
    guarded: bool,
}

impl Forms {
    /// All of them, with guards against examples that the model only shows.
    pub fn auto() -> Self {
        Self { on: Form::ALL.to_vec(), guarded: true }
    }

    /// Only these. Whoever names a form means it: a block that is announced as an example is
    /// still a call.
    pub fn only(forms: impl IntoIterator<Item = Form>) -> Self {
        Self { on: forms.into_iter().collect(), guarded: false }
    }

    /// Leaves blocks that are announced as examples alone, as `auto` does.
    pub fn with_guards(mut self) -> Self {
        self.guarded = true;
        self
    }

    /// Whether this form is read.
    pub fn has(&self, form: Form) -> bool {
        self.on.contains(&form)
    }

    /// Whether blocks that are announced as examples are left alone.
    pub(super) fn guarded(&self) -> bool {
        self.guarded
    }
}

impl Default for Forms {
    fn default() -> Self {
        Self::auto()
    }
}
