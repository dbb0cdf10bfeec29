//! Values and texts to try things with.

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Map, Value};

/// Any JSON value, a few levels deep.
pub(crate) fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        prop::num::f64::NORMAL.prop_map(Value::from),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            members(inner).prop_map(Value::Object),
        ]
    })
}

/// Any object, as a tool's arguments are.
pub(crate) fn any_object() -> impl Strategy<Value = Value> {
    members(any_value()).prop_map(Value::Object)
}

fn members(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec((any_text(), value), 0..6).prop_map(Map::from_iter)
}

/// Texts with a good share of what is special in JSON.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{0,8}",
        ".{0,12}",
        "[\"'\\\\/{}\\[\\],:\n\t\u{0}\u{1f}\u{7f}äß€😀🦀\u{ffff}]{0,12}",
    ]
}

/// A value as text, in one of the ways in which JSON can be written.
pub(crate) fn written(value: &Value, way: u8) -> String {
    match way % 3 {
        0 => value.to_string(),
        1 => serde_json::to_string_pretty(value).unwrap(),
        _ => in_ascii(&value.to_string()),
    }
}

/// JSON with everything that is not ASCII escaped. Outside strings there is nothing such.
fn in_ascii(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        if character.is_ascii() {
            out.push(character);
        } else {
            let mut units = [0; 2];
            out.extend(character.encode_utf16(&mut units).iter().map(|u| format!("\\u{u:04x}")));
        }
    }
    out
}

/// The text in pieces, cut at those places.
pub(crate) fn pieces<'t>(text: &'t str, cuts: &[Index]) -> Vec<&'t str> {
    let mut places: Vec<_> =
        cuts.iter().map(|cut| text.floor_char_boundary(cut.index(text.len() + 1))).collect();
    places.extend([0, text.len()]);
    places.sort_unstable();
    places.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

/// Text that is not JSON, but made of what JSON is made of.
pub(crate) fn junk() -> impl Strategy<Value = String> {
    let parts = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        "\"",
        ",",
        ":",
        "'",
        "\\",
        "/",
        "*",
        "#",
        "//",
        "/*",
        "*/",
        "t",
        "true",
        "f",
        "n",
        "None",
        "0",
        "1",
        "9",
        "e",
        "E",
        "+",
        "-",
        ".",
        " ",
        "\n",
        "\"a\"",
        "\"a\":",
        "a:",
        "“",
        "”",
        "’",
        "\\u",
        "\\ud83d",
        "\\ude00",
        "\\n",
        "```",
        "```json\n",
        "{}",
        "ä",
        "\u{feff}",
    ]);
    prop_oneof![".*", prop::collection::vec(parts, 0..40).prop_map(|parts| parts.concat())]
}
