//! Values fitted to a tool's schema, where that changes no meaning.
//!
//! Models send `"5"` for a number, one value for a list of one, JSON text for an object, and
//! `null` for what they leave out. [`coerce`] reads these as they were meant. A value that the
//! schema allows is never touched, and a value whose meaning is not plain (`"5 apples"`, 42.7
//! for an integer, 42 for a string) is left for validation to refuse.
//!
//! ```
//! use dogu_protocol::coerce::coerce;
//! use serde_json::json;
//!
//! let schema = json!({ "type": "object", "properties": { "limit": { "type": "integer" } } });
//! let mut input = json!({ "limit": "5" });
//! assert_eq!(coerce(&schema, &mut input), ["read `limit` as the number 5"]);
//! assert_eq!(input, json!({ "limit": 5 }));
//! ```

mod accept;
mod convert;
mod path;

use serde_json::{Map, Value};

use accept::{Judge, named_types};
use path::Path;

use crate::schema::keywords::{choices, same};
use crate::schema::too_deep;

/// How deep values are looked into.
const MAX_DEPTH: usize = 128;

/// Parts of a schema that bind the same value are asked one after the other, so what one of them
/// changes may be news to another; a second look settles it.
const MAX_PASSES: usize = 3;

/// Fits `input` to `schema` in place, and says what was changed, one note for each change.
/// Removing a `null` that stands for an absent value is not a change of the input.
pub fn coerce(schema: &Value, input: &mut Value) -> Vec<String> {
    let judge = Judge::new(schema);
    // Asked first and without allocation, since most inputs are valid.
    if judge.accepts(schema, input) || too_deep(schema) || too_deep(input) {
        return Vec::new();
    }
    let mut fitter = Fitter { judge: &judge, notes: Vec::new() };
    for _ in 0..MAX_PASSES {
        let before = fitter.notes.len();
        fitter.fit(schema, input, &Path::Root, 0);
        if fitter.notes.len() == before || judge.accepts(schema, input) {
            break;
        }
    }
    fitter.notes
}

struct Fitter<'j, 's> {
    judge: &'j Judge<'s>,
    notes: Vec<String>,
}

