//! `$ref`: local references written out in place.

use serde_json::{Value, json};

use super::depth::MAX_DEPTH;
use super::keywords::{LISTS, MAPS, Node, SINGLES, binds};
use super::report::{Report, items, property};

/// How often a definition may stand inside itself. A model writes few levels of a recursive
/// value, and every level multiplies the schema.
const MAX_UNFOLDED: usize = 3;

/// Whether a schema refers to itself, directly or by way of another.
pub(super) struct Inlined {
    pub(super) schema: Value,
    pub(super) recursive: bool,
}

/// Writes out every reference of `root`.
pub(super) fn inline(root: &Value, report: &mut Report) -> Inlined {
    let mut inliner = Inliner { root, report, open: Vec::new(), depth: 0, recursive: false };
    let mut schema = inliner.schema(root, "");
    if let Some(node) = schema.as_object_mut() {
        node.shift_remove("$defs");
        node.shift_remove("definitions");
    }
    Inlined { schema, recursive: inliner.recursive }
}

struct Inliner<'r> {
    root: &'r Value,
    report: &'r mut Report,
    /// The references that are being written out, outermost first.
    open: Vec<String>,
    /// How deep what is written is by now: each reference may add the depth of the document.
    depth: usize,
    recursive: bool,
}

impl Inliner<'_> {
    fn schema(&mut self, schema: &Value, path: &str) -> Value {
        let Some(node) = schema.as_object() else { return schema.clone() };
        if !self.report.spend(path) {
            return json!({});
        }
        if self.depth > MAX_DEPTH {
            self.report.warn(path, "is nested too deep with its references written out; cut here");
            return json!({});
        }
        self.depth += 1;
        let inside = self.children(node, path);
        let written = match node.get("$ref").and_then(Value::as_str) {
            Some(reference) => combine(self.reference(reference, path), inside),
            None => Value::Object(inside),
        };
        self.depth -= 1;
        written
    }

    fn children(&mut self, node: &Node, path: &str) -> Node {
        let kept = node.iter().filter(|(keyword, _)| *keyword != "$ref");
        kept.map(|(keyword, value)| (keyword.clone(), self.keyword(keyword, value, path))).collect()
    }

    fn keyword(&mut self, keyword: &str, value: &Value, path: &str) -> Value {
        // What is defined is written out where it is used, not where it stands.
        if matches!(keyword, "$defs" | "definitions") {
            return Value::Null;
        }
        match value {
            Value::Object(map) if MAPS.contains(&keyword) => self.map(map, path),
            Value::Object(_) if SINGLES.contains(&keyword) => {
                self.schema(value, &inner_path(keyword, path))
            }
            Value::Array(list) if LISTS.contains(&keyword) || keyword == "items" => {
                list.iter().map(|item| self.schema(item, path)).collect()
            }
            _ => value.clone(),
        }
    }

    fn map(&mut self, map: &Node, path: &str) -> Value {
        let entries = map.iter();
        let written = entries
            .map(|(name, schema)| (name.clone(), self.schema(schema, &property(path, name))));
        Value::Object(written.collect())
    }

    fn reference(&mut self, reference: &str, path: &str) -> Value {
        let Some(target) = local(self.root, reference) else {
            self.report.warn(
                path,
                &format!("`$ref` to `{reference}` cannot be resolved here; any value is allowed"),
            );
            return json!({});
        };
        let times = self.open.iter().filter(|open| *open == reference).count();
        self.recursive |= times > 0;
        if times >= MAX_UNFOLDED {
            self.report.warn(
                path,
                &format!("`$ref` to `{reference}` is recursive; cut here, any value is allowed"),
            );
            return json!({});
        }
        self.open.push(reference.to_owned());
        let written = self.schema(target, path);
        self.open.pop();
        written
    }
}

fn inner_path(keyword: &str, path: &str) -> String {
    if keyword == "items" { items(path) } else { path.to_owned() }
}

/// What a reference into the same document names; none where it points elsewhere.
pub(crate) fn local<'r>(root: &'r Value, reference: &str) -> Option<&'r Value> {
    let pointer = reference.strip_prefix('#')?;
    if pointer.contains(['%', '~']) {
        return root.pointer(&percent_decoded(pointer));
    }
    // Nothing to decode, so nothing to allocate: coercion asks this for every value.
    let mut steps = pointer.split('/');
    let first = steps.next()?;
    steps.try_fold(root, step_into).filter(|_| first.is_empty())
}

fn step_into<'r>(value: &'r Value, step: &str) -> Option<&'r Value> {
    match value {
        Value::Object(map) => map.get(step),
        Value::Array(list) => list.get(step.parse::<usize>().ok()?),
        _ => None,
    }
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) if first == b'%' => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A reference's target with what stood beside the reference. Both bind; annotations beside
/// it win, since they speak of this use.
fn combine(target: Value, beside: Node) -> Value {
    if beside.keys().any(|keyword| binds(keyword)) {
        return json!({ "allOf": [beside, target] });
    }
    match target {
        Value::Object(mut node) => {
            node.extend(beside);
            Value::Object(node)
        }
        other => other,
    }
}
