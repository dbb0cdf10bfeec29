//! `TypedTool`: how tools are written. An input type, its actions, its work; the rest is derived.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::BoxFuture;
use crate::action::Action;
use crate::context::{Ctx, ReadCaps, ToolContext};
use crate::error::ToolError;
use crate::result::Output;
use crate::scope::Scope;
use crate::spec::ToolSpec;
use crate::tool::{Plan, Preview, Tool};

/// A tool with a typed input.
///
/// `run` is written as `async fn run(&self, input: Input, ctx: &Ctx) -> Result<Output, ToolError>`.
pub trait TypedTool: Send + Sync + 'static {
    /// The input: its JSON Schema is derived, and the call's input is deserialised into it once.
    type Input: DeserializeOwned + JsonSchema + Send + Sync + 'static;

    /// Name, texts and standing facts; start from [`ToolSpec::of`].
    fn spec(&self) -> ToolSpec;

    /// Everything that a run with this input will do to the world.
    fn actions(&self, input: &Self::Input, scope: &Scope) -> Vec<Action>;

    /// Does the work, through the capabilities of the context.
    fn run(
        &self,
        input: Self::Input,
        ctx: &Ctx,
    ) -> impl Future<Output = Result<Output, ToolError>> + Send;

    /// What to show while the model still writes the input.
    fn partial(&self, partial_input: &Value) -> Option<String> {
        let _ = partial_input;
        None
    }

    /// What to show a person who is asked.
    fn preview(&self, input: &Self::Input, caps: &dyn ReadCaps) -> Option<Preview> {
        let _ = (input, caps);
        None
    }
}

/// Makes a [`Tool`] of a [`TypedTool`].
pub fn typed<T: TypedTool>(tool: T) -> Arc<dyn Tool> {
    let spec = tool.spec();
    Arc::new(Typed { spec, tool: Arc::new(tool) })
}

struct Typed<T> {
    spec: ToolSpec,
    tool: Arc<T>,
}

impl<T: TypedTool> Tool for Typed<T> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        self.tool.partial(partial_input)
    }

    fn prepare(&self, input: Value, scope: &Scope) -> Result<Box<dyn Plan>, ToolError> {
        // The schema was checked before: what fails here is what a schema cannot say.
        let input: T::Input = serde_json::from_value(input).map_err(|error| {
            ToolError::invalid(format!("Invalid arguments for tool '{}': {error}", self.spec.name))
        })?;
        let actions = self.tool.actions(&input, scope);
        Ok(Box::new(TypedPlan { tool: Arc::clone(&self.tool), input, actions }))
    }
}

struct TypedPlan<T: TypedTool> {
    tool: Arc<T>,
    input: T::Input,
    actions: Vec<Action>,
}

impl<T: TypedTool> Plan for TypedPlan<T> {
    fn actions(&self) -> &[Action] {
        &self.actions
    }

    fn preview(&self, caps: &dyn ReadCaps) -> Option<Preview> {
        self.tool.preview(&self.input, caps)
    }

    fn run(
        self: Box<Self>,
        ctx: Arc<dyn ToolContext>,
    ) -> BoxFuture<'static, Result<Output, ToolError>> {
        let Self { tool, input, .. } = *self;
        Box::pin(async move { tool.run(input, ctx.as_ref()).await })
    }
}
