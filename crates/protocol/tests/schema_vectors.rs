//! Another agent's schema normalizer, compared with strict mode where both answer one question.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod schema_support;

use dogu_protocol::schema::{Target, definition};
use dogu_tool::ToolSpec;
use serde_json::{Value, json};

/// The rows that differ, and why that is right.
const DIFFERENT: [(&str, &str); 10] = [
    ("json_schema-0000", "strict mode takes `type: [string, null]` as it is; theirs splits it"),
    (
        "json_schema-0003",
        "an optional property is required and nullable in strict mode; theirs leaves it optional",
    ),
    ("json_schema-0004", "the same"),
    (
        "json_schema-0010",
        "a map cannot be strict; closing it, as theirs does, leaves no key to send",
    ),
    ("json_schema-0011", "`required: []` is written, which allows the same"),
    (
        "json_schema-0025",
        "a format that is not accepted is told in the description; theirs drops it",
    ),
    ("json_schema-0028", "the same"),
    ("json_schema-0029", "the same"),
    ("json_schema-0030", "the same"),
    (
        "json_schema-0041",
        "an optional property is required and nullable in strict mode; theirs leaves it optional",
    ),
];

/// The row's schema as one required property, so that its own form shows.
fn strict(schema: &Value) -> Value {
    let root = json!({"type": "object", "properties": {"x": schema}, "required": ["x"]});
    let spec = ToolSpec::new("t", "T.", root).unwrap();
    let tool = definition(&spec, Target::OpenAiStrict).tool;
    tool["function"]["parameters"]["properties"]["x"].clone()
}

#[test]
fn normalized_schemas_agree_or_differ_for_a_reason() {
    let Some(rows) = schema_support::vectors("protocol/roo-json-schema.json") else {
        println!("not run: no vectors");
        return;
    };
    let mut agreed = 0;
    for row in &rows {
        let id = row["id"].as_str().unwrap();
        let same = strict(&row["args"][0]) == row["result"];
        agreed += usize::from(same);
        let reason = DIFFERENT.iter().find(|(known, _)| *known == id);
        assert_eq!(same, reason.is_none(), "{id}: {}\n{}", strict(&row["args"][0]), row["result"]);
    }
    println!("{agreed} of {} rows agree, {} differ on purpose", rows.len(), DIFFERENT.len());
    assert!(agreed > 0);
}
