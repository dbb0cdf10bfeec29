//! The gate: the last door before the act. Every action of every call passes it, those that are
//! found only while running too.

use std::sync::Arc;
use std::time::{Instant, SystemTime};

use dogu_policy::facts::JudgedAction;
use dogu_tool::{Action, CallStatus, Plan, Preview, Source, ToolError, Verdict};
use serde_json::Value;

use crate::approval::{Answer, Offer, Outcome, Question};
use crate::command_facts;
use crate::contain::guarded;
use crate::files::{PreviewCaps, PreviewFiles};
use crate::flight::Flight;
use crate::policy::{Decision, PermissionStatus, PolicyRequest};
use crate::redact::Level;
use crate::refusals::{Refused, same_call};
use crate::registry::Entry;
use crate::runtime::Inner;
use crate::settings::Unattended;

/// What a model is told to do after a no.
const ASK_INSTEAD: &str = "Do not make the same call again; ask the user what to do instead.";

/// What a model is told to do after the last no of a turn.
const STOP: &str = "The user said no three times: stop, and ask what they want.";

/// What a model is told to do where nobody can be asked.
const NOBODY: &str = "Stay with what needs no approval, or tell the user how to approve this: with a rule under `permissions` in the settings, by starting dogu with `--approve all`, or from a terminal or a client in which dogu can ask.";

