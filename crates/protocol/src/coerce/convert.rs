//! One value read as another type.

use serde_json::{Number, Value};

use super::accept::Kinds;

/// How often JSON text may be JSON text of JSON text.
const MAX_UNWRAPPED: usize = 3;
/// Digits that a float keeps, whatever they are.
const EXACT_DIGITS: usize = 15;
/// Whole floats up to here are exact.
const EXACT_WHOLE: f64 = 9_007_199_254_740_992.0;

/// A scalar as another scalar, and how it was read.
pub(super) fn scalar(value: &Value, wanted: Kinds) -> Option<(Value, String)> {
    match value {
        Value::String(text) => scalar_text(text.trim(), wanted),
        Value::Number(number) if wanted.has("integer") => {
            let whole = whole(number.as_f64()?)?;
            Some((Value::from(whole), format!("the number {whole}")))
        }
        _ => None,
    }
}

fn scalar_text(text: &str, wanted: Kinds) -> Option<(Value, String)> {
    if let Some(number) = number(text, wanted) {
        let how = format!("the number {number}");
        return Some((Value::Number(number), how));
    }
    if wanted.has("boolean") {
        for truth in [true, false] {
            if text.eq_ignore_ascii_case(&truth.to_string()) {
                return Some((Value::Bool(truth), format!("the boolean {truth}")));
            }
        }
    }
    (text == "null" && wanted.has("null")).then(|| (Value::Null, "null".to_owned()))
}

fn number(text: &str, wanted: Kinds) -> Option<Number> {
    if !wanted.has("number") && !wanted.has("integer") {
        return None;
    }
    let number: Number = serde_json::from_str(text).ok()?;
    if !number.is_f64() {
        return Some(number);
    }
    if wanted.has("number") {
        return exact(text).then_some(number);
    }
    // `1e3` is left alone: nobody writes a count so, and it may be a name.
    let plain = !text.contains(['e', 'E']) && exact(text);
    plain.then(|| whole(number.as_f64()?)).flatten().map(Number::from)
}

/// Whether a float holds what the text says.
fn exact(text: &str) -> bool {
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_start_matches('0').trim_end_matches('0').len() <= EXACT_DIGITS
}

#[expect(clippy::cast_possible_truncation, reason = "whole and within the exact range")]
fn whole(float: f64) -> Option<i64> {
    (float.fract() == 0.0 && float.abs() <= EXACT_WHOLE).then_some(float as i64)
}

/// JSON text as the list or object in it.
pub(super) fn json_text(value: &Value, wanted: Kinds) -> Option<(Value, String)> {
    let mut text = value.as_str()?.to_owned();
    for _ in 0..MAX_UNWRAPPED {
        match serde_json::from_str(&text).ok()? {
            Value::String(inner) => text = inner,
            list @ Value::Array(_) if wanted.has("array") => {
                return Some((list, "the list in its text".to_owned()));
            }
            object @ Value::Object(_) if wanted.has("object") => {
                return Some((object, "the object in its text".to_owned()));
            }
            _ => return None,
        }
    }
    None
}

/// A list or object as its text, where only text is wanted: the content of a JSON file that
/// was taken for arguments.
pub(super) fn text_of(value: &Value, wanted: Kinds) -> Option<Value> {
    let compound = matches!(value, Value::Object(_) | Value::Array(_));
    let only_text = wanted.has("string") && !wanted.has("object") && !wanted.has("array");
    (compound && only_text).then(|| Value::String(value.to_string()))
}
