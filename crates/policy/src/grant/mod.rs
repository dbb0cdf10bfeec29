//! Grants: a person's standing answers.

mod banned;
mod offer;

use std::path::{Path, PathBuf};

use dogu_tool::Verdict;

use crate::rule::{Rule, RuleError};

pub use banned::{NEVER_GRANTED, NeverGranted, never_granted};
pub use offer::Offer;
pub(crate) use offer::rule_for;

/// How long an answer stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// For the call that was asked about, and no other.
    Once,
    /// Until the session ends.
    Session,
    /// Until it is revoked.
    Permanent,
}

/// A standing answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// What it is revoked by.
    pub id: String,
    /// What was answered, and about what.
    pub rule: Rule,
    /// How long it stands.
    pub scope: Scope,
    /// The workspace root that it is for; none where it holds everywhere.
    pub workspace: Option<PathBuf>,
}

impl Grant {
    /// Reads a grant back from its rule's text.
    pub fn parse(
        id: impl Into<String>,
        verdict: Verdict,
        text: &str,
        scope: Scope,
    ) -> Result<Self, RuleError> {
        let rule = Rule::parse(verdict, text)?;
        Ok(Self { id: id.into(), rule, scope, workspace: None })
    }

    /// Limits it to a workspace root.
    pub fn in_workspace(mut self, root: impl Into<PathBuf>) -> Self {
        self.workspace = Some(root.into());
        self
    }

    /// It holds where the workspace has these roots.
    pub fn holds_in(&self, roots: &[PathBuf]) -> bool {
        let is_root = |root: &Path| roots.iter().any(|known| known == root);
        self.workspace.as_deref().is_none_or(is_root)
    }
}
