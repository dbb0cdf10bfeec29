//! Continue's readers of arguments: a text that becomes an object, and values fitted to a schema.
//!
//! Continue's tools read each argument with a function of its own. The schema that says the same
//! takes its place: its type, that it is required, and that it is not blank where the reader
//! refuses blanks. Where the reader throws, the schema must refuse what is left after coercion;
//! the words of the error are not compared.

use dogu_protocol::coerce::coerce;
use dogu_protocol::json::{End, parse_arguments};
use serde_json::{Value, json};

use crate::rows::{Comparison, Verdict, same};

pub(crate) const COMPARISON: Comparison =
    Comparison { file: "continue-parse-args.json", compare, different: &DIFFERENT };

const DIFFERENT: [(&str, &str); 2] = [
    ("call 2", "theirs gives up and calls the tool without arguments; here they are repaired"),
    ("call 55", "42.7 for an integer is refused, not floored: the model meant something else"),
];

#[test]
fn continue_argument_rows_agree_or_differ_for_a_reason() {
    COMPARISON.check();
}

fn compare(row: &Value, _: &[Value]) -> Verdict {
    match row["fn"].as_str().unwrap() {
        "safeParseToolCallArgs" => compare_text(row),
        "coerceArgsToSchema" => {
            compare_value(row, &row["args"][1], row["path"].as_array().unwrap())
        }
        _ => compare_value(row, &schema_of(row), &[row["args"][1].clone()]),
    }
}

fn compare_text(row: &Value) -> Verdict {
    // Without arguments there is no text, which is as good as an empty one.
    let text = row["args"][0]["function"]["arguments"].as_str().unwrap_or_default();
    let read = parse_arguments(text, End::Said).map_err(|error| error.to_string())?;
    same(&row["expected"], &read.input)
}

/// The schema of a tool whose one argument is read by the row's function.
fn schema_of(row: &Value) -> Value {
    let name = row["args"][1].as_str().unwrap();
    let flag = row["args"][2] == true;
    let (property, required) = match row["fn"].as_str().unwrap() {
        "getStringArg" => (text(flag), true),
        "getOptionalStringArg" => (text(flag), false),
        "getBooleanArg" => (json!({"type": "boolean"}), flag),
        "getNumberArg" => (json!({"type": "integer"}), true),
        other => panic!("there is no reader {other}"),
    };
    let required: &[&str] = if required { &[name] } else { &[] };
    json!({"type": "object", "properties": {name: property}, "required": required})
}

fn text(may_be_blank: bool) -> Value {
    if may_be_blank {
        json!({"type": "string"})
    } else {
        json!({"type": "string", "pattern": "\\S"})
    }
}

fn compare_value(row: &Value, schema: &Value, path: &[Value]) -> Verdict {
    let mut input = given(&row["args"][0]);
    coerce(schema, &mut input);
    let valid = jsonschema::validator_for(schema).unwrap().is_valid(&input);
    if row["throws"] == true {
        return if valid { Err(format!("{input} is not refused")) } else { Ok(()) };
    }
    // Continue's coercion does not validate, so only its readers say that a value is accepted.
    if row["fn"] != "coerceArgsToSchema" && !valid {
        return Err(format!("{input} is refused"));
    }
    let found = path.iter().fold(&input, |value, step| &value[step.as_str().unwrap()]);
    same(&row["expected"], found)
}

/// Arguments that are not there are none, as an empty text is.
fn given(arguments: &Value) -> Value {
    let absent = arguments.is_null() || arguments.get("$undefined").is_some();
    if absent { json!({}) } else { arguments.clone() }
}

/// What dogu does with the row that Continue gives up on: nothing is called without arguments
/// that the model did not leave out.
#[test]
fn broken_arguments_are_repaired_only_where_they_are_known_to_be_whole() {
    let text = r#"{"name": "test", value: 123"#;
    let read = parse_arguments(text, End::Said).unwrap();
    assert_eq!(read.input, json!({"name": "test", "value": 123}));
    assert!(parse_arguments(text, End::Cut).is_err());
}
