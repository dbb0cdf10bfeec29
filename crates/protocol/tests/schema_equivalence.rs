//! Where nothing is warned of, a rewritten schema allows what the original allows.

#![expect(clippy::print_stdout, reason = "the share of silent schemas is worth seeing")]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod schema_support;

use std::cell::Cell;

use dogu_protocol::schema::{Target, definition};
use dogu_tool::ToolSpec;
use proptest::test_runner::{Config, TestRunner};
use schema_support::{Dice, root, sample, valid};
use serde_json::{Map, Value, json};

const CASES: u32 = 200;
const VALUES: usize = 12;

fn parameters(schema: &Value, target: Target) -> (Value, Vec<String>) {
    let spec = ToolSpec::new("t", "T.", schema.clone()).unwrap();
    let definition = definition(&spec, target);
    let parts = ["/function/parameters", "/input_schema", "/inputSchema", "/parameters"];
    let schema = parts.iter().find_map(|part| definition.tool.pointer(part)).unwrap();
    (schema.clone(), definition.warnings)
}

/// How a rewritten schema judges values.
type Judge = fn(&Value) -> Box<dyn Fn(&Value) -> bool>;

/// The judge that JSON Schema is, made once: making it is most of the work.
fn plainly(schema: &Value) -> Box<dyn Fn(&Value) -> bool> {
    let validator = jsonschema::validator_for(schema).unwrap();
    Box::new(move |value| validator.is_valid(value))
}

/// Runs `judge` against the original on random schemas, and makes sure that enough of them
/// were silent and enough of the values valid for the test to mean something.
fn equivalent(
    target: Target,
    closed: bool,
    prepare: fn(Value) -> Value,
    tidy: fn(Value) -> Value,
    judge: Judge,
) {
    let (silent, compared, good) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let mut runner =
        TestRunner::new(Config { cases: CASES, failure_persistence: None, ..Config::default() });
    let cases = (root(closed), proptest::num::u64::ANY);
    let outcome = runner.run(&cases, |(schema, seed)| {
        let original = prepare(schema);
        let (rewritten, warnings) = parameters(&original, target);
        if !warnings.is_empty() {
            return Ok(());
        }
        silent.set(silent.get() + 1);
        let (judge, original_judge) = (judge(&rewritten), plainly(&original));
        let mut dice = Dice::new(seed);
        for _ in 0..VALUES {
            let value = tidy(sample(&original, &original, &mut dice));
            let expected = original_judge(&value);
            compared.set(compared.get() + 1);
            good.set(good.get() + usize::from(expected));
            proptest::prop_assert_eq!(
                judge(&value),
                expected,
                "{}\n{}\n{}",
                original,
                rewritten,
                value
            );
        }
        Ok(())
    });
    outcome.unwrap();
    println!(
        "{target:?}: {} of {CASES} silent, {} of {} values valid",
        silent.get(),
        good.get(),
        compared.get()
    );
    assert!(silent.get() > CASES as usize / 3, "{} silent", silent.get());
    assert!(good.get() > compared.get() / 10 && good.get() < compared.get() * 9 / 10);
}

fn as_it_is(value: Value) -> Value {
    value
}

#[test]
fn b8_plain_targets_allow_the_same() {
    for target in [Target::OpenAi, Target::Responses, Target::Anthropic, Target::Mcp] {
        equivalent(target, false, as_it_is, as_it_is, plainly);
    }
}

#[test]
fn b8_strict_allows_the_same_with_null_for_absent() {
    let judge: Judge = |schema| {
        let (schema, plain) = (schema.clone(), plainly(schema));
        Box::new(move |value| plain(&filled(&schema, value)))
    };
    equivalent(Target::OpenAiStrict, true, without_required_null, without_null, judge);
}

#[test]
fn b8_gemini_allows_the_same() {
    let judge: Judge = |schema| {
        let mut schema = from_gemini(schema);
        // A function without parameters is called with none.
        schema["additionalProperties"] = json!(false);
        plainly(&schema)
    };
    equivalent(Target::Gemini, true, as_it_is, as_it_is, judge);
}

/// A required value that may be null cannot be told from an absent one in strict mode.
fn without_required_null(mut schema: Value) -> Value {
    let definitions = schema["$defs"].clone();
    unrequire(&mut schema, &definitions);
    schema
}

