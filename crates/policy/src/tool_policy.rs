//! Policies of single tools.
//!
//! The order in which a policy is asked: what forbids comes first (`allowed: false`, too many
//! executions, an evaluator's no), then an evaluator's wish to ask, then `autoApprove`, then the
//! tool's own promise to change nothing (of built-in tools alone), then `requireConfirmation`.
//! The first four decide; a tool that only reads skips the confirmation and leaves the answer to
//! the steps after this one.

use std::time::Duration;

use dogu_tool::Verdict;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is settled about a tool, whatever it is called with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolPolicy {
    /// It may run at all.
    #[serde(default = "yes")]
    pub allowed: bool,
    /// It runs unasked, as far as that is anyone's to say.
    #[serde(default, alias = "auto_approve")]
    pub auto_approve: bool,
    /// A person is always asked.
    #[serde(default, alias = "require_confirmation")]
    pub require_confirmation: bool,
    /// How often it may run in a session.
    #[serde(default, alias = "max_executions", skip_serializing_if = "Option::is_none")]
    pub max_executions: Option<u32>,
    /// How long a run may take, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
}

fn yes() -> bool {
    true
}

impl Default for ToolPolicy {
    fn default() -> Self {
        Self {
            allowed: true,
            auto_approve: false,
            require_confirmation: false,
            max_executions: None,
            timeout: None,
        }
    }
}

impl ToolPolicy {
    /// How long a run may take.
    pub fn timeout(&self) -> Option<Duration> {
        self.timeout.map(Duration::from_millis)
    }

    /// This policy with whatever is stricter in another; nothing of it is loosened.
    pub fn tightened_by(&self, other: &Self) -> Self {
        let least = |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).min();
        let executions = self.max_executions.into_iter().chain(other.max_executions).min();
        Self {
            allowed: self.allowed && other.allowed,
            auto_approve: self.auto_approve && !other.require_confirmation,
            require_confirmation: self.require_confirmation || other.require_confirmation,
            max_executions: executions,
            timeout: least(self.timeout, other.timeout),
        }
    }
}

/// Judges a call by its arguments. Its answer counts where it is stricter than the policy's own.
pub trait ToolPolicyEvaluator: Send + Sync {
    /// Judges the arguments of one call.
    fn evaluate(&self, policy: &ToolPolicy, arguments: &Value) -> Verdict;
}

impl<F: Fn(&ToolPolicy, &Value) -> Verdict + Send + Sync> ToolPolicyEvaluator for F {
    fn evaluate(&self, policy: &ToolPolicy, arguments: &Value) -> Verdict {
        self(policy, arguments)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn both_spellings_of_the_keys_are_read() {
        let camel = json!({"allowed": true, "autoApprove": true, "requireConfirmation": false, "maxExecutions": 2, "timeout": 500});
        let snake = json!({"auto_approve": true, "max_executions": 2, "timeout": 500});
        let camel: ToolPolicy = serde_json::from_value(camel).unwrap();
        assert_eq!(camel, serde_json::from_value(snake).unwrap());
        assert_eq!(camel.timeout(), Some(Duration::from_millis(500)));
        assert!(serde_json::from_value::<ToolPolicy>(json!({"alowed": false})).is_err());
    }

    #[test]
    fn tightening_never_loosens() {
        let user = ToolPolicy { max_executions: Some(2), ..ToolPolicy::default() };
        let project =
            ToolPolicy { auto_approve: true, max_executions: Some(9), ..ToolPolicy::default() };
        assert_eq!(user.tightened_by(&project), user);
        let project = ToolPolicy { allowed: false, ..ToolPolicy::default() };
        assert!(!user.tightened_by(&project).allowed);
    }
}
