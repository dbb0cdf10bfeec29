//! What the engine is set up with.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use dogu_tool::{Source, ToolSpec};

use crate::auto_approval::{AutoApproval, AutoApprovalSettings};
use crate::rule::{Rule, RuleSet};
use crate::tool_policy::{ToolPolicy, ToolPolicyEvaluator};

/// Settings of one origin: the user's, or a workspace's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layer {
    /// Rules.
    pub rules: RuleSet,
    /// Policies by a tool's name; or by `source/name` for tools from outside.
    pub tool_policies: BTreeMap<String, ToolPolicy>,
    /// What is approved unasked.
    pub auto_approval: AutoApprovalSettings,
}

/// Decides whether calls may run.
#[derive(Clone, Default)]
pub struct Engine {
    /// The user's settings.
    pub user: Layer,
    /// The settings that come with the workspace: they only tighten until it is trusted.
    pub workspace: Layer,
    /// Evaluators by a tool's name.
    pub evaluators: BTreeMap<String, Arc<dyn ToolPolicyEvaluator>>,
    /// What `~` means in rules.
    pub home: Option<PathBuf>,
}

impl Engine {
    /// An engine with the user's settings alone.
    pub fn new(user: Layer) -> Self {
        Self { user, ..Self::default() }
    }

    /// What is approved unasked here.
    pub fn auto_approval(&self, trusted: bool) -> AutoApproval {
        let user = AutoApproval::default().with(&self.user.auto_approval, true);
        user.with(&self.workspace.auto_approval, trusted)
    }

    /// The policy of a tool here.
    pub fn tool_policy(&self, spec: &ToolSpec, source: &Source, trusted: bool) -> ToolPolicy {
        let user = self.user.tool_policy(spec, source).unwrap_or_default();
        match self.workspace.tool_policy(spec, source) {
            Some(workspace) if trusted => workspace,
            Some(workspace) => user.tightened_by(&workspace),
            None => user,
        }
    }

    /// The rules that may loosen, and the rules that only tighten.
    pub(crate) fn rules(&self, trusted: bool) -> (Vec<&Rule>, &[Rule]) {
        let user = self.user.rules.rules();
        let workspace = self.workspace.rules.rules();
        if trusted {
            (user.iter().chain(workspace).collect(), &[])
        } else {
            (user.iter().collect(), workspace)
        }
    }
}

impl Layer {
    /// A policy under the bare name loosens nothing for a tool from outside: its name says
    /// nothing about where it is from.
    fn tool_policy(&self, spec: &ToolSpec, source: &Source) -> Option<ToolPolicy> {
        // Every call comes by here, and few settings have policies: then no key is made.
        if self.tool_policies.is_empty() {
            return None;
        }
        let key = source.permission_key(&spec.name);
        if let Some(policy) = self.tool_policies.get(&key) {
            return Some(policy.clone());
        }
        let policy = self.tool_policies.get(spec.name.as_str())?;
        let auto_approve = policy.auto_approve && source.is_builtin();
        Some(ToolPolicy { auto_approve, ..policy.clone() })
    }
}
