//! Lists and objects that are written as nested tags: `<file><path>a</path></file>`.

use serde_json::{Map, Value};

use super::tag::{Lexed, Tag, attributes, lex};
use super::value::{Types, decode_value, verbatim};

/// How deep tags may nest inside a value.
const MAX_DEPTH: usize = 16;

/// An element with its attributes and what is inside.
struct Element<'a> {
    name: &'a str,
    attributes: &'a str,
    inside: &'a str,
}

/// The list or object that nested tags spell, where the text is nothing but tags.
pub(super) fn decode(text: &str, schema: &Value, notes: &mut Vec<String>) -> Option<Value> {
    decode_at(text, schema, notes, 0)
}

fn decode_at(text: &str, schema: &Value, notes: &mut Vec<String>, depth: usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    let elements = elements(text)?;
    let types = Types::of(Some(schema));
    if !types.array {
        return object(&elements, schema, notes, depth).map(Value::Object);
    }
    let item = &schema["items"];
    let are_fields = elements.iter().all(|element| property(item, element.name).is_some());
    if are_fields && !elements.is_empty() {
        return object(&elements, item, notes, depth).map(|one| Value::Array(vec![one.into()]));
    }
    let items = elements.iter().map(|element| decode_element(element, item, notes, depth));
    Some(Value::Array(items.collect()))
}

fn object(
    elements: &[Element<'_>],
    schema: &Value,
    notes: &mut Vec<String>,
    depth: usize,
) -> Option<Map<String, Value>> {
    let mut map = Map::new();
    for element in elements {
        if insert_line_range(&mut map, element, schema) {
            continue;
        }
        let name = property(schema, element.name).unwrap_or(element.name);
        let field = &schema["properties"][name];
        let types = Types::of(Some(field));
        let wants_list = types.array && !types.string && map.contains_key(name);
        let value = decode_element(element, field, notes, depth);
        match map.get_mut(name) {
            None => drop(map.insert(name.to_owned(), value)),
            // Said twice and no list: which one was meant is not for us to guess.
            Some(_) if !wants_list && !field.is_null() => return None,
            Some(before) => append(before, value),
        }
    }
    Some(map)
}

fn append(before: &mut Value, value: Value) {
    let mut items = match before.take() {
        Value::Array(items) => items,
        one => vec![one],
    };
    match value {
        Value::Array(more) => items.extend(more),
        one => items.push(one),
    }
    *before = Value::Array(items);
}

fn decode_element(
    element: &Element<'_>,
    schema: &Value,
    notes: &mut Vec<String>,
    depth: usize,
) -> Value {
    let types = Types::of(Some(schema));
    if !types.object || types.string {
        return decode_value(element.inside, Some(schema), notes);
    }
    let nested = decode_at(element.inside.trim(), schema, notes, depth + 1);
    let mut map = match nested {
        Some(Value::Object(map)) => map,
        _ => text_object(element, schema),
    };
    for (name, text) in attributes(element.attributes) {
        let name = property(schema, name).unwrap_or(name);
        let value = decode_value(text, Some(&schema["properties"][name]), notes);
        map.entry(name).or_insert(value);
    }
    Value::Object(map)
}

/// `<suggest mode="code">words</suggest>`: the words are the field for text.
fn text_object(element: &Element<'_>, schema: &Value) -> Map<String, Value> {
    let text = element.inside.trim();
    if let Ok(map) = serde_json::from_str(text) {
        return map;
    }
    let mut map = Map::new();
    let field = text_field(schema);
    if let Some(field) = field.filter(|_| !text.is_empty()) {
        map.insert(field.to_owned(), Value::String(verbatim(element.inside).to_owned()));
    }
    map
}

/// `text`, else the first required field that is a string, else the first one.
fn text_field(schema: &Value) -> Option<&str> {
    let properties = schema["properties"].as_object()?;
    let is_text = |name: &str| properties.get(name).is_some_and(|s| Types::of(Some(s)).string);
    if is_text("text") {
        return Some("text");
    }
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    required.chain(properties.keys().map(String::as_str)).find(|name| is_text(name))
}

/// `<line_range>1-50</line_range>`, as Roo-Code's prompts teach it, where there are fields for
/// its two ends.
fn insert_line_range(map: &mut Map<String, Value>, element: &Element<'_>, schema: &Value) -> bool {
    let properties = &schema["properties"];
    if element.name != "line_range"
        || properties.get("line_range").is_some()
        || properties.get("start_line").is_none()
        || map.contains_key("start_line")
    {
        return false;
    }
    let range = element.inside.trim().split_once('-');
    let ends = range.and_then(|(from, to)| {
        Some((from.trim().parse::<u64>().ok()?, to.trim().parse::<u64>().ok()?))
    });
    let Some((from, to)) = ends else { return false };
    map.insert("start_line".to_owned(), from.into());
    map.insert("end_line".to_owned(), to.into());
    true
}

/// The property that a tag means, whatever its case.
fn property<'s>(schema: &'s Value, spelling: &str) -> Option<&'s str> {
    let properties = schema["properties"].as_object()?;
    let mut names = properties.keys().map(String::as_str);
    names.find(|name| name.eq_ignore_ascii_case(spelling))
}

/// The elements that a text consists of; `None` where there is anything else.
fn elements(text: &str) -> Option<Vec<Element<'_>>> {
    let mut all = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let Lexed::Tag(tag) = lex_at(rest)? else { return None };
        if tag.closing {
            return None;
        }
        let (inside, len) = if tag.self_closing { ("", tag.len) } else { matching(rest, &tag)? };
        all.push(Element { name: tag.name, attributes: tag.attributes, inside });
        rest = rest[len..].trim_start();
    }
    Some(all)
}

fn lex_at(text: &str) -> Option<Lexed<'_>> {
    text.starts_with('<').then(|| lex(text, |_| true))
}

/// What is inside the element that opens `text`, and how long it is with its closing tag.
fn matching<'a>(text: &'a str, open: &Tag<'_>) -> Option<(&'a str, usize)> {
    let mut depth = 1_usize;
    let mut at = open.len;
    loop {
        at += memchr::memchr(b'<', &text.as_bytes()[at..])?;
        let Lexed::Tag(tag) = lex(&text[at..], |name| name.eq_ignore_ascii_case(open.name)) else {
            at += 1;
            continue;
        };
        depth = if tag.closing { depth - 1 } else { depth + usize::from(!tag.self_closing) };
        if depth == 0 {
            return Some((&text[open.len..at], at + tag.len));
        }
        at += tag.len;
    }
}
