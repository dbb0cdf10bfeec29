//! How much of the tools a model is shown.

use serde::{Deserialize, Serialize};

/// A twentieth of a window of 200,000 tokens: what hosts are advised not to pass before they let
/// tools be searched for. The built-in tools alone stay well below it.
const DEFAULT_TOKENS: usize = 10_000;

/// How much of the tools a model is shown before it searches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CatalogSettings {
    /// How many tokens the definitions of all tools may cost; beyond it only the core is shown,
    /// and what was searched for. 0 is no limit.
    pub tokens: usize,
    /// The tools that are always shown; the built-in ones where absent.
    pub core: Option<Vec<String>>,
}

impl Default for CatalogSettings {
    fn default() -> Self {
        Self { tokens: DEFAULT_TOKENS, core: None }
    }
}

impl CatalogSettings {
    /// Less is shown; which tools are always shown is the user's choice.
    pub(super) fn tightened_by(&self, project: &Self) -> Self {
        let tokens = match (self.tokens, project.tokens) {
            (0, tokens) | (tokens, 0) => tokens,
            (own, theirs) => own.min(theirs),
        };
        Self { tokens, core: self.core.clone() }
    }
}
