//! Random schemas, and values that mostly fit them.
#![allow(dead_code, reason = "each test uses a part of it")]

use proptest::prelude::*;
use serde_json::{Map, Value, json};

pub(crate) fn valid(schema: &Value, value: &Value) -> bool {
    jsonschema::validator_for(schema).unwrap().is_valid(value)
}

/// A source of choices that a seed decides.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

fn leaf() -> BoxedStrategy<Value> {
    prop_oneof![
        Just(json!({"type": "string"})),
        Just(json!({"type": "string", "title": "T", "default": "a", "description": "Text."})),
        (-2..2_i64, 2..5_i64)
            .prop_map(|(a, b)| json!({"type": "integer", "minimum": a, "maximum": b})),
        Just(json!({"type": "integer", "exclusiveMinimum": 0})),
        Just(json!({"type": "number"})),
        Just(json!({"type": "boolean"})),
        Just(json!({"type": ["string", "null"]})),
        Just(
            json!({"type": ["integer", "boolean", "null"], "description": "Mixed.", "minimum": 1})
        ),
        Just(json!({"type": ["string", "array"], "items": {"type": "boolean"}})),
        Just(json!({"enum": ["a", "b"]})),
        Just(json!({"type": ["string", "null"], "enum": ["a", null]})),
        Just(json!({"type": "string", "enum": ["a", "b", 3]})),
        Just(json!({"const": "b"})),
        Just(
            json!({"allOf": [{"type": "number"}, {"type": ["integer", "string"]}, {"minimum": 1}]})
        ),
        Just(json!({"type": "string", "allOf": [{"enum": ["a", "b"]}, {"enum": ["b", "abc"]}]})),
        Just(json!({"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]})),
        Just(json!({"anyOf": [{"type": "string"}, {"enum": ["a"]}], "description": "Union."})),
    ]
    .boxed()
}

fn reference() -> BoxedStrategy<Value> {
    prop_oneof![
        Just(json!({"$ref": "#/$defs/d0"})),
        Just(json!({"$ref": "#/$defs/d1", "description": "Used."})),
    ]
    .boxed()
}

fn object(inner: BoxedStrategy<Value>, closed: bool) -> BoxedStrategy<Value> {
    let names = prop::sample::subsequence(vec!["a", "b", "c"], 1..=3);
    (names, prop::collection::vec(inner, 3), any::<[bool; 3]>(), 0..4_u8)
        .prop_map(move |(names, schemas, needed, extra)| {
            let required: Vec<&&str> =
                names.iter().zip(needed).filter(|(_, n)| *n).map(|(n, _)| n).collect();
            let properties: Map<String, Value> = names
                .iter()
                .zip(schemas)
                .map(|(name, schema)| ((*name).to_owned(), schema))
                .collect();
            let mut node =
                json!({"type": "object", "properties": properties, "required": required});
            if closed {
                node["additionalProperties"] = json!(false);
            }
            if extra == 0 {
                node["allOf"] =
                    json!([{"properties": {"a": {"type": ["string", "integer", "object"]}}}]);
            }
            node
        })
        .boxed()
}

/// A schema; `closed` ones have no object that takes undeclared keys.
pub(crate) fn schema(closed: bool) -> BoxedStrategy<Value> {
    let start = prop_oneof![4 => leaf(), 1 => reference()];
    start
        .prop_recursive(3, 24, 4, move |inner| {
            let apart = (object(inner.clone().boxed(), closed), inner.clone()).prop_map(|(object, items)| {
                json!({"oneOf": [object, {"type": "array", "items": items}, {"const": "none"}]})
            });
            let told = (object(inner.clone().boxed(), closed), object(inner.clone().boxed(), closed))
                .prop_map(|(one, two)| json!({"oneOf": [tagged(one, "one"), tagged(two, "two")]}));
            prop_oneof![
                inner.clone().prop_map(|items| json!({"type": "array", "items": items, "maxItems": 2})),
                object(inner.clone().boxed(), closed),
                apart,
                told,
                (inner.clone(), leaf()).prop_map(|(a, b)| json!({"anyOf": [a, b]})),
            ]
        })
        .boxed()
}

fn tagged(mut object: Value, tag: &str) -> Value {
    object["properties"]["kind"] = json!({"const": tag});
    object["required"].as_array_mut().unwrap().push(json!("kind"));
    object
}

/// A tool's input schema.
pub(crate) fn root(closed: bool) -> BoxedStrategy<Value> {
    (object(schema(closed), closed), leaf(), object(leaf(), closed))
        .prop_map(|(mut root, d0, d1)| {
            root["$defs"] = json!({"d0": d0, "d1": d1});
            root
        })
        .boxed()
}

/// A value that mostly fits a schema.
pub(crate) fn sample(root: &Value, schema: &Value, dice: &mut Dice) -> Value {
    if dice.roll(14) == 0 {
        return junk(dice);
    }
    if let Some(to) = schema["$ref"].as_str() {
        return sample(root, root.pointer(&to[1..]).unwrap(), dice);
    }
    for union in ["oneOf", "anyOf"] {
        if let Some(branches) = schema[union].as_array() {
            return sample(root, &branches[dice.roll(branches.len())], dice);
        }
    }
    if let Some(choices) = schema["enum"].as_array() {
        return choices[dice.roll(choices.len())].clone();
    }
    if let Some(only) = schema.get("const") {
        return only.clone();
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds[dice.roll(kinds.len())].as_str(),
        kind => kind.as_str(),
    };
    of_kind(root, schema, kind, dice)
}

fn of_kind(root: &Value, schema: &Value, kind: Option<&str>, dice: &mut Dice) -> Value {
    match kind {
        Some("string") => json!(["a", "b", "abc", "7", "true", ""][dice.roll(6)]),
        Some("integer") => json!([0, 1, 2, 3][dice.roll(4)]),
        Some("number") => json!([0.5, 1.25, -3.0][dice.roll(3)]),
        Some("boolean") => json!(dice.roll(2) == 0),
        Some("array") => (0..dice.roll(3)).map(|_| sample(root, &schema["items"], dice)).collect(),
        Some("object") => {
            let needed = |name: &String| {
                schema["required"].as_array().is_some_and(|r| r.contains(&json!(name)))
            };
            let properties = schema["properties"].as_object().unwrap();
            let mut map = Map::new();
            for (name, schema) in properties {
                if needed(name) || dice.roll(2) == 0 {
                    map.insert(name.clone(), sample(root, schema, dice));
                }
            }
            Value::Object(map)
        }
        _ => junk(dice),
    }
}

fn junk(dice: &mut Dice) -> Value {
    let all = [
        json!(null),
        json!(true),
        json!(2),
        json!(1.5),
        json!("b"),
        json!("2"),
        json!([]),
        json!([1, "a"]),
        json!({}),
        json!({"a": "b", "d": 1}),
        json!({"kind": "one"}),
        json!("none"),
        json!("[true]"),
        json!("null"),
    ];
    all[dice.roll(all.len())].clone()
}
