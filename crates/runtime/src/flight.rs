//! One call under way: its status, its end, its deadline. Exactly one end, whoever brings it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use dogu_tool::{
    Action, CallStatus, CancelFlag, ErrorCode, ErrorInfo, LogLevel, Origin, ToolCall, ToolError,
    ToolResult,
};
use serde_json::Value;
use tokio::sync::Notify;

use crate::approval::PermissionDelegate;
use crate::catalog::Catalog;
use crate::contain::{Overdue, Ticket};
use crate::events::EventKind;
use crate::policy::PermissionStatus;
use crate::record::{CallEnd, CallNumber, CallStart, Receipt};
use crate::redact::Level;
use crate::runtime::Inner;
use crate::settings::Audit;
use crate::step::Step;

/// How long after its deadline a call that did not end by itself is answered by the watchdog.
const FORCE_AFTER: Duration = Duration::from_millis(250);

/// A call under way.
pub(crate) struct Flight {
    pub(crate) runtime: Arc<Inner>,
    pub(crate) number: u64,
    pub(crate) id: Arc<str>,
    pub(crate) name: Arc<str>,
    pub(crate) origin: Arc<Origin>,
    /// What the step of the call offers.
    pub(crate) catalog: Arc<Catalog>,
    /// Whoever makes the call wants a person to be asked.
    pub(crate) forces_approval: bool,
    /// Who asks about this call.
    pub(crate) delegate: Option<Arc<dyn PermissionDelegate>>,
    pub(crate) cancel: CancelFlag,
    started: Instant,
    generated_at: SystemTime,
    reached_core: AtomicBool,
    /// The thread on which the whole call runs, while its tool may block it.
    held: Mutex<Option<Ticket>>,
    state: Mutex<State>,
    answer: OnceLock<ToolResult>,
    answered: Notify,
}

struct State {
    status: CallStatus,
    stopped_by: Option<Stop>,
    /// Someone will come back for the result.
    keep_answer: bool,
    deadline: Option<Instant>,
    waited: Duration,
    recorded: Option<CallNumber>,
    facts: Facts,
}

/// What the record will say of the call.
#[derive(Default)]
pub(crate) struct Facts {
    pub(crate) source: String,
    pub(crate) input: Value,
    pub(crate) actions: Vec<Action>,
    pub(crate) decision: String,
    pub(crate) reasons: Vec<String>,
    pub(crate) permission: Option<PermissionStatus>,
    pub(crate) denied_by_person: bool,
    pub(crate) causes: Vec<String>,
    pub(crate) may_write: bool,
    pub(crate) innermost_layer: Option<String>,
    pub(crate) asked_more: bool,
    /// What was repaired in the call, for its result.
    pub(crate) notes: Vec<String>,
}

/// Who stopped a call before it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Canceled,
    TimedOut,
}

