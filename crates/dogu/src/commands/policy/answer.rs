//! What the gate would say, as data.

use std::path::Path;

use dogu_policy::command::Access;
use dogu_policy::facts::{CommandFacts, JudgedAction, NamedFile};
use dogu_policy::{Decision, Risk};
use dogu_tool::{Action, ToolError, Verdict};
use serde::{Serialize, Serializer};

/// A decision with everything that it is about.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    /// What would happen.
    #[serde(serialize_with = "word")]
    pub(super) decision: Verdict,
    /// The greatest risk of a command line.
    pub(super) risk: Option<Risk>,
    /// Why, in words.
    pub(super) reasons: Vec<String>,
    /// The commands of a line, inner ones after the ones that hold them.
    pub(super) commands: Vec<OneCommand>,
    /// The files that would be read.
    pub(super) reads: Vec<String>,
    /// The files that would be written or deleted.
    pub(super) writes: Vec<String>,
    /// The first part of a line that was not understood.
    #[serde(skip)]
    pub(super) not_understood: Option<String>,
}

/// A command of a line.
#[derive(Debug, Serialize)]
pub(super) struct OneCommand {
    /// Its words.
    pub(super) argv: Vec<String>,
    /// Its own risk.
    pub(super) risk: Risk,
    /// Why that is its risk.
    #[serde(skip)]
    pub(super) reason: String,
}

impl Answer {
    /// The answer of the engine.
    pub(super) fn of(decision: &Decision, judged: &JudgedAction) -> Self {
        let mut answer = Self {
            decision: decision.verdict,
            risk: decision.risk,
            reasons: decision.texts(),
            commands: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            not_understood: None,
        };
        match &judged.command {
            Some(facts) => answer.add_line(facts),
            None => answer.add_path(judged),
        }
        answer
    }

    /// The answer to what no judge gets to see.
    pub(super) fn refused(error: &ToolError) -> Self {
        Self {
            decision: Verdict::Deny,
            risk: None,
            reasons: vec![error.to_string()],
            commands: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            not_understood: None,
        }
    }

    fn add_line(&mut self, facts: &CommandFacts) {
        self.not_understood = facts.analysis.understood.clone().err();
        self.commands = facts
            .analysis
            .commands
            .iter()
            .map(|found| OneCommand {
                argv: found.words.iter().map(ToString::to_string).collect(),
                risk: found.risk,
                reason: found.reason.clone(),
            })
            .collect();
        for file in &facts.files {
            match file.access {
                Access::Read | Access::Tree => add(&mut self.reads, shown(file)),
                Access::Write | Access::Delete => add(&mut self.writes, shown(file)),
            }
        }
    }

    fn add_path(&mut self, judged: &JudgedAction) {
        let Some(facts) = &judged.path else { return };
        match judged.action {
            Action::FileWrite { .. } | Action::FileDelete { .. } => {
                add(&mut self.writes, text(&facts.real));
            }
            _ => add(&mut self.reads, text(&facts.real)),
        }
    }
}

/// Where a file is; or its name in the line, where that cannot be told.
fn shown(file: &NamedFile) -> String {
    file.path.as_ref().map_or_else(|_| file.named.clone(), |facts| text(&facts.real))
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn add(list: &mut Vec<String>, file: String) {
    if !list.contains(&file) {
        list.push(file);
    }
}

/// The decision as it is written.
pub(super) fn decision_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Ask => "ask",
        Verdict::Deny => "deny",
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn word<S: Serializer>(verdict: &Verdict, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(decision_word(*verdict))
}
