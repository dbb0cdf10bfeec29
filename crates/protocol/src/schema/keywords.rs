//! Which keyword says what.

use serde_json::{Map, Value};

use super::depth::MAX_DEPTH;

/// A schema that is not a boolean.
pub(super) type Node = Map<String, Value>;

/// Keywords whose value is a map of schemas.
pub(super) const MAPS: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// Keywords whose value is a list of schemas.
pub(super) const LISTS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
/// Keywords whose value is one schema.
pub(super) const SINGLES: [&str; 11] = [
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedProperties",
    "unevaluatedItems",
    "additionalItems",
];

const STRING: [&str; 4] = ["minLength", "maxLength", "pattern", "format"];
const NUMBER: [&str; 6] =
    ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format"];
const ARRAY: [&str; 10] = [
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "unevaluatedItems",
    "additionalItems",
];
const OBJECT: [&str; 11] = [
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "unevaluatedProperties",
];
/// Keywords that bind values of every type.
const EVERY: [&str; 11] =
    ["type", "enum", "const", "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "$ref"];

/// The keywords that bind values of one type only; a value of another type passes them all.
pub(super) fn of_type(kind: &str) -> &'static [&'static str] {
    match kind {
        "string" => &STRING,
        "number" | "integer" => &NUMBER,
        "array" => &ARRAY,
        "object" => &OBJECT,
        _ => &[],
    }
}

/// Whether a keyword decides what is valid. All others are annotations. `format` is one too
/// (in draft 2020-12 it asserts nothing by default) but is worth keeping, so it counts.
pub(super) fn binds(keyword: &str) -> bool {
    EVERY.contains(&keyword) || TYPES.iter().any(|kind| of_type(kind).contains(&keyword))
}

/// JSON Schema's types; an integer is a number too.
pub(crate) const TYPES: [&str; 7] =
    ["string", "integer", "number", "boolean", "array", "object", "null"];

/// The type of a value.
pub(crate) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        Value::Number(number) if is_whole(number) => "integer",
        Value::Number(_) => "number",
    }
}

/// Whether a value is of a type.
pub(super) fn has_type(value: &Value, kind: &str) -> bool {
    let own = type_of(value);
    own == kind || (own == "integer" && kind == "number")
}

fn is_whole(number: &serde_json::Number) -> bool {
    !number.is_f64() || number.as_f64().is_some_and(|float| float.fract() == 0.0)
}

/// Whether two values are equal as JSON Schema sees them: 1 and 1.0 are the same number.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    same_at(a, b, 0)
}

fn same_at(a: &Value, b: &Value, depth: usize) -> bool {
    // Deeper ones are not compared: this recurses, and may be asked before depth was checked.
    if depth > MAX_DEPTH {
        return false;
    }
    let same = |a, b| same_at(a, b, depth + 1);
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || equal_floats(a, b),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (Value::Array(_) | Value::Object(_), _) => false,
        _ => a == b,
    }
}

fn equal_floats(a: &serde_json::Number, b: &serde_json::Number) -> bool {
    // Two integers that differ stay different even where their floats are equal.
    (a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64()
}

/// The values of a list keyword; none where it is absent or not a list.
pub(super) fn list<'a>(node: &'a Node, keyword: &str) -> &'a [Value] {
    node.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The strings of a list keyword.
pub(super) fn strings<'a>(node: &'a Node, keyword: &str) -> Vec<&'a str> {
    list(node, keyword).iter().filter_map(Value::as_str).collect()
}

/// The values that `enum` or `const` leave, where the schema has one of them.
pub(crate) fn choices(node: &Node) -> Option<&[Value]> {
    match node.get("const") {
        Some(only) => Some(std::slice::from_ref(only)),
        None => node.get("enum").and_then(Value::as_array).map(Vec::as_slice),
    }
}

/// Adds a sentence to a schema's description.
pub(super) fn describe(node: &mut Node, text: &str) {
    let before = node.get("description").and_then(Value::as_str).unwrap_or_default().trim_end();
    let stop = if before.is_empty() || before.ends_with(['.', '!', '?', ':']) { "" } else { "." };
    let gap = if before.is_empty() { "" } else { " " };
    let after = format!("{before}{stop}{gap}{text}");
    node.insert("description".to_owned(), Value::String(after));
}
