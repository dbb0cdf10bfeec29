//! The targets that take JSON Schema as it is, but for its root.
//!
//! OpenAI without strict mode, and Anthropic: the root is `type: object` and has no `anyOf`,
//! `oneOf` or `allOf` (OpenAI: nor `enum` nor `not`). OpenAI also wants `properties` in the root
//! and `items` in every list. Anthropic's property names in the root match
//! `^[a-zA-Z0-9_.-]{1,64}$`. MCP wants an object and nothing more.

use serde_json::{Value, json};

use super::Target;
use super::canonical::fold_all_of;
use super::keywords::{LISTS, MAPS, Node, SINGLES};
use super::merge::types;
use super::refs::local;
use super::report::{Report, property};
use super::root::{follow, object_root, one_form, tell_at_root};

const MAX_KEY: usize = 64;

/// The schema for a target that takes JSON Schema.
pub(super) fn plain(schema: &Value, target: Target, report: &mut Report) -> Value {
    let mut root = object_root(schema, report);
    if target == Target::Mcp {
        return Value::Object(root);
    }
    root = simple_root(root, schema, target, report);
    root.entry("properties").or_insert_with(|| json!({}));
    if target == Target::Anthropic {
        check_keys(&root, report);
    }
    let mut whole = Value::Object(root);
    let document = whole.clone();
    mend(&mut whole, &document, target, "", report);
    whole
}

fn simple_root(mut root: Node, schema: &Value, target: Target, report: &mut Report) -> Node {
    if root.contains_key("allOf") {
        follow_parts(&mut root, schema);
        root = fold_all_of(root, "", report).unwrap_or_else(|| nothing(report));
    }
    root = one_form(root, schema, report);
    if target != Target::Anthropic {
        tell_at_root(&mut root, "enum", report);
        tell_at_root(&mut root, "not", report);
    }
    root
}

/// Parts that are references, as generated schemas have them, can be merged only when followed.
fn follow_parts(root: &mut Node, document: &Value) {
    let Some(Value::Array(parts)) = root.get_mut("allOf") else { return };
    for part in parts.iter_mut().filter_map(Value::as_object_mut) {
        *part = follow(document, std::mem::take(part));
    }
}

pub(super) fn nothing(report: &mut Report) -> Node {
    report.warn("", "no input can satisfy the schema; any input is allowed");
    Node::from_iter([("type".to_owned(), json!("object"))])
}

fn check_keys(root: &Node, report: &mut Report) {
    let properties = root.get("properties").and_then(Value::as_object);
    for name in properties.into_iter().flatten().map(|(name, _)| name) {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
        if name.is_empty() || name.len() > MAX_KEY || !name.bytes().all(plain) {
            report.warn(&property("", name), "this name is refused by the provider; it wants letters, digits, `_`, `.`, `-`, at most 64");
        }
    }
}

/// References that lead nowhere are refused, and so are lists without `items` by OpenAI.
fn mend(schema: &mut Value, document: &Value, target: Target, path: &str, report: &mut Report) {
    let Some(node) = schema.as_object_mut() else { return };
    let missing =
        node.get("$ref").and_then(Value::as_str).filter(|to| local(document, to).is_none());
    if let Some(missing) = missing {
        report.warn(
            path,
            &format!("`$ref` to `{missing}` cannot be resolved here; any value is allowed"),
        );
        node.shift_remove("$ref");
    }
    let is_list = node.get("type").is_some_and(|kind| types(kind).contains(&"array"));
    if is_list && target != Target::Anthropic && !node.contains_key("items") {
        node.insert("items".to_owned(), json!({}));
    }
    for (keyword, value) in node {
        let keyword = keyword.as_str();
        match value {
            Value::Object(map) if MAPS.contains(&keyword) => {
                for (name, inner) in map {
                    mend(inner, document, target, &property(path, name), report);
                }
            }
            Value::Object(_) if SINGLES.contains(&keyword) => {
                mend(value, document, target, path, report);
            }
            Value::Array(list) if LISTS.contains(&keyword) => {
                for inner in list {
                    mend(inner, document, target, path, report);
                }
            }
            _ => {}
        }
    }
}
