//! Values as YAML in block style.

use serde_json::Value;

/// `key: value`, on as many lines as it takes.
pub(super) fn pair(key: &str, value: &Value) -> String {
    match value {
        Value::Object(members) if !members.is_empty() => {
            format!("{key}:\n{}", indented(&pairs(value), "  "))
        }
        Value::Array(items) if !items.is_empty() => {
            let items: String = items.iter().map(|item| format!("- {item}\n")).collect();
            format!("{key}:\n{}", indented(&items, "  "))
        }
        Value::String(text) if is_plain(text) => format!("{key}: {text}\n"),
        // What JSON writes is YAML too.
        _ => format!("{key}: {value}\n"),
    }
}

fn pairs(value: &Value) -> String {
    value.as_object().into_iter().flatten().map(|(key, value)| pair(key, value)).collect()
}

/// A mapping as an item of a list.
pub(super) fn list_item(value: &Value) -> String {
    let lines = indented(&pairs(value), "  ");
    format!("- {}", lines.trim_start())
}

/// Every line with this before it.
pub(super) fn indented(text: &str, indent: &str) -> String {
    text.lines().map(|line| format!("{indent}{line}\n")).collect()
}

/// Whether a text means itself without quotes, in every version of YAML.
fn is_plain(text: &str) -> bool {
    const WORDS: [&str; 11] =
        ["true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf"];
    let inside =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/' | '.' | ' ' | ',');
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    begins
        && !text.ends_with(' ')
        && text.chars().all(inside)
        && !WORDS.contains(&text.to_ascii_lowercase().as_str())
}
