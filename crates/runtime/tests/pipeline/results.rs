//! What comes out: limits, messages, validation texts.

use std::sync::Arc;

use dogu_runtime::{Settings, Source, StateDir};
use dogu_tool::{Content, Output, ShapedTool, Tool, ToolError, ToolSpec};
use serde_json::{Map, Value, json};

use crate::support::{ask, builder, code, echo, message, plain, spec, with};

fn failing(spec: ToolSpec, text: &str) -> Arc<dyn Tool> {
    let text = text.to_owned();
    Arc::new(ShapedTool::new(spec, move |_, _| {
        let text = text.clone();
        async { Err(ToolError::failed(text)) }
    }))
}

#[tokio::test]
async fn e6_a_long_error_message_is_cut_to_its_limit_with_a_mark() {
    let long = "é".repeat(1_200);
    let runtime = with([
        failing(spec("usual"), &long),
        failing(spec("short").error_message_limit(100), &long),
    ]);
    let usual = ask(&runtime, "usual", json!({})).await;
    assert_eq!(message(&usual).chars().count(), 1_000);
    assert!(message(&usual).ends_with("é... (truncated)"));
    let short = ask(&runtime, "short", json!({})).await;
    assert_eq!(message(&short).chars().count(), 100);
}

#[tokio::test]
async fn e7_every_code_is_reachable() {
    // Limit, timeout, canceled, denied and not-found have tests of their own beside this one.
    let runtime = with([failing(spec("broken"), "no"), echo("echo")]);
    assert_eq!(code(&ask(&runtime, "broken", json!({})).await), "E_TOOL");
    assert_eq!(code(&ask(&runtime, "nope", json!({})).await), "E_TOOL_NOT_IN_CATALOG");
    assert_eq!(code(&ask(&runtime, "echo", json!([])).await), "E_TOOL_INVALID_ARGS");
}

fn schema_tool(name: &str, schema: Value) -> Arc<dyn Tool> {
    let spec = ToolSpec::new(name, "", schema).unwrap();
    Arc::new(ShapedTool::new(spec, |input, _| async move { Ok(input.into()) }))
}

#[tokio::test]
async fn p12_violations_are_collected_and_five_are_shown() {
    let properties: Value = (0..8)
        .map(|n| (format!("p{n}"), json!({"type": "string"})))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let schema = json!({
        "type": "object", "properties": properties, "required": ["p0", "p7"], "additionalProperties": false,
    });
    let runtime = with([schema_tool("t", schema)]);
    let input: serde_json::Map<_, _> = (0..7).map(|n| (format!("p{n}"), json!(n))).collect();
    let result = ask(&runtime, "t", input.into()).await;
    let text = message(&result);
    assert!(text.starts_with("Invalid arguments for tool 't': args."), "{text}");
    assert!(text.ends_with("; +3 more issues"), "{text}");
    assert_eq!(text.matches("args.").count(), 5, "{text}");
    let suggestion = result.error.unwrap().suggestion.unwrap();
    assert!(
        suggestion.ends_with("required=[p0, p7], allowed=[p0, p1, p2, p3, p4, p5, p6, p7]"),
        "{suggestion}"
    );
}

