//! Values as they are written into a text that has its own habits.

use std::ops::Range;

use serde::Serialize as _;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

use super::super::lines;
use super::bare::Bare;
use super::skim::{self, Object};

/// What one level is indented by in this document.
pub(super) fn unit(text: &str, root: &Object) -> String {
    let first = root.members.first().map(|member| lines::indent(text, member.key.start));
    let on_its_own = is_spread(text, root);
    match first {
        Some(indent) if on_its_own && !indent.is_empty() => indent.to_owned(),
        _ => "  ".to_owned(),
    }
}

/// Whether its members are on lines of their own.
fn is_spread(text: &str, object: &Object) -> bool {
    match object.members.first() {
        Some(first) => text[object.open..first.key.start].contains('\n'),
        None => text[object.open..object.close].contains('\n'),
    }
}

/// The value on lines of its own, of which all but the first begin with `indent`.
pub(super) fn pretty(value: &Value, unit: &str, indent: &str) -> String {
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(unit.as_bytes());
    // A value whose keys are texts can always be written to memory.
    let _ = value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter));
    String::from_utf8_lossy(&bytes).replace('\n', &format!("\n{indent}"))
}

/// The text with one more member, the last.
pub(super) fn with_member(
    text: &str,
    bare: &Bare,
    object: &Object,
    key: &str,
    value: &Value,
    unit: &str,
) -> String {
    let last = object.members.last().map(|member| member.value.end);
    let trailing = last.and_then(|end| bare.comma_between(end, object.close));
    let key = Value::from(key);
    let is_root = skim::first(&bare.text) == Some(object.open);
    let is_empty = object.members.is_empty();
    let spread = is_spread(text, object) || (is_empty && (is_root || text.contains('\n')));
    let at = insertion_point(text, object);
    let tail = if trailing.is_some() { "," } else { "" };
    let addition = if spread {
        let around = lines::indent(text, object.open);
        let first = object.members.first().map(|member| lines::indent(text, member.key.start));
        let indent = first.map_or_else(|| format!("{around}{unit}"), str::to_owned);
        let ends_line = text[at..object.close].contains('\n');
        let close = if ends_line { String::new() } else { format!("\n{around}") };
        let value = pretty(value, unit, &indent);
        lines::fitted(&format!("\n{indent}{key}: {value}{tail}{close}"), text)
    } else {
        let gap = if is_empty { "" } else { " " };
        format!("{gap}{key}: {value}{tail}")
    };
    match last.filter(|_| trailing.is_none()) {
        Some(end) => format!("{},{}{addition}{}", &text[..end], &text[end..at], &text[at..]),
        None => format!("{}{addition}{}", &text[..at], &text[at..]),
    }
}

/// Behind everything in the object, comments too; at the end of a line that ends there.
fn insertion_point(text: &str, object: &Object) -> usize {
    let body = &text[..object.close];
    let end = body.trim_end_matches([' ', '\t', '\r', '\n']).len();
    let rest = &body[end..];
    let spaces = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    if rest[spaces..].is_empty() { end } else { end + spaces }
}

/// The text with another value in this range.
pub(super) fn with_value(text: &str, range: &Range<usize>, value: &Value, unit: &str) -> String {
    let indent = lines::indent(text, range.start);
    let written = if text.contains('\n') {
        lines::fitted(&pretty(value, unit, indent), text)
    } else {
        value.to_string()
    };
    format!("{}{written}{}", &text[..range.start], &text[range.end..])
}
