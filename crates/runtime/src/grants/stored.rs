//! A grant as it is kept, and the book of the permanent ones.

use std::path::{Path, PathBuf};

use dogu_tool::Verdict;
use serde::{Deserialize, Serialize};

use super::MAX_PERMANENT_GRANTS;
use crate::sealed::SealError;

/// What a grant says. There is no standing "ask": that is what having no grant means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GrantVerdict {
    /// Yes.
    Allow,
    /// No.
    Deny,
}

impl From<GrantVerdict> for Verdict {
    fn from(verdict: GrantVerdict) -> Self {
        match verdict {
            GrantVerdict::Allow => Self::Allow,
            GrantVerdict::Deny => Self::Deny,
        }
    }
}

/// A grant that is to be given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewGrant {
    /// What it says.
    pub verdict: GrantVerdict,
    /// About what, such as `Execute(cargo test -p x)`.
    pub rule: String,
    /// Where: the root of a workspace.
    pub workspace: PathBuf,
    /// The tool that it was given for, such as `builtin/execute_command`.
    pub tool: String,
}

/// A grant that was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredGrant {
    /// `g12` for a permanent one, `s12` for one of a session. Never given twice.
    pub id: String,
    /// What it says.
    pub verdict: GrantVerdict,
    /// About what, such as `Execute(cargo test -p x)`.
    pub rule: String,
    /// The root of the workspace where it holds, its real path.
    pub workspace: PathBuf,
    /// The tool that it was given for, such as `builtin/execute_command`.
    pub tool: String,
    /// When it was given, in seconds since 1970.
    pub created: u64,
}

impl StoredGrant {
    /// Gives the grant its id and time.
    pub(super) fn of(grant: NewGrant, id: String, created: u64) -> Self {
        let NewGrant { verdict, rule, workspace, tool } = grant;
        Self { id, verdict, rule, workspace, tool, created }
    }

    /// Whether it says the same as a grant that is to be given.
    pub(super) fn says(&self, grant: &NewGrant) -> bool {
        let NewGrant { verdict, rule, workspace, tool } = grant;
        self.verdict == *verdict
            && self.rule == *rule
            && self.workspace == *workspace
            && self.tool == *tool
    }
}

/// All permanent grants, in the order in which they were given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Book {
    /// How many were ever given, so that an id is never given again.
    given: u64,
    grants: Vec<StoredGrant>,
}

impl Book {
    /// Adds a grant, or finds the one that says the same.
    pub(super) fn add(&mut self, grant: NewGrant, now: u64) -> Result<StoredGrant, SealError> {
        if let Some(known) = self.grants.iter().find(|known| known.says(&grant)) {
            return Ok(known.clone());
        }
        if self.grants.len() >= MAX_PERMANENT_GRANTS {
            return Err(SealError::TooMany {
                most: MAX_PERMANENT_GRANTS,
                what: "permanent grants",
            });
        }
        self.given += 1;
        let stored = StoredGrant::of(grant, format!("g{}", self.given), now);
        self.grants.push(stored.clone());
        Ok(stored)
    }

    /// Removes a grant. Says whether there was one.
    pub(super) fn remove(&mut self, id: &str) -> bool {
        let before = self.grants.len();
        self.grants.retain(|grant| grant.id != id);
        self.grants.len() < before
    }

    /// Whether there is a grant of that id.
    pub(super) fn has(&self, id: &str) -> bool {
        self.grants.iter().any(|grant| grant.id == id)
    }

    /// The grants of one workspace.
    pub(super) fn of(&self, workspace: &Path) -> impl Iterator<Item = &StoredGrant> {
        self.grants.iter().filter(move |grant| grant.workspace == workspace)
    }

    /// All of them.
    pub(super) fn all(&self) -> &[StoredGrant] {
        &self.grants
    }
}