#[tokio::test]
async fn p12_the_texts_agree_with_the_recorded_vectors() {
    let base = format!("{}/../../../shared/vectors/goondan", env!("CARGO_MANIFEST_DIR"));
    let read = |file: &str| std::fs::read_to_string(format!("{base}/{file}")).ok();
    let (Some(cases), Some(catalog)) = (read("executor-cases.json"), read("catalog.json")) else {
        println!("not run: the vectors are not here");
        return;
    };
    let cases: Vec<Value> = serde_json::from_str(&cases).unwrap();
    let catalog: Value = serde_json::from_str(&catalog).unwrap();
    let mut compared = 0;
    for case in cases.iter().filter(|case| case["result"]["error"]["code"] == "E_TOOL_INVALID_ARGS")
    {
        let name = case["tool"].as_str().unwrap();
        let schema = find_schema(&catalog, name).unwrap_or_else(|| panic!("no schema of {name}"));
        let source = Source::Extension("vectors".into());
        // Goondan takes types as they are.
        let spec = ToolSpec::new(name, "", schema).unwrap().exact_types();
        let tool = Arc::new(ShapedTool::new(spec, |input, _| async move { Ok(input.into()) }));
        let runtime = builder().tool(source, tool).unwrap().build().unwrap();
        let result = ask(&runtime, name, case["args"].clone()).await;
        let expected = case["result"]["error"]["message"].as_str().unwrap();
        // One recorded case leaves out its input; the text names the key that it had.
        if code(&result) == "ok" {
            assert!(expected.contains("unexpected property"), "{expected}");
            continue;
        }
        assert_eq!(message(&result), expected);
        compared += 1;
    }
    assert!(compared >= 6, "only {compared} cases were compared");
}

fn find_schema(catalog: &Value, name: &str) -> Option<Value> {
    let (resource, export) = name.split_once("__")?;
    let named = |list: &Value, name: &str| {
        list.as_array()?.iter().find(|item| item["name"] == name).cloned()
    };
    let tool = named(catalog, resource)?;
    Some(named(&tool["exports"], export)?["parameters"].clone())
}

