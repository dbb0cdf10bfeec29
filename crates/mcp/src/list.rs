//! A tool as `tools/list` shows it.

use std::sync::Arc;

use dogu_runtime::{Catalog, Limits};
use dogu_tool::{Category, Exposure, ToolSpec};
use rmcp::model::{Icon, JsonObject, MetaObject, ProtocolVersion, Tool, ToolAnnotations};
use serde_json::Value;

/// Under this name Claude Code looks for how long a result may be before it cuts it itself.
const MAX_RESULT: &str = "anthropic/maxResultSizeChars";
/// It takes no more than this.
const MOST_RESULT: usize = 500_000;

/// What a list depends on besides the catalog.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listing {
    /// How long a result can become, in bytes.
    pub(crate) result_bytes: usize,
    /// The revision has icons.
    pub(crate) icons: bool,
}

impl Listing {
    pub(crate) fn new(result_bytes: usize, version: &ProtocolVersion) -> Self {
        Self { result_bytes, icons: *version >= ProtocolVersion::V_2025_11_25 }
    }
}

/// All tools of a catalog as the `tools` of a `tools/list` answer, with the limits that hold where
/// none are set.
pub fn tools_json(catalog: &Catalog) -> Vec<Value> {
    let listing = Listing { result_bytes: Limits::default().result_bytes, icons: true };
    let tools = tools(catalog, listing);
    tools.iter().map(|tool| serde_json::to_value(tool).unwrap_or_default()).collect()
}

/// All tools of a catalog, in its order.
pub(crate) fn tools(catalog: &Catalog, listing: Listing) -> Vec<Tool> {
    catalog.specs().map(|spec| tool(catalog, spec, listing)).collect()
}

/// One tool of a catalog.
pub(crate) fn tool(catalog: &Catalog, spec: &ToolSpec, listing: Listing) -> Tool {
    let input = object(&spec.input_schema).unwrap_or_default();
    let mut tool = Tool::new(spec.name.to_string(), spec.description.clone(), input)
        .with_annotations(annotations(catalog, spec))
        .with_meta(meta(listing.result_bytes, spec));
    tool.title.clone_from(&spec.title);
    // Only object schemas: a client of the first era refuses every other kind.
    tool.output_schema = spec.output_schema.as_ref().filter(|s| is_object(s)).and_then(object);
    if listing.icons {
        tool.icons = Some(vec![icon(spec.category)]);
    }
    tool
}

/// Whether a tool is for its user interface alone. It is hidden from models; a client that shows
/// interfaces must know it, and hides it from its own model.
pub(crate) fn is_for_apps_only(spec: &ToolSpec) -> bool {
    let seen_by = spec.meta.get("ui").and_then(|ui| ui["visibility"].as_array());
    let no_model = |seen_by: &Vec<Value>| seen_by.iter().all(|who| who != "model");
    spec.exposure == Exposure::Hidden && seen_by.is_some_and(no_model)
}

/// Whether a tool says in the list what its structured content looks like.
pub(crate) fn promises_structure(catalog: &Catalog, name: &str) -> bool {
    catalog.spec(name).and_then(|spec| spec.output_schema.as_ref()).is_some_and(is_object)
}

/// Hints without a value are read as the worst case, so what is known to be harmless is said.
fn annotations(catalog: &Catalog, spec: &ToolSpec) -> ToolAnnotations {
    let read_only = catalog.entry(spec.name.as_str()).is_some_and(|entry| entry.is_read_only());
    let open_world = matches!(spec.category, Category::Network | Category::Mcp);
    let mut annotations = ToolAnnotations::new().read_only(read_only).open_world(open_world);
    annotations.title.clone_from(&spec.title);
    if read_only { annotations.destructive(false) } else { annotations }
}

fn meta(result_bytes: usize, spec: &ToolSpec) -> MetaObject {
    let mut meta = spec.meta.clone();
    meta.insert(MAX_RESULT.to_owned(), Value::from(result_bytes.min(MOST_RESULT)));
    MetaObject(meta)
}

/// A small drawing for each category, in the list itself: nothing is fetched for it.
fn icon(category: Category) -> Icon {
    let path = match category {
        Category::Filesystem => "M3 1h7l3 3v11H3z",
        Category::Execute => "M2 3l5 5-5 5M8 13h6",
        Category::Network => "M8 1a7 7 0 1 0 .1 0M1 8h14",
        Category::Mcp => "M2 2h5v5H2zM9 9h5v5H9z",
        Category::System => "M2 4h12M2 8h12M2 12h12",
    };
    let drawing = format!(
        "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16' fill='none' stroke='gray'%3E%3Cpath d='{path}'/%3E%3C/svg%3E"
    )
    .replace(' ', "%20");
    Icon::new(drawing).with_mime_type("image/svg+xml")
}

fn is_object(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("object")
}

fn object(schema: &Value) -> Option<Arc<JsonObject>> {
    schema.as_object().cloned().map(Arc::new)
}
