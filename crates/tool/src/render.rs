//! Other systems' shapes of a result. Each is a view of [`ToolResult`], never a second kind of result.

use serde_json::{Map, Value, json};

use crate::error::ErrorInfo;
use crate::result::ToolResult;

/// Goondan's `ToolCallResult`: `{toolCallId, toolName, status, output?, error?}`.
pub fn goondan(result: &ToolResult) -> Value {
    let mut object = Map::new();
    object.insert("toolCallId".into(), json!(result.tool_call_id));
    object.insert("toolName".into(), json!(result.tool_name));
    object.insert("status".into(), json!(result.status));
    match &result.error {
        Some(error) => object.insert("error".into(), camel_error(error)),
        None => object.insert("output".into(), result.output_value()),
    };
    Value::Object(object)
}

/// The harness course's `{toolUseId, content, isError?}`; content is the output as a JSON text.
pub fn course(result: &ToolResult) -> Value {
    let content = match &result.error {
        Some(error) => json!({ "error": error.message }),
        None => result.output_value(),
    };
    let mut object = Map::new();
    object.insert("toolUseId".into(), json!(result.tool_call_id));
    object.insert("content".into(), json!(content.to_string()));
    if result.is_error() {
        object.insert("isError".into(), json!(true));
    }
    Value::Object(object)
}

/// Continue's context items: `[{name, description, content}]`, named after what was called.
pub fn context_items(result: &ToolResult, input: &Value) -> Value {
    let given = |names: &[&str]| {
        let found = names.iter().find_map(|name| input[*name].as_str());
        found.unwrap_or_default().to_owned()
    };
    let (name, description) = match result.tool_name.as_str() {
        "execute_command" | "run_terminal_command" | "bash" => {
            ("Terminal Output".to_owned(), format!("Output of: {}", given(&["command"])))
        }
        "read_file" | "read_file_range" => {
            let path = given(&["path", "filepath", "file_path"]);
            let base = path.rsplit('/').next().unwrap_or_default().to_owned();
            (base, format!("Contents of {path}"))
        }
        "grep" | "grep_search" | "search_files" => {
            let pattern = given(&["pattern", "query", "regex"]);
            ("Search Results".to_owned(), format!("Grep results for: {pattern}"))
        }
        tool => (tool.to_owned(), format!("Result of {tool}")),
    };
    json!([{ "name": name, "description": description, "content": result.to_text() }])
}

fn camel_error(error: &ErrorInfo) -> Value {
    let mut object = Map::new();
    object.insert("code".into(), json!(error.code));
    object.insert("name".into(), json!(error.name));
    object.insert("message".into(), json!(error.message));
    if let Some(suggestion) = &error.suggestion {
        object.insert("suggestion".into(), json!(suggestion));
    }
    if let Some(url) = &error.help_url {
        object.insert("helpUrl".into(), json!(url));
    }
    Value::Object(object)
}
