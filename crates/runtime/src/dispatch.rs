//! The way of a call: catalog, middleware, schema, prepare, policy, approval, run, limits, and
//! back out. Nothing else runs a tool.

use std::cell::RefCell;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use dogu_tool::{
    BoxFuture, CallStatus, ErrorInfo, Message, Output, Plan, ToolCall, ToolContext, ToolError,
    ToolResult,
};
use futures::FutureExt as _;
use serde_json::Value;

use crate::contain::{Ended, guarded, panicked, run_in_place, run_on_pool};
use crate::context::RuntimeContext;
use crate::flight::{EndGuard, Flight};
use crate::gate::Gate;
use crate::middleware::CallRequest;
use crate::record::bounded_copy;
use crate::registry::Entry;
use crate::shaping::{LARGE_RESULT, Shaper, size_of};
use crate::step::Step;
use crate::{input, schema};
use dogu_policy::facts::JudgedAction;

/// A call under way. Dropping it cancels nothing: the runtime takes it over, and
/// [`Runtime::attach`](crate::Runtime::attach) finds it again.
#[must_use = "a dispatch does nothing until it is awaited"]
pub struct Dispatch(Stage);

enum Stage {
    New(Box<(Step, ToolCall)>),
    Under(Arc<Flight>, BoxFuture<'static, ToolResult>),
    Over,
}

impl Dispatch {
    pub(crate) fn new(step: Step, call: ToolCall) -> Self {
        Self(Stage::New(Box::new((step, call))))
    }
}

impl Future for Dispatch {
    type Output = ToolResult;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<ToolResult> {
        if let Stage::New(_) = &self.0
            && let Stage::New(new) = std::mem::replace(&mut self.0, Stage::Over)
        {
            let (step, call) = *new;
            let call = step.catalog.meant(call, step.runtime.registry());
            let flight = Flight::begin(&step, &call);
            self.0 = Stage::Under(Arc::clone(&flight), Box::pin(answer(flight, step, call)));
        }
        let Stage::Under(_, way) = &mut self.0 else { return Poll::Pending };
        let polled = way.as_mut().poll(context);
        if polled.is_ready() {
            self.0 = Stage::Over;
        }
        polled
    }
}

impl Drop for Dispatch {
    fn drop(&mut self) {
        if let Stage::Under(flight, way) = std::mem::replace(&mut self.0, Stage::Over) {
            flight.keep_answer();
            // Without a tokio to run it on, dropping it ends the call as canceled.
            if let Ok(tokio) = tokio::runtime::Handle::try_current() {
                flight.runtime.flights.orphan(&flight);
                tokio.spawn(way);
            }
        }
    }
}

/// The whole way, with exactly one end.
async fn answer(flight: Arc<Flight>, step: Step, call: ToolCall) -> ToolResult {
    let _ends_anyway = EndGuard(Arc::clone(&flight));
    let inside = std::panic::AssertUnwindSafe(inside(&flight, &step, call)).catch_unwind().await;
    let mut result = inside.unwrap_or_else(|panic| failure(&flight, panicked(panic.as_ref())));
    result.tool_call_id = flight.id.to_string();
    result.tool_name = flight.name.to_string();
    flight.note(|facts| result.notes.splice(0..0, facts.notes.drain(..)).for_each(drop));
    let result = shape(&flight, &step, result).await;
    flight.finish(result)
}

/// The way of a call that could not be read: it ends before it begins.
pub(crate) async fn refuse_unread(step: &Step, call: ToolCall, error: ErrorInfo) -> ToolResult {
    let flight = Flight::begin(step, &call);
    let _ends_anyway = EndGuard(Arc::clone(&flight));
    flight.note(|facts| facts.input = call.input);
    let result = ToolResult::error(&*flight.id, &*flight.name, error);
    let result = shape(&flight, step, result).await;
    flight.finish(result)
}

/// Everything that limits and redaction apply to.
async fn inside(flight: &Arc<Flight>, step: &Step, call: ToolCall) -> ToolResult {
    let runtime = &flight.runtime;
    let entry = match step.catalog.find(&call.name, &runtime.registry.snapshot()) {
        Ok(entry) => Arc::clone(entry),
        Err(error) => return refuse(flight, call.input, error),
    };
    flight.note(|facts| facts.source = entry.source().to_string());
    let input =
        match input::check_shape(&call.name, call.input, runtime.settings.limits.input_bytes) {
            Ok(input) => input,
            Err(error) => return failure(flight, error),
        };
    let message = step.message_for(&flight.id, &flight.name, &input);
    if runtime.onions.call.is_empty() {
        return core(flight, &entry, message, input).await;
    }
    let request = CallRequest { flight: Arc::clone(flight), input };
    let core = {
        let flight = Arc::clone(flight);
        move |request: CallRequest| -> BoxFuture<'_, ToolResult> {
            Box::pin(async move { core(&flight, &entry, message, request.input).await })
        }
    };
    runtime.onions.call.run(request, core).await
}

/// What is inside all middleware.
async fn core(
    flight: &Arc<Flight>,
    entry: &Arc<Entry>,
    message: Arc<Message>,
    input: Value,
) -> ToolResult {
    flight.reach_core();
    if flight.runtime.record.is_some() {
        // As it came out of the middleware: what is refused is recorded too.
        flight.note(|facts| facts.input = bounded_copy(&input));
    }
    match judged_run(flight, entry, message, input).await {
        Ok(output) => ToolResult::ok(&*flight.id, &*flight.name, output),
        Err(error) => failure(flight, error),
    }
}

