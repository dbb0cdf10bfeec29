//! Extensions: middleware and tools that come together under one name.

use std::sync::Arc;

use dogu_tool::{Source, Tool, ToolName};

use crate::middleware::{CallMiddleware, Onions, StepMiddleware, TurnMiddleware};
use crate::registry::{RegisterError, Registry};

/// Something that adds tools and middleware when a runtime is built.
pub trait Extension: Send + Sync {
    /// The name that its tools and layers are known by.
    fn name(&self) -> &str;

    /// Adds what it brings.
    fn setup(&self, api: &mut ExtensionApi<'_>) -> Result<(), RegisterError>;
}

/// What an extension may do: add new tools, and wrap. It cannot see, replace or remove the
/// tools of others.
pub struct ExtensionApi<'a> {
    pub(crate) name: &'a str,
    pub(crate) registry: &'a Arc<Registry>,
    pub(crate) onions: &'a mut Onions,
}

impl ExtensionApi<'_> {
    /// The tools of this extension, which may also be changed later, between steps.
    pub fn tools(&self) -> ExtensionTools {
        let source = Source::Extension(self.name.to_owned());
        ExtensionTools { source, registry: Arc::clone(self.registry) }
    }

    /// Wraps every call.
    pub fn around_calls(&mut self, priority: i32, middleware: Arc<CallMiddleware>) {
        self.onions.call.add(self.name, priority, middleware);
    }

    /// Wraps every step.
    pub fn around_steps(&mut self, priority: i32, middleware: Arc<StepMiddleware>) {
        self.onions.step.add(self.name, priority, middleware);
    }

    /// Wraps every turn.
    pub fn around_turns(&mut self, priority: i32, middleware: Arc<TurnMiddleware>) {
        self.onions.turn.add(self.name, priority, middleware);
    }
}

/// One extension's own entries in the registry.
#[derive(Clone)]
pub struct ExtensionTools {
    source: Source,
    registry: Arc<Registry>,
}

impl ExtensionTools {
    /// Adds a tool.
    pub fn register(&self, tool: Arc<dyn Tool>) -> Result<(), RegisterError> {
        self.registry.register(self.source.clone(), tool)
    }

    /// Puts a new version of an own tool in its place.
    pub fn replace(&self, tool: Arc<dyn Tool>) -> Result<(), RegisterError> {
        self.registry.replace(self.source.clone(), tool)
    }

    /// Takes an own tool away.
    pub fn remove(&self, name: &ToolName) -> Result<(), RegisterError> {
        self.registry.remove(&self.source, name)
    }
}
