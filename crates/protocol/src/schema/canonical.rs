//! One shape for every schema, so that the strict and the Gemini rewriting have few cases.
//!
//! In canonical form a schema is one of: *anything* (no binding keyword), *one type* with the
//! keywords that bind that type, or *`anyOf`* of such schemas and nothing else but annotations.
//! Getting there changes nothing that is valid, save where a warning says so.

use serde_json::{Value, json};

use super::keywords::{
    Node, TYPES, binds, choices, describe, has_type, list, of_type, same, type_of,
};
use super::merge::{Merged, disjoint, merge, types};
use super::report::{Report, items, property};

/// How many pairs of branches two unions side by side may make.
const MAX_CROSSED: usize = 1_000;

/// The canonical form of a schema without references; none where no value is valid.
pub(super) fn canonical(schema: &Value, path: &str, report: &mut Report) -> Option<Node> {
    let node = match schema {
        Value::Bool(false) => return None,
        Value::Object(node) if report.spend(path) => node.clone(),
        _ => return Some(Node::new()),
    };
    let node = fold_all_of(node, path, report)?;
    let node = any_of_for_one_of(node, path, report);
    let node = enum_for_const(node)?;
    if node.contains_key("anyOf") {
        return union(node, path, report);
    }
    by_type(&node, path, report)
}

/// `allOf` merged into the schema around it.
pub(super) fn fold_all_of(mut node: Node, path: &str, report: &mut Report) -> Option<Node> {
    let Some(Value::Array(parts)) = node.shift_remove("allOf") else { return Some(node) };
    for part in parts {
        let part = match part {
            Value::Bool(false) => return None,
            Value::Object(part) => fold_all_of(part, path, report)?,
            _ => continue,
        };
        match merge(&node, &part) {
            Merged::Exact(merged) => node = merged,
            Merged::Never => return None,
            Merged::Unknown(keyword) => leave_out(&mut node, &part, &keyword, path, report),
        }
    }
    Some(node)
}

fn leave_out(node: &mut Node, part: &Node, keyword: &str, path: &str, report: &mut Report) {
    report.warn(
        path,
        &format!("a part of `allOf` cannot be merged (`{keyword}`); it is told in words"),
    );
    describe(node, &format!("Must also satisfy {}.", super::words::snippet(&json!(part))));
}

/// `oneOf` as `anyOf`: the same thing where no two branches share a value.
pub(super) fn any_of_for_one_of(mut node: Node, path: &str, report: &mut Report) -> Node {
    let Some(Value::Array(branches)) = node.shift_remove("oneOf") else { return node };
    if !pairwise_disjoint(&branches) {
        report.warn(path, "`oneOf` has branches that may overlap; it is sent as `anyOf`");
    }
    match node.shift_remove("anyOf") {
        Some(Value::Array(first)) if first.len() * branches.len() > MAX_CROSSED => {
            report.warn(path, "`anyOf` beside `oneOf` makes too many forms; `oneOf` is left out");
            node.insert("anyOf".to_owned(), Value::Array(first))
        }
        Some(Value::Array(first)) => node.insert("anyOf".to_owned(), crossed(&first, &branches)),
        _ => node.insert("anyOf".to_owned(), Value::Array(branches)),
    };
    node
}

fn pairwise_disjoint(branches: &[Value]) -> bool {
    let mut rest = branches.iter().enumerate();
    rest.all(|(at, a)| branches[at + 1..].iter().all(|b| disjoint(a, b)))
}

/// Both unions hold, so one branch of each does.
fn crossed(first: &[Value], second: &[Value]) -> Value {
    let pairs = first.iter().flat_map(|a| second.iter().map(move |b| json!({ "allOf": [a, b] })));
    pairs.collect()
}

