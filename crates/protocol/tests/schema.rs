//! Definitions as providers get them.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use dogu_protocol::schema::{Target, definition, prompt_text, xml_help};
use dogu_tool::ToolSpec;
use serde_json::{Value, json};

fn spec(schema: Value) -> ToolSpec {
    ToolSpec::new("search", "Searches.", schema).unwrap()
}

fn parameters(schema: &Value, target: Target) -> (Value, Vec<String>) {
    let definition = definition(&spec(schema.clone()), target);
    let parts = ["/function/parameters", "/parameters", "/input_schema", "/inputSchema"];
    let found = parts.iter().find_map(|part| definition.tool.pointer(part));
    (found.unwrap().clone(), definition.warnings)
}

/// One property, rewritten.
fn property(schema: &Value, target: Target) -> (Value, Vec<String>) {
    let root = json!({"type": "object", "properties": {"x": schema}, "required": ["x"]});
    let (root, warnings) = parameters(&root, target);
    (root["properties"]["x"].clone(), warnings)
}

/// A schema with a little of everything that tools use.
fn rich() -> Value {
    json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to look for.", "minLength": 1},
            "mode": {"type": "string", "enum": ["text", "regex"], "default": "text"},
            "limit": {"type": ["integer", "null"], "format": "uint", "minimum": 1},
            "filters": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"key": {"type": "string"}, "values": {"type": "array", "items": {"type": "string"}}},
                    "required": ["key"],
                    "additionalProperties": false,
                },
            },
        },
        "required": ["query"],
        "additionalProperties": false,
    })
}

#[test]
fn plain_targets_are_lossless() {
    let schema = rich();
    for target in [Target::OpenAi, Target::Responses, Target::Anthropic, Target::Mcp] {
        assert_eq!(parameters(&schema, target), (schema.clone(), vec![]), "{target:?}");
    }
    let spec = spec(schema);
    assert_eq!(definition(&spec, Target::OpenAi).tool, spec.to_openai());
    assert_eq!(definition(&spec, Target::Anthropic).tool, spec.to_schema());
}

#[test]
fn each_provider_has_its_form() {
    let schema = json!({"type": "object", "properties": {}});
    let mut spec = spec(schema.clone()).title("Search");
    spec.output_schema = Some(schema.clone());
    let closed =
        json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false});
    let rows = [
        (
            Target::OpenAi,
            json!({"type": "function", "function": {"name": "search", "description": "Searches.", "parameters": schema}}),
        ),
        (
            Target::OpenAiStrict,
            json!({"type": "function", "function": {"name": "search", "description": "Searches.", "parameters": closed, "strict": true}}),
        ),
        (
            Target::Responses,
            json!({"type": "function", "name": "search", "description": "Searches.", "parameters": schema, "strict": false}),
        ),
        (
            Target::ResponsesStrict,
            json!({"type": "function", "name": "search", "description": "Searches.", "parameters": closed, "strict": true}),
        ),
        (
            Target::Anthropic,
            json!({"name": "search", "description": "Searches.", "input_schema": schema}),
        ),
        (
            Target::Gemini,
            json!({"name": "search", "description": "Searches.", "parameters": {"type": "object"}}),
        ),
        (
            Target::Mcp,
            json!({"name": "search", "title": "Search", "description": "Searches.", "inputSchema": schema, "outputSchema": schema}),
        ),
    ];
    for (target, tool) in rows {
        let definition = definition(&spec, target);
        assert_eq!((definition.tool, definition.warnings), (tool, vec![]), "{target:?}");
    }
}

#[test]
fn strict_closes_requires_and_makes_nullable() {
    let (strict, warnings) = parameters(&rich(), Target::OpenAiStrict);
    let expected = json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to look for. At least 1 character."},
            "mode": {"type": ["string", "null"], "enum": ["text", "regex", null]},
            "limit": {"type": ["integer", "null"], "minimum": 1},
            "filters": {"anyOf": [
                {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "key": {"type": "string"},
                            "values": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
                        },
                        "required": ["key", "values"],
                        "additionalProperties": false,
                    },
                },
                {"type": "null"},
            ]},
        },
        "required": ["query", "mode", "limit", "filters"],
        "additionalProperties": false,
    });
    assert_eq!(strict, expected);
    assert_eq!(
        warnings,
        ["`query`: `minLength` is not accepted here; it is told in the description"]
    );
}

