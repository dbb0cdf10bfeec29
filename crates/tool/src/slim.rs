//! Schemas without what costs a model tokens and tells it nothing.
//!
//! A derived schema says how Rust stores a number, that what is optional is null by default, and
//! the same of an enum twice. None of that changes what is valid.

use serde_json::{Map, Value};

/// Takes that out of a schema and all schemas in it.
pub(crate) fn slim(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    if object.get("format").and_then(Value::as_str).is_some_and(is_storage) {
        object.remove("format");
    }
    if object.get("default") == Some(&Value::Null) {
        object.remove("default");
    }
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        properties.values_mut().for_each(slim);
    }
    for key in ["items", "additionalProperties"] {
        object.get_mut(key).into_iter().for_each(slim);
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        if let Some(Value::Array(parts)) = object.get_mut(key) {
            parts.iter_mut().for_each(slim);
        }
    }
    list_values(object);
    join_null(object);
}

/// How a number is stored.
fn is_storage(format: &str) -> bool {
    let sized = format.trim_start_matches('u').strip_prefix("int");
    matches!(format, "float" | "double")
        || sized.is_some_and(|bits| bits.chars().all(|digit| digit.is_ascii_digit()))
}

/// Texts that are described one by one, where the whole is described, too.
fn list_values(object: &mut Map<String, Value>) {
    if !object.contains_key("description") || object.contains_key("type") {
        return;
    }
    let Some(Value::Array(parts)) = object.get("oneOf") else { return };
    let values: Option<Vec<Value>> = parts.iter().map(|part| part.get("const").cloned()).collect();
    let Some(values) = values.filter(|values| values.iter().all(Value::is_string)) else { return };
    object.remove("oneOf");
    object.insert("type".to_owned(), "string".into());
    object.insert("enum".to_owned(), Value::Array(values));
}

/// Something of one type, or null.
fn join_null(object: &mut Map<String, Value>) {
    let Some(Value::Array(parts)) = object.get("anyOf") else { return };
    let [Value::Object(inner), Value::Object(null)] = &parts[..] else { return };
    let is_null = null.len() == 1 && null.get("type").is_some_and(|kind| kind == "null");
    let Some(Value::String(kind)) = inner.get("type").filter(|_| is_null) else { return };
    let mut joined = inner.clone();
    joined.insert("type".to_owned(), Value::from(vec![kind.clone(), "null".to_owned()]));
    if let Some(Value::Array(values)) = joined.get_mut("enum") {
        values.push(Value::Null);
    }
    object.remove("anyOf");
    for (key, value) in joined {
        object.entry(key).or_insert(value);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn slimmed(mut schema: Value) -> Value {
        slim(&mut schema);
        schema
    }

    #[test]
    fn what_says_nothing_is_gone() {
        let schema = json!({
            "type": "object",
            "properties": {
                "format": {"type": ["integer", "null"], "format": "uint", "default": null, "minimum": 0},
                "default": {"type": "string", "format": "date", "default": "x"},
                "list": {"type": "array", "items": {"type": "number", "format": "double"}},
            },
        });
        let expected = json!({
            "type": "object",
            "properties": {
                "format": {"type": ["integer", "null"], "minimum": 0},
                "default": {"type": "string", "format": "date", "default": "x"},
                "list": {"type": "array", "items": {"type": "number"}},
            },
        });
        assert_eq!(slimmed(schema), expected);
    }

    #[test]
    fn values_that_are_described_together_are_a_list() {
        let one = |value: &str| json!({"type": "string", "const": value, "description": "…"});
        let described = json!({"oneOf": [one("a"), one("b")], "description": "a or b"});
        let list = json!({"description": "a or b", "type": "string", "enum": ["a", "b"]});
        assert_eq!(slimmed(described.clone()), list);
        let alone = json!({"oneOf": [one("a"), one("b")]});
        assert_eq!(slimmed(alone.clone()), alone);
        let optional = json!({"anyOf": [described, {"type": "null"}], "description": "outer"});
        let expected =
            json!({"description": "outer", "type": ["string", "null"], "enum": ["a", "b", null]});
        assert_eq!(slimmed(optional), expected);
    }
}