async fn judged_run(
    flight: &Arc<Flight>,
    entry: &Arc<Entry>,
    message: Arc<Message>,
    input: Value,
) -> Result<Output, ToolError> {
    let input = canonical(flight, entry, input)?;
    let runtime = &flight.runtime;
    runtime.counters.admit(&runtime.settings, &flight.origin.principal, entry, &input)?;
    // Only a question shows the input; a call that is not asked about does not pay for a copy.
    let shown = if flight.delegate.is_some() { input.clone() } else { Value::Null };
    let plan = guarded(|| entry.tool().prepare(input, &runtime.scope))?;
    note_changes(flight, plan.notes());
    let admitted = Gate { flight, entry }.pass_plan(plan.as_ref(), &shown).await?;
    if flight.cancel.is_canceled() {
        return Err(flight.stopped_error());
    }
    flight.ensure_recorded().await?;
    flight.advance(CallStatus::Calling);
    flight.record_status(CallStatus::Calling);
    let output = run(flight, entry, plan, message, admitted).await?;
    if let Some(validator) = entry.output_validator() {
        schema::check_output(validator, entry.spec(), output.structured.as_ref())?;
    }
    Ok(output)
}

/// The input as it will run: sound, with proper parameter names and types, valid.
fn canonical(flight: &Arc<Flight>, entry: &Entry, input: Value) -> Result<Value, ToolError> {
    let spec = entry.spec();
    let limit = flight.runtime.settings.limits.input_bytes;
    let input = input::check_shape(spec.name.as_str(), input, limit)?;
    let (input, changes) = entry.fit(input)?;
    note_changes(flight, changes);
    Ok(input)
}

/// Nothing is changed silently.
fn note_changes(flight: &Arc<Flight>, changes: Vec<String>) {
    if !changes.is_empty() {
        flight.note(|facts| facts.notes.extend(changes));
    }
}

async fn run(
    flight: &Arc<Flight>,
    entry: &Arc<Entry>,
    plan: Box<dyn Plan>,
    message: Arc<Message>,
    admitted: Vec<JudgedAction>,
) -> Result<Output, ToolError> {
    let context = Arc::new(RuntimeContext::new(flight, entry, message, admitted));
    let work = plan.run(Arc::clone(&context) as Arc<dyn ToolContext>);
    flight.set_deadline(timeout_of(flight, entry));
    let ended = if entry.spec().non_blocking {
        run_in_place(work, &flight.cancel).await
    } else {
        run_on_pool(flight, work).await
    };
    context.revoke();
    match ended {
        Ended::Returned(returned) => returned,
        Ended::Stopped => Err(flight.stopped_error()),
    }
}

fn timeout_of(flight: &Flight, entry: &Entry) -> Duration {
    let settings = &flight.runtime.settings;
    let set = settings.tool(entry.spec().name.as_str()).and_then(|section| section.timeout_seconds);
    set.map(Duration::from_secs)
        .or(entry.spec().timeout)
        .unwrap_or_else(|| settings.limits.timeout())
}

/// A refusal before anything was looked at; the input may be anything.
fn refuse(flight: &Arc<Flight>, input: Value, error: ToolError) -> ToolResult {
    match input::check_shape("", input, flight.runtime.settings.limits.input_bytes) {
        Ok(input) => flight.note(|facts| facts.input = input),
        // It was taken apart; the record does without it.
        Err(_) => flight.note(|facts| facts.input = Value::Null),
    }
    failure(flight, error)
}

fn failure(flight: &Arc<Flight>, mut error: ToolError) -> ToolResult {
    let Output { content, meta, .. } = error.take_given();
    let (info, causes): (ErrorInfo, Vec<String>) = error.into_info(usize::MAX);
    if !causes.is_empty() {
        flight.tell_causes(causes);
    }
    ToolResult { content, meta, ..ToolResult::error(&*flight.id, &*flight.name, info) }
}

/// Redacts and bounds a result; a large one on a thread where it delays nobody.
async fn shape(flight: &Arc<Flight>, step: &Step, mut result: ToolResult) -> ToolResult {
    let limit = message_limit(flight, step);
    if size_of(&result) <= LARGE_RESULT {
        shaper(flight, limit).shape(&mut result);
        return result;
    }
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let shared = Arc::clone(flight);
    let submitted = flight.runtime.pool.submit(move || {
        shaper(&shared, limit).shape(&mut result);
        let _ = sender.send(result);
    });
    match (submitted.is_ok(), receiver.await) {
        (true, Ok(result)) => result,
        _ => failure(flight, ToolError::failed("The result was too large to be passed on.")),
    }
}

fn shaper(flight: &Flight, message_characters: usize) -> Shaper<'_> {
    let runtime = &flight.runtime;
    Shaper {
        redactor: &runtime.redactor,
        state: runtime.state.as_ref(),
        who: &flight.origin.principal,
        result_bytes: runtime.settings.limits.result_bytes,
        message_characters,
        spilled: RefCell::default(),
    }
}

fn message_limit(flight: &Flight, step: &Step) -> usize {
    let settings = &flight.runtime.settings;
    let section = settings.tool(&flight.name).and_then(|section| section.error_message_characters);
    let own = || step.catalog.spec(&flight.name).and_then(|spec| spec.error_message_limit);
    section.or_else(own).unwrap_or(settings.limits.error_message_characters)
}
