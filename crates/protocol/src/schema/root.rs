//! The root: providers want one plain object there.

use serde_json::{Value, json};

use super::keywords::{Node, binds, describe, strings};
use super::merge::{Merged, merge, types};
use super::refs::local;
use super::report::Report;
use super::words::words;

/// References that may lead from one to the next before the root is found.
const MAX_HOPS: usize = 16;

/// The root with its own reference followed and its type said. The input of a tool is always
/// an object, so saying it changes nothing.
pub(super) fn object_root(schema: &Value, report: &mut Report) -> Node {
    let Some(node) = schema.as_object() else {
        report.warn("", "the schema is not an object; any input is allowed");
        return Node::from_iter([("type".to_owned(), json!("object"))]);
    };
    let mut root = follow(schema, node.clone());
    let given = root.get("type").map(types).unwrap_or_default();
    if root.contains_key("type") && !given.contains(&"object") {
        report.warn("", "the schema's `type` is not `object`; it is sent as `object`");
    }
    if given != ["object"] || root.get("type").is_some_and(Value::is_array) {
        // First, as every reader expects it.
        root.shift_insert(0, "type".to_owned(), json!("object"));
    }
    root
}

/// A schema with its own reference replaced by what it names.
pub(super) fn follow(document: &Value, mut node: Node) -> Node {
    for _ in 0..MAX_HOPS {
        let target = node.get("$ref").and_then(Value::as_str).and_then(|to| local(document, to));
        let Some(Value::Object(target)) = target.cloned() else { break };
        node.shift_remove("$ref");
        match merge(&node, &target) {
            Merged::Exact(merged) => node = merged,
            _ => break,
        }
    }
    node
}

/// A root union as one object: all properties of all forms, required what every form requires.
/// Neither OpenAI nor Anthropic nor Gemini takes a union there.
pub(super) fn one_form(mut root: Node, document: &Value, report: &mut Report) -> Node {
    for keyword in ["anyOf", "oneOf"] {
        let Some(Value::Array(branches)) = root.shift_remove(keyword) else { continue };
        let forms = forms(&root, &branches, document);
        report.warn("", &format!("`{keyword}` is not accepted at the top level; its forms are told in the description"));
        describe(&mut root, &told(&forms));
        let joined = join(&forms);
        root.retain(|name, _| !binds(name));
        root.extend(joined);
    }
    root
}

fn forms(root: &Node, branches: &[Value], document: &Value) -> Vec<Node> {
    let base: Node =
        root.iter().filter(|(name, _)| binds(name)).map(|(k, v)| (k.clone(), v.clone())).collect();
    let branches = branches.iter().filter_map(Value::as_object);
    let merged = branches.filter_map(|branch| {
        let branch = follow(document, branch.clone());
        match merge(&base, &branch) {
            Merged::Exact(form) => Some(form),
            Merged::Never => None,
            Merged::Unknown(_) => Some(branch),
        }
    });
    merged.collect()
}

fn told(forms: &[Node]) -> String {
    let named: Vec<String> = forms.iter().map(required_names).collect();
    format!("Give one of these forms: {}.", named.join(" or "))
}

fn required_names(form: &Node) -> String {
    let names = strings(form, "required");
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    if quoted.is_empty() {
        "(nothing required)".to_owned()
    } else {
        format!("({})", quoted.join(", "))
    }
}

fn join(forms: &[Node]) -> Node {
    let mut properties: Vec<(String, Vec<Value>)> = Vec::new();
    for (name, schema) in forms.iter().filter_map(declared).flatten() {
        match properties.iter_mut().find(|(known, _)| known == name) {
            Some((_, schemas)) if schemas.contains(schema) => {}
            Some((_, schemas)) => schemas.push(schema.clone()),
            None => properties.push((name.clone(), vec![schema.clone()])),
        }
    }
    let properties: Node =
        properties.into_iter().map(|(name, schemas)| (name, either(schemas))).collect();
    let mut joined = Node::from_iter([
        ("type".to_owned(), json!("object")),
        ("properties".to_owned(), Value::Object(properties)),
    ]);
    let required = required_by_all(forms);
    if !required.is_empty() {
        joined.insert("required".to_owned(), json!(required));
    }
    if forms.iter().all(|form| form.get("additionalProperties") == Some(&Value::Bool(false))) {
        joined.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    joined
}

fn declared(form: &Node) -> Option<&Node> {
    form.get("properties").and_then(Value::as_object)
}

fn required_by_all(forms: &[Node]) -> Vec<&str> {
    let Some((first, rest)) = forms.split_first() else { return Vec::new() };
    let mut names = strings(first, "required");
    names.retain(|name| rest.iter().all(|form| strings(form, "required").contains(name)));
    names
}

fn either(mut schemas: Vec<Value>) -> Value {
    match schemas.len() {
        1 => schemas.swap_remove(0),
        _ => json!({ "anyOf": schemas }),
    }
}

/// Tells a keyword that may not stand at the root.
pub(super) fn tell_at_root(root: &mut Node, keyword: &str, report: &mut Report) {
    if let Some(value) = root.shift_remove(keyword) {
        describe(root, &words(keyword, &value));
        report.warn(
            "",
            &format!("`{keyword}` is not accepted at the top level; it is told in the description"),
        );
    }
}
