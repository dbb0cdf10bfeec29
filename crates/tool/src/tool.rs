//! `Tool` and `Plan`: a call is parsed once into a plan, the plan is judged, the same plan runs.

use std::sync::Arc;

use serde_json::Value;

use crate::BoxFuture;
use crate::action::Action;
use crate::context::{ReadCaps, ToolContext};
use crate::error::ToolError;
use crate::result::Output;
use crate::scope::Scope;
use crate::spec::ToolSpec;

/// Something that a model can call. Most are written as a [`TypedTool`](crate::TypedTool).
pub trait Tool: Send + Sync {
    /// Name, texts, schemas and standing facts.
    fn spec(&self) -> &ToolSpec;

    /// What to show while the model still writes the input; no effect, and nothing by default.
    fn partial(&self, partial_input: &Value) -> Option<String> {
        let _ = partial_input;
        None
    }

    /// Parses the canonical input once, without any effect.
    fn prepare(&self, input: Value, scope: &Scope) -> Result<Box<dyn Plan>, ToolError>;
}

/// What a call would do. The value that the gate judged is the value that runs.
pub trait Plan: Send + Sync {
    /// Everything that the run will do to the world.
    fn actions(&self) -> &[Action];

    /// What to show a person who is asked; called only then.
    fn preview(&self, caps: &dyn ReadCaps) -> Option<Preview> {
        let _ = caps;
        None
    }

    /// May make the policy's verdict stricter for this input; a looser answer is ignored.
    fn tighten(&self, verdict: Verdict) -> Verdict {
        verdict
    }

    /// What a person who is asked should know besides, a line each; the first one says why, where
    /// [`tighten`](Self::tighten) made it a question.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// What was changed in the input on the way to this plan, a line each: the model reads it with
    /// the result.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Does the work.
    fn run(
        self: Box<Self>,
        ctx: Arc<dyn ToolContext>,
    ) -> BoxFuture<'static, Result<Output, ToolError>>;
}

/// May it run? The order is the rule: over several answers the greatest wins.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Yes.
    Allow,
    /// Ask a person.
    Ask,
    /// No.
    Deny,
}

/// What a person sees before deciding.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Preview {
    /// One line: what would happen.
    pub summary: String,
    /// The whole of it, such as a diff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}