fn unrequire(schema: &mut Value, definitions: &Value) {
    match schema {
        Value::Object(node) => {
            node.values_mut().for_each(|inner| unrequire(inner, definitions));
            let properties = node.get("properties").cloned().unwrap_or_default();
            if let Some(Value::Array(required)) = node.get_mut("required") {
                required.retain(|name| {
                    let property = &properties[name.as_str().unwrap()];
                    !valid(&json!({"allOf": [property], "$defs": definitions}), &Value::Null)
                });
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|inner| unrequire(inner, definitions)),
        _ => {}
    }
}

/// The value without keys that hold null: what strict mode takes for absent.
fn without_null(value: Value) -> Value {
    match value {
        Value::Object(map) => map
            .into_iter()
            .filter(|(_, v)| !v.is_null())
            .map(|(k, v)| (k, without_null(v)))
            .collect(),
        Value::Array(list) => list.into_iter().map(without_null).collect(),
        other => other,
    }
}

/// The value with null for every property that is absent.
fn filled(schema: &Value, value: &Value) -> Value {
    if let Some(branches) = schema["anyOf"].as_array() {
        let tried = branches.iter().map(|branch| (branch, filled(branch, value)));
        return tried
            .clone()
            .find(|(branch, filled)| valid(branch, filled))
            .or(tried.clone().next_back())
            .unwrap()
            .1;
    }
    match value {
        Value::Object(map) => {
            let mut map = map.clone();
            for (name, schema) in schema["properties"].as_object().unwrap_or(&Map::new()) {
                let inner = map.get(name).map_or(Value::Null, |inner| filled(schema, inner));
                map.insert(name.clone(), inner);
            }
            Value::Object(map)
        }
        Value::Array(list) => list.iter().map(|inner| filled(&schema["items"], inner)).collect(),
        other => other.clone(),
    }
}

/// Gemini's dialect as JSON Schema. Its objects have no word for other keys; the model is
/// offered the declared ones, so they are closed.
fn from_gemini(schema: &Value) -> Value {
    let Value::Object(node) = schema else { return schema.clone() };
    let mut node: Map<String, Value> =
        node.iter().map(|(key, value)| (key.clone(), inside(key, value))).collect();
    if node.contains_key("properties") {
        node.insert("additionalProperties".to_owned(), json!(false));
    }
    match node.remove("nullable") {
        Some(Value::Bool(true)) => json!({"anyOf": [node, {"type": "null"}]}),
        _ => Value::Object(node),
    }
}

fn inside(keyword: &str, value: &Value) -> Value {
    match (keyword, value) {
        ("properties", Value::Object(map)) => {
            map.iter().map(|(k, v)| (k.clone(), from_gemini(v))).collect()
        }
        ("anyOf", Value::Array(list)) => list.iter().map(from_gemini).collect(),
        ("items", schema) => from_gemini(schema),
        _ => value.clone(),
    }
}

/// What Gemini refuses outright, looked for everywhere.
#[test]
fn gemini_schemas_have_only_what_it_accepts() {
    let mut runner =
        TestRunner::new(Config { cases: CASES, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&root(false), |schema| {
        check_gemini(&parameters(&schema, Target::Gemini).0);
        Ok(())
    });
    outcome.unwrap();
}

fn check_gemini(schema: &Value) {
    let fields = [
        "type",
        "description",
        "nullable",
        "enum",
        "items",
        "properties",
        "required",
        "anyOf",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
    ];
    let node = schema.as_object().unwrap();
    assert!(node.keys().all(|key| fields.contains(&key.as_str())), "{schema}");
    assert!(!node.contains_key("anyOf") || node.len() == 1, "{schema}");
    assert!(node.contains_key("anyOf") || node["type"].is_string(), "{schema}");
    assert!(node.get("enum").is_none_or(
        |e| node["type"] == "string" && e.as_array().unwrap().iter().all(Value::is_string)
    ));
    let properties = node.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().for_each(|(_, inner)| check_gemini(inner));
    node.get("anyOf").and_then(Value::as_array).into_iter().flatten().for_each(check_gemini);
    node.get("items").into_iter().for_each(check_gemini);
}
