//! A tool as `tools/list` shows it.

use std::sync::Arc;

use dogu_runtime::Catalog;
use dogu_tool::{Category, ToolSpec};
use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::Value;

/// All tools of a catalog as the `tools` of a `tools/list` answer.
pub fn tools_json(catalog: &Catalog) -> Vec<Value> {
    tools(catalog).iter().map(|tool| serde_json::to_value(tool).unwrap_or_default()).collect()
}

/// All tools of a catalog, in its order.
pub(crate) fn tools(catalog: &Catalog) -> Vec<Tool> {
    catalog.specs().map(|spec| tool(catalog, spec)).collect()
}

/// One tool of a catalog.
pub(crate) fn tool(catalog: &Catalog, spec: &ToolSpec) -> Tool {
    let input = object(&spec.input_schema).unwrap_or_default();
    let mut tool = Tool::new(spec.name.to_string(), spec.description.clone(), input)
        .with_annotations(annotations(catalog, spec));
    tool.title.clone_from(&spec.title);
    tool.meta = (!spec.meta.is_empty()).then(|| MetaObject(spec.meta.clone()));
    // Only object schemas: a client of the first era refuses every other kind.
    tool.output_schema = spec.output_schema.as_ref().filter(|s| is_object(s)).and_then(object);
    tool
}

/// Hints without a value are read as the worst case, so what is known to be harmless is said.
fn annotations(catalog: &Catalog, spec: &ToolSpec) -> ToolAnnotations {
    let read_only = catalog.entry(spec.name.as_str()).is_some_and(|entry| entry.is_read_only());
    let open_world = matches!(spec.category, Category::Network | Category::Mcp);
    let mut annotations = ToolAnnotations::new().read_only(read_only).open_world(open_world);
    annotations.title.clone_from(&spec.title);
    if read_only { annotations.destructive(false) } else { annotations }
}

fn is_object(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("object")
}

fn object(schema: &Value) -> Option<Arc<JsonObject>> {
    schema.as_object().cloned().map(Arc::new)
}
