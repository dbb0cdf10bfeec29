//! Roo Code's schema normalizer, compared with strict mode, which answers the same question.

use dogu_protocol::schema::{Target, definition};
use dogu_tool::ToolSpec;
use serde_json::{Value, json};

use crate::rows::{Comparison, Verdict, same};

pub(crate) const COMPARISON: Comparison =
    Comparison { file: "roo-json-schema.json", compare, different: &DIFFERENT };

const OPTIONAL: &str =
    "an optional property is required and nullable in strict mode; theirs leaves it optional";
const FORMAT: &str = "a format that is not accepted is told in the description; theirs drops it";

const DIFFERENT: [(&str, &str); 10] = [
    ("json_schema-0000", "strict mode takes `type: [string, null]` as it is; theirs splits it"),
    ("json_schema-0003", OPTIONAL),
    ("json_schema-0004", OPTIONAL),
    (
        "json_schema-0010",
        "a map cannot be strict; closing it, as theirs does, leaves no key to send",
    ),
    ("json_schema-0011", "`required: []` is written, which allows the same"),
    ("json_schema-0025", FORMAT),
    ("json_schema-0028", FORMAT),
    ("json_schema-0029", FORMAT),
    ("json_schema-0030", FORMAT),
    ("json_schema-0041", OPTIONAL),
];

#[test]
fn roo_schema_rows_agree_or_differ_for_a_reason() {
    COMPARISON.check();
}

fn compare(row: &Value, _: &[Value]) -> Verdict {
    same(&row["result"], &strict(&row["args"][0]))
}

/// The row's schema as one required property, so that its own form shows.
fn strict(schema: &Value) -> Value {
    function(schema)["parameters"]["properties"]["x"].clone()
}

fn function(schema: &Value) -> Value {
    let root = json!({"type": "object", "properties": {"x": schema}, "required": ["x"]});
    let spec = ToolSpec::new("t", "T.", root).unwrap();
    definition(&spec, Target::OpenAiStrict).tool["function"].clone()
}

/// What dogu does with an object of any keys, which theirs closes.
#[test]
fn a_map_stays_open_and_its_tool_is_not_strict() {
    let map = json!({"type": "object", "additionalProperties": {"type": "string"}});
    assert_eq!(strict(&map), map);
    assert_eq!(function(&map)["strict"], false);
}
