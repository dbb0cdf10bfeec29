//! What is coerced, and what is not.

use dogu_protocol::coerce::coerce;
use serde_json::{Value, json};

/// One property `x`, coerced.
fn coerced(schema: &Value, value: &Value) -> (Value, Vec<String>) {
    let root = json!({"type": "object", "properties": {"x": schema}, "required": ["x"]});
    let mut input = json!({"x": value});
    let notes = coerce(&root, &mut input);
    (input["x"].clone(), notes)
}

#[test]
fn what_is_meant_is_read() {
    let strings = json!({"type": "array", "items": {"type": "string"}});
    let rows = [
        (json!({"type": "integer"}), json!("5"), json!(5), "the number 5"),
        (json!({"type": "integer"}), json!(" -3\n"), json!(-3), "the number -3"),
        (json!({"type": "integer"}), json!("5.0"), json!(5), "the number 5"),
        (json!({"type": "integer"}), json!(5.0), json!(5), "the number 5"),
        (
            json!({"type": "integer"}),
            json!("18446744073709551615"),
            json!(u64::MAX),
            "the number 18446744073709551615",
        ),
        (json!({"type": "number"}), json!("1.5"), json!(1.5), "the number 1.5"),
        (json!({"type": "number"}), json!("5"), json!(5), "the number 5"),
        (json!({"type": "boolean"}), json!("True"), json!(true), "the boolean true"),
        (json!({"type": "boolean"}), json!("false"), json!(false), "the boolean false"),
        (json!({"type": ["integer", "null"]}), json!("null"), json!(null), "null"),
        (json!({"enum": [1, 2]}), json!("2"), json!(2), "the number 2"),
        (json!({"const": true}), json!("true"), json!(true), "the boolean true"),
        (strings.clone(), json!("a, b"), json!(["a, b"]), "a list with one item"),
        (strings.clone(), json!("[\"a\", \"b\"]"), json!(["a", "b"]), "the list in its text"),
        (strings.clone(), json!("\"[\\\"a\\\"]\""), json!(["a"]), "the list in its text"),
        (json!({"type": "array"}), json!(7), json!([7]), "a list with one item"),
        (json!({"type": "object"}), json!("{\"a\": 1}"), json!({"a": 1}), "the object in its text"),
        (json!({"type": "string"}), json!({"a": [1]}), json!("{\"a\":[1]}"), "text"),
        (
            json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}),
            json!("5"),
            json!(5),
            "the number 5",
        ),
        (
            json!({"oneOf": [{"type": "integer"}, {"type": "number"}]}),
            json!("5"),
            json!(5),
            "the number 5",
        ),
        (json!({"allOf": [{"type": "integer"}]}), json!("5"), json!(5), "the number 5"),
    ];
    for (schema, value, expected, how) in rows {
        let (found, notes) = coerced(&schema, &value);
        assert_eq!(found, expected, "{schema} {value}");
        assert_eq!(notes, [format!("read `x` as {how}")], "{schema} {value}");
    }
}

#[test]
fn what_is_not_plain_is_left_alone() {
    let rows = [
        (
            json!({"type": "integer"}),
            vec![
                json!("007"),
                json!("+5"),
                json!("0x10"),
                json!("1e3"),
                json!("5 apples"),
                json!(""),
                json!("5."),
                json!("1.5"),
                json!(42.7),
                json!(1e300),
                json!("NaN"),
                json!(true),
                json!(null),
                json!("18446744073709551616"),
            ],
        ),
        (
            json!({"type": "number"}),
            vec![
                json!("1,5"),
                json!("Infinity"),
                json!("123456789012345678901234567890"),
                json!("1e999"),
            ],
        ),
        (
            json!({"type": "string"}),
            vec![
                json!(42),
                json!(true),
                json!(null),
                json!("007"),
                json!("true"),
                json!("&lt;a&gt;"),
            ],
        ),
        (json!({"type": ["string", "boolean"]}), vec![json!("true"), json!(1)]),
        (json!({"type": ["string", "null"]}), vec![json!("null"), json!(7)]),
        (json!({"type": "boolean"}), vec![json!(1), json!("yes"), json!("1"), json!("null")]),
        (
            json!({"enum": ["read_file"]}),
            vec![json!("ReadFile"), json!("Read_File"), json!({"a": 1})],
        ),
        (json!({"enum": [1, 2]}), vec![json!("3"), json!("one")]),
        (
            json!({"type": "array", "items": {"type": "integer"}}),
            vec![json!("1,2"), json!(null), json!({"a": 1})],
        ),
        (json!({"type": "object"}), vec![json!("{a: 1}"), json!("[1]"), json!([]), json!("5")]),
        (
            json!({"anyOf": [{"type": "boolean"}, {"type": "array", "items": {"type": "string"}}]}),
            vec![json!("true")],
        ),
        (json!({"$ref": "#/nowhere"}), vec![json!("5")]),
        (json!({}), vec![json!("5")]),
        (json!(true), vec![json!("5")]),
    ];
    for (schema, values) in rows {
        for value in values {
            assert_eq!(coerced(&schema, &value), (value, vec![]), "{schema}");
        }
    }
}

