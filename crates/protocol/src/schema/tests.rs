//! Tests of single rewritings; the whole of a definition is tested from outside.

use serde_json::{Value, json};

use super::canonical::{any_of_for_one_of, canonical, enum_for_const, fold_all_of};
use super::keywords::Node;
use super::merge::{Merged, disjoint, merge};
use super::refs::{inline, local};
use super::report::Report;

fn node(value: Value) -> Node {
    match value {
        Value::Object(node) => node,
        other => panic!("{other} is not an object"),
    }
}

/// The canonical form and the warnings.
fn canon(schema: &Value) -> (Value, Vec<String>) {
    let mut report = Report::new();
    let form = canonical(schema, "", &mut report);
    (form.map_or(Value::Bool(false), Value::Object), report.warnings)
}

#[test]
fn merges_are_exact_or_refused() {
    let rows = [
        (json!({"type": "number"}), json!({"type": "integer"}), json!({"type": "integer"})),
        (json!({"type": "integer"}), json!({"type": "number"}), json!({"type": "integer"})),
        (json!({"type": ["string", "null"]}), json!({"type": "string"}), json!({"type": "string"})),
        (
            json!({"minimum": 1, "maximum": 9}),
            json!({"minimum": 3, "maximum": 12}),
            json!({"minimum": 3, "maximum": 9}),
        ),
        (json!({"enum": [1, 2]}), json!({"enum": [2.0, 3]}), json!({"enum": [2]})),
        (
            json!({"required": ["a"]}),
            json!({"required": ["b", "a"]}),
            json!({"required": ["a", "b"]}),
        ),
        (
            json!({"properties": {"a": {"type": "string"}}}),
            json!({"properties": {"a": {"minLength": 1}, "b": {}}}),
            json!({"properties": {"a": {"type": "string", "minLength": 1}, "b": {}}}),
        ),
        (
            json!({"properties": {"a": {}, "b": {}}}),
            json!({"properties": {"b": {}}, "additionalProperties": false}),
            json!({"properties": {"b": {}}, "additionalProperties": false}),
        ),
        (
            json!({"properties": {"a": {"type": "string"}}}),
            json!({"additionalProperties": {"maxLength": 3}}),
            json!({"properties": {"a": {"type": "string", "maxLength": 3}}, "additionalProperties": {"maxLength": 3}}),
        ),
    ];
    for (a, b, merged) in rows {
        assert_eq!(merge(&node(a), &node(b)), Merged::Exact(node(merged)));
    }
}

#[test]
fn merges_that_cannot_be_done() {
    let merged = |a: Value, b: Value| merge(&node(a), &node(b));
    assert_eq!(merged(json!({"type": "string"}), json!({"type": "null"})), Merged::Never);
    assert_eq!(merged(json!({"const": 1}), json!({"const": 2})), Merged::Never);
    let pattern = merged(json!({"pattern": "a"}), json!({"pattern": "b"}));
    assert_eq!(pattern, Merged::Unknown("pattern".to_owned()));
    let open = merged(json!({"unevaluatedProperties": false}), json!({"properties": {}}));
    assert_eq!(open, Merged::Unknown("unevaluatedProperties".to_owned()));
}

#[test]
fn all_of_is_folded_or_told() {
    let mut report = Report::new();
    let folded = json!({"type": "object", "allOf": [{"required": ["a"]}, {"allOf": [{"minProperties": 1}]}]});
    let folded = fold_all_of(node(folded), "", &mut report).unwrap();
    assert_eq!(json!(folded), json!({"type": "object", "required": ["a"], "minProperties": 1}));
    assert_eq!(report.warnings, [""; 0]);
    let told = json!({"pattern": "a", "allOf": [{"pattern": "b"}]});
    let told = fold_all_of(node(told), "name", &mut report).unwrap();
    assert_eq!(told["description"], "Must also satisfy `{\"pattern\":\"b\"}`.");
    assert_eq!(
        report.warnings,
        ["`name`: a part of `allOf` cannot be merged (`pattern`); it is told in words"]
    );
}

#[test]
fn one_of_warns_only_where_branches_may_overlap() {
    let rows = [
        (json!([{"type": "string"}, {"type": "integer"}]), true),
        (json!([{"type": "number"}, {"type": "integer"}]), false),
        (json!([{"const": "a"}, {"enum": ["b", "c"]}]), true),
        (json!([{"const": "a"}, {"type": "integer"}]), true),
        (json!([{"type": "string"}, {"minLength": 2}]), false),
        (
            json!([
                {"type": "object", "properties": {"kind": {"const": "a"}}, "required": ["kind"]},
                {"type": "object", "properties": {"kind": {"const": "b"}}, "required": ["kind"]},
            ]),
            true,
        ),
        (
            json!([
                {"type": "object", "properties": {"kind": {"const": "a"}}},
                {"type": "object", "properties": {"kind": {"const": "b"}}},
            ]),
            false,
        ),
    ];
    for (branches, silent) in rows {
        let mut report = Report::new();
        let changed = any_of_for_one_of(node(json!({"oneOf": branches})), "", &mut report);
        assert_eq!(json!(changed), json!({"anyOf": branches}));
        assert_eq!(report.warnings.is_empty(), silent, "{branches}");
    }
}