/// How often a person is asked again because files changed meanwhile.
const MAX_ASKED_AGAIN: usize = 5;

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
        let judged = self.judge(plan.actions()).await?;
        let mut decision = self.decide(&judged, input);
        let verdict = guarded(|| Ok(plan.tighten(decision.verdict)))?;
        let is_tightened = verdict > decision.verdict;
        decision.verdict = decision.verdict.max(verdict);
        if decision.verdict > Verdict::Allow {
            let warnings = guarded(|| Ok(plan.warnings()))?;
            if is_tightened && warnings.is_empty() {
                let why = "the tool itself wants to be asked about this input";
                decision.reasons.push(why.to_owned());
            }
            decision.reasons.extend(warnings);
        }
        if self.flight.forces_approval {
            force(&mut decision);
        }
        self.pass(&judged, &decision, Some(plan), input).await?;
        Ok(judged)
    }

    /// Judges actions that were found while running.
    pub(crate) async fn pass_more(
        &self,
        actions: &[Action],
    ) -> Result<Vec<JudgedAction>, ToolError> {
        let judged = self.judge(actions).await?;
        let decision = self.decide(&judged, &Value::Null);
        self.flight.note(|facts| facts.asked_more = true);
        let left = self.flight.pause_deadline();
        let passed = self.pass(&judged, &decision, None, &Value::Null).await;
        if let Some(left) = left {
            self.flight.set_deadline(left);
        }
        passed.map(|()| judged)
    }

    /// Adds the facts about paths and command lines, and the action that calling a foreign tool
    /// is by itself.
    async fn judge(&self, actions: &[Action]) -> Result<Vec<JudgedAction>, ToolError> {
        let spec = self.entry.spec();
        if spec.group.is_none() && !actions.is_empty() {
            return Err(ToolError::denied(format!(
                "Permission denied for tool: {}: it acts but is in no group",
                spec.name
            )));
        }
        actions.iter().try_for_each(Action::check)?;
        let mut judged = self.facts(actions).await?;
        if let Some(action) = foreign_call(self.entry, actions) {
            judged.push(JudgedAction::plain(action));
        }
        Ok(judged)
    }

    /// A command line may name whole trees, so it is looked up where blocking hurts nobody.
    async fn facts(&self, actions: &[Action]) -> Result<Vec<JudgedAction>, ToolError> {
        let runtime = &self.flight.runtime;
        if !actions.iter().any(|action| matches!(action, Action::Execute { .. })) {
            return runtime.roots.judge_all(actions);
        }
        if let (Some(service), Some(engine)) = (&runtime.backends.processes, &runtime.engine) {
            engine.set_partial_sandbox(service.is_partial().await);
        }
        let (runtime, actions) = (Arc::clone(runtime), actions.to_vec());
        let judged = tokio::task::spawn_blocking(move || all_facts(&actions, &runtime));
        judged.await.unwrap_or_else(|_| Err(ToolError::denied("the command line cannot be judged")))
    }

    fn decide(&self, actions: &[JudgedAction], input: &Value) -> Decision {
        let request = request_of(self.flight, self.entry, actions, input);
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
        let runtime = &self.flight.runtime;
        let origin = &self.flight.origin;
        match PermissionStatus::of(decision.verdict) {
            PermissionStatus::Granted | PermissionStatus::AutoApproved => runtime
                .refusals
                .of_turn(origin)
                .map_or(Ok(()), |refused| Err(self.refused(refused))),
            PermissionStatus::Denied => Err(self.denied(&decision.reasons.join("; "))),
            PermissionStatus::Unknown => {
                let call = same_call(&self.entry.spec().name, input, judged);
                if let Some(refused) = runtime.refusals.of_question(origin, call) {
                    return Err(self.refused(refused));
                }
                let (question, answer) = self.settle(judged, decision, plan, input).await?;
                self.follow(answer, &question, judged, call).await
            }
        }
    }

    /// Asks until what was shown is what would happen: a file may change while a person decides.
    async fn settle(
        &self,
        judged: &[JudgedAction],
        decision: &Decision,
        plan: Option<&dyn Plan>,
        input: &Value,
    ) -> Result<(Question, Answer), ToolError> {
        let shown = || plan.and_then(|plan| self.preview(plan, judged));
        let mut preview = shown();
        let mut question = self.question(judged, decision, preview.clone(), input);
        for _ in 0..MAX_ASKED_AGAIN {
            let answer = self.ask(&question).await?;
            let now = if answer.is_yes() { shown() } else { preview.clone() };
            if now == preview {
                return Ok((question, answer));
            }
            preview = now;
            question = self.question(judged, decision, preview.clone(), input);
            question
                .reasons
                .insert(0, "a file changed meanwhile: this is what it would do now".to_owned());
        }
        Err(self.denied("the files change faster than anybody can decide about them"))
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
        let files = PreviewFiles::new(Arc::clone(&runtime.roots), judged.to_vec())
            .called_by(self.flight.origin.principal.clone(), Arc::clone(&runtime.reads));
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
            summary: read_summary(judged),
            said_by_model: input["description"].as_str().map(str::to_owned),
            input,
            actions: judged.iter().map(|judged| judged.action.to_string()).collect(),
            asked: decision.asked.clone(),
            reasons: decision.reasons.clone(),
            preview,
            asked_at: SystemTime::now(),
            principal: self.flight.origin.principal.clone(),
        }
    }

    async fn ask(&self, question: &Question) -> Result<Answer, ToolError> {
        let runtime = &self.flight.runtime;
        let Some(delegate) = &self.flight.delegate else {
            return match runtime.settings.unattended {
                Unattended::Refuse => Err(self.nobody_to_ask(&question.reasons)),
                Unattended::Allow => Ok(Answer::yes()),
            };
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
        let outcome = runtime.desk.ask(question.clone(), delegate.as_ref(), deadline, cancel).await;
        self.flight.add_waited(asked.elapsed());
        match outcome {
            Outcome::Answered(answer) => Ok(answer),
            Outcome::Canceled => Err(self.flight.stopped_error()),
            Outcome::DeadlinePassed => Err(self
                .denied(&format!("nobody answered within {} seconds", deadline.as_secs()))
                .suggest("Go on without this call, or ask the user to be there and try again.")),
        }
    }

    /// Does what a person said, and lets the policy keep it if it counts for longer.
    async fn follow(
        &self,
        answer: Answer,
        question: &Question,
        judged: &[JudgedAction],
        call: u64,
    ) -> Result<(), ToolError> {
        if let Some(offer) = question.offer(answer.scope()) {
            self.remember(offer.clone(), judged.to_vec(), answer.is_yes()).await;
        }
        let refusals = &self.flight.runtime.refusals;
        match answer {
            Answer::Allow { .. } => {
                refusals.yes(&self.flight.origin);
                self.flight.note(|facts| facts.permission = Some(PermissionStatus::Granted));
                Ok(())
            }
            Answer::Deny { message, .. } => {
                let stops = refusals.no(&self.flight.origin, call);
                Err(self.denied_by_person(message, stops))
            }
            Answer::Unasked { why } => Err(self.nobody_to_ask(&[why])),
        }
    }

    /// An answer that could not be kept counts for its call; the result says so.
    async fn remember(&self, offer: Offer, judged: Vec<JudgedAction>, allow: bool) {
        let (flight, entry) = (Arc::clone(self.flight), Arc::clone(self.entry));
        let kept = tokio::task::spawn_blocking(move || {
            let request = request_of(&flight, &entry, &judged, &Value::Null);
            flight.runtime.policy.remember(&request, &offer, allow)
        });
        let why = match kept.await {
            Ok(Ok(())) => return,
            Ok(Err(why)) => why,
            Err(_) => "the policy failed".to_owned(),
        };
        let note = format!("The user's answer was followed this once, but not kept: {why}");
        self.flight.note(|facts| facts.notes.push(note));
    }

    fn refused(&self, refused: Refused) -> ToolError {
        self.denied(refused.why()).suggest(match refused {
            Refused::Again => ASK_INSTEAD,
            Refused::Stopped => STOP,
        })
    }

    fn denied(&self, why: &str) -> ToolError {
        self.flight.note(|facts| facts.permission = Some(PermissionStatus::Denied));
        let name = &self.entry.spec().name;
        ToolError::denied(format!("Permission denied for tool: {name}: {why}"))
    }

    fn denied_by_person(&self, message: Option<String>, stops: bool) -> ToolError {
        self.flight.note(|facts| facts.denied_by_person = true);
        let why = match message {
            Some(message) => format!("the user said no: {message}"),
            None => "the user said no".to_owned(),
        };
        self.denied(&why).suggest(if stops { STOP } else { ASK_INSTEAD })
    }

    fn nobody_to_ask(&self, reasons: &[String]) -> ToolError {
        let why = reasons.join("; ");
        let error = self
            .denied(&format!("it needs the user's approval ({why}), and nobody can be asked here"));
        self.flight.note(|facts| facts.permission = Some(PermissionStatus::Unknown));
        error.suggest(NOBODY)
    }
}

