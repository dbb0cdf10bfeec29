//! Input and output against JSON Schema (2020-12), with violations that a model can act on.

use std::borrow::Cow;

use dogu_tool::{ToolError, ToolSpec};
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::paths::{Location, LocationSegment};
use jsonschema::{Draft, ValidationError, Validator};
use serde_json::Value;

/// How many violations are shown.
pub const MAX_VIOLATIONS_SHOWN: usize = 5;

/// Compiles a schema. References to other documents are errors: nothing is ever fetched.
pub(crate) fn compile(schema: &Value) -> Result<Validator, String> {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .build(schema)
        .map_err(|error| error.to_string())
}

/// Checks an input; the error lists what is wrong and which keys there are.
pub(crate) fn check_input(
    validator: &Validator,
    spec: &ToolSpec,
    input: &Value,
) -> Result<(), ToolError> {
    if validator.is_valid(input) {
        return Ok(());
    }
    let violations = violations(validator, input, "args");
    let message = format!("Invalid arguments for tool '{}': {}", spec.name, summarise(&violations));
    Err(ToolError::invalid(message).suggest(format!(
        "Check the input schema and send the arguments again. required=[{}], allowed=[{}]",
        or_none(&spec.required()),
        or_none(&spec.parameters()),
    )))
}

/// Checks `structured`; what is wrong is the tool's fault, so the model only learns that it is.
pub(crate) fn check_output(
    validator: &Validator,
    spec: &ToolSpec,
    structured: Option<&Value>,
) -> Result<(), ToolError> {
    let structured = structured.unwrap_or(&Value::Null);
    if validator.is_valid(structured) {
        return Ok(());
    }
    let violations = violations(validator, structured, "output");
    Err(ToolError::failed(format!(
        "The tool '{}' gave an output that its own schema forbids.",
        spec.name
    ))
    .because(summarise(&violations)))
}

/// Every violation as `path: reason`, in the schema's order.
fn violations(validator: &Validator, instance: &Value, root: &str) -> Vec<String> {
    let mut all = Vec::new();
    for error in validator.iter_errors(instance) {
        describe(&error, root, &mut all);
    }
    all
}

fn summarise(violations: &[String]) -> String {
    let shown = violations.iter().take(MAX_VIOLATIONS_SHOWN).map(String::as_str);
    let mut text = shown.collect::<Vec<_>>().join("; ");
    if let Some(more) = violations.len().checked_sub(MAX_VIOLATIONS_SHOWN).filter(|n| *n > 0) {
        text.push_str(&format!("; +{more} more issues"));
    }
    text
}

fn or_none(names: &[&str]) -> String {
    if names.is_empty() { "(none)".to_owned() } else { names.join(", ") }
}

fn describe(error: &ValidationError<'_>, root: &str, all: &mut Vec<String>) {
    let path = path_text(root, error.instance_path());
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            all.push(format!("{path}.{name}: required property is missing"));
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            all.extend(unexpected.iter().map(|key| format!("{path}.{key}: unexpected property")));
        }
        ValidationErrorKind::Type { kind } => {
            let found = type_name(error.instance());
            all.push(format!("{path}: expected {} but got {found}", expected(kind)));
        }
        ValidationErrorKind::Enum { options } => {
            all.push(format!("{path}: value must be one of {}", listed(options)));
        }
        ValidationErrorKind::AnyOf { .. } | ValidationErrorKind::OneOfNotValid { .. } => {
            let found = type_name(error.instance());
            all.push(format!("{path}: this {found} fits none of the allowed forms"));
        }
        _ => all
            .push(format!("{path}: {}", dogu_tool::text::truncate_marked(&error.to_string(), 200))),
    }
}

fn expected(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(one) => one.to_string(),
        TypeKind::Multiple(many) => {
            // That an optional parameter may be null is no help to whoever sent something else.
            let names = many.iter().map(|one| one.to_string()).filter(|name| name != "null");
            names.collect::<Vec<_>>().join(" or ")
        }
    }
}

fn listed(options: &Value) -> String {
    let items = options.as_array().map(Vec::as_slice).unwrap_or_default();
    let texts: Vec<String> = items.iter().map(Value::to_string).collect();
    format!("[{}]", texts.join(", "))
}

/// `args.files[0].path`.
fn path_text(root: &str, location: &Location) -> String {
    let mut text = root.to_owned();
    for segment in location {
        match segment {
            LocationSegment::Property(name) => {
                text.push('.');
                text.push_str(&shorten(&name));
            }
            LocationSegment::Index(index) => text.push_str(&format!("[{index}]")),
        }
    }
    text
}

/// A key is the model's own text and may be of any length.
fn shorten(name: &str) -> Cow<'_, str> {
    if name.len() <= 80 { name.into() } else { dogu_tool::text::truncate_marked(name, 80).into() }
}

/// The JSON Schema name of a value's type.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(n) if n.is_i64() || n.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
