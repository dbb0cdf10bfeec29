//! The seam to the permission engine: the plan's actions go in, a decision with reasons comes out.

use dogu_policy::facts::JudgedAction;
use dogu_tool::{Origin, Source, ToolSpec, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::approval::Offer;

/// What a policy is asked.
#[derive(Debug)]
pub struct PolicyRequest<'a> {
    /// The tool.
    pub spec: &'a ToolSpec,
    /// Where the tool came from.
    pub source: &'a Source,
    /// Who calls.
    pub origin: &'a Origin,
    /// The canonical input; null for what was found while running.
    pub input: &'a Value,
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
    /// What a person sees who is asked.
    pub asked: Asked,
}

impl Decision {
    /// A decision with one reason.
    pub fn new(verdict: Verdict, reason: impl Into<String>) -> Self {
        Self::with_reasons(verdict, vec![reason.into()])
    }

    /// A decision with all its reasons.
    pub fn with_reasons(verdict: Verdict, reasons: Vec<String>) -> Self {
        Self { verdict, reasons, asked: Asked::default() }
    }

    /// Adds what a person sees who is asked.
    pub fn asking(mut self, asked: Asked) -> Self {
        self.asked = asked;
        self
    }
}

/// What a policy knows that helps a person to answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Asked {
    /// The answers that the policy could keep.
    pub offers: Vec<Offer>,
    /// Each command of a line with its risk, such as
    /// `git push origin main   dangerous: publishes commits`.
    pub commands: Vec<String>,
    /// The risk of all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<String>,
}

/// Decides whether calls may run. Asked once for each call, for every tool whatever its source.
pub trait Policy: Send + Sync {
    /// Judges a call. No I/O: the facts are in the request.
    fn decide(&self, request: &PolicyRequest<'_>) -> Decision;

    /// Keeps an answer that counts for longer than its call. May do I/O. An error is told with
    /// the result; the call itself follows the answer.
    fn remember(
        &self,
        request: &PolicyRequest<'_>,
        offer: &Offer,
        allow: bool,
    ) -> Result<(), String> {
        let _ = (request, offer, allow);
        Ok(())
    }
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
