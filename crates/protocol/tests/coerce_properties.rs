//! Coercion on random schemas and values.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod schema_support;

use dogu_protocol::coerce::coerce;
use proptest::prelude::*;
use schema_support::{Dice, root, sample};
use serde_json::{Value, json};

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn valid_inputs_are_untouched_and_coercion_settles(schema in root(false), seed: u64) {
        let validator = jsonschema::validator_for(&schema).unwrap();
        let mut dice = Dice::new(seed);
        for _ in 0..12 {
            let input = sample(&schema, &schema, &mut dice);
            let mut once = input.clone();
            let notes = coerce(&schema, &mut once);
            if validator.is_valid(&input) {
                prop_assert_eq!(&whole(&once), &whole(&input), "{}", schema);
            }
            if notes.is_empty() && !has_null(&input) {
                prop_assert_eq!(&once, &input, "a change without a note: {}", schema);
            }
            let mut twice = once.clone();
            prop_assert_eq!(coerce(&schema, &mut twice), Vec::<String>::new(), "{} {} {}", schema, input, once);
            prop_assert_eq!(twice, once);
        }
    }

    #[test]
    fn scalars_as_text_come_back(a: i64, b: bool, c in -1000..1000_i32, list in prop::collection::vec(any::<i32>(), 0..5)) {
        let schema = json!({
            "type": "object",
            "properties": {
                "a": {"type": "integer"}, "b": {"type": "boolean"}, "c": {"type": ["number", "null"]},
                "list": {"type": "array", "items": {"type": "integer"}},
                "inner": {"type": "object", "properties": {"a": {"type": "integer"}}},
                "text": {"type": "string"},
            },
        });
        let c = f64::from(c) / 8.0;
        let input = json!({"a": a, "b": b, "c": c, "list": list, "inner": {"a": a}, "text": a.to_string()});
        for mut texts in [as_text(&input, false), as_text(&input, true)] {
            coerce(&schema, &mut texts);
            prop_assert_eq!(whole(&texts), whole(&input));
        }
    }

    #[test]
    fn any_text_for_a_string_is_untouched(text: String) {
        let schema = json!({"type": "object", "properties": {"x": {"type": "string"}}});
        let mut input = json!({"x": text});
        let before = input.clone();
        prop_assert!(coerce(&schema, &mut input).is_empty());
        prop_assert_eq!(input, before);
    }
}

/// The input with its scalars as text; with `deep`, lists and objects as text, too.
fn as_text(input: &Value, deep: bool) -> Value {
    let Value::Object(map) = input else { return json!(input.to_string()) };
    let texts = map.iter().map(|(name, value)| {
        let text = match value {
            Value::String(_) => value.clone(),
            Value::Array(list) if !deep => {
                list.iter().map(|item| json!(item.to_string())).collect()
            }
            Value::Object(_) if !deep => as_text(value, false),
            other => json!(other.to_string()),
        };
        (name.clone(), text)
    });
    texts.collect()
}

/// The value with whole floats as integers, which JSON Schema holds for equal.
fn whole(value: &Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 => {
                json!(format!("{float:.0}").parse::<i64>().unwrap())
            }
            _ => value.clone(),
        },
        Value::Array(list) => list.iter().map(whole).collect(),
        Value::Object(map) => {
            map.iter().map(|(name, inner)| (name.clone(), whole(inner))).collect()
        }
        other => other.clone(),
    }
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.iter().any(has_null),
        Value::Object(map) => map.values().any(has_null),
        _ => false,
    }
}