#[test]
fn gemini_gets_its_dialect() {
    let (gemini, warnings) = parameters(&rich(), Target::Gemini);
    let expected = json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to look for.", "minLength": 1},
            "mode": {"type": "string", "enum": ["text", "regex"]},
            "limit": {"type": "integer", "minimum": 1, "nullable": true},
            "filters": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"key": {"type": "string"}, "values": {"type": "array", "items": {"type": "string"}}},
                    "required": ["key"],
                },
            },
        },
        "required": ["query"],
    });
    assert_eq!((gemini, warnings), (expected, vec![]));
}

#[test]
fn gemini_properties() {
    let silent = [
        (json!({"const": "a"}), json!({"type": "string", "enum": ["a"]})),
        (json!({"enum": ["a", null]}), json!({"type": "string", "enum": ["a"], "nullable": true})),
        (json!({"enum": [true, false]}), json!({"type": "boolean"})),
        (
            json!({"type": "integer", "exclusiveMinimum": 0}),
            json!({"type": "integer", "minimum": 1}),
        ),
        (
            json!({"type": "integer", "exclusiveMaximum": 9, "maximum": 5}),
            json!({"type": "integer", "maximum": 5}),
        ),
        (
            json!({"type": "string", "format": "date-time"}),
            json!({"type": "string", "format": "date-time"}),
        ),
        (
            json!({"type": "string", "format": "uri"}),
            json!({"type": "string", "description": "Format: uri."}),
        ),
        (json!({"type": "object", "additionalProperties": true}), json!({"type": "object"})),
        (
            json!({"type": ["string", "integer", "null"], "description": "It."}),
            json!({"anyOf": [
                {"type": "string", "nullable": true, "description": "It."},
                {"type": "integer", "nullable": true, "description": "It."},
            ]}),
        ),
    ];
    for (schema, expected) in silent {
        assert_eq!(property(&schema, Target::Gemini), (expected, vec![]), "{schema}");
    }
    let told = [
        (
            json!({"type": "integer", "enum": [1, 2]}),
            json!({"type": "integer", "description": "One of `1`, `2`."}),
            "enum",
        ),
        (
            json!({"type": "number", "exclusiveMinimum": 0}),
            json!({"type": "number", "description": "Greater than 0."}),
            "exclusiveMinimum",
        ),
        (
            json!({"type": "integer", "multipleOf": 5}),
            json!({"type": "integer", "description": "A multiple of 5."}),
            "multipleOf",
        ),
        (
            json!({"type": "array", "items": {"type": "string"}, "uniqueItems": true}),
            json!({"type": "array", "items": {"type": "string"}, "description": "No item twice."}),
            "uniqueItems",
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "string"}}),
            json!({"type": "object", "description": "Other keys hold `{\"type\":\"string\"}`."}),
            "additionalProperties",
        ),
        (
            json!({"type": "object", "required": ["a"]}),
            json!({"type": "object", "description": "Required keys: `a`."}),
            "required",
        ),
    ];
    for (schema, expected, keyword) in told {
        let warning =
            format!("`x`: `{keyword}` is not accepted here; it is told in the description");
        assert_eq!(property(&schema, Target::Gemini), (expected, vec![warning]), "{schema}");
    }
}

#[test]
fn gemini_asks_for_deep_values_as_text() {
    let mut schema = json!({"type": "string"});
    for _ in 0..6 {
        schema = json!({"type": "object", "properties": {"a": schema}});
    }
    let (gemini, warnings) = parameters(&schema, Target::Gemini);
    let cut = gemini
        .pointer("/properties/a/properties/a/properties/a/properties/a/properties/a")
        .unwrap();
    assert_eq!(cut["type"], "string");
    assert_eq!(
        warnings,
        ["`a.a.a.a.a`: is nested deeper than 5 levels; it is asked for as JSON text"]
    );
}

