//! The seam to the permission engine: the plan's actions go in, a decision with reasons comes out.

use dogu_tool::{Origin, ToolSpec, Verdict};
use serde::{Deserialize, Serialize};

use crate::paths::JudgedAction;
use crate::registry::Source;

/// What a policy is asked.
#[derive(Debug)]
pub struct PolicyRequest<'a> {
    /// The tool.
    pub spec: &'a ToolSpec,
    /// Where the tool came from.
    pub source: &'a Source,
    /// Who calls.
    pub origin: &'a Origin,
    /// Everything that the call would do, with the facts about each path.
    pub actions: &'a [JudgedAction],
}

/// What a policy answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The strictest verdict over all actions.
    pub verdict: Verdict,
    /// Why, for people and the model.
    pub reasons: Vec<String>,
}

impl Decision {
    /// A decision with one reason.
    pub fn new(verdict: Verdict, reason: impl Into<String>) -> Self {
        Self { verdict, reasons: vec![reason.into()] }
    }
}

/// Decides whether calls may run. Asked once for each call, for every tool whatever its source.
pub trait Policy: Send + Sync {
    /// Judges a call. No I/O: the facts are in the request.
    fn decide(&self, request: &PolicyRequest<'_>) -> Decision;
}

/// How a permission stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PermissionStatus {
    /// A person said yes.
    Granted,
    /// The policy said yes.
    AutoApproved,
    /// The policy or a person said no.
    Denied,
    /// Nobody has said anything yet; without anyone to ask, that is a refusal.
    Unknown,
}

impl PermissionStatus {
    /// How a permission stands when only the policy has spoken.
    pub fn of(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Allow => Self::AutoApproved,
            Verdict::Ask => Self::Unknown,
            Verdict::Deny => Self::Denied,
        }
    }

    /// Whether the call may run.
    pub fn may_run(self) -> bool {
        matches!(self, Self::Granted | Self::AutoApproved)
    }

    /// The status as it is written, such as `auto_approved`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Granted => "granted",
            Self::AutoApproved => "auto_approved",
            Self::Denied => "denied",
            Self::Unknown => "unknown",
        }
    }
}

/// The simple rule: reading inside the workspace is allowed, all else asks.
#[derive(Clone, Copy, Debug, Default)]
pub struct WorkspaceReads;

impl Policy for WorkspaceReads {
    fn decide(&self, request: &PolicyRequest<'_>) -> Decision {
        let asking: Vec<String> =
            request.actions.iter().filter(|judged| !is_workspace_read(judged)).map(why).collect();
        if asking.is_empty() {
            Decision::new(Verdict::Allow, "it only reads inside the workspace")
        } else {
            Decision { verdict: Verdict::Ask, reasons: asking }
        }
    }
}

fn is_workspace_read(judged: &JudgedAction) -> bool {
    matches!(judged.action, dogu_tool::Action::FileRead { .. }) && judged.inside_workspace()
}

fn why(judged: &JudgedAction) -> String {
    let place = match &judged.path {
        Some(facts) if facts.root.is_none() => " is outside the workspace",
        _ => " is not a read inside the workspace",
    };
    format!("{}{place}", judged.action)
}