impl Flight {
    /// Takes a call in. From here on it has exactly one end.
    pub(crate) fn begin(step: &Step, call: &ToolCall) -> Arc<Self> {
        let runtime = &step.runtime.0;
        let flight = Arc::new(Self {
            runtime: Arc::clone(runtime),
            number: runtime.next_number(),
            id: call.id.as_str().into(),
            name: call.name.as_str().into(),
            origin: Arc::clone(&step.origin),
            catalog: Arc::clone(&step.catalog),
            forces_approval: step.forces_approval,
            delegate: step.delegate.clone(),
            cancel: CancelFlag::new(),
            started: Instant::now(),
            generated_at: SystemTime::now(),
            reached_core: AtomicBool::new(false),
            held: Mutex::new(None),
            state: Mutex::new(State {
                status: CallStatus::Generating,
                stopped_by: None,
                keep_answer: false,
                deadline: None,
                waited: Duration::ZERO,
                recorded: None,
                facts: Facts { notes: call.notes.clone(), ..Facts::default() },
            }),
            answer: OnceLock::new(),
            answered: Notify::new(),
        });
        runtime.flights.insert(&flight);
        flight.advance(CallStatus::Generated);
        flight
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a step that is not an end; a step that the life of a call does not have is refused.
    pub(crate) fn advance(&self, to: CallStatus) -> bool {
        debug_assert!(!to.is_terminal(), "ends go through `finish`");
        let mut state = self.lock();
        let from = state.status;
        if from.advance_to(to).is_err() {
            return false;
        }
        state.status = to;
        drop(state);
        self.emit(EventKind::Status { from, to, error: None, duration: None });
        true
    }

    /// Where the call is.
    pub(crate) fn status(&self) -> CallStatus {
        self.lock().status
    }

    /// Writes down what the record will say.
    pub(crate) fn note(&self, note: impl FnOnce(&mut Facts)) {
        note(&mut self.lock().facts);
    }

    /// The call got past all middleware.
    pub(crate) fn reach_core(&self) {
        self.reached_core.store(true, Ordering::Relaxed);
    }

    /// Adds time that a person took.
    pub(crate) fn add_waited(&self, waited: Duration) {
        self.lock().waited += waited;
    }

    /// Ends the call, unless it has ended. The first end wins; what it was is returned.
    pub(crate) fn finish(&self, result: ToolResult) -> ToolResult {
        let to = self.end_of(&result);
        let mut state = self.lock();
        if state.status.is_terminal() {
            return self.answer.get().cloned().unwrap_or(result);
        }
        let passed = steps_to(state.status, to);
        let from = state.status;
        state.status = to;
        if state.keep_answer {
            let _ = self.answer.set(result.clone());
        }
        self.stop_watching(&mut state);
        self.record_end(&mut state, to, &result);
        drop(state);
        if let Some(between) = passed {
            self.emit(EventKind::Status { from, to: between, error: None, duration: None });
        }
        self.emit(EventKind::Status {
            from: passed.unwrap_or(from),
            to,
            error: result.error.as_ref().map(|error| error.code),
            duration: Some(self.started.elapsed()),
        });
        self.runtime.flights.remove(self);
        self.answered.notify_waiters();
        result
    }

    /// Which end a result means.
    fn end_of(&self, result: &ToolResult) -> CallStatus {
        match &result.error {
            None if !result.is_error() => CallStatus::Done,
            Some(error) if error.code == ErrorCode::Canceled => CallStatus::Canceled,
            Some(error)
                if error.code == ErrorCode::Denied && self.lock().facts.denied_by_person =>
            {
                CallStatus::Canceled
            }
            _ => CallStatus::Errored,
        }
    }

    /// Asks the call to stop.
    pub(crate) fn stop(&self, by: Stop) {
        self.lock().stopped_by.get_or_insert(by);
        self.cancel.cancel();
    }

    /// Says which thread the call's tool may block from now on, or that it blocks none any more.
    pub(crate) fn hold(&self, thread: Option<Ticket>) {
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = thread;
    }

    fn take_held(&self) -> Option<Ticket> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Asks the call to stop for the sake of whoever made it. Where its tool holds the thread that
    /// would answer, the watchdog does so if nothing comes of it.
    pub(crate) fn stop_for_caller(self: &Arc<Self>) {
        self.stop(Stop::Canceled);
        if self.held.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            self.pause_deadline();
            self.set_deadline(FORCE_AFTER);
        }
    }

    /// The error of a call that was stopped.
    pub(crate) fn stopped_error(&self) -> ToolError {
        match self.lock().stopped_by {
            Some(Stop::TimedOut) => timed_out(&self.name),
            _ => ToolError::canceled(),
        }
    }

    /// Someone will come back for the result.
    pub(crate) fn keep_answer(&self) {
        self.lock().keep_answer = true;
    }

    /// Waits for the end; nothing if it ended before anyone asked for its result to be kept.
    pub(crate) async fn wait(self: Arc<Self>) -> Option<ToolResult> {
        loop {
            let answered = self.answered.notified();
            if let Some(result) = self.answer.get() {
                return Some(result.clone());
            }
            if self.status().is_terminal() {
                return None;
            }
            answered.await;
        }
    }

    /// Tells listeners how far the work is.
    pub(crate) fn progress(&self, text: &str, fraction: Option<f32>) {
        if self.runtime.bus.is_heard() {
            let text = self.runtime.redactor.redact(text, Level::Record).into_owned();
            let fraction = fraction.filter(|f| f.is_finite()).map(|f| f.clamp(0.0, 1.0));
            self.emit(EventKind::Progress { text, fraction });
        }
    }