/// `const` as an `enum` of one.
pub(super) fn enum_for_const(mut node: Node) -> Option<Node> {
    let Some(only) = node.shift_remove("const") else { return Some(node) };
    if node.contains_key("enum") && !list(&node, "enum").iter().any(|value| same(value, &only)) {
        return None;
    }
    node.insert("enum".to_owned(), json!([only]));
    Some(node)
}

/// A union: what stands beside `anyOf` binds every branch, so it moves into each.
fn union(mut node: Node, path: &str, report: &mut Report) -> Option<Node> {
    let Some(Value::Array(branches)) = node.shift_remove("anyOf") else { return Some(node) };
    let (base, notes): (Node, Node) = node.into_iter().partition(|(keyword, _)| binds(keyword));
    let mut flat = Vec::new();
    for branch in &branches {
        let Some(branch) = bound(&base, branch, path, report) else { continue };
        let Some(branch) = canonical(&branch, path, report) else { continue };
        // An open branch makes the whole union open.
        if !branch.keys().any(|keyword| binds(keyword)) {
            return Some(annotated(Node::new(), &notes));
        }
        add_flat(&mut flat, branch);
    }
    joined(flat).map(|node| annotated(node, &notes))
}

fn bound(base: &Node, branch: &Value, path: &str, report: &mut Report) -> Option<Value> {
    let Value::Object(part) = branch else {
        return (branch != &Value::Bool(false)).then(|| json!(base));
    };
    match merge(part, base) {
        Merged::Exact(merged) => Some(Value::Object(merged)),
        Merged::Never => None,
        // Both as `allOf`: folding it says in words what cannot be merged.
        Merged::Unknown(_) if !part.contains_key("allOf") => {
            let mut whole = part.clone();
            whole.insert("allOf".to_owned(), json!([base]));
            fold_all_of(whole, path, report).map(Value::Object)
        }
        Merged::Unknown(keyword) => {
            let mut whole = part.clone();
            leave_out(&mut whole, base, &keyword, path, report);
            Some(Value::Object(whole))
        }
    }
}

fn add_flat(flat: &mut Vec<Value>, branch: Node) {
    match branch.get("anyOf").and_then(Value::as_array) {
        Some(inner) => {
            for branch in inner {
                if !flat.contains(branch) {
                    flat.push(branch.clone());
                }
            }
        }
        None if flat.contains(&Value::Object(branch.clone())) => {}
        None => flat.push(Value::Object(branch)),
    }
}

fn joined(mut branches: Vec<Value>) -> Option<Node> {
    match branches.len() {
        0 => None,
        1 => branches
            .pop()
            .and_then(|one| if let Value::Object(node) = one { Some(node) } else { None }),
        _ => Some(Node::from_iter([("anyOf".to_owned(), Value::Array(branches))])),
    }
}

/// Puts the annotations of the schema that was taken apart on what became of it.
fn annotated(mut node: Node, notes: &Node) -> Node {
    if let Some(description) = notes.get("description") {
        let inner = node.insert("description".to_owned(), description.clone());
        if let Some(Value::String(inner)) = inner.filter(|inner| inner != description) {
            describe(&mut node, &inner);
        }
    }
    node
}

/// A schema without unions, one branch for each type that it allows.
fn by_type(node: &Node, path: &str, report: &mut Report) -> Option<Node> {
    let kinds = kinds(node, path, report);
    if kinds.is_empty() {
        return Some(description_only(node));
    }
    let mut branches = Vec::new();
    for kind in &kinds {
        if let Some(branch) = of_one_type(node, kind, path, report) {
            branches.push(Value::Object(branch));
        }
    }
    joined(branches).map(|joined| annotated(joined, &description_only(node)))
}

fn description_only(node: &Node) -> Node {
    node.get("description")
        .map(|text| ("description".to_owned(), text.clone()))
        .into_iter()
        .collect()
}

