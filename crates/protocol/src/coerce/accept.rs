//! Whether a value is what a schema wants, as far as types, fixed values and keys say.
//!
//! It never refuses what is valid (bounds, patterns and conditions are not looked at), so a
//! valid value is never coerced. The one exception is a whole float for an integer: it is valid,
//! but programs read integers from `5`, not from `5.0`.

use std::cell::Cell;

use serde_json::{Map, Value};

use super::{MAX_DEPTH, parts};
use crate::schema::keywords::{TYPES, choices, same, type_of};
use crate::schema::refs::local;

/// How many schemas one coercion may look at. Unions inside unions are tried one by one, which
/// grows as a power of their depth.
const BUDGET: usize = 200_000;

pub(super) struct Judge<'s> {
    root: &'s Value,
    left: Cell<usize>,
}

impl<'s> Judge<'s> {
    pub(super) fn new(root: &'s Value) -> Self {
        Self { root, left: Cell::new(BUDGET) }
    }

    /// Whether the budget is spent; then nothing more is changed.
    pub(super) fn exhausted(&self) -> bool {
        self.left.get() == 0
    }

    /// The schema that a local `$ref` names.
    pub(super) fn target(&self, node: &Map<String, Value>) -> Option<&'s Value> {
        let reference = node.get("$ref")?.as_str()?;
        local(self.root, reference)
    }

    pub(super) fn accepts(&self, schema: &Value, value: &Value) -> bool {
        self.schema(schema, value, 0)
    }

    fn schema(&self, schema: &Value, value: &Value, depth: usize) -> bool {
        let Some(node) = schema.as_object() else { return schema != &Value::Bool(false) };
        let left = self.left.get().saturating_sub(1);
        self.left.set(left);
        if left == 0 || depth > MAX_DEPTH {
            return true;
        }
        let kinds = stated_types(node);
        (kinds.is_empty() || kinds.accepts(value))
            && choices(node).is_none_or(|all| all.iter().any(|one| same(one, value)))
            && self.combined(node, value, depth)
            && self.inside(node, value, depth)
    }

    fn combined(&self, node: &Map<String, Value>, value: &Value, depth: usize) -> bool {
        let accepts = |schema| self.schema(schema, value, depth + 1);
        let union = |keyword| {
            let branches = parts(node, keyword);
            branches.is_empty() || branches.iter().any(accepts)
        };
        self.target(node).is_none_or(accepts)
            && parts(node, "allOf").iter().all(accepts)
            && union("anyOf")
            && union("oneOf")
    }

    fn inside(&self, node: &Map<String, Value>, value: &Value, depth: usize) -> bool {
        match value {
            Value::Object(map) => self.object(node, map, depth),
            Value::Array(list) => self.list(node, list, depth),
            _ => true,
        }
    }

    fn object(&self, node: &Map<String, Value>, map: &Map<String, Value>, depth: usize) -> bool {
        let required = parts(node, "required").iter().filter_map(Value::as_str);
        let properties = node.get("properties").and_then(Value::as_object);
        let rest = node.get("additionalProperties");
        let rest = rest.filter(|_| !node.contains_key("patternProperties"));
        required.into_iter().all(|name| map.contains_key(name))
            && map.iter().all(|(name, value)| {
                let schema = properties.and_then(|properties| properties.get(name)).or(rest);
                schema.is_none_or(|schema| self.schema(schema, value, depth + 1))
            })
    }

    fn list(&self, node: &Map<String, Value>, list: &[Value], depth: usize) -> bool {
        let prefix = parts(node, "prefixItems");
        list.iter().enumerate().all(|(index, value)| {
            let schema = prefix.get(index).or_else(|| node.get("items"));
            schema.is_none_or(|schema| self.schema(schema, value, depth + 1))
        })
    }
}

/// A set of JSON types, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kinds(u8);

impl Kinds {
    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn has(self, kind: &str) -> bool {
        TYPES.iter().position(|known| *known == kind).is_some_and(|bit| self.0 & (1 << bit) != 0)
    }

    fn add(&mut self, kind: &str) {
        if let Some(bit) = TYPES.iter().position(|known| *known == kind) {
            self.0 |= 1 << bit;
        }
    }

    /// Whether a value is of one of the types, a whole float counting as no integer.
    pub(super) fn accepts(self, value: &Value) -> bool {
        match value {
            Value::Null => self.has("null"),
            Value::Bool(_) => self.has("boolean"),
            Value::String(_) => self.has("string"),
            Value::Array(_) => self.has("array"),
            Value::Object(_) => self.has("object"),
            Value::Number(number) => {
                self.has("number") || (!number.is_f64() && self.has("integer"))
            }
        }
    }
}

/// The types that `type` states.
fn stated_types(node: &Map<String, Value>) -> Kinds {
    let mut kinds = Kinds(0);
    match node.get("type") {
        Some(Value::String(kind)) => kinds.add(kind),
        Some(Value::Array(list)) => {
            list.iter().filter_map(Value::as_str).for_each(|kind| kinds.add(kind));
        }
        _ => {}
    }
    kinds
}

/// The types that `type` states, or else those of the fixed values.
pub(super) fn named_types(node: &Map<String, Value>) -> Kinds {
    let mut kinds = stated_types(node);
    if kinds.is_empty() {
        for value in choices(node).unwrap_or_default() {
            kinds.add(type_of(value));
        }
    }
    kinds
}
