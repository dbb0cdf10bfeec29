//! What a call of `view_diff` may say.

use dogu_tool::Compare;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Which changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum DiffScope {
    /// The working tree against what is staged.
    Unstaged,
    /// What is staged against the last commit.
    Staged,
    /// The working tree against the last commit.
    All,
}

/// What to compare.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// `unstaged` (default): the working tree against what is staged; `staged`: what is staged against the last commit; `all`: the working tree against the last commit. Untracked files are shown as new.
    #[serde(default)]
    pub(super) scope: Option<DiffScope>,
    /// A branch, tag or commit to compare with instead of the last commit (scope `all` or `staged`); `main...` means the commit where the current branch left main.
    #[serde(default)]
    pub(super) base: Option<String>,
    /// Only this file, or what is below this folder; the working folder where it is not given.
    #[serde(default = "here")]
    pub(super) path: String,
    /// Unchanged lines around each change; 3 where it is not given.
    #[serde(default)]
    pub(super) context: Option<usize>,
    /// How many lines of each file's diff are shown, 500 where it is not given.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub(super) max_lines_per_file: Option<usize>,
    /// The first line of the whole diff to show, from 1: to read on.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub(super) offset: Option<usize>,
}

fn here() -> String {
    ".".to_owned()
}

impl Input {
    pub(super) fn scope(&self) -> DiffScope {
        match (self.scope, &self.base) {
            (Some(DiffScope::Unstaged) | None, Some(_)) => DiffScope::All,
            (scope, _) => scope.unwrap_or(DiffScope::Unstaged),
        }
    }

    pub(super) fn compare(&self) -> Compare {
        let base = self.base.clone();
        match self.scope() {
            DiffScope::Unstaged => Compare::Unstaged,
            DiffScope::Staged => Compare::Staged { base },
            DiffScope::All => Compare::All { base },
        }
    }

    /// A call like this one, with something else in it.
    pub(super) fn with(&self, changed: &[(&str, Value)]) -> Value {
        let mut call = json!({ "scope": self.scope() });
        if let Some(base) = &self.base {
            call["base"] = json!(base);
        }
        if self.path != "." {
            call["path"] = json!(self.path);
        }
        for (name, value) in
            [("context", self.context), ("max_lines_per_file", self.max_lines_per_file)]
        {
            if let Some(value) = value {
                call[name] = json!(value);
            }
        }
        for (name, value) in changed {
            call[*name] = value.clone();
        }
        call
    }
}
