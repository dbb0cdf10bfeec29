//! How much harm a command can do.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The risk of a command, mildest first: of several, the greatest counts.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// It only looks, at nothing but the files that it names.
    #[default]
    Safe,
    /// It changes ordinary things of the workspace, or runs the project's own code.
    Caution,
    /// It waits for a person at a terminal.
    Interactive,
    /// Nothing is known of it, or of this use of it.
    Unknown,
    /// It can destroy, publish, escalate, or run what cannot be seen here.
    Dangerous,
    /// Nobody wants this to run: it is refused whatever is allowed.
    Forbidden,
}

impl Risk {
    /// The risk as it is written, such as `safe`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Caution => "caution",
            Self::Interactive => "interactive",
            Self::Unknown => "unknown",
            Self::Dangerous => "dangerous",
            Self::Forbidden => "forbidden",
        }
    }
}

impl fmt::Display for Risk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
