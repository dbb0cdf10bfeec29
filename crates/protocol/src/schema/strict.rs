//! OpenAI's strict mode.
//!
//! What it accepts (its guide to structured outputs, state of 2026): `type`, `description`,
//! `properties`, `required`, `additionalProperties`, `items`, `anyOf` (not at the root), `enum`,
//! `const`, `pattern`, nine `format`s, the five bounds of numbers, `minItems` and `maxItems`.
//! Every object is closed and requires all its properties; an optional one is a union with
//! null. `minLength` and `maxLength` are not among the keywords that it lists as supported.

use serde_json::{Value, json};

use super::keywords::{Node, list, strings};
use super::report::{Report, items, property, shown};
use super::words::tell_all_but;

/// Levels of objects and lists. The guide says ten levels of nesting; lists are counted too,
/// since a refused tool costs the whole request and a loose one only its guarantee.
const MAX_LEVELS: usize = 10;
const MAX_PROPERTIES: usize = 5_000;
const MAX_ENUM_VALUES: usize = 1_000;
/// Names of properties and string values of enums, together.
const MAX_CHARS: usize = 120_000;
/// An enum of more values than this may not have more than [`MAX_LONG_ENUM_CHARS`] in all.
const LONG_ENUM: usize = 250;
const MAX_LONG_ENUM_CHARS: usize = 15_000;

const FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
const KEPT: [&str; 14] = [
    "type",
    "enum",
    "anyOf",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
];

/// The strict form of a canonical root, or why there is none.
pub(super) fn strict(root: &Node, report: &mut Report) -> Result<Value, String> {
    let mut strict = Strict { report, properties: 0, enum_values: 0, chars: 0 };
    let schema = strict.node(root, "", 1)?;
    strict.check_totals()?;
    Ok(Value::Object(schema))
}

struct Strict<'r> {
    report: &'r mut Report,
    properties: usize,
    enum_values: usize,
    chars: usize,
}

impl Strict<'_> {
    fn node(&mut self, node: &Node, path: &str, level: usize) -> Result<Node, String> {
        let mut node = node.clone();
        // Told in words, they would leave a closed object that takes none of them.
        if node
            .get("patternProperties")
            .and_then(Value::as_object)
            .is_some_and(|map| !map.is_empty())
        {
            return Err(format!("{} takes keys that are not declared", shown(path)));
        }
        tell_all_but(&mut node, path, self.report, kept);
        if node.contains_key("anyOf") {
            return self.union(node, path, level);
        }
        match node.get("type").and_then(Value::as_str) {
            Some("object") => self.object(node, path, level),
            Some("array") => self.array(node, path, level),
            Some(_) => self.scalar(node, path),
            None => Err(format!("{} may hold any value", shown(path))),
        }
    }

    fn union(&mut self, mut node: Node, path: &str, level: usize) -> Result<Node, String> {
        let mut branches = Vec::new();
        for branch in list(&node, "anyOf") {
            let branch = branch.as_object().cloned().unwrap_or_default();
            branches.push(Value::Object(self.node(&branch, path, level)?));
        }
        node.insert("anyOf".to_owned(), Value::Array(branches));
        Ok(nullable_scalar(&node).unwrap_or(node))
    }

    fn object(&mut self, mut node: Node, path: &str, level: usize) -> Result<Node, String> {
        check_level(path, level)?;
        let declared =
            node.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        check_closable(&node, &declared, path)?;
        let required: Vec<String> =
            strings(&node, "required").into_iter().map(str::to_owned).collect();
        let mut properties = Node::new();
        for (name, schema) in &declared {
            self.properties += 1;
            self.chars += name.chars().count();
            let inner = schema.as_object().cloned().unwrap_or_default();
            let inner = self.node(&inner, &property(path, name), level + 1)?;
            let inner = if required.contains(name) { inner } else { nullable(inner) };
            properties.insert(name.clone(), Value::Object(inner));
        }
        node.insert("required".to_owned(), properties.keys().cloned().collect());
        node.insert("properties".to_owned(), Value::Object(properties));
        node.insert("additionalProperties".to_owned(), Value::Bool(false));
        Ok(node)
    }

    fn array(&mut self, mut node: Node, path: &str, level: usize) -> Result<Node, String> {
        check_level(path, level)?;
        let inner = node.get("items").and_then(Value::as_object).cloned().unwrap_or_default();
        let inner = self.node(&inner, &items(path), level + 1)?;
        node.insert("items".to_owned(), Value::Object(inner));
        Ok(node)
    }

    fn scalar(&mut self, node: Node, path: &str) -> Result<Node, String> {
        let values = list(&node, "enum");
        let chars: usize =
            values.iter().filter_map(Value::as_str).map(|text| text.chars().count()).sum();
        self.enum_values += values.len();
        self.chars += chars;
        if values.len() > LONG_ENUM && chars > MAX_LONG_ENUM_CHARS {
            return Err(format!("the choices of {} are too long", shown(path)));
        }
        Ok(node)
    }

    fn check_totals(&self) -> Result<(), String> {
        let totals = [
            (self.properties, MAX_PROPERTIES, "properties"),
            (self.enum_values, MAX_ENUM_VALUES, "enum values"),
            (self.chars, MAX_CHARS, "characters in names and choices"),
        ];
        match totals.iter().find(|(found, most, _)| found > most) {
            Some((found, most, what)) => Err(format!("{found} {what}, {most} are allowed")),
            None => Ok(()),
        }
    }
}

