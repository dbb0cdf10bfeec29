//! Tools about tools: finding one among thousands, and calling it.

mod call_tool;
mod search_tools;

pub use call_tool::CallTool;
pub use search_tools::{Index, SearchTools};
