//! Two schemas as one that both hold: the whole of `allOf`.

use serde_json::{Value, json};

use super::keywords::{Node, has_type, list, same, strings};

/// What came of a merge.
#[derive(Debug, PartialEq)]
pub(super) enum Merged {
    /// Exactly the values that both allow.
    Exact(Node),
    /// No value can satisfy both.
    Never,
    /// It cannot be written as one schema; the keyword that stands in the way.
    Unknown(String),
}

/// Both schemas as one.
pub(super) fn merge(a: &Node, b: &Node) -> Merged {
    let mut merged = Node::new();
    if let Err(end) = merge_objects(a, b, &mut merged) {
        return end;
    }
    for (keyword, value) in a.iter().chain(b) {
        if merged.contains_key(keyword) || OBJECT_PART.contains(&keyword.as_str()) {
            continue;
        }
        let value = match (a.get(keyword), b.get(keyword)) {
            (Some(a), Some(b)) => both(keyword, a, b),
            _ => Ok(value.clone()),
        };
        match value {
            Ok(value) => _ = merged.insert(keyword.clone(), value),
            Err(end) => return end,
        }
    }
    Merged::Exact(merged)
}

/// Two schemas, of which any may be a boolean.
pub(super) fn merge_values(a: &Value, b: &Value) -> Result<Value, Merged> {
    match (a, b) {
        (Value::Bool(false), _) | (_, Value::Bool(false)) => Ok(Value::Bool(false)),
        (Value::Object(a), Value::Object(b)) => match merge(a, b) {
            Merged::Exact(node) => Ok(Value::Object(node)),
            Merged::Never => Ok(Value::Bool(false)),
            unknown @ Merged::Unknown(_) => Err(unknown),
        },
        (Value::Object(_), _) => Ok(a.clone()),
        _ => Ok(b.clone()),
    }
}

/// One keyword that both schemas have.
fn both(keyword: &str, a: &Value, b: &Value) -> Result<Value, Merged> {
    if same(a, b) {
        return Ok(a.clone());
    }
    match keyword {
        "type" => common_types(a, b),
        "enum" => common_choices(a, b),
        "const" => Err(Merged::Never),
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties"
        | "minContains" => larger(keyword, a, b),
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties"
        | "maxContains" => larger(keyword, b, a).map(|kept| other(&kept, a, b)),
        "required" => Ok(union(a, b)),
        "uniqueItems" => Ok(Value::Bool(true)),
        "items" if a.is_object() && b.is_object() => merge_values(a, b),
        // What a use says beats what its definition says; the first is the use.
        keyword if !super::keywords::binds(keyword) => Ok(a.clone()),
        _ => Err(Merged::Unknown(keyword.to_owned())),
    }
}

fn common_types(a: &Value, b: &Value) -> Result<Value, Merged> {
    let (a, b) = (types(a), types(b));
    let mut common: Vec<&str> = Vec::new();
    for kind in &a {
        let narrowed = match *kind {
            kind if b.contains(&kind) => kind,
            "integer" if b.contains(&"number") => "integer",
            "number" if b.contains(&"integer") => "integer",
            _ => continue,
        };
        if !common.contains(&narrowed) {
            common.push(narrowed);
        }
    }
    match common.as_slice() {
        [] => Err(Merged::Never),
        [one] => Ok(json!(one)),
        more => Ok(json!(more)),
    }
}