#[test]
fn values_inside_are_reached_and_named() {
    let schema = json!({
        "type": "object",
        "properties": {
            "files": {"type": "array", "items": {"$ref": "#/$defs/file"}},
            "pair": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "boolean"}]},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "additionalProperties": {"type": "integer"},
        "$defs": {"file": {"type": "object", "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}}}},
    });
    let mut input = json!({"files": "{\"path\": \"a\", \"limit\": \"5\"}", "pair": ["1", "true"], "other": "9", "tags": ["7"]});
    let notes = coerce(&schema, &mut input);
    assert_eq!(
        input,
        json!({"files": [{"path": "a", "limit": 5}], "pair": [1, true], "other": 9, "tags": ["7"]})
    );
    let expected = [
        "read `files` as a list with one item",
        "read `files[0]` as the object in its text",
        "read `files[0].limit` as the number 5",
        "read `pair[0]` as the number 1",
        "read `pair[1]` as the boolean true",
        "read `other` as the number 9",
    ];
    assert_eq!(notes, expected);
}

#[test]
fn null_for_an_optional_property_is_absence() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": ["string", "null"]}, "c": {"type": "string"}, "o": {"type": "object", "properties": {"d": {"type": "integer"}}}},
        "required": ["c"],
    });
    let mut input = json!({"a": null, "b": null, "c": null, "o": {"d": null}, "e": null});
    assert_eq!(coerce(&schema, &mut input), [""; 0]);
    assert_eq!(input, json!({"b": null, "c": null, "o": {}, "e": null}));
}

#[test]
fn parts_that_bind_one_value_settle_in_one_call() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": ["integer", "null"]}},
        "allOf": [{"properties": {"a": {"type": ["integer", "string"]}}}],
    });
    let mut input = json!({"a": "null"});
    coerce(&schema, &mut input);
    assert_eq!(input, json!({}));
}

#[test]
fn the_whole_input_may_be_text() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let mut input = json!("\"{\\\"n\\\": \\\"3\\\"}\"");
    let notes = coerce(&schema, &mut input);
    assert_eq!(input, json!({"n": 3}));
    assert_eq!(notes, ["read `input` as the object in its text", "read `n` as the number 3"]);
}

#[test]
fn depth_and_unions_are_bounded() {
    let test = || {
        let mut deep = json!("5");
        for _ in 0..100_000 {
            deep = Value::Array(vec![deep]);
        }
        let schema = json!({"anyOf": [{"type": "array", "items": {"$ref": "#"}}, {"type": "array", "items": {"$ref": "#"}, "minItems": 1}, {"type": "integer"}]});
        assert_eq!(coerce(&schema, &mut deep), [""; 0]);
        std::mem::forget(deep);
        let mut nested = json!("five");
        for _ in 0..100 {
            nested = json!([nested]);
        }
        let before = nested.clone();
        coerce(&schema, &mut nested);
        assert_eq!(nested, before);
        assert_eq!(coerce(&json!({"$ref": "#"}), &mut json!("5")), [""; 0]);
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(test).unwrap().join().unwrap();
}