fn kept(keyword: &str, value: &Value) -> bool {
    match keyword {
        "format" => value.as_str().is_some_and(|format| FORMATS.contains(&format)),
        // Its regular expressions have no look-around, which is what a group with `?` may be.
        "pattern" => value.as_str().is_some_and(|pattern| !pattern.contains("(?")),
        _ => KEPT.contains(&keyword),
    }
}

fn check_level(path: &str, level: usize) -> Result<(), String> {
    if level > MAX_LEVELS {
        return Err(format!("{} is nested deeper than {MAX_LEVELS} levels", shown(path)));
    }
    Ok(())
}

/// Closing an object that says nothing of other keys only keeps the model to the declared
/// ones. An object that says that it takes others, or declares none, is a map: closed, it
/// would take nothing.
fn check_closable(node: &Node, declared: &Node, path: &str) -> Result<(), String> {
    let open = match node.get("additionalProperties") {
        Some(Value::Bool(false)) => false,
        Some(_) => true,
        None => declared.is_empty() && !path.is_empty(),
    };
    if open {
        return Err(format!("{} takes keys that are not declared", shown(path)));
    }
    match strings(node, "required").iter().find(|name| !declared.contains_key(**name)) {
        Some(name) => Err(format!("`{}` is required but not declared", property(path, name))),
        None => Ok(()),
    }
}

/// A schema that takes null as well.
fn nullable(mut node: Node) -> Node {
    if let Some(Value::Array(branches)) = node.get_mut("anyOf") {
        if !branches.iter().any(takes_null) {
            branches.push(json!({ "type": "null" }));
        }
        return node;
    }
    if takes_null(&Value::Object(node.clone())) { node } else { with_null(node) }
}

fn with_null(mut node: Node) -> Node {
    let description = node.shift_remove("description");
    let mut union = Node::from_iter([("anyOf".to_owned(), json!([node, { "type": "null" }]))]);
    if let Some(description) = description {
        union.insert("description".to_owned(), description);
    }
    nullable_scalar(&union).unwrap_or(union)
}

fn takes_null(node: &Value) -> bool {
    match &node["type"] {
        Value::String(kind) => kind == "null",
        Value::Array(kinds) => kinds.contains(&json!("null")),
        _ => false,
    }
}

/// `type: [scalar, null]`, which strict mode takes, for a union of just those two.
fn nullable_scalar(union: &Node) -> Option<Node> {
    let [Value::Object(scalar), null] = list(union, "anyOf") else { return None };
    let kind = scalar.get("type").and_then(Value::as_str)?;
    if null != &json!({ "type": "null" })
        || !matches!(kind, "string" | "number" | "integer" | "boolean")
    {
        return None;
    }
    let mut node = scalar.clone();
    node.insert("type".to_owned(), json!([kind, "null"]));
    if let Some(Value::Array(values)) = node.get_mut("enum") {
        values.push(Value::Null);
    }
    if let Some(description) = union.get("description") {
        node.insert("description".to_owned(), description.clone());
    }
    Some(node)
}