/// The types that a `type` names.
pub(super) fn types(value: &Value) -> Vec<&str> {
    match value {
        Value::String(one) => vec![one],
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn common_choices(a: &Value, b: &Value) -> Result<Value, Merged> {
    let (Some(a), Some(b)) = (a.as_array(), b.as_array()) else {
        return Err(Merged::Unknown("enum".to_owned()));
    };
    let common: Vec<&Value> = a.iter().filter(|a| b.iter().any(|b| same(a, b))).collect();
    if common.is_empty() { Err(Merged::Never) } else { Ok(json!(common)) }
}

fn larger(keyword: &str, a: &Value, b: &Value) -> Result<Value, Merged> {
    match (a.as_f64(), b.as_f64()) {
        (Some(x), Some(y)) => Ok(if x >= y { a.clone() } else { b.clone() }),
        _ => Err(Merged::Unknown(keyword.to_owned())),
    }
}

fn other(kept: &Value, a: &Value, b: &Value) -> Value {
    if kept == a { b.clone() } else { a.clone() }
}

fn union(a: &Value, b: &Value) -> Value {
    let mut names: Vec<Value> = a.as_array().cloned().unwrap_or_default();
    for name in b.as_array().into_iter().flatten() {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    Value::Array(names)
}

/// The keywords that mean something only together.
const OBJECT_PART: [&str; 2] = ["properties", "additionalProperties"];

fn merge_objects(a: &Node, b: &Node, merged: &mut Node) -> Result<(), Merged> {
    for keyword in ["unevaluatedProperties", "unevaluatedItems"] {
        if a.contains_key(keyword) || b.contains_key(keyword) {
            return Err(Merged::Unknown(keyword.to_owned()));
        }
    }
    prefix_is_safe(a, b)?;
    if !OBJECT_PART.iter().any(|part| a.contains_key(*part) || b.contains_key(*part)) {
        return Ok(());
    }
    pattern_is_safe(a, b)?;
    let rest = merge_values(&rest_of(a), &rest_of(b))?;
    let properties = merge_properties(a, b, rest == Value::Bool(false))?;
    if !properties.is_empty() || a.contains_key("properties") || b.contains_key("properties") {
        merged.insert("properties".to_owned(), Value::Object(properties));
    }
    if rest != Value::Bool(true) {
        merged.insert("additionalProperties".to_owned(), rest);
    }
    Ok(())
}

/// `items` speaks of what `prefixItems` leaves over, so one side's `items` would change its
/// meaning beside the other's `prefixItems`.
fn prefix_is_safe(a: &Node, b: &Node) -> Result<(), Merged> {
    let mixed = a.get("prefixItems") != b.get("prefixItems")
        && [a, b].iter().any(|node| node.contains_key("items"));
    if mixed { Err(Merged::Unknown("prefixItems".to_owned())) } else { Ok(()) }
}

/// `additionalProperties` speaks of what `patternProperties` leaves over, too.
fn pattern_is_safe(a: &Node, b: &Node) -> Result<(), Merged> {
    let mixed = a.get("patternProperties") != b.get("patternProperties")
        && [a, b].iter().any(|node| node.contains_key("additionalProperties"));
    if mixed { Err(Merged::Unknown("patternProperties".to_owned())) } else { Ok(()) }
}

fn rest_of(node: &Node) -> Value {
    node.get("additionalProperties").cloned().unwrap_or(Value::Bool(true))
}

fn merge_properties(a: &Node, b: &Node, closed: bool) -> Result<Node, Merged> {
    let mut merged = Node::new();
    for name in names(a).chain(names(b)) {
        if merged.contains_key(name) {
            continue;
        }
        let schema = merge_values(&schema_of(a, name), &schema_of(b, name))?;
        // A closed object forbids what it does not name, so a forbidden property needs no entry.
        if closed && schema == Value::Bool(false) {
            if [a, b].iter().any(|node| strings(node, "required").contains(&name.as_str())) {
                return Err(Merged::Never);
            }
            continue;
        }
        merged.insert(name.clone(), schema);
    }
    Ok(merged)
}

fn names(node: &Node) -> impl Iterator<Item = &String> {
    node.get("properties").and_then(Value::as_object).into_iter().flatten().map(|(name, _)| name)
}

/// What one side says of a property, named or not.
fn schema_of(node: &Node, name: &str) -> Value {
    let named = node.get("properties").and_then(|properties| properties.get(name));
    named.cloned().unwrap_or_else(|| rest_of(node))
}

/// Whether no value can satisfy both schemas, as far as can be told from types, fixed values
/// and a discriminator.
pub(super) fn disjoint(a: &Value, b: &Value) -> bool {
    let (Some(a), Some(b)) = (a.as_object(), b.as_object()) else {
        return a == &Value::Bool(false) || b == &Value::Bool(false);
    };
    disjoint_types(a, b) || disjoint_choices(a, b) || discriminated(a, b)
}

fn disjoint_types(a: &Node, b: &Node) -> bool {
    match (a.get("type"), b.get("type")) {
        (Some(a), Some(b)) => common_types(a, b) == Err(Merged::Never),
        _ => false,
    }
}

fn disjoint_choices(a: &Node, b: &Node) -> bool {
    let apart = |choices: &[Value], node: &Node| choices.iter().all(|value| refuses(node, value));
    super::keywords::choices(a).is_some_and(|choices| apart(choices, b))
        || super::keywords::choices(b).is_some_and(|choices| apart(choices, a))
}

fn refuses(node: &Node, value: &Value) -> bool {
    let wrong_type = node
        .get("type")
        .is_some_and(|kinds| !types(kinds).iter().any(|kind| has_type(value, kind)));
    let not_chosen = super::keywords::choices(node)
        .is_some_and(|choices| !choices.iter().any(|choice| same(choice, value)));
    wrong_type || not_chosen
}

/// Both are objects that require a property whose values are apart.
fn discriminated(a: &Node, b: &Node) -> bool {
    let object = |node: &Node| node.get("type").and_then(Value::as_str) == Some("object");
    let shared = list(a, "required").iter().filter(|name| list(b, "required").contains(name));
    object(a)
        && object(b)
        && shared.filter_map(Value::as_str).any(|name| {
            match (schema_of(a, name), schema_of(b, name)) {
                (Value::Object(a), Value::Object(b)) => {
                    disjoint_types(&a, &b) || disjoint_choices(&a, &b)
                }
                _ => false,
            }
        })
}
