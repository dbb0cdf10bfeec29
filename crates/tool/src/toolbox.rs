//! What else can be called, for the one tool that finds tools.

use crate::spec::ToolSpec;

/// The built-in tool that finds others.
pub const SEARCH_TOOLS: &str = "search_tools";
/// The built-in name under which a caller that was shown no list of tools calls one by name. What
/// is called through it is that tool, from its first step to its record.
pub const CALL_TOOL: &str = "call_tool";

/// The tools of the step that a call belongs to. It shows them and runs none.
pub trait Toolbox: Send + Sync {
    /// By this the same tools are known again; another number where any came, went or changed.
    fn version(&self) -> u64;
    /// All that can be called in this step, in order.
    fn specs(&self) -> Box<dyn Iterator<Item = &ToolSpec> + '_>;
    /// The tool of that name, if it can be called in this step.
    fn spec(&self, name: &str) -> Option<&ToolSpec>;
    /// Whether models are shown it without having searched.
    fn is_listed(&self, name: &str) -> bool;
    /// Shows these tools to the one who calls, from the next step on, the best first.
    fn show(&self, names: &[&str]);
}
