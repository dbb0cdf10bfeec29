//! Constraints in words, for schemas whose target has no keyword for them.

use serde_json::Value;

use super::keywords::{Node, describe};
use super::report::Report;

/// How much of a schema is quoted in a description.
const SNIPPET_CHARS: usize = 300;

/// Compact JSON for a description, cut where it is long.
pub(super) fn snippet(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SNIPPET_CHARS) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}

/// A constraint as a sentence.
pub(super) fn words(keyword: &str, value: &Value) -> String {
    match keyword {
        "minLength" => format!("At least {}.", counted(value, "character")),
        "maxLength" => format!("At most {}.", counted(value, "character")),
        "minItems" => format!("At least {}.", counted(value, "item")),
        "maxItems" => format!("At most {}.", counted(value, "item")),
        "minProperties" => format!("At least {}.", counted(value, "key")),
        "maxProperties" => format!("At most {}.", counted(value, "key")),
        "minimum" => format!("At least {value}."),
        "maximum" => format!("At most {value}."),
        "exclusiveMinimum" => format!("Greater than {value}."),
        "exclusiveMaximum" => format!("Less than {value}."),
        "multipleOf" => format!("A multiple of {value}."),
        "pattern" => format!("Must match `{}`.", value.as_str().unwrap_or_default()),
        "format" => format!("Format: {}.", value.as_str().unwrap_or_default()),
        "enum" => format!("One of {}.", values(value)),
        "uniqueItems" => "No item twice.".to_owned(),
        "required" => format!("Required keys: {}.", values(value)),
        "prefixItems" => format!("The items in order: {}.", snippet(value)),
        "additionalProperties" => format!("Other keys hold {}.", snippet(value)),
        "propertyNames" => format!("Keys must satisfy {}.", snippet(value)),
        "not" => format!("Must not satisfy {}.", snippet(value)),
        other => format!("`{other}`: {}.", snippet(value)),
    }
}

fn counted(value: &Value, noun: &str) -> String {
    let plural = if value.as_f64() == Some(1.0) { "" } else { "s" };
    format!("{value} {noun}{plural}")
}

fn values(value: &Value) -> String {
    let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().map(|value| format!("`{}`", bare(value))).collect::<Vec<_>>().join(", ")
}

fn bare(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Removes a keyword, says it in words, and warns.
pub(super) fn tell(node: &mut Node, keyword: &str, path: &str, report: &mut Report) {
    let Some(value) = node.shift_remove(keyword) else { return };
    if says_nothing(keyword, &value) {
        return;
    }
    describe(node, &words(keyword, &value));
    report.warn(path, &format!("`{keyword}` is not accepted here; it is told in the description"));
}

/// A keyword at its default value binds nothing.
fn says_nothing(keyword: &str, value: &Value) -> bool {
    match keyword {
        "uniqueItems" => value == &Value::Bool(false),
        "minLength" | "minItems" | "minProperties" => value.as_f64() == Some(0.0),
        "then" | "else" => value == &Value::Bool(true),
        "additionalProperties" | "propertyNames" | "unevaluatedProperties" | "unevaluatedItems" => {
            value == &Value::Bool(true) || value.as_object().is_some_and(Node::is_empty)
        }
        "patternProperties" | "dependentRequired" | "dependentSchemas" => {
            value.as_object().is_some_and(Node::is_empty)
        }
        "required" => value.as_array().is_some_and(Vec::is_empty),
        _ => false,
    }
}

/// Removes the keywords that `keep` does not want, in words.
pub(super) fn tell_all_but(
    node: &mut Node,
    path: &str,
    report: &mut Report,
    keep: impl Fn(&str, &Value) -> bool,
) {
    let rejected: Vec<String> = node
        .iter()
        .filter(|(keyword, value)| *keyword != "description" && !keep(keyword, value))
        .map(|(keyword, _)| keyword.clone())
        .collect();
    for keyword in rejected {
        if keyword == "format" { drop_format(node) } else { tell(node, &keyword, path, report) }
    }
}

/// A format asserts nothing by default, so no warning; but a model that is told it writes it.
/// Number formats only say how the program stores the number.
fn drop_format(node: &mut Node) {
    let format = node.shift_remove("format");
    if let Some(format) = format.filter(|_| node.get("type") == Some(&Value::from("string"))) {
        describe(node, &words("format", &format));
    }
}
