//! What a client can read besides calling tools: files of the workspace, and what was too long to
//! be shown in a result. A file goes the way of every call, through the gate and into the record,
//! by a tool that no model is offered.

mod mime;
mod read;
mod uri;

use std::sync::Arc;
use std::time::SystemTime;

use base64::Engine as _;
use dogu_runtime::{Catalog, Entry, RegisterError, Registry, Runtime, Source};
use dogu_tool::{Content, Principal, ToolResult};
use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, MetaObject, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
use serde_json::{Value, json};

pub(crate) use read::{COMPLETE, READ};
pub(crate) use uri::{Target, file_template, output_uri};

/// How many spilled results are listed on one page.
const PAGE: usize = 100;
/// The most text in one answer, in bytes.
const MOST_TEXT: usize = 64 * 1024;
/// The name under which an answer says where it goes on.
const NEXT: &str = "dogu/next";

/// Puts the tools behind resources and completion into the registry, once.
pub(crate) fn register(registry: &Registry) -> Result<(), RegisterError> {
    for tool in read::tools() {
        match registry.register(Source::Builtin, tool) {
            Ok(()) | Err(RegisterError::Duplicate { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// A catalog with nothing but one hidden tool.
pub(crate) fn only(runtime: &Runtime, name: &str) -> Catalog {
    let mut catalog = Catalog::default();
    let set = runtime.registry().snapshot();
    let entry: Option<&Arc<Entry>> = set.get(name);
    if let Some(entry) = entry {
        catalog.add(entry);
    }
    catalog
}

/// What can be read by filling in a name: a file of each root, and a spilled result.
pub(crate) fn templates(runtime: &Runtime) -> Vec<ResourceTemplate> {
    let roots = runtime.scope().roots().iter().filter_map(|root| root.to_str());
    let file = |root: &str| {
        ResourceTemplate::new(uri::file_template(root), "file")
            .with_title("File")
            .with_description(format!("A file below {root}."))
    };
    let output = ResourceTemplate::new("dogu://output/{id}{?offset}", "output")
        .with_title("Output")
        .with_description(
            "What was too long to be shown in a result; the result links to it. `offset` is in bytes.",
        );
    roots.map(file).chain([output]).collect()
}

/// The spilled results of a caller, newest first, and where the next page begins.
pub(crate) fn outputs(
    runtime: &Runtime,
    who: &Principal,
    cursor: Option<&str>,
) -> Result<(Vec<Resource>, Option<String>), ErrorData> {
    let unknown = || ErrorData::invalid_params("there is no such cursor", None);
    let from: usize = cursor.map_or(Ok(0), |cursor| cursor.parse().map_err(|_| unknown()))?;
    let folder = runtime.state().map(|state| state.spills_of(who));
    let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten();
    let mut found: Vec<(SystemTime, String, u64)> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let facts = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
            Some((facts.modified().ok()?, entry.file_name().into_string().ok()?, facts.len()))
        })
        .collect();
    if from > found.len() || (cursor.is_some() && from == 0) {
        return Err(unknown());
    }
    found.sort_by(|a, b| b.cmp(a));
    let next = (found.len() > from + PAGE).then(|| (from + PAGE).to_string());
    let page = found.into_iter().skip(from).take(PAGE);
    Ok((page.map(|(_, name, size)| output(&name).with_size(size)).collect(), next))
}

/// A spilled result as a resource.
pub(crate) fn output(name: &str) -> Resource {
    Resource::new(output_uri(name), name)
        .with_title("The whole output")
        .with_mime_type(mime::of_name(name))
}

/// The input of the tool that reads a file.
pub(crate) fn input(path: &str, offset: u64, runtime: &Runtime) -> Value {
    let most = runtime.settings().limits.result_bytes.min(MOST_TEXT);
    json!({ "path": path, "offset": offset, "most": most })
}

/// A page of a spilled result. It is a part of a result that this caller was already given, so
/// nothing is judged again; what another caller was given is in a folder that is not looked into.
pub(crate) fn read_output(
    (id, offset): (&str, u64),
    uri: &str,
    runtime: &Runtime,
    who: &Principal,
) -> Option<ReadResourceResult> {
    let (text, next) = read::spilled(&runtime.state()?.spills_of(who).join(id), offset, MOST_TEXT)?;
    let target = Target::Output { id: id.to_owned(), offset };
    let contents = ResourceContents::TextResourceContents {
        uri: uri.to_owned(),
        mime_type: Some(mime::of_name(id).to_owned()),
        text,
        meta: next.map(|next| goes_on(&target, next)),
    };
    let mut answer = ReadResourceResult::new(vec![contents]);
    // What was spilled never changes, and is for nobody else.
    (answer.ttl_ms, answer.cache_scope) = (Some(3_600_000), Some(CacheScope::Private));
    Some(answer)
}

fn goes_on(target: &Target, next: u64) -> MetaObject {
    let mut meta = serde_json::Map::new();
    meta.insert(NEXT.to_owned(), Value::String(target.at(next)));
    MetaObject(meta)
}

/// The answer to `resources/read`, from what the tool gave.
pub(crate) fn answer(
    target: &Target,
    uri: &str,
    result: ToolResult,
) -> Result<ReadResourceResult, ErrorData> {
    if result.is_error() {
        return Err(refused(uri, &result));
    }
    let facts = result.structured.unwrap_or_default();
    let meta = facts["next"].as_u64().map(|next| goes_on(target, next));
    let (uri, mime_type) = (uri.to_owned(), facts["mime"].as_str().map(str::to_owned));
    let contents = match result.content.into_iter().next() {
        Some(Content::Image { data, .. }) => {
            ResourceContents::BlobResourceContents { uri, mime_type, blob: data, meta }
        }
        Some(Content::Text { text }) => {
            ResourceContents::TextResourceContents { uri, mime_type, text, meta }
        }
        _ => return Err(ErrorData::internal_error("the file gave nothing", None)),
    };
    let mut answer = ReadResourceResult::new(vec![contents]);
    // A file may change at any time, and is for nobody else.
    (answer.ttl_ms, answer.cache_scope) = (Some(0), Some(CacheScope::Private));
    Ok(answer)
}

/// The same from what a tool of others gave: one piece, with what is said about showing it.
pub(crate) fn foreign(uri: &str, result: &ToolResult) -> Result<ReadResourceResult, ErrorData> {
    let piece = match result.content.first() {
        Some(piece) if !result.is_error() => piece.clone(),
        _ => return Err(refused(uri, result)),
    };
    let meta = Some(MetaObject(result.meta.clone())).filter(|meta| !meta.0.is_empty());
    let contents = match piece {
        Content::Blob { mime_type, data, .. } => match text_of(&data) {
            Some(text) => ResourceContents::TextResourceContents {
                uri: uri.to_owned(),
                mime_type,
                text,
                meta,
            },
            None => ResourceContents::BlobResourceContents {
                uri: uri.to_owned(),
                mime_type,
                blob: data,
                meta,
            },
        },
        Content::Resource { mime_type, text: Some(text), .. } => {
            ResourceContents::TextResourceContents { uri: uri.to_owned(), mime_type, text, meta }
        }
        // What was too large is said in a text.
        _ => return Err(refused(uri, result)),
    };
    let mut answer = ReadResourceResult::new(vec![contents]);
    (answer.ttl_ms, answer.cache_scope) = (Some(0), Some(CacheScope::Private));
    Ok(answer)
}

/// What bytes say, where they are a text.
fn text_of(data: &str) -> Option<String> {
    let bytes = base64::engine::general_purpose::STANDARD.decode(data).ok()?;
    String::from_utf8(bytes).ok()
}

fn refused(uri: &str, result: &ToolResult) -> ErrorData {
    ErrorData::resource_not_found(result.to_text(), Some(json!({ "uri": uri })))
}
