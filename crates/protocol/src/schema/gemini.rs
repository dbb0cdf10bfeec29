//! Gemini's function declarations: `parameters` is a `Schema` message, a part of `OpenAPI` 3.0.
//!
//! Its fields (reference of the API, state of 2026): `type`, `format`, `title`, `description`,
//! `nullable`, `enum`, `items`, `minItems`, `maxItems`, `properties`, `required`,
//! `minProperties`, `maxProperties`, `minLength`, `maxLength`, `pattern`, `minimum`, `maximum`,
//! `anyOf`, `propertyOrdering`, `default`, `example`. One unknown field refuses the request.
//! `type` is one name, in either case; `enum` holds strings, not empty ones, for strings only;
//! a string's `format` is `enum` or `date-time`; beside `anyOf` no other field may stand;
//! `required` may name declared properties only; a list needs `items`; `properties` may not be
//! empty. There is also `parametersJsonSchema`, which takes JSON Schema; not every host of the
//! models has it, so the older form is written.

use serde_json::{Value, json};

use super::keywords::{Node, describe, list, strings};
use super::report::{Report, items, property};
use super::words::{tell, tell_all_but};

/// Levels of objects and lists. The limit is not published; six have been refused.
const MAX_LEVELS: usize = 5;

const KEPT: [&str; 14] = [
    "type",
    "enum",
    "properties",
    "required",
    "items",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "minProperties",
    "maxProperties",
    "pattern",
    "minimum",
    "maximum",
];

/// Gemini's form of a canonical root.
pub(super) fn gemini(root: &Node, report: &mut Report) -> Value {
    Value::Object(node(root, "", 1, report))
}

fn node(canonical: &Node, path: &str, level: usize, report: &mut Report) -> Node {
    if canonical.contains_key("anyOf") {
        return union(canonical, path, level, report);
    }
    let mut node = canonical.clone();
    match node.get("type").and_then(Value::as_str) {
        Some("object") => object(node, path, level, report),
        Some("array") => array(node, path, level, report),
        Some(_) => {
            scalar(&mut node, path, report);
            node
        }
        None => anything(&node, path, report),
    }
}

/// Null is not a branch but a field of the others.
fn union(canonical: &Node, path: &str, level: usize, report: &mut Report) -> Node {
    let branches = list(canonical, "anyOf").iter().filter_map(Value::as_object);
    let is_null = |branch: &&Node| branch.get("type") == Some(&json!("null"));
    let (nulls, others): (Vec<&Node>, Vec<&Node>) = branches.partition(is_null);
    let mut written: Vec<Node> =
        others.into_iter().map(|branch| node(branch, path, level, report)).collect();
    for branch in &mut written {
        if !nulls.is_empty() {
            branch.insert("nullable".to_owned(), Value::Bool(true));
        }
        if let Some(Value::String(outer)) = canonical.get("description") {
            prefix(branch, outer);
        }
    }
    match (written.pop(), written.is_empty()) {
        (Some(only), true) => only,
        (Some(last), false) => {
            written.push(last);
            Node::from_iter([("anyOf".to_owned(), json!(written))])
        }
        (None, _) => Node::from_iter([("type".to_owned(), json!("null"))]),
    }
}

fn prefix(branch: &mut Node, outer: &str) {
    let inner = branch.insert("description".to_owned(), json!(outer));
    if let Some(Value::String(inner)) = inner.filter(|inner| inner != outer) {
        describe(branch, &inner);
    }
}

fn scalar(node: &mut Node, path: &str, report: &mut Report) {
    fit_enum(node, path, report);
    if node.get("type") == Some(&json!("integer")) {
        whole_bounds(node);
    }
    tell_all_but(node, path, report, kept);
}

fn kept(keyword: &str, value: &Value) -> bool {
    match keyword {
        "format" => {
            matches!(value.as_str(), Some("date-time" | "float" | "double" | "int32" | "int64"))
        }
        _ => KEPT.contains(&keyword),
    }
}

fn fit_enum(node: &mut Node, path: &str, report: &mut Report) {
    let values = list(node, "enum");
    let fits = match node.get("type").and_then(Value::as_str) {
        Some("string") => values.iter().all(|value| value.as_str() != Some("")),
        Some("boolean") => {
            // Both of them say no more than the type.
            if values.contains(&json!(true)) && values.contains(&json!(false)) {
                node.shift_remove("enum");
            }
            false
        }
        Some("null") => {
            node.shift_remove("enum");
            true
        }
        _ => false,
    };
    if !fits {
        tell(node, "enum", path, report);
    }
}

