//! What goes through the three onions: calls, steps and turns.

use std::sync::Arc;

use dogu_tool::{ErrorInfo, Origin, ToolError, ToolResult};
use serde_json::Value;

use crate::catalog::Catalog;
use crate::flight::Flight;
use crate::onion::{Middleware, Next, Onion, Reply, Request};

/// A call on its way in. Middleware may change the input; id and name cannot be changed.
pub struct CallRequest {
    pub(crate) flight: Arc<Flight>,
    /// The arguments; validated and judged after all middleware, as they will run.
    pub input: Value,
}

impl CallRequest {
    /// The id of the call.
    pub fn id(&self) -> &str {
        &self.flight.id
    }

    /// The name of the tool.
    pub fn name(&self) -> &str {
        &self.flight.name
    }

    /// Where the call comes from.
    pub fn origin(&self) -> &Origin {
        &self.flight.origin
    }
}

impl Request for CallRequest {
    fn enters(&mut self, layer: &str) {
        self.flight.note(|facts| facts.innermost_layer = Some(layer.to_owned()));
    }
}

impl Reply for ToolResult {
    fn failed(error: ToolError) -> Self {
        // The pipeline writes id and name on whatever comes out of the onion.
        let (info, causes) = error.into_info(usize::MAX);
        if !causes.is_empty() {
            tracing::warn!(target: "dogu", causes = causes.join(": "), "{}", info.message);
        }
        Self::error("", "", info)
    }
}

/// A step on its way in: the catalog may still be changed.
#[derive(Debug)]
pub struct StepRequest {
    /// Where the step's calls come from.
    pub origin: Arc<Origin>,
    /// Which step of its turn, from 0.
    pub index: u32,
    /// What the step will offer.
    pub catalog: Catalog,
}

impl Request for StepRequest {}

/// What came of a step.
#[derive(Debug, Default)]
pub struct StepReply {
    /// The results of its calls, in call order.
    pub results: Vec<ToolResult>,
    /// Why the step itself failed.
    pub error: Option<ErrorInfo>,
}

impl Reply for StepReply {
    fn failed(error: ToolError) -> Self {
        Self { results: Vec::new(), error: Some(error.into_info(usize::MAX).0) }
    }
}

/// A turn on its way in.
#[derive(Debug)]
pub struct TurnRequest {
    /// Where the turn's calls come from.
    pub origin: Arc<Origin>,
    /// What started the turn.
    pub input: Value,
}

impl Request for TurnRequest {}

/// What came of a turn.
#[derive(Debug, Default)]
pub struct TurnReply {
    /// What it ended with.
    pub output: Value,
    /// Why the turn itself failed.
    pub error: Option<ErrorInfo>,
}

impl Reply for TurnReply {
    fn failed(error: ToolError) -> Self {
        Self { output: Value::Null, error: Some(error.into_info(usize::MAX).0) }
    }
}

/// Middleware around calls.
pub type CallMiddleware = dyn Middleware<CallRequest, ToolResult>;
/// Middleware around steps.
pub type StepMiddleware = dyn Middleware<StepRequest, StepReply>;
/// Middleware around turns.
pub type TurnMiddleware = dyn Middleware<TurnRequest, TurnReply>;
/// What is inside a layer around a call.
pub type CallNext<'a> = Next<'a, CallRequest, ToolResult>;
/// What is inside a layer around a step.
pub type StepNext<'a> = Next<'a, StepRequest, StepReply>;
/// What is inside a layer around a turn.
pub type TurnNext<'a> = Next<'a, TurnRequest, TurnReply>;

/// The three onions of a runtime.
#[derive(Default)]
pub(crate) struct Onions {
    pub(crate) call: Onion<CallRequest, ToolResult>,
    pub(crate) step: Onion<StepRequest, StepReply>,
    pub(crate) turn: Onion<TurnRequest, TurnReply>,
}
