//! `parse_arguments`: always an object, and never a silent change.

use dogu_protocol::json::{Arguments, End, parse_arguments, repair};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::values::{any_object, any_value, junk, written};

fn reason(text: &str) -> String {
    parse_arguments(text, End::Said).unwrap_err().reason
}

#[test]
fn p10_nothing_is_an_empty_object() {
    for text in ["", "  \n", "null", " null ", "{}"] {
        let arguments = parse_arguments(text, End::Cut).unwrap();
        assert_eq!(arguments, Arguments { input: json!({}), notes: vec![] }, "{text}");
    }
}

#[test]
fn p10_the_error_says_what_and_where() {
    let error = parse_arguments("{\"a\": 1\n oh}", End::Said).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Failed to parse tool arguments: expected `,` or `}` at byte 9, \
         near `{\"a\": 1\\n oh}`"
    );
}

#[test]
fn only_an_object_will_do() {
    for (text, kind) in [
        ("[1]", "array"),
        (" 12", "number"),
        ("true", "boolean"),
        ("\"text\"", "string"),
        ("\"\"", "string"),
        ("\"[1]\"", "array"),
    ] {
        let expected = format!("expected an object with the tool's parameters but got {kind}");
        assert_eq!(reason(text), expected, "{text}");
    }
    assert_eq!(parse_arguments(" 12", End::Said).unwrap_err().position, 1);
}

#[test]
fn json_in_a_string_is_unwrapped_up_to_three_times() {
    let mut text = json!({"a": "b"}).to_string();
    for wrappings in 1..=4 {
        text = Value::from(text).to_string();
        let parsed = parse_arguments(&text, End::Said);
        if wrappings <= 3 {
            let arguments = parsed.unwrap();
            assert_eq!(arguments.input, json!({"a": "b"}));
            assert_eq!(arguments.notes, ["decoded arguments that were JSON inside a string"]);
        } else {
            assert!(parsed.unwrap_err().reason.ends_with("but got string"));
        }
    }
}

#[test]
fn json_in_a_string_is_repaired_too() {
    let arguments = parse_arguments(r#""{\"a\": [1,]}"#, End::Said).unwrap();
    assert_eq!(arguments.input, json!({"a": [1]}));
    assert_eq!(
        arguments.notes,
        [
            "closed what was left open: `\"`",
            "decoded arguments that were JSON inside a string",
            "removed a trailing comma"
        ]
    );
    let error = parse_arguments(r#"  "{\"a\": oh}""#, End::Said).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Failed to parse tool arguments: in the JSON inside the string, expected a value but got \
         `oh`, which is not in quotes (byte 6 of it) at byte 2, near `{\"a\": oh}`"
    );
}

#[test]
fn a_number_is_never_made_infinite_or_null() {
    for text in [r#"{"a":1e999}"#, r#"{"a":-1e999,}"#, "{\"a\":\"x\ny\",\"b\":1e999}"] {
        assert!(reason(text).ends_with("is too large"), "{text}");
    }
    let long = format!("{{\"a\":{},}}", "9".repeat(400));
    assert!(reason(&long).ends_with("is too large"));
}

/// The value written with other quotes than JSON's.
fn in_single_quotes(value: &Value) -> String {
    match value {
        Value::String(text) => single_quoted(text),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(in_single_quotes).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(members) => {
            let member = |(k, v): (&String, &Value)| {
                format!("{}: {}", single_quoted(k), in_single_quotes(v))
            };
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        scalar => scalar.to_string(),
    }
}

fn single_quoted(text: &str) -> String {
    let json = Value::from(text).to_string();
    format!("'{}'", json[1..json.len() - 1].replace('\'', "\\'").replace("\\\"", "\""))
}

/// Compact JSON with a comma before each bracket that closes something that is not empty.
fn with_trailing_commas(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            format!("[{}]", items.iter().map(|v| with_trailing_commas(v) + ",").collect::<String>())
        }
        Value::Object(members) => {
            let member = |(k, v): (&String, &Value)| {
                format!("{}:{},", Value::from(k.as_str()), with_trailing_commas(v))
            };
            format!("{{{}}}", members.iter().map(member).collect::<String>())
        }
        scalar => scalar.to_string(),
    }
}

fn reread(value: &Value) -> Value {
    serde_json::from_str(&value.to_string()).unwrap()
}

proptest! {
    #[test]
    fn valid_objects_pass_unchanged(object in any_object(), way in any::<u8>()) {
        let text = written(&object, way);
        let arguments = parse_arguments(&text, End::Cut).unwrap();
        prop_assert_eq!(arguments.input, serde_json::from_str::<Value>(&text).unwrap());
        prop_assert!(arguments.notes.is_empty());
    }

    #[test]
    fn the_repairing_reader_reads_valid_json_as_serde_does(value in any_value(), way in any::<u8>()) {
        // The comma sends it past the reader for what is valid.
        let text = format!("[{},]", written(&value, way));
        let (repaired, notes) = repair(&text, End::Cut).unwrap();
        prop_assert_eq!(&repaired[0], &reread(&value));
        prop_assert_eq!(notes, ["removed a trailing comma"]);
    }

    #[test]
    fn trailing_commas_change_nothing(object in any_object()) {
        let arguments = parse_arguments(&with_trailing_commas(&object), End::Cut).unwrap();
        prop_assert_eq!(arguments.input, reread(&object));
    }

    #[test]
    fn other_quotes_change_nothing(object in any_object()) {
        let text = in_single_quotes(&object);
        let arguments = parse_arguments(&text, End::Cut).unwrap();
        prop_assert_eq!(arguments.input, reread(&object));
    }

    #[test]
    fn missing_closers_change_nothing(object in any_object(), way in any::<u8>()) {
        let text = written(&object, way);
        let cut = text.trim_end_matches(['}', ']', '\n', ' ']);
        let arguments = parse_arguments(cut, End::Said).unwrap();
        prop_assert_eq!(arguments.input, reread(&object));
        prop_assert!(arguments.notes[0].starts_with("closed what was left open: `"));
        prop_assert!(parse_arguments(cut, End::Cut).is_err());
    }

    #[test]
    fn a_beginning_never_passes_for_the_whole_where_it_was_cut(
        object in any_object(),
        cut in any::<prop::sample::Index>(),
    ) {
        let text = object.to_string();
        let beginning = &text[..text.floor_char_boundary(cut.index(text.len()))];
        prop_assert_eq!(parse_arguments(beginning, End::Cut).is_err(), !beginning.is_empty());
    }

    #[test]
    fn anything_else_is_answered_and_always_the_same(text in junk()) {
        for end in [End::Said, End::Cut] {
            let answer = parse_arguments(&text, end);
            prop_assert_eq!(&answer, &parse_arguments(&text, end));
            match answer {
                Ok(arguments) => prop_assert!(arguments.input.is_object()),
                Err(error) => {
                    prop_assert!(error.to_string().starts_with("Failed to parse tool arguments: "));
                    prop_assert!(text.is_char_boundary(error.position));
                    prop_assert!(!error.excerpt.contains('\n'));
                }
            }
        }
    }
}