/// The types that a schema allows; none where it allows all of them.
fn kinds(node: &Node, path: &str, report: &mut Report) -> Vec<&'static str> {
    let mut found: Vec<&'static str> = match node.get("type") {
        Some(named) => {
            let named = types(named);
            TYPES.into_iter().filter(|kind| named.contains(kind)).collect()
        }
        None => unnamed_kinds(node, path, report),
    };
    // In the order in which they were named, for the sake of whoever reads the schema.
    if let Some(named) = node.get("type") {
        let named = types(named);
        found.sort_by_key(|kind| named.iter().position(|name| name == kind));
    }
    if found.contains(&"number") {
        found.retain(|kind| *kind != "integer");
    }
    found
}

fn unnamed_kinds(node: &Node, path: &str, report: &mut Report) -> Vec<&'static str> {
    if let Some(values) = choices(node) {
        let mut found: Vec<&'static str> = Vec::new();
        for value in values {
            if !found.contains(&type_of(value)) {
                found.push(type_of(value));
            }
        }
        return found;
    }
    let hinted = ["object", "array", "string", "number"]
        .into_iter()
        .find(|kind| node.keys().any(|keyword| of_type(kind).contains(&keyword.as_str())));
    if let Some(kind) = hinted {
        report.warn(path, &format!("has no `type`; it is sent as `{kind}`"));
    }
    hinted.into_iter().collect()
}

/// What a schema says of one type; none where no value of that type is left.
fn of_one_type(node: &Node, kind: &str, path: &str, report: &mut Report) -> Option<Node> {
    let mut branch = Node::from_iter([("type".to_owned(), json!(kind))]);
    for (keyword, value) in node {
        let applies = of_type(kind).contains(&keyword.as_str());
        if applies || matches!(keyword.as_str(), "not" | "if" | "then" | "else") {
            branch.insert(keyword.clone(), value.clone());
        }
    }
    if node.contains_key("enum") {
        let left: Vec<&Value> = list(node, "enum").iter().filter(|v| has_type(v, kind)).collect();
        if left.is_empty() {
            return None;
        }
        branch.insert("enum".to_owned(), json!(left));
    }
    match kind {
        "object" => object(branch, path, report),
        "array" => Some(array(branch, path, report)),
        _ => Some(branch),
    }
}

fn object(mut node: Node, path: &str, report: &mut Report) -> Option<Node> {
    let closed = node.get("additionalProperties") == Some(&Value::Bool(false));
    if let Some(Value::Object(properties)) = node.get("properties").cloned() {
        let mut kept = Node::new();
        for (name, schema) in &properties {
            match canonical(schema, &property(path, name), report) {
                Some(schema) => _ = kept.insert(name.clone(), Value::Object(schema)),
                None if list(&node, "required").contains(&json!(name)) => return None,
                None if closed => {}
                None => report.warn(&property(path, name), "is never allowed; it is left out"),
            }
        }
        node.insert("properties".to_owned(), Value::Object(kept));
    }
    if let Some(rest @ Value::Object(_)) = node.get("additionalProperties").cloned() {
        let rest = canonical(&rest, &property(path, "*"), report)
            .map_or(Value::Bool(false), Value::Object);
        node.insert("additionalProperties".to_owned(), rest);
    }
    Some(node)
}

fn array(mut node: Node, path: &str, report: &mut Report) -> Node {
    if node.get("items").is_some_and(Value::is_array) {
        // Draft 7 wrote tuples so.
        let tuple = node.shift_remove("items").unwrap_or_default();
        node.insert("prefixItems".to_owned(), tuple);
        if let Some(rest) = node.shift_remove("additionalItems") {
            node.insert("items".to_owned(), rest);
        }
    }
    let Some(schema) = node.get("items").cloned() else { return node };
    if let Some(schema) = canonical(&schema, &items(path), report) {
        node.insert("items".to_owned(), Value::Object(schema));
    } else {
        let length = list(&node, "prefixItems").len();
        node.shift_remove("items");
        node.insert("maxItems".to_owned(), json!(length));
    }
    node
}
