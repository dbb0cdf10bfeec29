//! Schemas of other servers, made fit to be shown and to be checked by.
//!
//! Nothing is ever fetched: a reference that leads out of the schema accepts anything. References
//! that lead back to themselves without looking deeper into the value would never end, so they
//! accept anything, too.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::clean::{cleaned, cut, hides_anything};

/// How deep a schema may be.
const MAX_DEPTH: usize = 48;
/// How many bytes a schema may have.
const MAX_BYTES: usize = 64 * 1024;
/// How many characters of a text in it are shown.
const MAX_TEXT: usize = 4_000;

/// Keywords whose schemas look at the same value, not deeper into it.
const SAME_VALUE: [&str; 7] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];

/// Keywords that hold schemas by name, in a list, and alone.
const BY_NAME: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const IN_LIST: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
const ALONE: [&str; 12] = [
    "items",
    "additionalItems",
    "additionalProperties",
    "contains",
    "not",
    "if",
    "then",
    "else",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];

/// A schema as it is used, and what is not as the server wrote it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fitted {
    pub(crate) schema: Value,
    pub(crate) notes: Vec<String>,
}

/// The input schema of a tool: an object, whatever the server wrote.
pub(crate) fn input(written: Option<&Value>) -> Fitted {
    let anything = |note: &str| Fitted { schema: open_object(), notes: vec![note.to_owned()] };
    let Some(Value::Object(written)) = written else {
        return anything("its input schema is not one; any arguments are passed on");
    };
    match written.get("type") {
        None => {}
        Some(kind) if kind == "object" => {}
        Some(_) => return anything("its input schema is not of an object; any are passed on"),
    }
    let mut fitted = match fit(written) {
        Ok(fitted) => fitted,
        Err(note) => return anything(&format!("its input schema {note}; any are passed on")),
    };
    if let Some(map) = fitted.schema.as_object_mut() {
        map.insert("type".to_owned(), json!("object"));
        if !map.get("properties").is_none_or(Value::is_object) {
            return anything("its input schema has no proper properties; any are passed on");
        }
    }
    fitted
}

/// The output schema of a tool; none where it is not fit to check anything by.
pub(crate) fn output(written: Option<&Value>) -> Option<Value> {
    fit(written?.as_object()?).ok().map(|fitted| fitted.schema)
}

fn open_object() -> Value {
    json!({"type": "object", "properties": {}, "additionalProperties": true})
}

fn fit(written: &Map<String, Value>) -> Result<Fitted, String> {
    let size = Value::Object(written.clone()).to_string().len();
    if size > MAX_BYTES {
        return Err(format!("has {size} bytes, at most {MAX_BYTES} are used"));
    }
    let root = Value::Object(written.clone());
    let mut fitter = Fitter { root: &root, notes: BTreeSet::new() };
    let schema = fitter.schema(&root, 0);
    if hides_anything(&schema) {
        return Err("has hidden characters in names or values".to_owned());
    }
    Ok(Fitted { schema, notes: fitter.notes.into_iter().collect() })
}

struct Fitter<'a> {
    root: &'a Value,
    notes: BTreeSet<String>,
}

impl Fitter<'_> {
    fn schema(&mut self, schema: &Value, depth: usize) -> Value {
        let Value::Object(map) = schema else { return schema.clone() };
        if depth > MAX_DEPTH {
            self.notes.insert(format!("its schema is more than {MAX_DEPTH} levels deep"));
            return json!({});
        }
        let mut fitted = Map::new();
        for (key, value) in map {
            if let Some(value) = self.keyword(key, value, depth) {
                fitted.insert(key.clone(), value);
            }
        }
        Value::Object(fitted)
    }

    fn keyword(&mut self, key: &str, value: &Value, depth: usize) -> Option<Value> {
        match key {
            // Where the schema says it is from would change what its references mean.
            "$schema" | "$id" | "$anchor" | "$dynamicAnchor" | "$vocabulary" | "$dynamicRef"
            | "$recursiveRef" | "id"
                if value.is_string() || key == "$vocabulary" =>
            {
                None
            }
            "$ref" => self.reference(value),
            "description" | "title" | "$comment" => {
                value.as_str().map(|text| Value::String(cut(&cleaned(text), MAX_TEXT).into_owned()))
            }
            _ if BY_NAME.contains(&key) => {
                let Value::Object(map) = value else { return Some(value.clone()) };
                let each =
                    map.iter().map(|(name, one)| (name.clone(), self.schema(one, depth + 1)));
                Some(Value::Object(each.collect()))
            }
            _ if IN_LIST.contains(&key) => match value {
                Value::Array(all) => {
                    Some(all.iter().map(|one| self.schema(one, depth + 1)).collect())
                }
                _ => Some(value.clone()),
            },
            _ if ALONE.contains(&key) => Some(self.schema(value, depth + 1)),
            _ => Some(value.clone()),
        }
    }

    /// A reference within the schema that leads somewhere and comes to an end.
    fn reference(&mut self, value: &Value) -> Option<Value> {
        let target = value.as_str()?;
        let note = if !target.starts_with('#') {
            "a reference to another document is not followed"
        } else if !is_place(target) || self.at(target).is_none() {
            "a reference leads nowhere"
        } else if self.comes_back(target) {
            "a reference leads back to itself"
        } else {
            return Some(value.clone());
        };
        self.notes.insert(format!("{note}: anything is accepted there"));
        None
    }

    fn at(&self, target: &str) -> Option<&Value> {
        self.root.pointer(target.strip_prefix('#')?)
    }

    /// Whether following a reference comes back to it without looking deeper into the value.
    fn comes_back(&self, target: &str) -> bool {
        let mut seen = BTreeSet::new();
        let mut waiting = vec![target.to_owned()];
        while let Some(next) = waiting.pop() {
            let Some(schema) = self.at(&next) else { continue };
            for found in references(schema) {
                if found == target {
                    return true;
                }
                if seen.insert(found.clone()) {
                    waiting.push(found);
                }
            }
        }
        false
    }
}

