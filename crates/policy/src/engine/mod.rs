//! The decision: what a call would do is cut into units, and each unit passes the steps.
//!
//! All steps are asked. Any no wins; otherwise the first step that answers decides.
//! 1. Absolute refusals (`refusals`).
//! 2. The tool's policy and its evaluator (`policies`).
//! 3. Rules, the most specific first.
//! 4. Grants of the session, then permanent ones.
//! 5. Auto-approval by kind.
//! 6. Reads inside the workspace and commands that are safe by themselves are allowed; all
//!    else asks.
//!
//! The strictest answer over all units is the call's.

mod decision;
mod files;
mod policies;
mod refusals;
mod rules;
mod settings;
mod steps;
mod unit;

use std::path::PathBuf;

use dogu_tool::{Source, ToolSpec, Verdict};
use serde_json::Value;

pub use decision::{Decision, Reason, ReasonKind};
pub use settings::{Engine, Layer};
pub(crate) use unit::{FileUnit, Unit, Use};

use crate::facts::{JudgedAction, PathFacts};
use crate::grant::Grant;
use crate::mode::Mode;
use crate::path::{PathClass, Places, classify};
use crate::rule::Surroundings;

/// Says what kind of place a path is.
pub trait PathJudge {
    /// The kind of place.
    fn class(&self, facts: &PathFacts) -> PathClass;
}

impl PathJudge for Places {
    fn class(&self, facts: &PathFacts) -> PathClass {
        classify(facts, self)
    }
}

impl<F: Fn(&PathFacts) -> PathClass> PathJudge for F {
    fn class(&self, facts: &PathFacts) -> PathClass {
        self(facts)
    }
}

/// Everything that a decision needs to know of a call.
#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about the call")]
pub struct Request<'a> {
    /// The tool.
    pub spec: &'a ToolSpec,
    /// Where the tool came from.
    pub source: &'a Source,
    /// The canonical input.
    pub input: &'a Value,
    /// Everything that the call would do.
    pub actions: &'a [JudgedAction],
    /// What kinds of places paths are.
    pub places: &'a dyn PathJudge,
    /// The mode that the model is in.
    pub mode: Option<&'a Mode>,
    /// The user has trusted this workspace.
    pub trusted: bool,
    /// The workspace roots.
    pub roots: &'a [PathBuf],
    /// Standing answers of this session.
    pub session_grants: &'a [Grant],
    /// Standing answers that were stored.
    pub permanent_grants: &'a [Grant],
    /// The tool is one of an MCP server's that are flagged as always allowed.
    pub always_allow: bool,
    /// A person is asked whatever is allowed.
    pub force_approval: bool,
    /// The call has a terminal, so that interactive programs work.
    pub has_pty: bool,
    /// How often this tool has run in this session.
    pub executions: u32,
    /// What holds commands on this machine.
    pub sandbox: Sandbox,
}

/// What holds commands on this machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sandbox {
    /// All that it should, or what the user has chosen instead.
    #[default]
    Whole,
    /// Not all: files that steer tools can be written, for one. So whatever is not known to only
    /// look asks.
    Partial,
}

impl<'a> Request<'a> {
    /// A call with its tool, input and actions, in a workspace that nobody has trusted.
    pub fn new(
        spec: &'a ToolSpec,
        source: &'a Source,
        input: &'a Value,
        actions: &'a [JudgedAction],
        places: &'a dyn PathJudge,
    ) -> Self {
        Self {
            spec,
            source,
            input,
            actions,
            places,
            mode: None,
            trusted: false,
            roots: &[],
            session_grants: &[],
            permanent_grants: &[],
            always_allow: false,
            force_approval: false,
            has_pty: false,
            executions: 0,
            sandbox: Sandbox::Whole,
        }
    }

    /// The grants that hold here, those of the session first.
    fn grants(&self) -> impl Iterator<Item = &'a Grant> {
        let all = self.session_grants.iter().chain(self.permanent_grants);
        all.filter(|grant| grant.holds_in(self.roots))
    }
}

impl Engine {
    /// Decides whether a call may run.
    pub fn decide(&self, request: &Request<'_>) -> Decision {
        let around =
            Surroundings { home: self.home.as_deref(), spec: request.spec, source: request.source };
        let judge = steps::Judge::new(self, request, around);
        let mut decision = Decision::start(line_risk(request.actions));
        for reason in refusals::of(request) {
            decision.refuse(reason);
        }
        for unit in unit::units(request) {
            decision.add(judge.decide(&unit), &unit);
        }
        if request.force_approval && decision.verdict == Verdict::Allow {
            let text = "every call of this kind is asked about";
            decision.ask(Reason::new(ReasonKind::ForceApproval, text));
        }
        decision.finish(request)
    }
}

fn line_risk(actions: &[JudgedAction]) -> Option<crate::Risk> {
    actions.iter().filter_map(|judged| Some(judged.command.as_ref()?.analysis.risk)).max()
}
