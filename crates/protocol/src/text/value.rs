//! From the raw text of parameters to typed values.
//!
//! Tags have no types, so the schema says how a text is read: a text that may be a string stays
//! one, whatever it looks like.

use serde_json::{Map, Value};

use super::nested;
use crate::json::{End, repair};
use crate::tools::KnownTool;

/// The JSON types that a schema allows.
#[expect(clippy::struct_excessive_bools, reason = "a set of six types")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Types {
    pub(super) string: bool,
    pub(super) number: bool,
    pub(super) boolean: bool,
    pub(super) null: bool,
    pub(super) object: bool,
    pub(super) array: bool,
}

impl Types {
    /// What a schema allows; one that says nothing allows a string.
    pub(super) fn of(schema: Option<&Value>) -> Self {
        let mut types = Self::default();
        if let Some(schema) = schema {
            types.add(schema, 0);
        }
        if types == Self::default() {
            types.string = true;
        }
        types
    }

    fn add(&mut self, schema: &Value, depth: usize) {
        match &schema["type"] {
            Value::String(name) => self.add_name(name),
            Value::Array(names) => {
                names.iter().filter_map(Value::as_str).for_each(|n| self.add_name(n));
            }
            _ => self.add_untyped(schema, depth),
        }
    }

    fn add_untyped(&mut self, schema: &Value, depth: usize) {
        for value in schema["enum"].as_array().into_iter().flatten().chain(schema.get("const")) {
            self.add_value(value);
        }
        // Deeper unions are no help to a reader of text.
        if depth < 4 {
            let branches = ["anyOf", "oneOf"].map(|key| schema[key].as_array());
            for branch in branches.into_iter().flatten().flatten() {
                self.add(branch, depth + 1);
            }
        }
        self.object |= schema.get("properties").is_some();
        self.array |= schema.get("items").is_some();
    }

    fn add_name(&mut self, name: &str) {
        match name {
            "string" => self.string = true,
            "number" | "integer" => self.number = true,
            "boolean" => self.boolean = true,
            "null" => self.null = true,
            "object" => self.object = true,
            "array" => self.array = true,
            _ => {}
        }
    }

    fn add_value(&mut self, value: &Value) {
        match value {
            Value::String(_) => self.string = true,
            Value::Number(_) => self.number = true,
            Value::Bool(_) => self.boolean = true,
            Value::Null => self.null = true,
            Value::Object(_) => self.object = true,
            Value::Array(_) => self.array = true,
        }
    }
}

/// Whether a parameter given more than once makes a list.
pub(super) fn wants_list(schema: Option<&Value>) -> bool {
    let types = Types::of(schema);
    types.array && !types.string
}

/// The input that these parameters make, or what is wrong with them.
pub(super) fn decode(
    tool: Option<&KnownTool>,
    given: Vec<(String, String)>,
    notes: &mut Vec<String>,
) -> Result<Value, String> {
    let mut input = Map::with_capacity(given.len());
    let mut fields = Map::new();
    for (name, raw) in given {
        let place = tool.and_then(|tool| field_of_list(tool, &name));
        match place {
            Some((list, schema)) if name == "args" => {
                insert(&mut input, list.to_owned(), decode_value(&raw, Some(schema), notes), true)?;
            }
            Some((_, item)) => {
                let value = decode_value(&raw, item["properties"].get(&name), notes);
                insert(&mut fields, name, value, false)?;
            }
            None => {
                let schema = tool.and_then(|tool| tool.schema_of(&name));
                let value = decode_value(&raw, schema, notes);
                insert(&mut input, name, value, wants_list(schema))?;
            }
        }
    }
    match tool.and_then(KnownTool::list_of_objects) {
        Some((list, item)) => fold(input, fields, list, item, tool),
        None => Ok(Value::Object(input)),
    }
}

