//! What callers hand to the record, and what waits in its queue.

use std::time::{Duration, SystemTime};

use dogu_tool::{Action, CallStatus, ErrorCode};
use serde_json::Value;

use super::bounded::{self, WORK_LIMIT};
use super::columns::RowWrite;
use super::receipt::Promise;

/// Stands for one call between its start and its end, in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallNumber(pub(super) u64);

impl CallNumber {
    /// The number of a call whose start was not taken: its end has nowhere to go.
    pub(super) const UNRECORDED: Self = Self(0);
}

/// What is known when a call begins.
#[derive(Clone, Debug)]
pub struct CallStart {
    /// The id that the model's provider gave the call.
    pub call_id: String,
    /// Who calls: [`dogu_tool::Principal::id`].
    pub principal: String,
    /// The session's key.
    pub session: String,
    /// The agent's name.
    pub agent: String,
    /// The turn that the call belongs to.
    pub turn_id: String,
    /// The trace that the turn belongs to.
    pub trace_id: String,
    /// The name that the model used.
    pub tool: String,
    /// Where the tool comes from, such as `builtin` or `mcp:github`.
    pub source: String,
    /// The arguments. For a large input, hand over [`super::bounded_copy`] of it.
    pub input: Value,
    /// What the call would do, as far as it is known.
    pub actions: Vec<Action>,
    /// What the gate said, such as `allow` or `ask`; empty if it has not spoken.
    pub decision: String,
    /// Why it said so.
    pub reasons: Vec<String>,
    /// When the call was complete.
    pub generated_at: SystemTime,
    /// It may change something.
    pub may_write: bool,
}

impl CallStart {
    /// A call of which nothing but id, tool and input is known, generated now.
    pub fn new(call_id: impl Into<String>, tool: impl Into<String>, input: Value) -> Self {
        Self {
            call_id: call_id.into(),
            principal: String::new(),
            session: String::new(),
            agent: String::new(),
            turn_id: String::new(),
            trace_id: String::new(),
            tool: tool.into(),
            source: String::new(),
            input,
            actions: Vec::new(),
            decision: String::new(),
            reasons: Vec::new(),
            generated_at: SystemTime::now(),
            may_write: false,
        }
    }
}

/// What is known when a call has ended.
#[derive(Clone, Debug)]
pub struct CallEnd {
    /// How it ended.
    pub status: CallStatus,
    /// The error's stable word.
    pub error_code: Option<ErrorCode>,
    /// What the model was told went wrong.
    pub error_message: Option<String>,
    /// The private causes, outermost first.
    pub causes: Vec<String>,
    /// The middleware that answered in place of the tool.
    pub answered_by: Option<String>,
    /// The beginning of the result.
    pub result_preview: String,
    /// The size of the whole result.
    pub result_bytes: u64,
    /// How long the tool ran.
    pub duration: Duration,
    /// How long a person was waited for.
    pub waited: Duration,
    /// Which grant let it run, or who refused it.
    pub permission: Option<String>,
    /// When it ended.
    pub ended_at: SystemTime,
    /// The input as it ran, where that differs from the start's.
    pub input: Option<Value>,
    /// The actions, where they were not known at the start.
    pub actions: Option<Vec<Action>>,
    /// The gate's word, where it was not known at the start.
    pub decision: Option<String>,
    /// The gate's reasons, where they were not known at the start.
    pub reasons: Option<Vec<String>>,
}

impl CallEnd {
    /// An end now, of which nothing but the status is known.
    pub fn new(status: CallStatus) -> Self {
        Self {
            status,
            error_code: None,
            error_message: None,
            causes: Vec::new(),
            answered_by: None,
            result_preview: String::new(),
            result_bytes: 0,
            duration: Duration::ZERO,
            waited: Duration::ZERO,
            permission: None,
            ended_at: SystemTime::now(),
            input: None,
            actions: None,
            decision: None,
            reasons: None,
        }
    }
}

/// One thing in the queue.
#[derive(Debug)]
pub(super) enum Entry {
    Start {
        number: CallNumber,
        start: Box<CallStart>,
        done: Option<Promise>,
    },
    /// A start that is in the file of the run already.
    Noted(Box<RowWrite>),
    /// A start that could not be noted, so that its row is waited for.
    Row {
        row: Box<RowWrite>,
        done: Promise,
    },
    Waiting {
        number: CallNumber,
        at: SystemTime,
    },
    Calling {
        number: CallNumber,
        at: SystemTime,
    },
    End {
        number: CallNumber,
        end: Box<CallEnd>,
    },
    /// Resolved when all before it is committed.
    Flush(Promise),
    #[cfg(test)]
    Panic,
}

impl Entry {
    /// Someone holds a receipt for it.
    pub(super) fn is_waited_for(&self) -> bool {
        matches!(self, Self::Start { done: Some(_), .. } | Self::Row { .. } | Self::Flush(_))
    }

    pub(super) fn start(number: CallNumber, mut start: CallStart, done: Option<Promise>) -> Self {
        shrink_value(&mut start.input);
        Self::Start { number, start: Box::new(start), done }
    }

    pub(super) fn end(number: CallNumber, mut end: CallEnd) -> Self {
        end.input.as_mut().map(shrink_value);
        shrink_text(&mut end.result_preview);
        end.error_message.as_mut().map(shrink_text);
        Self::End { number, end: Box::new(end) }
    }

    /// Whether losing it means that something is missing from the record.
    pub(super) fn counts(&self) -> bool {
        !matches!(self, Self::Flush(_))
    }

    /// Roughly what it holds in memory.
    pub(super) fn weight(&self) -> usize {
        const BASE: usize = 512;
        BASE + match self {
            Self::Start { start, .. } => {
                bounded::weight(&start.input)
                    + actions_weight(&start.actions)
                    + start.reasons.iter().map(String::len).sum::<usize>()
            }
            Self::End { end, .. } => {
                end.input.as_ref().map_or(0, bounded::weight)
                    + end.actions.as_deref().map_or(0, actions_weight)
                    + end.result_preview.len()
                    + end.causes.iter().map(String::len).sum::<usize>()
            }
            Self::Noted(row) | Self::Row { row, .. } => row.weight(),
            _ => 0,
        }
    }
}

/// Large inputs are shortened before they are queued, so that the queue's bound in bytes is
/// never reached by one call alone.
fn shrink_value(value: &mut Value) {
    if bounded::weight(value) > WORK_LIMIT {
        *value = bounded::bounded_copy(value);
    }
}

fn shrink_text(text: &mut String) {
    if text.len() > WORK_LIMIT {
        *text = bounded::clean_cut(text, WORK_LIMIT).to_owned();
    }
}

fn actions_weight(actions: &[Action]) -> usize {
    actions
        .iter()
        .map(|action| match action {
            Action::Execute { command, .. } => 128 + command.len(),
            Action::Network { url } => 128 + url.len(),
            Action::Custom { details, .. } => 128 + bounded::weight(details),
            _ => 256,
        })
        .sum()
}