impl<'s> Fitter<'_, 's> {
    fn fit(&mut self, schema: &'s Value, value: &mut Value, path: &Path<'_>, depth: usize) {
        if depth > MAX_DEPTH || self.judge.accepts(schema, value) {
            return;
        }
        let Some(node) = schema.as_object() else { return };
        if let Some(target) = self.judge.target(node) {
            self.fit(target, value, path, depth + 1);
        }
        for part in parts(node, "allOf") {
            self.fit(part, value, path, depth + 1);
        }
        for union in ["anyOf", "oneOf"] {
            self.fit_union(parts(node, union), value, path, depth);
        }
        self.fit_type(node, value, path, depth);
        match value {
            Value::Object(map) => self.fit_object(node, map, path, depth),
            Value::Array(list) => self.fit_list(node, list, path, depth),
            _ => {}
        }
    }

    /// Takes the one branch that can be reached; two that lead to different values are a guess.
    fn fit_union(
        &mut self,
        branches: &'s [Value],
        value: &mut Value,
        path: &Path<'_>,
        depth: usize,
    ) {
        if branches.is_empty() || branches.iter().any(|branch| self.judge.accepts(branch, value)) {
            return;
        }
        let mut reached: Option<(Value, Vec<String>)> = None;
        for branch in branches {
            let Some(found) = self.attempt(branch, value, path, depth) else { continue };
            match &reached {
                Some((known, _)) if *known != found.0 => return,
                Some(_) => {}
                None => reached = Some(found),
            }
        }
        if let Some((fitted, notes)) = reached {
            *value = fitted;
            self.notes.extend(notes);
        }
    }

    /// What a schema makes of a value, where that satisfies it.
    fn attempt(
        &self,
        schema: &'s Value,
        value: &Value,
        path: &Path<'_>,
        depth: usize,
    ) -> Option<(Value, Vec<String>)> {
        let mut tried = Fitter { judge: self.judge, notes: Vec::new() };
        let mut copy = value.clone();
        tried.fit(schema, &mut copy, path, depth + 1);
        // Without the budget to judge, nothing is claimed to fit.
        let fits = self.judge.accepts(schema, &copy) && !self.judge.exhausted();
        fits.then_some((copy, tried.notes))
    }

    fn fit_type(
        &mut self,
        node: &'s Map<String, Value>,
        value: &mut Value,
        path: &Path<'_>,
        depth: usize,
    ) {
        let wanted = named_types(node);
        if wanted.is_empty() || wanted.accepts(value) {
            return;
        }
        if let Some((converted, how)) =
            convert::scalar(value, wanted).or_else(|| convert::json_text(value, wanted))
        {
            if allowed(node, &converted) {
                self.notes.push(format!("read `{path}` as {how}"));
                *value = converted;
            }
            return;
        }
        if wanted.has("array") && !value.is_null() {
            return self.fit_one_item(node, value, path, depth);
        }
        if let Some(text) = convert::text_of(value, wanted).filter(|text| allowed(node, text)) {
            self.notes.push(format!("read `{path}` as text"));
            *value = text;
        }
    }

    fn fit_one_item(
        &mut self,
        node: &'s Map<String, Value>,
        value: &mut Value,
        path: &Path<'_>,
        depth: usize,
    ) {
        let item = parts(node, "prefixItems").first().or_else(|| node.get("items"));
        let (fitted, notes) = match item {
            Some(schema) => {
                let inside = Path::Index(path, 0);
                let Some(found) = self.attempt(schema, value, &inside, depth) else { return };
                found
            }
            None => (value.clone(), Vec::new()),
        };
        self.notes.push(format!("read `{path}` as a list with one item"));
        self.notes.extend(notes);
        *value = Value::Array(vec![fitted]);
    }

    fn fit_object(
        &mut self,
        node: &'s Map<String, Value>,
        map: &mut Map<String, Value>,
        path: &Path<'_>,
        depth: usize,
    ) {
        let properties = node.get("properties").and_then(Value::as_object);
        // A strict schema makes a model send null for what it would leave out.
        map.retain(|name, value| {
            let schema = properties.and_then(|properties| properties.get(name));
            let absent = value.is_null()
                && !requires(node, name)
                && schema.is_some_and(|schema| !self.judge.accepts(schema, value));
            !absent
        });
        let rest = node.get("additionalProperties").filter(|rest| rest.is_object());
        // A key that a pattern names is not one of the rest.
        let rest = rest.filter(|_| !node.contains_key("patternProperties"));
        for (name, value) in map {
            let schema = properties.and_then(|properties| properties.get(name)).or(rest);
            if let Some(schema) = schema {
                self.fit(schema, value, &Path::Key(path, name), depth + 1);
            }
        }
    }

    fn fit_list(
        &mut self,
        node: &'s Map<String, Value>,
        list: &mut [Value],
        path: &Path<'_>,
        depth: usize,
    ) {
        let prefix = parts(node, "prefixItems");
        for (index, value) in list.iter_mut().enumerate() {
            if let Some(schema) = prefix.get(index).or_else(|| node.get("items")) {
                self.fit(schema, value, &Path::Index(path, index), depth + 1);
            }
        }
    }
}

/// The schemas of a list keyword.
fn parts<'s>(node: &'s Map<String, Value>, keyword: &str) -> &'s [Value] {
    node.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn requires(node: &Map<String, Value>, name: &str) -> bool {
    parts(node, "required").iter().any(|required| required.as_str() == Some(name))
}

/// Whether a value is one of the fixed ones, where there are any.
fn allowed(node: &Map<String, Value>, value: &Value) -> bool {
    choices(node).is_none_or(|choices| choices.iter().any(|choice| same(choice, value)))
}