#[test]
fn a_const_is_an_enum_of_one() {
    assert_eq!(enum_for_const(node(json!({"const": 1}))), Some(node(json!({"enum": [1]}))));
    assert_eq!(enum_for_const(node(json!({"const": 1, "enum": [2]}))), None);
    assert!(disjoint(&json!({"const": 1}), &json!({"const": 2})));
    assert!(!disjoint(&json!({"const": 1}), &json!({"const": 1.0})));
}

#[test]
fn types_are_taken_apart_with_their_own_keywords() {
    let schema = json!({"type": ["string", "array", "null"], "minLength": 2, "items": {"const": "x"}, "description": "It."});
    let form = json!({
        "anyOf": [
            {"type": "string", "minLength": 2},
            {"type": "array", "items": {"type": "string", "enum": ["x"]}},
            {"type": "null"},
        ],
        "description": "It.",
    });
    assert_eq!(canon(&schema), (form, vec![]));
}

#[test]
fn what_stands_beside_a_union_moves_into_it() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}, "anyOf": [{"required": ["a"]}, {"type": "string"}]});
    let form =
        json!({"required": ["a"], "type": "object", "properties": {"a": {"type": "string"}}});
    assert_eq!(canon(&schema), (form, vec![]));
    assert_eq!(canon(&json!({"anyOf": [{"type": "string"}, {}]})), (json!({}), vec![]));
    assert_eq!(canon(&json!({"anyOf": []})).0, json!(false));
}

#[test]
fn a_schema_without_type_is_told() {
    let (form, warnings) = canon(&json!({"properties": {"a": true}}));
    assert_eq!(form, json!({"type": "object", "properties": {"a": {}}}));
    assert_eq!(warnings, ["the input: has no `type`; it is sent as `object`"]);
}

#[test]
fn references_are_written_out() {
    let schema = json!({
        "properties": {"a": {"$ref": "#/$defs/name", "description": "Mine."}, "b": {"$ref": "#/$defs/name", "maxLength": 3}},
        "$defs": {"name": {"type": "string", "description": "A name."}},
    });
    let mut report = Report::new();
    let inlined = inline(&schema, &mut report);
    let written = json!({"properties": {
        "a": {"type": "string", "description": "Mine."},
        "b": {"allOf": [{"maxLength": 3}, {"type": "string", "description": "A name."}]},
    }});
    assert_eq!(inlined.schema, written);
    assert!(!inlined.recursive && report.warnings.is_empty());
}

#[test]
fn recursive_and_remote_references_are_cut() {
    let schema = json!({
        "properties": {"next": {"$ref": "#"}, "far": {"$ref": "https://example.com/s.json"}},
    });
    let mut report = Report::new();
    let inlined = inline(&schema, &mut report);
    assert!(inlined.recursive);
    assert_eq!(
        report.warnings[0],
        "`next.next.next.next`: `$ref` to `#` is recursive; cut here, any value is allowed"
    );
    assert!(report.warnings.contains(&"`far`: `$ref` to `https://example.com/s.json` cannot be resolved here; any value is allowed".to_owned()));
}

#[test]
fn pointers_are_decoded() {
    let document = json!({"$defs": {"a/b": {"c d": 1}, "list": [7]}, "": 3});
    assert_eq!(local(&document, "#/$defs/a~1b/c%20d"), Some(&json!(1)));
    assert_eq!(local(&document, "#/$defs/list/0"), Some(&json!(7)));
    assert_eq!(local(&document, "#"), Some(&document));
    assert_eq!(local(&document, "#/"), Some(&json!(3)));
    assert_eq!(local(&document, "#anchor"), None);
    assert_eq!(local(&document, "other.json#/$defs"), None);
}

#[test]
fn references_that_fan_out_are_bounded() {
    let mut definitions = Node::new();
    for level in 0..60 {
        let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
        definitions.insert(format!("d{level}"), json!({"properties": {"a": next, "b": next}}));
    }
    definitions.insert("d60".to_owned(), json!({"type": "string"}));
    let schema = json!({"$ref": "#/$defs/d0", "$defs": definitions});
    let mut report = Report::new();
    inline(&schema, &mut report);
    assert!(report.warnings.iter().any(|warning| warning.contains("too large")));
}