    /// Writes to the log, redacted.
    pub(crate) fn log(&self, level: LogLevel, text: &str) {
        let text = self.runtime.redactor.redact(text, Level::Record).into_owned();
        let (id, tool) = (&*self.id, &*self.name);
        match level {
            LogLevel::Debug => tracing::debug!(target: "dogu::tool", call = id, tool, "{text}"),
            LogLevel::Info => tracing::info!(target: "dogu::tool", call = id, tool, "{text}"),
            LogLevel::Warn => tracing::warn!(target: "dogu::tool", call = id, tool, "{text}"),
            LogLevel::Error => tracing::error!(target: "dogu::tool", call = id, tool, "{text}"),
        }
        self.emit(EventKind::Log { level, text });
    }

    /// Tells people, and only them, why the call failed.
    pub(crate) fn tell_causes(&self, causes: Vec<String>) {
        for cause in &causes {
            let text = self.runtime.redactor.redact(cause, Level::Record).into_owned();
            tracing::debug!(target: "dogu", call = &*self.id, tool = &*self.name, "caused by: {text}");
            self.emit(EventKind::Cause { text });
        }
        self.note(|facts| facts.causes = causes);
    }

    fn emit(&self, kind: EventKind) {
        self.runtime.bus.send(&self.id, &self.name, &self.origin.principal, kind);
    }

    /// Starts the clock.
    pub(crate) fn set_deadline(self: &Arc<Self>, timeout: Duration) {
        let at = Instant::now() + timeout;
        self.lock().deadline = Some(at);
        self.runtime.watchdog.watch(at, self.number, Arc::clone(self) as Arc<dyn Overdue>);
    }

    /// When the run will be ended.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.lock().deadline
    }

    /// Stops the clock while a person decides; gives what was left of the time.
    pub(crate) fn pause_deadline(&self) -> Option<Duration> {
        let mut state = self.lock();
        let left = state.deadline.map(|at| at.saturating_duration_since(Instant::now()));
        self.stop_watching(&mut state);
        left
    }

    fn stop_watching(&self, state: &mut State) {
        if let Some(at) = state.deadline.take() {
            self.runtime.watchdog.forget(at, self.number);
        }
    }

    /// The start of a call that may write is on disk before it acts, and before it is asked about.
    pub(crate) async fn ensure_recorded(&self) -> Result<(), ToolError> {
        let required = self.runtime.settings.audit == Audit::Required;
        if required && self.runtime.record.is_none() {
            return Err(not_recorded());
        }
        let durable = required || self.lock().facts.may_write;
        let Some(receipt) = self.record_start(durable) else { return Ok(()) };
        match receipt.await {
            Err(error) if required => Err(not_recorded().because(error)),
            _ => Ok(()),
        }
    }

    /// Records the start, once. The receipt of a durable one tells when it is on disk.
    fn record_start(&self, durable: bool) -> Option<Receipt> {
        let record = self.runtime.record.as_ref()?;
        let mut state = self.lock();
        if state.recorded.is_some() {
            return None;
        }
        let start = self.call_start(&mut state.facts);
        let (number, receipt) = if durable {
            let (number, receipt) = record.start_durable(start);
            (number, Some(receipt))
        } else {
            (record.start(start), None)
        };
        state.recorded = Some(number);
        receipt
    }

    /// Records that the call waits for a person, or that it runs.
    pub(crate) fn record_status(&self, status: CallStatus) {
        let recorded = self.lock().recorded;
        let Some((record, number)) = self.runtime.record.as_ref().zip(recorded) else { return };
        match status {
            CallStatus::Waiting => record.waiting(number, SystemTime::now()),
            CallStatus::Calling => record.calling(number, SystemTime::now()),
            _ => {}
        }
    }

    fn call_start(&self, facts: &mut Facts) -> CallStart {
        CallStart {
            call_id: self.id.to_string(),
            principal: self.origin.principal.id().to_owned(),
            session: self.origin.principal.session().to_owned(),
            agent: self.origin.agent_name.clone(),
            turn_id: self.origin.turn_id.clone(),
            trace_id: self.origin.trace_id.clone(),
            tool: self.name.to_string(),
            source: facts.source.clone(),
            input: std::mem::take(&mut facts.input),
            actions: facts.actions.clone(),
            decision: facts.decision.clone(),
            reasons: facts.reasons.clone(),
            generated_at: self.generated_at,
            may_write: facts.may_write,
        }
    }

    fn record_end(&self, state: &mut State, status: CallStatus, result: &ToolResult) {
        let Some(record) = &self.runtime.record else { return };
        let number = match state.recorded {
            Some(number) => number,
            None => record.start(self.call_start(&mut state.facts)),
        };
        let answered_by = state
            .facts
            .innermost_layer
            .take()
            .filter(|_| !self.reached_core.load(Ordering::Relaxed));
        let facts = &mut state.facts;
        let end = CallEnd {
            error_code: result.error.as_ref().map(|error| error.code),
            error_message: result.error.as_ref().map(|error| error.message.clone()),
            causes: std::mem::take(&mut facts.causes),
            answered_by,
            // Actions that were asked for while running came after the start was written.
            actions: facts.asked_more.then(|| std::mem::take(&mut facts.actions)),
            reasons: facts.asked_more.then(|| std::mem::take(&mut facts.reasons)),
            permission: facts.permission.map(|status| status.as_str().to_owned()),
            result_preview: preview(result),
            result_bytes: crate::shaping::size_of(result) as u64,
            // A person's time is not the tool's.
            duration: self.started.elapsed().saturating_sub(state.waited),
            waited: state.waited,
            ..CallEnd::new(status)
        };
        record.end(number, end);
    }
}

