//! Inputs that a hostile or broken model sends.

use dogu_runtime::{Runtime, Source};
use dogu_tool::{Action, Category, Group, ShapedTool, ToolCall};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{ask, builder, code, echo, message, spec, step, with};

#[tokio::test]
async fn an_input_that_is_no_object_is_refused() {
    let runtime = with([echo("echo")]);
    for (input, word) in [
        (json!(null), "null"),
        (json!("text"), "string"),
        (json!([1]), "array"),
        (json!(1), "integer"),
        (json!(true), "boolean"),
    ] {
        let result = ask(&runtime, "echo", input).await;
        assert_eq!(
            message(&result),
            format!(
                "Invalid arguments for tool 'echo': args: expected an object with the tool's parameters but got {word}"
            )
        );
        assert_eq!(code(&result), "E_TOOL_INVALID_ARGS");
    }
}

/// 100,000 levels, made without recursion.
fn deep() -> Value {
    let mut value = json!(1);
    for level in 0..100_000 {
        value = if level % 2 == 0 { Value::Array(vec![value]) } else { json_object(value) };
    }
    json_object(value)
}

fn json_object(value: Value) -> Value {
    let mut map = serde_json::Map::new();
    map.insert("a".to_owned(), value);
    Value::Object(map)
}

#[tokio::test]
async fn an_input_100_000_levels_deep_is_refused_and_overflows_no_stack() {
    let runtime = with([echo("echo")]);
    let result = ask(&runtime, "echo", deep()).await;
    assert!(message(&result).contains("nested more than 128 levels deep"), "{}", message(&result));
    let unknown = ask(&runtime, "nothing", deep()).await;
    assert_eq!(code(&unknown), "E_TOOL_NOT_IN_CATALOG");
}

#[tokio::test]
async fn an_input_of_50_megabytes_is_refused() {
    let runtime = with([echo("echo")]);
    for input in [
        json!({"text": "x".repeat(50_000_000)}),
        json!({"list": vec![1; 12_000_000]}),
        json!({"x".repeat(50_000_000): 1}),
    ] {
        let result = ask(&runtime, "echo", input).await;
        assert!(message(&result).contains("larger than 16777216 bytes"), "{}", message(&result));
    }
}

#[tokio::test]
async fn an_unknown_name_of_any_length_and_kind_is_answered() {
    let runtime = with([echo("echo")]);
    for name in ["", "a__b__c", "../../etc/passwd", "echo\0", "Echo ", &"x".repeat(1_000_000)] {
        let result = step(&runtime).dispatch(ToolCall::new("c", name, json!({}))).await;
        assert_eq!(code(&result), "E_TOOL_NOT_IN_CATALOG");
        assert!(message(&result).chars().count() <= 1_000);
    }
}

fn opener() -> Runtime {
    let tool = ShapedTool::new(
        spec("open").in_group(Category::Filesystem, Group::Read),
        |input, ctx| async move {
            let path = ctx.scope().resolve(input["path"].as_str().unwrap_or_default());
            ctx.files().open(&path)?;
            Ok("opened".into())
        },
    )
    .actions(|input, scope| {
        vec![Action::read(scope.resolve(input["path"].as_str().unwrap_or_default()))]
    });
    builder().tool(Source::Builtin, std::sync::Arc::new(tool)).unwrap().build().unwrap()
}

#[tokio::test]
async fn a_path_with_a_nul_byte_is_refused_before_the_policy() {
    let runtime = opener();
    let result = ask(&runtime, "open", json!({"path": "a\0b"})).await;
    assert_eq!(code(&result), "E_TOOL_INVALID_ARGS");
    assert!(message(&result).contains("contains a NUL byte"));
    assert_eq!(code(&ask(&runtime, "open", json!({"path": ""})).await), "E_TOOL_INVALID_ARGS");
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((".{0,6}", inner), 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn whatever_comes_in_exactly_one_result_comes_out(name in "(open|echo|.{0,20})", input in any_json(), path in ".{0,40}") {
        let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let runtime = opener();
        for input in [input, json!({"path": path})] {
            let result = tokio.block_on(step(&runtime).dispatch(ToolCall::new("c", name.clone(), input)));
            prop_assert_eq!(&result.tool_call_id, "c");
            prop_assert_eq!(&result.tool_name, &name);
            prop_assert_eq!(result.is_error(), result.error.is_some());
        }
        prop_assert_eq!(runtime.in_flight(), 0);
    }
}