/// The list that a parameter is a field of (with the schema of the list for `args`, else of an
/// item), where it is no parameter of its own.
fn field_of_list<'t>(tool: &'t KnownTool, name: &str) -> Option<(&'t str, &'t Value)> {
    if tool.schema_of(name).is_some() {
        return None;
    }
    let (list, item) = tool.list_of_objects()?;
    match name {
        "args" => Some((list, tool.schema_of(list)?)),
        _ if item["properties"].get(name).is_some() => Some((list, item)),
        _ => None,
    }
}

/// Fields that were given without the list around them are its only item.
fn fold(
    mut input: Map<String, Value>,
    fields: Map<String, Value>,
    list: &str,
    item: &Value,
    tool: Option<&KnownTool>,
) -> Result<Value, String> {
    if !fields.is_empty() {
        if input.contains_key(list) {
            let field = fields.keys().next().map_or("", String::as_str);
            return Err(format!("`{field}` is given beside `{list}`, which holds it."));
        }
        input.insert(list.to_owned(), Value::Array(vec![Value::Object(fields)]));
    }
    let is_required = tool.is_some_and(|tool| tool.required().any(|name| name == list));
    if is_required && !input.contains_key(list) {
        let field = item["required"][0].as_str().or_else(|| first_key(&item["properties"]));
        let field = field.map(|field| format!("{field} or ")).unwrap_or_default();
        return Err(format!("Missing required parameter: {field}{list}"));
    }
    Ok(Value::Object(input))
}

fn first_key(object: &Value) -> Option<&str> {
    object.as_object()?.keys().next().map(String::as_str)
}

fn insert(
    map: &mut Map<String, Value>,
    name: String,
    value: Value,
    joins: bool,
) -> Result<(), String> {
    match map.get_mut(&name) {
        None => {
            map.insert(name, value);
            Ok(())
        }
        Some(before) if joins => {
            join(before, value);
            Ok(())
        }
        Some(_) => Err(format!("The parameter `{name}` is given twice.")),
    }
}

/// Two values of a list parameter are two items of it, or two parts of the list.
fn join(before: &mut Value, value: Value) {
    let mut items = as_list(before.take());
    items.extend(as_list(value));
    *before = Value::Array(items);
}

fn as_list(value: Value) -> Vec<Value> {
    match value {
        Value::Array(items) => items,
        value => vec![value],
    }
}

/// One value, as its schema wants it. What does not fit stays a text, for the pipeline to refuse.
pub(super) fn decode_value(raw: &str, schema: Option<&Value>, notes: &mut Vec<String>) -> Value {
    let types = Types::of(schema);
    if types.string {
        return Value::String(verbatim(raw).to_owned());
    }
    let text = raw.trim();
    let scalar = scalar(text, types);
    if let Some(value) = scalar {
        return value;
    }
    if (types.object || types.array)
        && text.starts_with(['{', '['])
        && let Ok((value, repairs)) = repair(text, End::Said)
    {
        notes.extend(repairs);
        return value;
    }
    let schema = schema.unwrap_or(&Value::Null);
    let elements = (types.object || types.array).then(|| nested::decode(text, schema, notes));
    elements.flatten().unwrap_or_else(|| Value::String(verbatim(raw).to_owned()))
}

fn scalar(text: &str, types: Types) -> Option<Value> {
    if types.boolean && text.eq_ignore_ascii_case("true") {
        return Some(Value::Bool(true));
    }
    if types.boolean && text.eq_ignore_ascii_case("false") {
        return Some(Value::Bool(false));
    }
    if types.null && (text.is_empty() || text == "null") {
        return Some(Value::Null);
    }
    let number = || serde_json::from_str(text).ok().map(Value::Number);
    types.number.then(number).flatten()
}

/// A value on one line is trimmed. One over several lines is taken as it is, but for the line
/// break after the opening tag and the one before the closing tag.
pub(super) fn verbatim(raw: &str) -> &str {
    if !raw.contains('\n') {
        return raw.trim();
    }
    let text = raw.strip_prefix("\r\n").or_else(|| raw.strip_prefix('\n')).unwrap_or(raw);
    text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n')).unwrap_or(text)
}
