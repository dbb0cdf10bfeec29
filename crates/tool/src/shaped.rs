//! `ShapedTool`: the shape in which other systems write tools, as a struct of closures.
//!
//! Continue's command-line tools are `{name, displayName, description, parameters, preprocess?,
//! run, readonly?, isBuiltIn, evaluateToolCallPolicy?}`. This adapter takes them one to one;
//! `isBuiltIn` is missing on purpose, because the registry decides where a tool came from.

use std::sync::Arc;

use serde_json::Value;

use crate::BoxFuture;
use crate::action::Action;
use crate::context::{ReadCaps, ToolContext};
use crate::error::ToolError;
use crate::result::Output;
use crate::scope::Scope;
use crate::spec::ToolSpec;
use crate::tool::{Plan, Preview, Tool, Verdict};

type Run = dyn Fn(Value, Arc<dyn ToolContext>) -> BoxFuture<'static, Result<Output, ToolError>>
    + Send
    + Sync;
type Actions = dyn Fn(&Value, &Scope) -> Vec<Action> + Send + Sync;
type Preprocess = dyn Fn(&Value) -> Option<Preview> + Send + Sync;
type EvaluatePolicy = dyn Fn(Verdict, &Value) -> Verdict + Send + Sync;

/// A tool made of closures over untyped input.
#[derive(Clone)]
pub struct ShapedTool {
    spec: ToolSpec,
    run: Arc<Run>,
    actions: Option<Arc<Actions>>,
    preprocess: Option<Arc<Preprocess>>,
    evaluate_policy: Option<Arc<EvaluatePolicy>>,
}

impl ShapedTool {
    /// A tool that does `run`; its spec carries name, display name (title), description,
    /// parameters (input schema) and read-only.
    pub fn new<F, R>(spec: ToolSpec, run: F) -> Self
    where
        F: Fn(Value, Arc<dyn ToolContext>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Output, ToolError>> + Send + 'static,
    {
        Self {
            spec,
            run: Arc::new(move |input, ctx| Box::pin(run(input, ctx))),
            actions: None,
            preprocess: None,
            evaluate_policy: None,
        }
    }

    /// Says what a call would do.
    pub fn actions(
        mut self,
        actions: impl Fn(&Value, &Scope) -> Vec<Action> + Send + Sync + 'static,
    ) -> Self {
        self.actions = Some(Arc::new(actions));
        self
    }

    /// Says what to show a person who is asked.
    pub fn preprocess(
        mut self,
        preprocess: impl Fn(&Value) -> Option<Preview> + Send + Sync + 'static,
    ) -> Self {
        self.preprocess = Some(Arc::new(preprocess));
        self
    }

    /// Makes the verdict stricter by the input.
    pub fn evaluate_policy(
        mut self,
        evaluate: impl Fn(Verdict, &Value) -> Verdict + Send + Sync + 'static,
    ) -> Self {
        self.evaluate_policy = Some(Arc::new(evaluate));
        self
    }
}

impl Tool for ShapedTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepare(&self, input: Value, scope: &Scope) -> Result<Box<dyn Plan>, ToolError> {
        let actions = self.actions.as_ref().map(|f| f(&input, scope)).unwrap_or_default();
        Ok(Box::new(ShapedPlan { tool: self.clone(), input, actions }))
    }
}

struct ShapedPlan {
    tool: ShapedTool,
    input: Value,
    actions: Vec<Action>,
}

impl Plan for ShapedPlan {
    fn actions(&self) -> &[Action] {
        &self.actions
    }

    fn preview(&self, _caps: &dyn ReadCaps) -> Option<Preview> {
        self.tool.preprocess.as_ref().and_then(|f| f(&self.input))
    }

    fn tighten(&self, verdict: Verdict) -> Verdict {
        self.tool.evaluate_policy.as_ref().map_or(verdict, |f| f(verdict, &self.input))
    }

    fn run(
        self: Box<Self>,
        ctx: Arc<dyn ToolContext>,
    ) -> BoxFuture<'static, Result<Output, ToolError>> {
        (self.tool.run)(self.input, ctx)
    }
}