#[tokio::test]
async fn nested_violations_name_their_place() {
    let schema = json!({"type": "object", "properties": {"files": {"type": "array", "items": {
        "type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}}});
    let runtime = with([schema_tool("t", schema)]);
    let result = ask(&runtime, "t", json!({"files": [{"path": "a"}, {"path": 1}, {}]})).await;
    let text = message(&result);
    assert!(text.contains("args.files[1].path: expected string but got integer"), "{text}");
    assert!(text.contains("args.files[2].path: required property is missing"), "{text}");
}

#[tokio::test]
async fn a_long_result_keeps_head_and_tail_and_the_whole_is_spilled() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let state = StateDir::open(folder.path().join("state")).unwrap();
    let text = format!("BEGIN{}END", "한".repeat(100_000));
    let whole = text.clone();
    let long = plain("long", move |_, _| {
        let text = text.clone();
        async { Ok(text.into()) }
    });
    let runtime = builder().tool(Source::Builtin, long).unwrap().state(state).build().unwrap();
    let shown = ask(&runtime, "long", json!({})).await.to_text();
    assert!(shown.starts_with("BEGIN") && shown.ends_with("END"));
    let path = shown.split("the whole is in ").nth(1).unwrap().split(" ...]").next().unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), whole);
    assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[tokio::test]
async fn structured_output_and_images_that_are_too_large_are_left_out_and_said() {
    let tool = plain("t", |_, _| async {
        Ok(Output {
            content: vec![
                Content::Image { data: "A".repeat(6 * 1024 * 1024), mime_type: "image/png".into() },
                Content::text("kept"),
            ],
            structured: Some(json!({"rows": vec!["x".repeat(1_000); 200]})),
            meta: Map::new(),
        })
    });
    let runtime = with([tool]);
    let result = ask(&runtime, "t", json!({})).await;
    assert_eq!(result.structured, None);
    let text = result.to_text();
    assert!(text.contains("an image of 6291456 bytes in base64 was left out"), "{text}");
    assert!(text.contains("kept") && text.contains("[structured output too large]"), "{text}");
}

#[tokio::test]
async fn what_is_for_user_interfaces_is_passed_on_whole_without_secrets_or_not_at_all() {
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let tool = |name: &'static str, value: Value| {
        plain(name, move |_, _| {
            let meta = Map::from_iter([("view".to_owned(), value.clone())]);
            async { Ok(Output { meta, ..Output::from("text") }) }
        })
    };
    let small = tool("small", json!({"key": secret, "n": [1, null]}));
    let runtime = with([small, tool("large", json!(vec!["x"; 40_000]))]);
    let result = ask(&runtime, "small", json!({})).await;
    assert_eq!(result.meta["view"]["n"], json!([1, null]));
    assert!(!result.meta["view"].to_string().contains(secret), "{:?}", result.meta);
    assert_eq!(result.to_text(), "text", "no model sees it");
    let result = ask(&runtime, "large", json!({})).await;
    assert_eq!((result.meta.len(), result.to_text().as_str()), (0, "text"));
}

#[tokio::test]
async fn the_limits_can_be_set() {
    let tool = plain("t", |_, _| async { Ok("x".repeat(5_000).into()) });
    let settings = Settings::parse("limits: {result_bytes: 1000}", "x".as_ref()).unwrap();
    let runtime =
        builder().tool(Source::Builtin, tool).unwrap().settings(settings).build().unwrap();
    assert!(ask(&runtime, "t", json!({})).await.to_text().len() < 1_200);
}

#[tokio::test]
async fn a_tool_that_is_disabled_is_not_offered() {
    let settings = Settings::parse("tools: {echo: {enabled: false}}", "x".as_ref()).unwrap();
    let runtime =
        builder().tool(Source::Builtin, echo("echo")).unwrap().settings(settings).build().unwrap();
    assert_eq!(code(&ask(&runtime, "echo", json!({})).await), "E_TOOL_NOT_IN_CATALOG");
}

#[tokio::test]
async fn arguments_are_fitted_to_the_schema_and_the_result_says_so() {
    let schema = json!({
        "type": "object",
        "properties": {
            "limit": {"type": "integer"}, "all": {"type": "boolean"}, "path": {"type": "string"},
            "tags": {"type": "array", "items": {"type": "string"}}, "options": {"type": "object"},
        },
    });
    let exact = ToolSpec::new("exact", "", schema.clone()).unwrap().exact_types();
    let exact = ShapedTool::new(exact, |input, _| async move { Ok(input.into()) });
    let runtime = with([schema_tool("fitted", schema), Arc::new(exact) as Arc<dyn Tool>]);
    let input = json!({
        "limit": "5", "all": "true", "path": "007", "tags": "a", "options": "{\"b\": 1}",
    });
    let result = ask(&runtime, "fitted", input.clone()).await;
    let fitted =
        json!({"limit": 5, "all": true, "path": "007", "tags": ["a"], "options": {"b": 1}});
    assert_eq!(result.structured, Some(fitted.clone()));
    assert_eq!(result.notes.len(), 4, "{:?}", result.notes);
    assert!(
        result.to_text().contains("\nNOTE: read `limit` as the number 5"),
        "{}",
        result.to_text()
    );
    let untouched = ask(&runtime, "fitted", fitted).await;
    assert_eq!(untouched.notes, [""; 0]);
    let refused = ask(&runtime, "exact", input).await;
    assert!(message(&refused).contains("args.limit: expected integer but got string"));
    let meaningless = ask(&runtime, "fitted", json!({"limit": "007"})).await;
    assert_eq!(code(&meaningless), "E_TOOL_INVALID_ARGS");
}

#[tokio::test]
async fn what_was_repaired_is_told_once_and_in_bounds() {
    let runtime = with([echo("echo")]);
    let notes: Vec<String> = (0..20).map(|n| format!("note {n} {}", "x".repeat(400))).collect();
    let call = crate::support::call("echo", json!({})).with_notes(notes);
    let result = crate::support::step(&runtime).dispatch(call).await;
    assert_eq!(result.notes.len(), 11);
    assert!(result.notes.iter().all(|note| note.chars().count() <= 300));
    assert_eq!(result.notes[10], "and 10 more repairs");
}

#[tokio::test]
async fn a_call_that_could_not_be_read_is_answered_like_any_other() {
    let runtime = with([echo("echo")]);
    let error = ToolError::invalid("x".repeat(2_000)).into_info(usize::MAX).0;
    let step = crate::support::step(&runtime);
    let result = step.refuse(crate::support::call("echo", json!({})), error).await;
    assert_eq!((code(&result), message(&result).chars().count()), ("E_TOOL_INVALID_ARGS", 1_000));
    assert_eq!(result.tool_call_id, "c1");
}