#[test]
fn strict_properties() {
    let rows = [
        (
            json!({"type": "string", "format": "uuid"}),
            json!({"type": "string", "format": "uuid"}),
            "",
        ),
        (
            json!({"type": "string", "pattern": "^a"}),
            json!({"type": "string", "pattern": "^a"}),
            "",
        ),
        (
            json!({"type": "string", "pattern": "(?=a)"}),
            json!({"type": "string", "description": "Must match `(?=a)`."}),
            "pattern",
        ),
        (json!({"type": ["string", "null"]}), json!({"type": ["string", "null"]}), ""),
        (
            json!({"type": ["string", "integer"]}),
            json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}),
            "",
        ),
        (
            json!({"const": 3, "title": "T", "examples": [3]}),
            json!({"type": "integer", "enum": [3]}),
            "",
        ),
        (
            json!({"type": "string", "not": {"const": "a"}}),
            json!({"type": "string", "description": "Must not satisfy `{\"const\":\"a\"}`."}),
            "not",
        ),
    ];
    for (schema, expected, keyword) in rows {
        let (found, warnings) = property(&schema, Target::OpenAiStrict);
        assert_eq!(found, expected, "{schema}");
        assert_eq!(warnings.len(), usize::from(!keyword.is_empty()), "{warnings:?}");
        assert!(warnings.iter().all(|warning| warning.contains(keyword)));
    }
}

#[test]
fn what_cannot_be_strict_says_why() {
    let mut deep = json!({"type": "string"});
    for _ in 0..10 {
        deep = json!({"type": "object", "properties": {"a": deep}});
    }
    let many: Vec<String> = (0..1001).map(|at| at.to_string()).collect();
    let rows = [
        (
            json!({"type": "object", "additionalProperties": {"type": "string"}}),
            "`x` takes keys that are not declared",
        ),
        (json!({"type": "object"}), "`x` takes keys that are not declared"),
        (
            json!({"type": "object", "patternProperties": {"^a": {}}, "additionalProperties": false}),
            "`x` takes keys that are not declared",
        ),
        (json!({}), "`x` may hold any value"),
        (json!({"type": "array"}), "`x[]` may hold any value"),
        (
            json!({"type": "object", "properties": {"a": {"type": "null"}}, "required": ["b"]}),
            "`x.b` is required but not declared",
        ),
        (deep, "`x.a.a.a.a.a.a.a.a.a` is nested deeper than 10 levels"),
        (json!({"enum": many}), "1001 enum values, 1000 are allowed"),
        (json!({"$ref": "#"}), "it refers to itself"),
    ];
    for (schema, reason) in rows {
        let root = json!({"type": "object", "properties": {"x": schema}, "required": ["x"]});
        let definition = definition(&spec(root), Target::OpenAiStrict);
        assert_eq!(definition.tool["function"]["strict"], false);
        assert_eq!(
            definition.warnings,
            [format!("the input: the schema cannot be strict: {reason}")]
        );
    }
}

#[test]
fn a_union_at_the_root_becomes_one_object() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
    });
    for target in [Target::OpenAi, Target::Anthropic, Target::Gemini] {
        let (found, warnings) = parameters(&schema, target);
        assert!(found.get("oneOf").is_none() && found.get("anyOf").is_none());
        assert_eq!(found["properties"], schema["properties"]);
        assert_eq!(found["description"], "Give one of these forms: (`a`) or (`b`).");
        assert!(
            warnings.iter().any(|warning| warning.contains("at the top level")),
            "{warnings:?}"
        );
    }
    assert_eq!(parameters(&schema, Target::Mcp), (schema, vec![]));
}

#[test]
fn the_root_is_an_object_even_by_reference() {
    let schema = json!({"$ref": "#/$defs/in", "$defs": {"in": {"type": "object", "properties": {"a": {"$ref": "#/$defs/s"}}}, "s": {"type": "string"}}});
    for target in [Target::OpenAi, Target::Anthropic, Target::Mcp] {
        let (found, warnings) = parameters(&schema, target);
        assert_eq!((&found["type"], warnings), (&json!("object"), vec![]));
        assert_eq!(found["properties"]["a"], json!({"$ref": "#/$defs/s"}));
    }
    let (gemini, _) = parameters(&schema, Target::Gemini);
    assert_eq!(gemini, json!({"type": "object", "properties": {"a": {"type": "string"}}}));
}

