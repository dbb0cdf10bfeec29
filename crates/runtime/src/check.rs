//! What the gate would say, without a call.

use std::sync::Arc;

use dogu_policy::facts::JudgedAction;
use dogu_tool::{Action, ToolError};

use crate::engine::EnginePolicy;
use crate::gate::facts_of;
use crate::runtime::Runtime;

impl Runtime {
    /// The engine that decides; none where somebody else decides instead.
    pub fn engine(&self) -> Option<&Arc<EnginePolicy>> {
        self.0.engine.as_ref()
    }

    /// An action with its facts, as the gate gathers them. Looks at the disk.
    pub fn facts(&self, action: &Action) -> Result<JudgedAction, ToolError> {
        action.check()?;
        facts_of(action, &self.0)
    }
}