fn request_of<'a>(
    flight: &'a Flight,
    entry: &'a Entry,
    actions: &'a [JudgedAction],
    input: &'a Value,
) -> PolicyRequest<'a> {
    let (spec, source) = (entry.spec(), entry.source());
    PolicyRequest { spec, source, origin: &flight.origin, actions, input }
}

/// An action with its facts; a command line is analysed and its files looked up.
pub(crate) fn facts_of(action: &Action, runtime: &Inner) -> Result<JudgedAction, ToolError> {
    let Action::Execute { command, cwd, terminal } = action else {
        return runtime
            .roots
            .judge_all(std::slice::from_ref(action))
            .map(|mut judged| judged.remove(0));
    };
    let mut judged = command_facts::judge(command, cwd, &runtime.roots, &runtime.places)?;
    judged.action =
        Action::Execute { command: command.clone(), cwd: cwd.clone(), terminal: *terminal };
    let shell = runtime.scope.shell();
    if let Some(facts) = judged.command.as_mut().filter(|_| !shell.reads_as_bash(command)) {
        let program = shell.program();
        facts.analysis.understood = Err(format!("{program} reads lines in its own way"));
    }
    Ok(judged)
}

/// The facts of all actions, and of what comes with a command line: git among other programs
/// would change the repository while those run too.
pub(crate) fn all_facts(
    actions: &[Action],
    runtime: &Inner,
) -> Result<Vec<JudgedAction>, ToolError> {
    let mut all = Vec::new();
    for action in actions {
        let judged = facts_of(action, runtime)?;
        let repository = command_facts::repository_of(&judged);
        all.push(judged);
        if let Some(repository) = repository {
            let write = Action::write(repository);
            if !all.iter().any(|judged| judged.action == write) {
                all.push(facts_of(&write, runtime)?);
            }
        }
    }
    Ok(all)
}

/// Asks about what would be allowed. No answer is offered for longer: it would change nothing.
fn force(decision: &mut Decision) {
    if decision.verdict == Verdict::Allow {
        decision.verdict = Verdict::Ask;
        decision.reasons = vec!["the caller wants a person to be asked about this call".to_owned()];
    }
    decision.asked.offers.clear();
}

/// What a call does that only reads.
fn read_summary(judged: &[JudgedAction]) -> Option<String> {
    let reads = !judged.is_empty() && judged.iter().all(|judged| judged.action.only_reads());
    reads.then(|| format!("Read {} file(s)", judged.len()))
}

/// Calling a tool whose work no capability sees is an action by itself. A tool of an MCP server
/// may be called otherwise here than there: then the plan has said which one it is.
fn foreign_call(entry: &Entry, said: &[Action]) -> Option<Action> {
    let tool = entry.spec().name.to_string();
    match entry.source() {
        Source::Mcp(server) => {
            let is_own =
                |action: &Action| matches!(action, Action::Mcp { server: of, .. } if of == server);
            if said.iter().any(is_own) {
                return None;
            }
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
