//! The life of a call, as a state machine with three ends.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where a call is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CallStatus {
    /// The model is still writing it.
    Generating,
    /// It is complete and being checked.
    Generated,
    /// A person is being asked.
    Waiting,
    /// It runs.
    Calling,
    /// It ended with a result.
    Done,
    /// It ended with an error.
    Errored,
    /// It was given up: canceled, or denied by a person.
    Canceled,
}

/// A step that the life of a call does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a call cannot go from {from} to {to}")]
pub struct IllegalTransition {
    /// Where the call is.
    pub from: CallStatus,
    /// Where it was to go.
    pub to: CallStatus,
}

impl CallStatus {
    /// Every status, in the order of a call's life.
    pub const ALL: [Self; 7] = [
        Self::Generating,
        Self::Generated,
        Self::Waiting,
        Self::Calling,
        Self::Done,
        Self::Errored,
        Self::Canceled,
    ];

    /// Whether the call has ended.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Done | Self::Errored | Self::Canceled)
    }

    /// Whether the life of a call has this step.
    pub fn may_become(self, to: Self) -> bool {
        match self {
            Self::Generating => matches!(to, Self::Generated | Self::Errored | Self::Canceled),
            Self::Generated => {
                matches!(to, Self::Waiting | Self::Calling | Self::Errored | Self::Canceled)
            }
            Self::Waiting => matches!(to, Self::Calling | Self::Errored | Self::Canceled),
            Self::Calling => matches!(to, Self::Done | Self::Errored | Self::Canceled),
            Self::Done | Self::Errored | Self::Canceled => false,
        }
    }

    /// Takes the step, or says that there is none.
    pub fn advance_to(self, to: Self) -> Result<Self, IllegalTransition> {
        if self.may_become(to) { Ok(to) } else { Err(IllegalTransition { from: self, to }) }
    }

    /// One of the six states that other systems know: waiting shows as generated.
    pub fn six_state(self) -> Self {
        if self == Self::Waiting { Self::Generated } else { self }
    }

    /// The status as it is written, such as `calling`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Generating => "generating",
            Self::Generated => "generated",
            Self::Waiting => "waiting",
            Self::Calling => "calling",
            Self::Done => "done",
            Self::Errored => "errored",
            Self::Canceled => "canceled",
        }
    }
}

impl fmt::Display for CallStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