/// A result that middleware gave before the call ran still passes through `calling`.
fn steps_to(from: CallStatus, to: CallStatus) -> Option<CallStatus> {
    (!from.may_become(to)).then_some(CallStatus::Calling)
}

/// The first text of a result, as far as the record looks at it.
fn preview(result: &ToolResult) -> String {
    const PREVIEW_BYTES: usize = 4 * 1024;
    match result.content.first() {
        Some(dogu_tool::Content::Text { text }) => {
            text[..dogu_tool::text::floor_boundary(text, PREVIEW_BYTES)].to_owned()
        }
        Some(dogu_tool::Content::Json { value })
            if crate::shaping::size_of(result) < PREVIEW_BYTES =>
        {
            value.to_string()
        }
        _ => String::new(),
    }
}

fn not_recorded() -> ToolError {
    ToolError::failed(
        "The call was not made: it could not be recorded, and the settings require that.",
    )
    .suggest("Tell the user to look at dogu's state folder (`audit: required` in the settings).")
}

fn timed_out(name: &str) -> ToolError {
    ToolError::new(
        ErrorCode::Timeout,
        format!("The tool '{name}' did not end in time and was stopped."),
    )
    .suggest("Ask for less in one call, or for a longer time where the tool has such a parameter.")
}

impl Overdue for Flight {
    /// First the call is asked to stop; if nothing comes of it, the watchdog itself answers.
    fn overdue(&self) -> Option<Instant> {
        if !self.cancel.is_canceled() {
            self.stop(Stop::TimedOut);
            let at = Instant::now() + FORCE_AFTER;
            self.lock().deadline = Some(at);
            return Some(at);
        }
        self.keep_answer();
        let info: ErrorInfo = self.stopped_error().into_info(usize::MAX).0;
        if let Some(thread) = self.take_held() {
            self.runtime.flights.orphan_number(self.number);
            thread.give_up();
        }
        self.finish(ToolResult::error(&*self.id, &*self.name, info));
        None
    }
}

/// Ends a call whose future was dropped before it ended: a runtime that shuts down, or a panic.
pub(crate) struct EndGuard(pub(crate) Arc<Flight>);

impl Drop for EndGuard {
    fn drop(&mut self) {
        if !self.0.status().is_terminal() {
            let info = ToolError::canceled().into_info(usize::MAX).0;
            self.0.finish(ToolResult::error(&*self.0.id, &*self.0.name, info));
        }
    }
}
