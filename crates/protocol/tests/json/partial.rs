//! `PartialJson`: what is shown of JSON that is still arriving.

use dogu_protocol::json::{PartialJson, PartialState};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use crate::values::{any_value, junk, pieces, written};

fn after(text: &str) -> PartialJson {
    let mut partial = PartialJson::new();
    partial.push(text);
    partial
}

fn after_pieces<'t>(pieces: impl IntoIterator<Item = &'t str>) -> PartialJson {
    let mut partial = PartialJson::new();
    for piece in pieces {
        partial.push(piece);
    }
    partial
}

fn after_characters(text: &str) -> PartialJson {
    after_pieces(text.split_inclusive(|_| true))
}

#[test]
fn p10_the_value_so_far() {
    let table = [
        ("", json!({})),
        (" \n", json!({})),
        ("{", json!({})),
        ("[", json!([])),
        (r#"{"a"#, json!({})),
        (r#"{"a":"#, json!({})),
        (r#"{"a":""#, json!({"a": ""})),
        (r#"{"a":"x\"y"#, json!({"a": "x\"y"})),
        (r#"{"a":"x\"#, json!({"a": "x"})),
        (r#"{"a":"x\u12"#, json!({"a": "x"})),
        (r#"{"a":"x\ud83d"#, json!({"a": "x"})),
        (r#"{"a":"x\ud83d\"#, json!({"a": "x"})),
        (r#"{"a":"x\ud83d\ude0"#, json!({"a": "x"})),
        (r#"{"a":"x\ud83d\ude00"#, json!({"a": "x😀"})),
        (r#"{"a":"x\ud83dy"#, json!({"a": "x\u{FFFD}y"})),
        (r#"{"a":"x\ud83d\n"#, json!({"a": "x\u{FFFD}\n"})),
        (r#"{"a":"x\ud83d\u0041"#, json!({"a": "x\u{FFFD}A"})),
        (r#"{"a":"x\ud83d""#, json!({"a": "x\u{FFFD}"})),
        (r#"{"a":"x\ude00"#, json!({"a": "x\u{FFFD}"})),
        ("{\"a\":\"x\ny", json!({"a": "x\ny"})),
        (r#"{"a":[1,2"#, json!({"a": [1, 2]})),
        (r#"{"a":[1,-"#, json!({"a": [1]})),
        (r#"{"a":1e"#, json!({"a": 1})),
        (r#"{"a":1.5e+"#, json!({"a": 1.5})),
        (r#"{"a":1e999"#, json!({})),
        (r#"{"a":tru"#, json!({})),
        (r#"{"a":true"#, json!({"a": true})),
        (r#"{"a":false,"b":null,"#, json!({"a": false, "b": null})),
        (r#"{"a":{"b":[{"c":"d"#, json!({"a": {"b": [{"c": "d"}]}})),
        (r#"{"a":1,"a":[2"#, json!({"a": [2]})),
        (r#"{"a":1,"b":2,"a":"#, json!({"a": 1, "b": 2})),
        (r#"{"a":1,"b":2,"a":"x"#, json!({"a": "x", "b": 2})),
        ("-", json!({})),
        ("12", json!(12)),
        (r#""ab"#, json!("ab")),
    ];
    for (text, shown) in table {
        let complete = text == "12";
        for partial in [after(text), after_characters(text)] {
            assert_eq!(partial.value(), &shown, "{text}");
            let state = if complete { PartialState::Complete } else { PartialState::Open };
            assert_eq!(partial.state(), state, "{text}");
        }
    }
}

#[test]
fn the_value_stays_when_it_stops_being_json() {
    let table = [
        ("Hello, World!", 0, "expected a value", json!({})),
        ("{key: 1}", 1, "expected a key in double quotes", json!({})),
        (r#"{"a":1,}"#, 7, "expected a key in double quotes", json!({"a": 1})),
        (r#"{"a" 1}"#, 5, "expected `:` after the key", json!({})),
        (r#"{"a":1]"#, 6, "expected `,` or the closing bracket", json!({"a": 1})),
        ("[1 2]", 3, "expected `,` or the closing bracket", json!([1])),
        ("[1.x", 3, "the number is not finished", json!([1])),
        ("[01]", 2, "expected `,` or the closing bracket", json!([0])),
        ("[1e999]", 6, "the number is too large", json!([])),
        ("[trux", 4, "expected `true`, `false` or `null`", json!([])),
        (r#"["x\d"]"#, 4, "there is no such escape", json!(["x"])),
        (r#"["\u12z"]"#, 6, "there is no such escape", json!([""])),
        ("{} {}", 3, "something follows the value", json!({})),
        (r#"{"a":0,"a":?"#, 11, "expected a value", json!({"a": 0})),
    ];
    for (text, position, reason, shown) in table {
        for mut partial in [after(text), after_characters(text)] {
            partial.push(r#"{"more":1}"#);
            let invalid = PartialState::Invalid { position, reason };
            assert_eq!((partial.state(), partial.value()), (invalid, &shown), "{text}");
        }
    }
}

#[test]
fn a_number_that_becomes_too_large_hides_the_same_however_it_is_cut() {
    for text in [r#"{"a":0,"a":1e999"#, "[1,1e999", "1e999"] {
        let (whole, cut) = (after(text), after_characters(text));
        assert_eq!(whole.value(), cut.value(), "{text}");
        assert_eq!(whole.state(), PartialState::Open, "{text}");
    }
    // The digits may yet be divided: 400 of them are too large, with an exponent they are not.
    let long = format!("{{\"a\":{}", "1".repeat(400));
    let mut partial = after_characters(&long);
    assert_eq!(partial.value(), &json!({}));
    partial.push("e-399}");
    assert!(partial.is_complete());
    assert_eq!(partial.value(), &serde_json::from_str::<Value>(&format!("{long}e-399}}")).unwrap());
}

#[test]
fn what_is_shown_of_a_string_is_never_taken_back() {
    let text = r#"["a\ud83d\ud83d\ude00\ude00 \u0041\\\"ä"]"#;
    let (mut partial, mut before) = (PartialJson::new(), String::new());
    for piece in text.split_inclusive(|_| true) {
        partial.push(piece);
        let now = partial.value()[0].as_str().unwrap_or_default().to_owned();
        assert!(now.starts_with(&before), "{before} then {now}");
        before = now;
    }
    assert_eq!(before, "a\u{FFFD}😀\u{FFFD} A\\\"ä");
}

/// Whether all that is shown is there in the end: strings by their beginning, the rest whole.
/// Numbers are not compared, for 12 is shown of 123.
fn is_beginning(shown: &Value, whole: &Value) -> bool {
    match (shown, whole) {
        (Value::String(shown), Value::String(whole)) => whole.starts_with(shown.as_str()),
        (Value::Array(shown), Value::Array(whole)) => {
            shown.len() <= whole.len() && shown.iter().zip(whole).all(|(a, b)| is_beginning(a, b))
        }
        (Value::Object(shown), Value::Object(whole)) => shown
            .iter()
            .all(|(key, value)| whole.get(key).is_some_and(|whole| is_beginning(value, whole))),
        (Value::Number(_), Value::Number(_)) => true,
        _ => shown == whole || shown == &json!({}),
    }
}

proptest! {
    #[test]
    fn any_json_in_any_pieces_ends_as_serde_reads_it(
        value in any_value(),
        way in any::<u8>(),
        cuts in prop::collection::vec(any::<Index>(), 0..20),
    ) {
        let text = written(&value, way);
        let whole: Value = serde_json::from_str(&text).unwrap();
        let partial = after_pieces(pieces(&text, &cuts));
        prop_assert!(partial.is_complete());
        prop_assert_eq!(partial.value(), &whole);
    }

    #[test]
    fn each_beginning_shows_the_same_however_it_came(
        value in any_value(),
        way in any::<u8>(),
        cuts in prop::collection::vec(any::<Index>(), 0..20),
    ) {
        let text = written(&value, way);
        let whole: Value = serde_json::from_str(&text).unwrap();
        let (mut partial, mut read) = (PartialJson::new(), 0);
        for piece in pieces(&text, &cuts) {
            partial.push(piece);
            read += piece.len();
            let at_once = after(&text[..read]);
            prop_assert_eq!(partial.value(), at_once.value());
            prop_assert_eq!(partial.state(), at_once.state());
            prop_assert!(is_beginning(partial.value(), &whole), "{}", partial.value());
        }
    }

    #[test]
    fn junk_shows_the_same_however_it_came(
        text in junk(),
        cuts in prop::collection::vec(any::<Index>(), 0..20),
    ) {
        let (whole, cut) = (after(&text), after_pieces(pieces(&text, &cuts)));
        prop_assert_eq!(whole.value(), cut.value());
        prop_assert_eq!(whole.state(), cut.state());
        if whole.is_complete() && !text.chars().any(char::is_control) && !text.contains("\\u") {
            prop_assert_eq!(&serde_json::from_str::<Value>(&text).unwrap(), whole.value());
        }
    }
}
