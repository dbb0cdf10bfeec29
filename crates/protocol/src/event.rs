//! What every parser says, whatever it reads.

use dogu_tool::{ErrorCode, ErrorInfo, ToolError};
use serde_json::Value;

/// One thing that a parser found. Texts borrow from the chunk or from the parser, so an event
/// must be used or copied before the next one.
///
/// Where a run of text or arguments is cut into several events depends on the chunks; what they
/// spell together does not.
#[derive(Clone, Debug, PartialEq)]
pub enum Event<'a> {
    /// Prose between the calls.
    Text(&'a str),
    /// A call began: its name is known.
    Started {
        /// The place of the call in the message, from 0.
        index: usize,
        /// The id that the answer must carry, where the protocol has ids.
        id: Option<&'a str>,
        /// The tool, as it is named in the catalog where it is there.
        name: &'a str,
    },
    /// More of a call's arguments, for previews.
    Delta {
        /// Which call.
        index: usize,
        /// The parameter whose raw value this is; where absent, it is a piece of the
        /// arguments' JSON.
        parameter: Option<&'a str>,
        /// The piece.
        text: &'a str,
    },
    /// A call is complete.
    Ended(ParsedCall),
    /// A call cannot be made.
    Failed(FailedCall),
}

/// A complete call.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedCall {
    /// Its place in the message, from 0.
    pub index: usize,
    /// The id that came with it.
    pub id: Option<String>,
    /// The tool.
    pub name: String,
    /// The arguments.
    pub input: Value,
    /// What was repaired; shown with the result, so that no repair is silent.
    pub notes: Vec<String>,
}

/// A call that cannot be made, and what to ask the model for.
#[derive(Clone, Debug, PartialEq)]
pub struct FailedCall {
    /// Its place in the message, from 0.
    pub index: usize,
    /// The id that came with it.
    pub id: Option<String>,
    /// The tool, as far as it was named.
    pub name: Option<String>,
    /// What was wrong, where, and what to send instead.
    pub error: ErrorInfo,
}

impl FailedCall {
    /// A call whose text is not what a call looks like.
    pub fn invalid(
        index: usize,
        id: Option<String>,
        name: Option<String>,
        message: impl Into<String>,
        repair: impl Into<String>,
    ) -> Self {
        let error = ToolError::new(ErrorCode::InvalidArgs, message).suggest(repair);
        Self { index, id, name, error: error.into_info(usize::MAX).0 }
    }
}

/// Receives events one by one.
pub type Sink<'s> = &'s mut dyn FnMut(Event<'_>);
