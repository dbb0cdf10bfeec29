//! A step: a frozen catalog, and the calls that are made against it.

use std::sync::Arc;

use dogu_tool::{ErrorInfo, Message, Origin, ToolCall, ToolResult};
use futures::future::join_all;
use serde_json::Value;

use crate::approval::PermissionDelegate;
use crate::catalog::Catalog;
use crate::dispatch::{Dispatch, refuse_unread};
use crate::middleware::{StepReply, StepRequest, TurnReply, TurnRequest};
use crate::runtime::Runtime;

/// One step of a turn. Its catalog no longer changes.
#[derive(Clone)]
pub struct Step {
    pub(crate) runtime: Runtime,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) origin: Arc<Origin>,
    message: Option<Arc<Message>>,
    pub(crate) forces_approval: bool,
    pub(crate) delegate: Option<Arc<dyn PermissionDelegate>>,
}

impl Step {
    pub(crate) fn new(runtime: Runtime, catalog: Arc<Catalog>, origin: Arc<Origin>) -> Self {
        let delegate = runtime.0.delegate.clone();
        Self { runtime, catalog, origin, message: None, forces_approval: false, delegate }
    }

    /// What the step offers.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Says which assistant message holds the calls.
    pub fn with_message(mut self, message: Arc<Message>) -> Self {
        self.message = Some(message);
        self
    }

    /// A person is asked about every call of this step, whatever the policy allows. What it
    /// denies stays denied.
    pub fn with_forced_approval(mut self) -> Self {
        self.forces_approval = true;
        self
    }

    /// Sets who asks about the calls of this step, in place of the runtime's own delegate: for
    /// whoever can reach the person behind just this caller.
    pub fn with_delegate(mut self, delegate: Arc<dyn PermissionDelegate>) -> Self {
        self.delegate = Some(delegate);
        self
    }

    /// Makes one call. Exactly one result comes out, whatever happens.
    pub fn dispatch(&self, call: ToolCall) -> Dispatch {
        Dispatch::new(self.clone(), call)
    }

    /// Answers a call that could not be read. It is recorded, and its message is limited, as of
    /// any other call.
    pub async fn refuse(&self, call: ToolCall, error: ErrorInfo) -> ToolResult {
        refuse_unread(self, call, error).await
    }

    /// Makes the calls of one message. Adjacent read-only built-in calls run at the same time,
    /// all others alone and in order; nothing overtakes. Results come in call order.
    pub async fn dispatch_all(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        let step = match &self.message {
            Some(_) => self.clone(),
            None => self.clone().with_message(Arc::new(Message::of_calls(&calls))),
        };
        let mut results = Vec::with_capacity(calls.len());
        let mut beside: Vec<Dispatch> = Vec::new();
        for call in calls {
            let call = step.catalog.meant(call, step.runtime.registry());
            if step.may_run_beside(&call) {
                beside.push(step.dispatch(call));
                continue;
            }
            results.extend(join_all(std::mem::take(&mut beside)).await);
            results.push(step.dispatch(call).await);
        }
        results.extend(join_all(beside).await);
        results
    }

    fn may_run_beside(&self, call: &ToolCall) -> bool {
        self.catalog.entry(&call.name).is_some_and(|entry| entry.is_read_only())
    }

    /// The message that holds a call; one with just this call where none was given.
    pub(crate) fn message_for(&self, id: &str, name: &str, input: &Value) -> Arc<Message> {
        match &self.message {
            Some(message) => Arc::clone(message),
            None => Arc::new(Message::of_calls([&ToolCall::new(id, name, input.clone())])),
        }
    }
}

impl Runtime {
    /// A step with everything that is registered and enabled, without step middleware: for a
    /// caller whose every request is a step of its own.
    pub fn step(&self, origin: Arc<Origin>) -> Step {
        let catalog = self.shared_catalog(&origin.principal);
        Step::new(self.clone(), catalog, origin)
    }

    /// A step with this catalog, without step middleware.
    pub fn step_with(&self, origin: Arc<Origin>, catalog: impl Into<Arc<Catalog>>) -> Step {
        Step::new(self.clone(), catalog.into(), origin)
    }

    /// Runs a step through its middleware: the catalog is built, changed, frozen, and `work` makes
    /// the calls.
    pub async fn run_step<W, F>(&self, origin: Arc<Origin>, index: u32, work: W) -> StepReply
    where
        W: FnOnce(Step) -> F + Send,
        F: Future<Output = Vec<ToolResult>> + Send,
    {
        let catalog = self.step_catalog(&origin.principal);
        let request = StepRequest { origin, index, catalog };
        let core = move |request: StepRequest| -> dogu_tool::BoxFuture<'_, StepReply> {
            let step = Step::new(self.clone(), Arc::new(request.catalog), request.origin);
            Box::pin(async move { StepReply { results: work(step).await, error: None } })
        };
        self.0.onions.step.run(request, core).await
    }

    /// Runs a turn through its middleware.
    pub async fn run_turn<W, F>(&self, origin: Arc<Origin>, input: Value, work: W) -> TurnReply
    where
        W: FnOnce(TurnRequest) -> F + Send,
        F: Future<Output = Value> + Send,
    {
        let request = TurnRequest { origin, input };
        let core = move |request: TurnRequest| -> dogu_tool::BoxFuture<'_, TurnReply> {
            Box::pin(async move { TurnReply { output: work(request).await, error: None } })
        };
        self.0.onions.turn.run(request, core).await
    }
}
