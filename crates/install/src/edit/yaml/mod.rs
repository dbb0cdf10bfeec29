//! YAML: an entry goes first into its container, right below the line of the key.

mod render;
mod tree;

use serde_json::Value;

use self::tree::{Kind, Node};
use super::{EditError, Place, Shape, lines};

pub(super) fn read(text: &str) -> Result<Value, EditError> {
    Ok(tree::parse(text)?.map_or(Value::Null, |node| node.value()))
}

pub(super) fn fresh(place: Place, name: &str, entry: &Value) -> String {
    below(place.keys, &item(place.shape, name, entry))
}

/// The lines of an entry, without indentation.
fn item(shape: Shape, name: &str, entry: &Value) -> String {
    match shape {
        Shape::Map => render::pair(name, entry),
        Shape::List => render::list_item(entry),
    }
}

/// The lines below keys that are not there yet.
fn below(keys: &[&str], item: &str) -> String {
    keys.iter()
        .rev()
        .fold(item.to_owned(), |inner, key| format!("{key}:\n{}", render::indented(&inner, "  ")))
}

/// Refuses keys on the way that are there twice.
pub(super) fn locate(text: &str, place: Place, name: &str) -> Result<(), EditError> {
    let Some(root) = tree::parse(text)? else { return Ok(()) };
    let mut here = &root;
    for key in place.keys {
        match here.pair(key)? {
            Some((_, value)) => here = value,
            None => return Ok(()),
        }
    }
    if let Kind::List(items) = &here.kind
        && items.iter().filter(|item| is_named(item, name)).count() > 1
    {
        return Err(EditError::Twice(name.to_owned()));
    }
    here.pair(name).map(drop)
}

fn is_named(item: &Node, name: &str) -> bool {
    let named = item.pair("name").ok().flatten();
    named.is_some_and(|(_, value)| value.text() == Some(name))
}

pub(super) fn insert(
    text: &str,
    place: Place,
    name: &str,
    entry: &Value,
) -> Result<String, EditError> {
    let item = item(place.shape, name, entry);
    let root = tree::parse(text)?;
    let Some(mut here) = root.as_ref() else {
        return Ok(appended(text, &below(place.keys, &item)));
    };
    for (depth, key) in place.keys.iter().enumerate() {
        let Some((key, value)) = here.pair(key)? else {
            if depth > 0 || here.is_flow {
                return Err(EditError::Unsafe);
            }
            return Ok(appended(text, &below(place.keys, &item)));
        };
        if depth + 1 == place.keys.len() {
            return Ok(into(text, place, (key, value), name, entry));
        }
        here = value;
    }
    Err(EditError::Unsafe)
}

/// The text and, on lines of its own, the addition.
fn appended(text: &str, addition: &str) -> String {
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{}", lines::fitted(&format!("{gap}{addition}"), text))
}

/// Puts an item into the container that is there.
fn into(
    text: &str,
    place: Place,
    (key, value): (&Node, &Node),
    name: &str,
    entry: &Value,
) -> String {
    let first = match &value.kind {
        Kind::Map(pairs) => pairs.first().map(|(key, _)| key.start),
        Kind::List(items) => items.first().map(|item| item.start),
        Kind::Scalar { .. } => None,
    };
    let is_scalar = matches!(value.kind, Kind::Scalar { .. });
    if value.is_flow && !is_scalar {
        return flow(text, place, value, first.is_none(), (name, entry));
    }
    let indent = match first {
        Some(start) => lines::indent(text, start).to_owned(),
        None => format!("{}  ", lines::indent(text, key.start)),
    };
    // `null` in words gives way; nothing at all is just the end of the line.
    let null = (is_scalar && value.end > value.start).then_some(value);
    let line_end = lines::end(text, null.map_or(key.end, |null| null.end));
    let head = match null {
        Some(null) => {
            format!("{}{}", text[..null.start].trim_end(), &text[null.end..line_end])
        }
        None => text[..line_end].to_owned(),
    };
    let gap = if head.ends_with('\n') { "" } else { "\n" };
    let item = render::indented(&item(place.shape, name, entry), &indent);
    let addition = lines::fitted(&format!("{gap}{item}"), text);
    format!("{head}{addition}{}", &text[line_end..])
}

/// Puts an item between the brackets.
fn flow(
    text: &str,
    place: Place,
    value: &Node,
    is_empty: bool,
    (name, entry): (&str, &Value),
) -> String {
    let item = match place.shape {
        Shape::Map => format!("{}: {entry}", Value::from(name)),
        Shape::List => entry.to_string(),
    };
    let comma = if is_empty { "" } else { ", " };
    let open = value.start + 1;
    format!("{}{item}{comma}{}", &text[..open], &text[open..])
}

pub(super) fn remove(text: &str, place: Place, name: &str) -> Result<String, EditError> {
    let root = tree::parse(text)?.ok_or(EditError::Unsafe)?;
    let mut here = &root;
    for key in place.keys {
        here = &here.pair(key)?.ok_or(EditError::Unsafe)?.1;
    }
    let (start, end) = match &here.kind {
        Kind::Map(_) => {
            let (key, value) = here.pair(name)?.ok_or(EditError::Unsafe)?;
            (key.start, value.end.max(key.end))
        }
        Kind::List(items) => {
            let item = items.iter().find(|item| is_named(item, name)).ok_or(EditError::Unsafe)?;
            (item.start, item.end)
        }
        Kind::Scalar { .. } => return Err(EditError::Unsafe),
    };
    if here.is_flow {
        return Ok(out_of_flow(text, start, end));
    }
    // A block of text ends at the beginning of the next line.
    let last = if text[..end].ends_with('\n') { end } else { lines::end(text, end) };
    let begin = lines::begin(text, start);
    let mut rest = lines::cut(text, std::slice::from_ref(&(begin..last)));
    if is_last(here) {
        // Nothing is left below the key, which some readers take for a mistake.
        let empty = if place.shape == Shape::Map { " {}" } else { " []" };
        let above = rest[..begin].trim_end().len();
        rest.insert_str(above, empty);
    }
    Ok(rest)
}

fn is_last(container: &Node) -> bool {
    match &container.kind {
        Kind::Map(pairs) => pairs.len() == 1,
        Kind::List(items) => items.len() == 1,
        Kind::Scalar { .. } => false,
    }
}

/// Without the item and the comma after it, or before it.
fn out_of_flow(text: &str, start: usize, end: usize) -> String {
    let after = &text[end..];
    let spaces = after.len() - after.trim_start().len();
    if after[spaces..].starts_with(',') {
        let rest = after[spaces + 1..].trim_start();
        return format!("{}{rest}", &text[..start]);
    }
    let before = text[..start].trim_end();
    format!("{}{after}", before.strip_suffix(',').unwrap_or(before))
}
