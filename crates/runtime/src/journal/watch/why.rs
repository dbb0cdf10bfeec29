//! Why a file is not covered, and how many are not.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::super::entry::Uncovered;

/// How many files are named.
pub(super) const MOST_NAMED: usize = 20;

/// Why what was in a file is not known after a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// It may hold secrets, which are not stored.
    Secret,
    /// It is larger than what is stored.
    TooLarge,
    /// It could not be read.
    Unreadable,
    /// There are more files than are looked at.
    TooMany,
    /// The time was over before it was looked at.
    NoTime,
    /// All that is stored together would be too much.
    NoRoom,
    /// It is a pipe, socket or device.
    Special,
    /// git's ignore files, or ripgrep's, name it.
    Ignored,
    /// `.doguignore` or `.rooignore` shuts agents out of it.
    ShutOut,
    /// What was stored of it is gone or damaged.
    Lost,
}

impl fmt::Display for Why {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Self::Secret => "may hold secrets",
            Self::TooLarge => "too large",
            Self::Unreadable => "could not be read",
            Self::TooMany => "too many files",
            Self::NoTime => "no time left",
            Self::NoRoom => "no room left",
            Self::Special => "not a regular file",
            Self::Ignored => "ignored",
            Self::ShutOut => "closed to agents",
            Self::Lost => "what was stored of it is gone",
        })
    }
}

/// How many files, by reason.
pub type Counts = BTreeMap<Why, u64>;

/// What could not be covered of a command's changes, and of the workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NotCovered {
    /// Files whose content was not known before the command. Of an ignored folder the folder is
    /// counted, not what is in it; where time ran out while looking, the count is the least that
    /// it can be.
    pub files: Counts,
    /// Files that did change, or may have, and cannot be taken back.
    pub changes: Counts,
    /// The first of those, by path.
    pub named: Vec<Uncovered>,
}

impl NotCovered {
    /// A file that changed, or may have.
    pub(super) fn change(&mut self, change: Uncovered) {
        *self.changes.entry(change.why).or_default() += 1;
        let at = self.named.partition_point(|other| *other < change);
        if at < MOST_NAMED {
            self.named.insert(at, change);
            self.named.truncate(MOST_NAMED);
        }
    }
}
