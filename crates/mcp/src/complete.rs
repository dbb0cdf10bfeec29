//! Completion of arguments: paths of the workspace, as far as a call could read them.

use std::path::Path;

use dogu_tool::ToolResult;
use rmcp::model::{CompleteResult, CompletionInfo};
use serde_json::{Value, json};

/// A path that is being written: the folder that is whole, and how the next name begins.
pub(crate) struct Written {
    /// As the client wrote it; empty for the folder itself.
    folder: String,
    begins: String,
}

impl Written {
    pub(crate) fn new(value: &str) -> Self {
        let (folder, begins) = match value.rfind('/') {
            Some(at) => value.split_at(at + 1),
            None => ("", value),
        };
        Self { folder: folder.to_owned(), begins: begins.to_owned() }
    }

    /// The input of the tool that completes, below a root.
    pub(crate) fn input(&self, root: &Path) -> Value {
        let folder = root.join(self.folder.trim_start_matches('/'));
        json!({ "path": folder, "begins": self.begins })
    }

    /// The answer, from what the tool gave. A folder that may not be looked into completes
    /// nothing.
    pub(crate) fn answer(&self, result: &ToolResult) -> CompleteResult {
        let found = result.structured.as_ref();
        let names = found.and_then(|found| found["names"].as_array());
        let values = names.into_iter().flatten().filter_map(Value::as_str);
        let values: Vec<String> = values.map(|name| format!("{}{name}", self.folder)).collect();
        let total = found.and_then(|found| found["total"].as_u64()).unwrap_or_default();
        answer(values, usize::try_from(total).unwrap_or(usize::MAX))
    }
}

/// An answer with the first of these values.
pub(crate) fn answer(mut values: Vec<String>, total: usize) -> CompleteResult {
    let more = total.max(values.len()) > CompletionInfo::MAX_VALUES;
    let total = u32::try_from(total.max(values.len())).ok();
    values.truncate(CompletionInfo::MAX_VALUES);
    let completion = CompletionInfo::with_pagination(values, total, more);
    CompleteResult::new(completion.unwrap_or_default())
}
