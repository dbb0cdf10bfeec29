//! The gate: the last door before the act. Every action of every call passes it, those that are
//! found only while running too.

use std::sync::Arc;
use std::time::{Instant, SystemTime};

use dogu_tool::{Action, CallStatus, Plan, Preview, ToolError, Verdict};
use serde_json::Value;

use crate::approval::{Answer, Outcome, Question};
use crate::contain::guarded;
use crate::files::{PreviewCaps, PreviewFiles};
use crate::flight::Flight;
use crate::paths::JudgedAction;
use crate::policy::{Decision, PermissionStatus, PolicyRequest};
use crate::redact::Level;
use crate::registry::{Entry, Source};

/// One call at the gate.
pub(crate) struct Gate<'a> {
    pub(crate) flight: &'a Arc<Flight>,
    pub(crate) entry: &'a Arc<Entry>,
}

impl Gate<'_> {
    /// Judges a plan. What comes out is admitted, and nothing else.
    pub(crate) async fn pass_plan(
        &self,
        plan: &dyn Plan,
        input: &Value,
    ) -> Result<Vec<JudgedAction>, ToolError> {
        let judged = self.judge(plan.actions())?;
        let mut decision = self.decide(&judged);
        let verdict = guarded(|| Ok(plan.tighten(decision.verdict)))?;
        if verdict > decision.verdict {
            decision.verdict = verdict;
            decision.reasons.push("the tool itself wants to be asked about this input".to_owned());
        }
        self.pass(&judged, &decision, Some(plan), input).await?;
        Ok(judged)
    }

    /// Judges actions that were found while running.
    pub(crate) async fn pass_more(
        &self,
        actions: &[Action],
    ) -> Result<Vec<JudgedAction>, ToolError> {
        let judged = self.judge(actions)?;
        let decision = self.decide(&judged);
        self.flight.note(|facts| facts.asked_more = true);
        let left = self.flight.pause_deadline();
        let passed = self.pass(&judged, &decision, None, &Value::Null).await;
        if let Some(left) = left {
            self.flight.set_deadline(left);
        }
        passed.map(|()| judged)
    }

    /// Adds the facts about paths, and the action that calling a foreign tool is by itself.
    fn judge(&self, actions: &[Action]) -> Result<Vec<JudgedAction>, ToolError> {
        let spec = self.entry.spec();
        if spec.group.is_none() && !actions.is_empty() {
            return Err(ToolError::denied(format!(
                "Permission denied for tool: {}: it acts but is in no group",
                spec.name
            )));
        }
        actions.iter().try_for_each(Action::check)?;
        let mut judged = self.flight.runtime.roots.judge_all(actions)?;
        if let Some(action) = foreign_call(self.entry) {
            judged.push(JudgedAction { action, path: None });
        }
        Ok(judged)
    }

    fn decide(&self, actions: &[JudgedAction]) -> Decision {
        let request = PolicyRequest {
            spec: self.entry.spec(),
            source: self.entry.source(),
            origin: &self.flight.origin,
            actions,
        };
        let policy = &self.flight.runtime.policy;
        // A policy that panics has not said yes.
        guarded(|| Ok(policy.decide(&request)))
            .unwrap_or_else(|_| Decision::new(Verdict::Deny, "the policy failed"))
    }

    async fn pass(
        &self,
        judged: &[JudgedAction],
        decision: &Decision,
        plan: Option<&dyn Plan>,
        input: &Value,
    ) -> Result<(), ToolError> {
        self.note(judged, decision);
        match PermissionStatus::of(decision.verdict) {
            PermissionStatus::Granted | PermissionStatus::AutoApproved => Ok(()),
            PermissionStatus::Denied => Err(self.denied(&decision.reasons.join("; "))),
            PermissionStatus::Unknown => {
                let preview = plan.and_then(|plan| self.preview(plan, judged));
                self.ask(self.question(judged, decision, preview, input)).await
            }
        }
    }

    fn note(&self, judged: &[JudgedAction], decision: &Decision) {
        self.flight.note(|facts| {
            facts.actions.extend(judged.iter().map(|judged| judged.action.clone()));
            verdict_word(decision.verdict).clone_into(&mut facts.decision);
            facts.reasons.extend(decision.reasons.iter().cloned());
            facts.permission = Some(PermissionStatus::of(decision.verdict));
            facts.may_write |= judged.iter().any(|judged| !judged.action.only_reads());
        });
    }

    /// A preview that fails is left out: the person still sees the actions.
    fn preview(&self, plan: &dyn Plan, judged: &[JudgedAction]) -> Option<Preview> {
        let runtime = &self.flight.runtime;
        let files = PreviewFiles::new(Arc::clone(&runtime.roots), judged.to_vec());
        let caps = PreviewCaps::new(runtime.scope.clone(), files);
        let preview = guarded(|| Ok(plan.preview(&caps))).ok().flatten()?;
        let redact = |text: &str| runtime.redactor.redact(text, Level::Result).into_owned();
        Some(Preview {
            summary: redact(&preview.summary),
            detail: preview.detail.as_deref().map(redact),
        })
    }

    fn question(
        &self,
        judged: &[JudgedAction],
        decision: &Decision,
        preview: Option<Preview>,
        input: &Value,
    ) -> Question {
        let spec = self.entry.spec();
        let mut input = input.clone();
        self.flight.runtime.redactor.redact_value(&mut input, Level::Record);
        Question {
            id: format!("q{}", self.flight.runtime.next_number()),
            call_id: self.flight.id.to_string(),
            tool: spec.name.to_string(),
            title: spec.title.clone(),
            source: self.entry.source().to_string(),
            input,
            actions: judged.iter().map(|judged| judged.action.to_string()).collect(),
            reasons: decision.reasons.clone(),
            preview,
            asked_at: SystemTime::now(),
            principal: self.flight.origin.principal.clone(),
        }
    }

    async fn ask(&self, question: Question) -> Result<(), ToolError> {
        let runtime = &self.flight.runtime;
        let Some(delegate) = &runtime.delegate else {
            return Err(self.nobody_to_ask(&question.reasons));
        };
        // Before a call runs it waits visibly; a running one stays `calling` and says so.
        if self.flight.advance(CallStatus::Waiting) {
            self.flight.ensure_recorded().await?;
            self.flight.record_status(CallStatus::Waiting);
        } else {
            self.flight.progress("waiting for an answer", None);
        }
        let asked = Instant::now();
        let deadline = runtime.settings.limits.approval();
        let cancel = &self.flight.cancel;
        let outcome = runtime.desk.ask(question, delegate.as_ref(), deadline, cancel).await;
        self.flight.add_waited(asked.elapsed());
        match outcome {
            Outcome::Answered(Answer::Allow) => {
                self.flight.note(|facts| facts.permission = Some(PermissionStatus::Granted));
                Ok(())
            }
            Outcome::Answered(Answer::Deny { message }) => Err(self.denied_by_person(message)),
            Outcome::Canceled => Err(self.flight.stopped_error()),
            Outcome::DeadlinePassed => Err(self
                .denied(&format!("nobody answered within {} seconds", deadline.as_secs()))
                .suggest("Go on without this call, or ask the user to be there and try again.")),
        }
    }

    fn denied(&self, why: &str) -> ToolError {
        self.flight.note(|facts| facts.permission = Some(PermissionStatus::Denied));
        let name = &self.entry.spec().name;
        ToolError::denied(format!("Permission denied for tool: {name}: {why}"))
    }

    fn denied_by_person(&self, message: Option<String>) -> ToolError {
        self.flight.note(|facts| facts.denied_by_person = true);
        let why = match message {
            Some(message) => format!("the user said no: {message}"),
            None => "the user said no".to_owned(),
        };
        self.denied(&why)
            .suggest("Do not make the same call again; ask the user what to do instead.")
    }

    fn nobody_to_ask(&self, reasons: &[String]) -> ToolError {
        let why = reasons.join("; ");
        let error = self
            .denied(&format!("it needs the user's approval ({why}), and nobody can be asked here"));
        self.flight.note(|facts| facts.permission = Some(PermissionStatus::Unknown));
        error.suggest(
            "Stay with what needs no approval, or tell the user to start dogu with `--approve ask` in a terminal or `--approve all`.",
        )
    }
}

/// Calling a tool whose work no capability sees is an action by itself.
fn foreign_call(entry: &Entry) -> Option<Action> {
    let tool = entry.spec().name.to_string();
    match entry.source() {
        Source::Mcp(server) => {
            let tool = entry.spec().name.split().map_or(tool.clone(), |(_, name)| name.to_owned());
            Some(Action::Mcp { server: server.clone(), tool })
        }
        Source::Bundle(name) | Source::Http(name) => {
            let details = serde_json::json!({ "from": name });
            Some(Action::Custom { name: tool, details })
        }
        Source::Builtin | Source::Extension(_) => None,
    }
}

fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Ask => "ask",
        Verdict::Deny => "deny",
    }
}
