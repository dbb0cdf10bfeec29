//! Tool definitions that every provider accepts, from one [`ToolSpec`].
//!
//! [`definition`] writes a tool in a provider's form and rewrites its schema for that provider,
//! without changing what is valid where that can be done. Where it cannot, the constraint is
//! told in a description and a warning names keyword and path.
//!
//! 1. A schema that is too deep is not touched at all (`depth`).
//! 2. OpenAI, Anthropic and MCP take JSON Schema; only the root is made plain (`plain`, `root`).
//! 3. For strict mode and Gemini, references are written out (`refs`), then `allOf`, `oneOf`,
//!    `const` and lists of types are brought into one shape (`canonical`, `merge`).
//! 4. From that shape `strict` and `gemini` write their dialects; `words` tells what is lost.
//!
//! ```
//! use dogu_protocol::schema::{Target, definition};
//! use dogu_tool::ToolSpec;
//! use serde_json::json;
//!
//! let schema = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
//! let spec = ToolSpec::new("read", "Reads.", schema).unwrap();
//! let strict = definition(&spec, Target::OpenAiStrict);
//! assert_eq!(strict.tool["function"]["parameters"]["required"], json!(["path"]));
//! assert!(strict.warnings.is_empty());
//! ```

mod canonical;
mod depth;
mod gemini;
mod help;
pub(crate) mod keywords;
mod merge;
mod plain;
pub(crate) mod refs;
mod report;
mod root;
mod strict;
mod words;

#[cfg(test)]
mod tests;

use dogu_tool::ToolSpec;
use serde_json::{Map, Value, json};

pub(crate) use depth::too_deep;
pub use help::{prompt_text, xml_help};
use report::Report;

/// Who will read the definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// OpenAI's chat completions; the schema passes unchanged, but for a union at the root.
    OpenAi,
    /// The same with `strict: true`, where the schema can be made strict.
    OpenAiStrict,
    /// OpenAI's responses.
    Responses,
    /// The same with `strict: true`, where the schema can be made strict.
    ResponsesStrict,
    /// Anthropic's messages.
    Anthropic,
    /// A Gemini function declaration.
    Gemini,
    /// A tool in an MCP server's list.
    Mcp,
}

/// A tool as a provider wants it.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// The definition, in the provider's form.
    pub tool: Value,
    /// What the provider's schemas cannot say, each with its path.
    pub warnings: Vec<String>,
}

/// The schema with its references written out, as readers of text want it.
pub(crate) fn without_references(schema: &Value) -> Value {
    if too_deep(schema) {
        return json!({ "type": "object" });
    }
    refs::inline(schema, &mut Report::new()).schema
}

/// Writes a tool for a provider.
pub fn definition(spec: &ToolSpec, target: Target) -> Definition {
    let mut report = Report::new();
    let (schema, strict) = input_schema(&spec.input_schema, target, &mut report);
    let tool = wrapped(spec, target, &schema, strict, &mut report);
    Definition { tool, warnings: report.warnings }
}

fn wrapped(
    spec: &ToolSpec,
    target: Target,
    schema: &Value,
    strict: bool,
    report: &mut Report,
) -> Value {
    let (name, description) = (&spec.name, &spec.description);
    match target {
        Target::OpenAi | Target::OpenAiStrict => {
            let mut function =
                json!({ "name": name, "description": description, "parameters": schema });
            if target == Target::OpenAiStrict {
                function["strict"] = json!(strict);
            }
            json!({ "type": "function", "function": function })
        }
        // Always said: without it this interface tries to make the schema strict itself.
        Target::Responses | Target::ResponsesStrict => json!({
            "type": "function",
            "name": name,
            "description": description,
            "parameters": schema,
            "strict": strict,
        }),
        Target::Anthropic => {
            json!({ "name": name, "description": description, "input_schema": schema })
        }
        Target::Gemini => json!({ "name": name, "description": description, "parameters": schema }),
        Target::Mcp => mcp(spec, schema, report),
    }
}

fn mcp(spec: &ToolSpec, schema: &Value, report: &mut Report) -> Value {
    let mut tool = Map::new();
    tool.insert("name".to_owned(), json!(spec.name));
    if let Some(title) = &spec.title {
        tool.insert("title".to_owned(), json!(title));
    }
    tool.insert("description".to_owned(), json!(spec.description));
    tool.insert("inputSchema".to_owned(), schema.clone());
    if let Some(output) = &spec.output_schema {
        if !too_deep(output) && output["type"] == "object" {
            tool.insert("outputSchema".to_owned(), output.clone());
        } else {
            report
                .warn("the output", "MCP takes only objects, not too deep; its schema is left out");
        }
    }
    Value::Object(tool)
}

/// The schema for a target, and whether it is strict.
fn input_schema(schema: &Value, target: Target, report: &mut Report) -> (Value, bool) {
    if too_deep(schema) {
        report.warn("", "the schema is nested too deep to be sent; any input is allowed");
        return (json!({ "type": "object" }), false);
    }
    match target {
        Target::Gemini => (gemini::gemini(&canonical_root(schema, report).0, report), false),
        Target::OpenAiStrict | Target::ResponsesStrict => strict_or_plain(schema, target, report),
        _ => (plain::plain(schema, target, report), false),
    }
}

fn strict_or_plain(schema: &Value, target: Target, report: &mut Report) -> (Value, bool) {
    let mut tried = Report::new();
    let (root, recursive) = canonical_root(schema, &mut tried);
    let strict = if recursive {
        Err("it refers to itself".to_owned())
    } else {
        strict::strict(&root, &mut tried)
    };
    match strict {
        Ok(strict) => {
            report.warnings.append(&mut tried.warnings);
            (strict, true)
        }
        Err(reason) => {
            report.warn("", &format!("the schema cannot be strict: {reason}"));
            (plain::plain(schema, target, report), false)
        }
    }
}

/// The canonical root, always one object, and whether the schema refers to itself.
fn canonical_root(schema: &Value, report: &mut Report) -> (Map<String, Value>, bool) {
    let inlined = refs::inline(schema, report);
    let root = Value::Object(root::object_root(&inlined.schema, report));
    let mut found =
        canonical::canonical(&root, "", report).unwrap_or_else(|| plain::nothing(report));
    if found.contains_key("anyOf") {
        let one = Value::Object(root::one_form(found, &root, report));
        found = canonical::canonical(&one, "", report).unwrap_or_else(|| plain::nothing(report));
    }
    (found, inlined.recursive)
}
