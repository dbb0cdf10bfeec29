//! How a tool that changes files is written: what it would change is all that it says.

use dogu_tool::{
    Action, Ctx, Output, Preview, ReadCaps, ReadFiles, Scope, Stale, Tool, ToolError, ToolSpec,
    TypedTool, typed,
};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;

use super::plan::Plan;

/// How often a plan is made again because a file changed under it.
const MAX_TRIES: usize = 20;

/// A tool that changes files. Preview, dry run and run all come from its plan.
pub(crate) trait PlansEdits: Send + Sync + 'static {
    /// The input.
    type Input: DeserializeOwned + JsonSchema + Send + Sync + 'static;
    /// Name, texts and standing facts.
    fn spec(&self) -> ToolSpec;
    /// Everything that a run with this input will do to the world.
    fn actions(&self, input: &Self::Input, scope: &Scope) -> Vec<Action>;
    /// What would change, without any effect.
    fn plan(
        &self,
        input: &Self::Input,
        scope: &Scope,
        files: &dyn ReadFiles,
    ) -> Result<Plan, ToolError>;
    /// Whether only to show it.
    fn is_dry_run(&self, input: &Self::Input) -> bool {
        let _ = input;
        false
    }
}

/// The tool of a plan.
pub(crate) fn planned<T: PlansEdits>(tool: T) -> Arc<dyn Tool> {
    typed(Planning(tool))
}

struct Planning<T>(T);

impl<T: PlansEdits> TypedTool for Planning<T> {
    type Input = T::Input;

    fn spec(&self) -> ToolSpec {
        self.0.spec()
    }

    fn actions(&self, input: &T::Input, scope: &Scope) -> Vec<Action> {
        let actions = self.0.actions(input, scope);
        if self.0.is_dry_run(input) { actions.into_iter().map(looking).collect() } else { actions }
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        let spec = self.0.spec();
        let named = ["path", "file_path", "filepath", "source"];
        let path = named.into_iter().find_map(|name| partial_input.get(name)?.as_str());
        Some(format!("{}: {}", spec.title.unwrap_or_default(), path.unwrap_or("...")))
    }

    fn preview(&self, input: &T::Input, caps: &dyn ReadCaps) -> Option<Preview> {
        Some(match self.0.plan(input, caps.scope(), caps.files()) {
            Ok(plan) => plan.preview(),
            Err(error) => Preview {
                summary: "Nothing: this call will be refused".to_owned(),
                detail: Some(error.info().message.clone()),
            },
        })
    }

    async fn run(&self, input: T::Input, ctx: &Ctx) -> Result<Output, ToolError> {
        let mut tries = 0;
        loop {
            let plan = self.0.plan(&input, ctx.scope(), ctx.files())?;
            if self.0.is_dry_run(&input) {
                return Ok(plan.dry());
            }
            tries += 1;
            match plan.commit(ctx) {
                // Somebody changed a file since it was looked at: what they wrote is looked at too.
                Err(error) if tries < MAX_TRIES && Stale::of(&error).is_some() => {
                    ctx.cancel().check()?;
                }
                done => return done,
            }
        }
    }
}

/// A dry run looks at what it would change.
fn looking(action: Action) -> Action {
    match action {
        Action::FileWrite { path } | Action::FileDelete { path } => Action::read(path),
        other => other,
    }
}

/// The actions of an edit: what it says about a file that does not fit tells what is in it, so it
/// reads as well.
pub(super) fn edits(path: &str, scope: &Scope) -> Vec<Action> {
    let path = scope.resolve(path);
    vec![Action::read(path.clone()), Action::write(path)]
}
