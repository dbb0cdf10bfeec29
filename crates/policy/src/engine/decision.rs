//! What the engine answers.

use std::fmt;

use dogu_tool::Verdict;
use serde::Serialize;

use crate::engine::Request;
use crate::engine::unit::Placed;
use crate::grant::{Offer, rule_for};
use crate::risk::Risk;

/// What a reason comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasonKind {
    /// A command that is refused whatever is allowed.
    Forbidden,
    /// A program that waits for a person, where there is no terminal.
    Interactive,
    /// A write to a system path.
    SystemPath,
    /// A write to a file with secrets.
    SensitiveWrite,
    /// A file that an ignore file shuts out.
    Ignored,
    /// The tool is switched off.
    Disabled,
    /// The mode has neither this tool nor this file.
    Mode,
    /// The tool has run as often as it may.
    MaxExecutions,
    /// The tool's evaluator.
    Evaluator,
    /// The tool's policy.
    ToolPolicy,
    /// A rule.
    Rule,
    /// A standing answer of a person.
    Grant,
    /// A kind that is approved unasked.
    AutoApproval,
    /// Auto-approval is switched off.
    MasterSwitch,
    /// A read inside the workspace.
    WorkspaceRead,
    /// A command that is safe by itself.
    SafeCommand,
    /// A call that does nothing that anyone has to permit.
    Harmless,
    /// A file with secrets.
    Sensitive,
    /// A file that tools and settings depend on.
    Protected,
    /// A file with other names.
    HardLink,
    /// A path outside the workspace.
    Outside,
    /// A file that cannot be told before the line runs.
    UnknownFile,
    /// A line that was not understood.
    NotUnderstood,
    /// The workspace decides what a command does, and nobody has trusted it.
    Untrusted,
    /// The risk of a command.
    Risk,
    /// Every call of this kind is asked about.
    ForceApproval,
    /// Nothing allows it.
    Default,
}

impl ReasonKind {
    /// A no of this kind is passed by no rule, grant or setting.
    pub fn is_absolute(self) -> bool {
        matches!(
            self,
            Self::Forbidden
                | Self::Interactive
                | Self::SystemPath
                | Self::SensitiveWrite
                | Self::Ignored
                | Self::Disabled
                | Self::Mode
                | Self::MaxExecutions
        )
    }

    /// A standing yes would answer the same question next time.
    fn is_grantable(self) -> bool {
        matches!(
            self,
            Self::Default
                | Self::Sensitive
                | Self::Protected
                | Self::HardLink
                | Self::Outside
                | Self::Untrusted
                | Self::Risk
                | Self::MasterSwitch
        )
    }
}

/// Why something was decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// What it comes from.
    pub kind: ReasonKind,
    /// In words.
    pub text: String,
}

impl Reason {
    /// A reason.
    pub fn new(kind: ReasonKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

/// One answer of one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) verdict: Verdict,
    pub(crate) reason: Reason,
}

impl Answer {
    pub(crate) fn allow(kind: ReasonKind, text: impl Into<String>) -> Self {
        Self { verdict: Verdict::Allow, reason: Reason::new(kind, text) }
    }

    pub(crate) fn ask(kind: ReasonKind, text: impl Into<String>) -> Self {
        Self { verdict: Verdict::Ask, reason: Reason::new(kind, text) }
    }

    pub(crate) fn deny(kind: ReasonKind, text: impl Into<String>) -> Self {
        Self { verdict: Verdict::Deny, reason: Reason::new(kind, text) }
    }
}

/// Whether a call may run, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The strictest answer over everything that the call would do.
    pub verdict: Verdict,
    /// Why: the reasons of that answer, none twice.
    pub reasons: Vec<Reason>,
    /// The greatest risk of its command lines.
    pub risk: Option<Risk>,
    /// It is a no that no rule, grant or setting passes.
    pub absolute: bool,
    /// The rules that a standing yes would store; none where only a yes for once may be given.
    pub offer: Option<Offer>,
    /// Something asked that no standing yes can answer.
    once_only: bool,
}

impl Decision {
    pub(crate) fn start(risk: Option<Risk>) -> Self {
        Self {
            verdict: Verdict::Allow,
            reasons: Vec::new(),
            risk,
            absolute: false,
            offer: None,
            once_only: false,
        }
    }

    /// A standing yes may be given.
    pub fn is_offerable(&self) -> bool {
        self.offer.is_some()
    }

    /// The reasons in words.
    pub fn texts(&self) -> Vec<String> {
        self.reasons.iter().map(|reason| reason.text.clone()).collect()
    }

    pub(crate) fn refuse(&mut self, reason: Reason) {
        self.note(Answer { verdict: Verdict::Deny, reason });
    }

    pub(crate) fn ask(&mut self, reason: Reason) {
        self.once_only = true;
        self.note(Answer { verdict: Verdict::Ask, reason });
    }

    pub(crate) fn add(&mut self, answer: Answer, placed: &Placed<'_>) {
        if answer.verdict == Verdict::Ask {
            let understood = placed.line.is_none_or(|line| line.analysis.understood.is_ok());
            let grantable = understood && !placed.unknown && answer.reason.kind.is_grantable();
            match rule_for(&placed.unit).filter(|_| grantable) {
                // A yes to the programs is one to this.
                _ if placed.is_network_of_line() => {}
                Some(rule) => self.offer_too(rule),
                None => self.once_only = true,
            }
        }
        self.note(answer);
    }

    fn offer_too(&mut self, rule: crate::rule::Rule) {
        let offer = self.offer.get_or_insert_default();
        if !offer.contains(&rule) {
            offer.push(rule);
        }
    }

    fn note(&mut self, answer: Answer) {
        if answer.verdict < self.verdict {
            return;
        }
        if answer.verdict > self.verdict {
            self.reasons.clear();
        }
        self.verdict = answer.verdict;
        self.absolute |= answer.verdict == Verdict::Deny && answer.reason.kind.is_absolute();
        if !self.reasons.contains(&answer.reason) {
            self.reasons.push(answer.reason);
        }
    }

    pub(crate) fn finish(mut self, request: &Request<'_>) -> Self {
        if self.verdict != Verdict::Ask || self.once_only || request.force_approval {
            self.offer = None;
        }
        self
    }
}