/// Whether a reference leads to where schemas are: only those are looked through.
fn is_place(target: &str) -> bool {
    let Some(path) = target.strip_prefix('#') else { return false };
    let mut parts = path.split('/');
    if parts.next() != Some("") {
        return false;
    }
    while let Some(keyword) = parts.next() {
        let has_name = BY_NAME.contains(&keyword) || IN_LIST.contains(&keyword);
        if !(ALONE.contains(&keyword) || has_name && parts.next().is_some()) {
            return false;
        }
    }
    true
}

/// The references of a schema that look at the same value.
fn references(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![schema];
    while let Some(Value::Object(map)) = waiting.pop() {
        if let Some(target) = map.get("$ref").and_then(Value::as_str) {
            found.push(target.to_owned());
        }
        for keyword in SAME_VALUE {
            match map.get(keyword) {
                Some(Value::Array(all)) => waiting.extend(all.iter().filter(|one| one.is_object())),
                Some(one @ Value::Object(_)) => waiting.push(one),
                _ => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_proper_schema_stays() {
        let schema = json!({
            "type": "object",
            "properties": {"a": {"type": "integer", "description": "A number"}},
            "required": ["a"],
            "additionalProperties": false,
        });
        assert_eq!(input(Some(&schema)), Fitted { schema, notes: Vec::new() });
    }

    #[test]
    fn what_is_no_schema_of_an_object_accepts_anything() {
        for wrong in [
            json!("text"),
            json!([]),
            json!(true),
            json!({"type": "string"}),
            json!({"properties": []}),
        ] {
            let fitted = input(Some(&wrong));
            assert_eq!(fitted.schema, open_object(), "{wrong}");
            assert_eq!(fitted.notes.len(), 1);
        }
        assert_eq!(input(None).schema, open_object());
        assert_eq!(input(Some(&json!({}))).schema, json!({"type": "object"}));
    }

    #[test]
    fn nothing_is_fetched_and_nothing_goes_round() {
        let schema = json!({
            "$id": "https://evil.example/schema",
            "type": "object",
            "$defs": {
                "round": {"$ref": "#/$defs/round"},
                "twice": {"allOf": [{"$ref": "#/$defs/back"}]},
                "back": {"anyOf": [{"$ref": "#/$defs/twice"}]},
                "tree": {"type": "object", "properties": {"children": {
                    "type": "array", "items": {"$ref": "#/$defs/tree"}}}},
            },
            "properties": {
                "net": {"$ref": "https://evil.example/x.json", "description": "d"},
                "file": {"$ref": "file:///etc/passwd"},
                "round": {"$ref": "#/$defs/round"},
                "twice": {"$ref": "#/$defs/twice"},
                "tree": {"$ref": "#/$defs/tree"},
                "nowhere": {"$ref": "#/$defs/none"},
                "anchor": {"$ref": "#name"},
            },
        });
        let fitted = input(Some(&schema));
        let properties = &fitted.schema["properties"];
        assert_eq!(properties["net"], json!({"description": "d"}));
        for accepts_anything in ["file", "nowhere", "anchor"] {
            assert_eq!(properties[accepts_anything], json!({}), "{accepts_anything}");
        }
        assert_eq!(fitted.schema["$defs"]["round"], json!({}));
        assert_eq!(fitted.schema["$defs"]["twice"], json!({"allOf": [{}]}));
        assert_eq!(
            properties["tree"],
            json!({"$ref": "#/$defs/tree"}),
            "a tree is no endless loop"
        );
        assert_eq!(fitted.schema.get("$id"), None);
        assert_eq!(fitted.notes.len(), 3, "{:?}", fitted.notes);
    }

    #[test]
    fn texts_are_cleaned_and_hidden_names_make_it_unfit() {
        let schema = json!({"type": "object", "properties": {
            "a": {"description": "x\u{202e}y\u{1b}[1m", "type": "string"}}});
        assert_eq!(input(Some(&schema)).schema["properties"]["a"]["description"], "xy");
        let hidden = json!({"type": "object", "properties": {"a\u{200b}": {}}});
        assert_eq!(input(Some(&hidden)).schema, open_object());
        let hidden = json!({"type": "object", "properties": {"a": {"enum": ["\u{e0041}"]}}});
        assert_eq!(input(Some(&hidden)).schema, open_object());
    }

    #[test]
    fn depth_and_size_are_bounded() {
        let mut deep = json!({"type": "string"});
        for _ in 0..60 {
            deep = json!({"type": "object", "properties": {"a": deep}});
        }
        let fitted = input(Some(&deep));
        assert_eq!(fitted.notes, ["its schema is more than 48 levels deep"]);
        let large = json!({"type": "object", "title": "x".repeat(70_000)});
        assert!(input(Some(&large)).notes[0].contains("at most 65536"));
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            prop_oneof![
                Just("object"),
                Just("#/$defs/a"),
                Just("#"),
                Just("http://x/y"),
                Just("a")
            ]
            .prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            let key = prop_oneof![
                Just("type"),
                Just("properties"),
                Just("$ref"),
                Just("$defs"),
                Just("a"),
                Just("allOf"),
                Just("items"),
                Just("not"),
                Just("description"),
            ];
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((key, inner), 0..5)
                    .prop_map(|pairs| pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_value_becomes_a_schema_of_an_object(value in any_json()) {
            let fitted = input(Some(&value));
            prop_assert_eq!(&fitted.schema["type"], "object");
        }
    }
}