#[test]
fn parts_of_the_root_are_merged_even_by_reference() {
    let schema = json!({
        "allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}],
        "$defs": {
            "a": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
            "b": {"type": "object", "properties": {"b": {"type": "string"}}},
        },
    });
    for target in [Target::OpenAi, Target::Anthropic, Target::Gemini, Target::OpenAiStrict] {
        let (found, warnings) = parameters(&schema, target);
        assert_eq!(warnings, [""; 0]);
        let names: Vec<&String> = found["properties"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["a", "b"], "{target:?}");
        assert!(found.get("allOf").is_none());
    }
}

#[test]
fn references_that_lead_nowhere_are_opened() {
    let schema = json!({"$ref": "https://example.com/x.json", "description": "It."});
    for target in [Target::OpenAi, Target::Anthropic] {
        let (found, warnings) = property(&schema, target);
        assert_eq!(found, json!({"description": "It."}));
        assert_eq!(
            warnings,
            [
                "`x`: `$ref` to `https://example.com/x.json` cannot be resolved here; any value is allowed"
            ]
        );
    }
    let (gemini, warnings) = property(&schema, Target::Gemini);
    assert_eq!(gemini["anyOf"].as_array().unwrap().len(), 5);
    assert_eq!(warnings.len(), 2);
}

#[test]
fn anthropic_names_are_checked() {
    let schema = json!({"type": "object", "properties": {"filter[id]": {}, "ok.-_9": {}}});
    let (_, warnings) = parameters(&schema, Target::Anthropic);
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].starts_with("`filter[id]`: this name is refused"));
}

#[test]
fn a_bottomless_schema_is_not_followed() {
    // A small stack, so that recursion shows; never dropped, since dropping recurses too.
    let test = || {
        let mut schema = json!({"type": "string"});
        for _ in 0..100_000 {
            schema = Value::Object([("items".to_owned(), schema)].into_iter().collect());
        }
        let spec = spec(schema);
        for target in
            [Target::OpenAi, Target::OpenAiStrict, Target::Anthropic, Target::Gemini, Target::Mcp]
        {
            let definition = definition(&spec, target);
            assert_eq!(
                definition.warnings,
                ["the input: the schema is nested too deep to be sent; any input is allowed"]
            );
        }
        std::mem::forget(spec);
    };
    std::thread::Builder::new().stack_size(512 << 10).spawn(test).unwrap().join().unwrap();
}

#[test]
fn odd_schemas_do_no_harm() {
    let odd = [
        json!(true),
        json!(null),
        json!([]),
        json!({"type": 5}),
        json!({"type": "string"}),
        json!({"properties": 3, "required": "x", "anyOf": {}, "allOf": 1, "$ref": 7}),
        json!({"anyOf": []}),
        json!({"allOf": [false]}),
        json!({"enum": []}),
        json!({"const": null}),
        json!({"properties": {"a": false}, "required": ["a"]}),
        json!({"type": "object", "allOf": [{"$ref": "#"}]}),
    ];
    for schema in odd {
        for target in
            [Target::OpenAi, Target::OpenAiStrict, Target::Anthropic, Target::Gemini, Target::Mcp]
        {
            let (found, _) = parameters(&schema, target);
            assert_eq!(found["type"], "object", "{schema} {target:?}");
        }
    }
}

#[test]
fn xml_help_teaches_the_form() {
    let help = xml_help([&spec(rich())]);
    let (rules, tool) = help.split_once("\n## search\n").unwrap();
    assert!(
        rules.contains("escape nothing")
            && rules.contains("<item>")
            && rules.contains("code fences")
    );
    let expected = "\
Searches.
Parameters:
- query: (required) string. What to look for.
- mode: (optional) one of `text`, `regex`.
- limit: (optional) integer.
- filters: (optional) list of object with key, values.
Usage:
<search>
<query>…</query>
<mode>text</mode>
<limit>1</limit>
<filters>
<item>
<key>…</key>
<values>
<item>…</item>
</values>
</item>
</filters>
</search>
";
    assert_eq!(tool, expected);
    assert_eq!(
        prompt_text([&spec(rich()), &spec(json!({}))]),
        "## search\nSearches.\n## search\nSearches.\n"
    );
}