/// For whole numbers an exclusive bound is the next inclusive one.
fn whole_bounds(node: &mut Node) {
    for (exclusive, inclusive, step) in
        [("exclusiveMinimum", "minimum", 1), ("exclusiveMaximum", "maximum", -1)]
    {
        let Some(bound) = node.get(exclusive).and_then(Value::as_i64) else { continue };
        let Some(next) = bound.checked_add(step) else { continue };
        let given = node.get(inclusive).map(Value::as_i64);
        match given {
            // Not a whole number: which bound is narrower is not worth the arithmetic.
            Some(None) => continue,
            Some(Some(given)) if (given >= next) == (step > 0) => {}
            _ => _ = node.insert(inclusive.to_owned(), json!(next)),
        }
        node.shift_remove(exclusive);
    }
}

fn object(mut node: Node, path: &str, level: usize, report: &mut Report) -> Node {
    let declared = node.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    if level > MAX_LEVELS && !declared.is_empty() {
        return cut(&node, path, report);
    }
    fit_rest(&mut node, declared.is_empty(), path, report);
    tell(&mut node, "enum", path, report);
    fit_required(&mut node, &declared, path, report);
    tell_all_but(&mut node, path, report, kept);
    let properties: Node = declared
        .iter()
        .map(|(name, schema)| {
            let schema = schema.as_object().cloned().unwrap_or_default();
            let path = property(path, name);
            (name.clone(), Value::Object(self::node(&schema, &path, level + 1, report)))
        })
        .collect();
    node.shift_remove("properties");
    if !properties.is_empty() {
        node.insert("properties".to_owned(), Value::Object(properties));
    }
    node
}

/// There is no word for other keys. The model is offered the declared ones and keeps to them,
/// so only a rule for the others is worth a sentence.
fn fit_rest(node: &mut Node, empty: bool, path: &str, report: &mut Report) {
    match node.get("additionalProperties") {
        Some(Value::Bool(false)) if empty && !path.is_empty() => {
            node.shift_remove("additionalProperties");
            describe(node, "Must be empty.");
            report.warn(path, "an empty object cannot be asked for; it is told in the description");
        }
        Some(Value::Bool(_)) => _ = node.shift_remove("additionalProperties"),
        _ => tell(node, "additionalProperties", path, report),
    }
}

fn fit_required(node: &mut Node, declared: &Node, path: &str, report: &mut Report) {
    let required: Vec<String> = strings(node, "required").into_iter().map(str::to_owned).collect();
    let (known, unknown): (Vec<_>, Vec<_>) =
        required.into_iter().partition(|name| declared.contains_key(name));
    node.insert("required".to_owned(), json!(unknown));
    tell(node, "required", path, report);
    if !known.is_empty() {
        node.insert("required".to_owned(), json!(known));
    }
}

fn array(mut node: Node, path: &str, level: usize, report: &mut Report) -> Node {
    if level > MAX_LEVELS {
        return cut(&node, path, report);
    }
    tell(&mut node, "enum", path, report);
    tell_all_but(&mut node, path, report, kept);
    let inner = node.get("items").and_then(Value::as_object).cloned().unwrap_or_default();
    let inner = self::node(&inner, &items(path), level + 1, report);
    node.insert("items".to_owned(), Value::Object(inner));
    node
}

/// What is too deep is asked for as JSON text, which coercion reads back.
fn cut(canonical: &Node, path: &str, report: &mut Report) -> Node {
    report.warn(
        path,
        &format!("is nested deeper than {MAX_LEVELS} levels; it is asked for as JSON text"),
    );
    let mut node = Node::from_iter([("type".to_owned(), json!("string"))]);
    if let Some(description) = canonical.get("description") {
        node.insert("description".to_owned(), description.clone());
    }
    describe(&mut node, &format!("JSON text of {}.", super::words::snippet(&json!(canonical))));
    node
}

/// Any value that the dialect can spell.
fn anything(canonical: &Node, path: &str, report: &mut Report) -> Node {
    report.warn(path, "may hold any value, which cannot be said; a list in it is one of strings");
    let mut forms = vec![
        json!({ "type": "string", "nullable": true }),
        json!({ "type": "number" }),
        json!({ "type": "boolean" }),
        json!({ "type": "object" }),
        json!({ "type": "array", "items": { "type": "string" } }),
    ];
    if let Some(description) = canonical.get("description") {
        for form in forms.iter_mut().filter_map(Value::as_object_mut) {
            form.insert("description".to_owned(), description.clone());
        }
    }
    Node::from_iter([("anyOf".to_owned(), Value::Array(forms))])
}
