//! Registry, catalog and their forms.

use std::sync::Arc;

use dogu_runtime::{
    Catalog, Extension, ExtensionApi, ExtensionTools, RegisterError, Registry, Settings, Source,
    ToolSettings,
};
use dogu_tool::{Category, ErrorCode, Exposure, Group, ToolName, ToolSpec, TypedTool, typed};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{
    Runs, ask, builder, call, code, echo, message, plain, reader, spec, step, with,
};

/// A tool as another crate would bring it: nothing of the registry is touched for it.
mod from_elsewhere {
    use dogu_tool::{Action, Ctx, Output, Scope, ToolError, ToolSpec, TypedTool};
    use schemars::JsonSchema;
    use serde::Deserialize;

    #[derive(Deserialize, JsonSchema)]
    pub(super) struct Input {
        /// What to repeat.
        text: String,
        /// How often.
        #[serde(default)]
        times: Option<u8>,
    }

    pub(super) struct Repeat;

    impl TypedTool for Repeat {
        type Input = Input;

        fn spec(&self) -> ToolSpec {
            ToolSpec::of::<Input>("repeat", "Repeats a text.").alias("string", "text")
        }

        fn actions(&self, _: &Input, _: &Scope) -> Vec<Action> {
            Vec::new()
        }

        async fn run(&self, input: Input, _: &Ctx) -> Result<Output, ToolError> {
            Ok(input.text.repeat(input.times.unwrap_or(2).into()).into())
        }
    }
}

#[tokio::test]
async fn r1_a_tool_of_another_crate_is_listed_and_dispatched() {
    let source = Source::Extension("elsewhere".into());
    let runtime = builder().tool(source, typed(from_elsewhere::Repeat)).unwrap().build().unwrap();
    let schemas = runtime.catalog().schemas();
    assert_eq!(schemas[0]["name"], "repeat");
    assert_eq!(schemas[0]["input_schema"]["required"], json!(["text"]));
    assert_eq!(schemas[0]["input_schema"]["additionalProperties"], json!(false));
    let result = ask(&runtime, "repeat", json!({"text": "ab"})).await;
    assert_eq!(result.to_text(), "abab");
    let aliased = ask(&runtime, "repeat", json!({"string": "x", "times": 3})).await;
    assert_eq!(aliased.to_text(), "xxx");
    let both = ask(&runtime, "repeat", json!({"string": "x", "text": "y"})).await;
    assert!(message(&both).contains("args.string: unexpected property"), "{}", message(&both));
}

#[test]
fn r2_a_dyn_tool_is_called_from_two_threads() {
    let runtime = with([echo("echo")]);
    let threads: Vec<_> = (0..2)
        .map(|n| {
            let runtime = runtime.clone();
            std::thread::spawn(move || {
                let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build();
                tokio.unwrap().block_on(ask(&runtime, "echo", json!({"n": n})))
            })
        })
        .collect();
    for (n, thread) in threads.into_iter().enumerate() {
        assert_eq!(thread.join().unwrap().structured, Some(json!({"n": n})));
    }
}

#[tokio::test]
async fn r7_register_get_all_contains_remove_and_unknown() {
    let registry = Registry::new();
    registry.register(Source::Builtin, echo("a")).unwrap();
    registry.register(Source::Builtin, echo("b")).unwrap();
    let set = registry.snapshot();
    assert!(set.contains("a") && set.get("b").is_some() && set.get("zz").is_none());
    assert_eq!(set.require("zz").unwrap_err().to_string(), "Unknown tool: zz");
    assert_eq!(set.all().count(), 2);
    registry.remove(&Source::Builtin, &ToolName::new("a").unwrap()).unwrap();
    assert!(!registry.snapshot().contains("a"));
    assert_eq!(set.len(), 2, "a snapshot does not change");
    let runtime = with([echo("read_file")]);
    let result = ask(&runtime, "zz", json!({})).await;
    assert_eq!((code(&result), message(&result)), ("E_TOOL_NOT_IN_CATALOG", "Unknown tool: zz"));
}

#[tokio::test]
async fn r7_a_listed_tool_without_a_handler_is_not_found() {
    let runtime = with([echo("a")]);
    let mut catalog = runtime.catalog();
    catalog.list_only(spec("ghost"));
    let step = runtime.step_with(crate::support::origin(), catalog);
    let result = step.dispatch(call("ghost", json!({}))).await;
    assert_eq!(code(&result), "E_TOOL_NOT_FOUND");
}

#[tokio::test]
async fn an_unknown_tool_is_told_the_nearest_names_of_the_catalog_only() {
    let runtime = with([echo("read_file"), echo("write_file"), echo("secret_file")]);
    let mut catalog = runtime.catalog();
    catalog.remove("secret_file");
    let step = runtime.step_with(crate::support::origin(), catalog);
    let result = step.dispatch(call("readfile", json!({}))).await;
    let error = result.error.unwrap();
    assert_eq!(error.suggestion.as_deref(), Some("Did you mean read_file?"));
    let hidden = step.dispatch(call("secret_fil", json!({}))).await;
    assert!(!hidden.to_text().contains("secret_file"), "{}", hidden.to_text());
}

#[test]
fn a_duplicate_or_illegal_tool_is_refused_with_the_reason() {
    let registry = Registry::new();
    registry.register(Source::Builtin, echo("a")).unwrap();
    let again = registry.register(Source::Extension("x".into()), echo("a")).unwrap_err();
    assert_eq!(again.to_string(), "tool `a` is already registered by builtin");
    let mcp = registry.register(Source::Mcp("s".into()), echo("plain")).unwrap_err();
    assert!(mcp.to_string().contains("must be named `resource__export`"), "{mcp}");
    let builtin = registry.register(Source::Builtin, echo("a__b")).unwrap_err();
    assert!(builtin.to_string().contains("must be named without `__`"), "{builtin}");
}

fn refused(spec: ToolSpec) -> RegisterError {
    let tool = dogu_tool::ShapedTool::new(spec, |_, _| async { Ok(().into()) });
    Registry::new().register(Source::Extension("x".into()), Arc::new(tool)).unwrap_err()
}

#[test]
fn a_tool_that_touches_the_world_needs_a_group_and_a_schema_must_be_one() {
    let mut no_group = spec("t");
    no_group.category = Category::Network;
    assert!(matches!(refused(no_group), RegisterError::NoGroup(..)));
    let not_object = ToolSpec::new("t", "", json!({"type": "string"})).unwrap();
    assert!(matches!(refused(not_object), RegisterError::Schema { which: "input", .. }));
    let broken = ToolSpec::new("t", "", json!({"type": "object", "required": 5})).unwrap();
    assert!(matches!(refused(broken), RegisterError::Schema { which: "input", .. }));
    // A schema is never fetched.
    let remote = json!({"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:1/s"}}});
    let remote = ToolSpec::new("t", "", remote).unwrap();
    assert!(matches!(refused(remote), RegisterError::Schema { .. }));
    assert!(matches!(refused(spec("t").alias("a", "nothing")), RegisterError::Alias { .. }));
}

#[test]
fn r8_an_allow_list_keeps_its_order_and_drops_unknown_names() {
    let registry = Registry::new();
    for name in ["a", "b", "c"] {
        registry.register(Source::Builtin, echo(name)).unwrap();
    }
    let names = |schemas: Vec<serde_json::Value>| -> Vec<String> {
        schemas.iter().map(|schema| schema["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(registry.restricted(&["b", "zz", "a"]).schemas()), ["b", "a"]);
    assert_eq!(names(registry.snapshot().schemas()), ["a", "b", "c"]);
    let keys: Vec<_> =
        registry.snapshot().schemas()[0].as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["name", "description", "input_schema"]);
}

#[tokio::test]
async fn r9_a_restricted_set_hides_and_refuses() {
    let runs = Runs::default();
    let runtime = with([echo("a"), reader("hidden", &runs)]);
    let restricted = runtime.registry().restricted(&["a"]);
    assert_eq!(restricted.schemas().len(), 1);
    let step = runtime.step_with(crate::support::origin(), Catalog::of(&restricted));
    let result = step.dispatch(call("hidden", json!({}))).await;
    assert_eq!(code(&result), "E_TOOL_NOT_IN_CATALOG");
    assert_eq!(runs.count(), 0);
}

#[tokio::test]
async fn r21_call_outside_catalog_is_refused() {
    let runs = Runs::default();
    let runtime = with([echo("a"), reader("hidden", &runs)]);
    let mut catalog = runtime.catalog();
    assert!(catalog.remove("hidden"));
    let step = runtime.step_with(crate::support::origin(), catalog);
    let result = step.dispatch(call("hidden", json!({}))).await;
    assert_eq!(result.error.as_ref().unwrap().code, ErrorCode::NotInCatalog);
    assert_eq!(message(&result), "Tool 'hidden' is not available in this step.");
    assert_eq!(runs.count(), 0);
}

#[test]
fn r11_queries_by_category_and_group_are_exact() {
    let runs = Runs::default();
    let runtime = with([reader("r", &runs), crate::support::writer("w", &runs), echo("e")]);
    let set = runtime.registry().snapshot();
    let names = |entries: Vec<&Arc<dogu_runtime::Entry>>| -> Vec<String> {
        entries.iter().map(|entry| entry.spec().name.to_string()).collect()
    };
    assert_eq!(names(set.by_category(Category::Filesystem)), ["r", "w"]);
    assert_eq!(names(set.by_category(Category::System)), ["e"]);
    assert_eq!(names(set.by_group(Group::Edit)), ["w"]);
    let categories = [
        Category::Filesystem,
        Category::Execute,
        Category::Network,
        Category::Mcp,
        Category::System,
    ];
    let total: usize = categories.iter().map(|category| set.by_category(*category).len()).sum();
    assert_eq!(total, set.len(), "each tool is in exactly one category");
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Nested {
    /// Which way.
    direction: Direction,
    /// Where.
    points: Vec<Point>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Direction {
    Up,
    Down,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Point {
    x: i32,
}

struct Move;

impl TypedTool for Move {
    type Input = Nested;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Nested>("move", "Moves.")
    }

    fn actions(&self, _: &Nested, _: &dogu_tool::Scope) -> Vec<dogu_tool::Action> {
        Vec::new()
    }

    async fn run(
        &self,
        _: Nested,
        _: &dogu_tool::Ctx,
    ) -> Result<dogu_tool::Output, dogu_tool::ToolError> {
        Ok(().into())
    }
}

#[test]
fn r13_the_openai_form_keeps_the_schema_whole() {
    let registry = Registry::new();
    registry.register(Source::Builtin, typed(Move)).unwrap();
    insta::assert_json_snapshot!(registry.snapshot().openai(), @r#"
    [
      {
        "type": "function",
        "function": {
          "name": "move",
          "description": "Moves.",
          "parameters": {
            "type": "object",
            "properties": {
              "direction": {
                "type": "string",
                "enum": [
                  "up",
                  "down"
                ],
                "description": "Which way."
              },
              "points": {
                "type": "array",
                "items": {
                  "type": "object",
                  "properties": {
                    "x": {
                      "type": "integer"
                    }
                  },
                  "additionalProperties": false,
                  "required": [
                    "x"
                  ]
                },
                "description": "Where."
              }
            },
            "required": [
              "direction",
              "points"
            ],
            "additionalProperties": false
          }
        }
      }
    ]
    "#);
}

#[test]
fn r12_the_prompt_text_has_a_heading_a_tool() {
    let runtime = with([echo("a"), echo("b")]);
    assert_eq!(runtime.registry().snapshot().prompt_text(), "## a\nDoes a.\n## b\nDoes b.\n");
}

#[test]
fn r24_the_source_of_each_entry_is_known_and_part_of_the_permission_key() {
    let registry = Registry::new();
    registry.register(Source::Builtin, echo("a")).unwrap();
    registry.register(Source::Mcp("github".into()), echo("github__get")).unwrap();
    registry.register(Source::Bundle("b".into()), echo("bash__exec")).unwrap();
    registry.register(Source::Http("host".into()), echo("http_tool")).unwrap();
    registry.register(Source::Extension("x".into()), echo("x_tool")).unwrap();
    let set = registry.snapshot();
    let keys: Vec<String> =
        set.all().map(|entry| entry.source().permission_key(&entry.spec().name)).collect();
    assert_eq!(
        keys,
        [
            "builtin/a",
            "mcp:github/github__get",
            "bundle:b/bash__exec",
            "http:host/http_tool",
            "extension:x/x_tool"
        ]
    );
    assert_eq!(set.by_source(&Source::Mcp("github".into())).len(), 1);
}

fn exposed(name: &str, exposure: Exposure, group: Option<Group>) -> Arc<dyn dogu_tool::Tool> {
    let spec = ToolSpec { exposure, group, ..spec(name) };
    Arc::new(dogu_tool::ShapedTool::new(spec, |_, _| async { Ok("ran".into()) }))
}

#[tokio::test]
async fn deferred_tools_are_callable_by_name_and_listed_once_found() {
    let tools = [
        exposed("hidden", Exposure::Hidden, None),
        exposed("deferred", Exposure::Deferred, None),
        echo("a"),
    ];
    let runtime = with(tools);
    let mut catalog = runtime.catalog();
    let names = |catalog: &Catalog| -> Vec<String> {
        catalog.specs().map(|spec| spec.name.to_string()).collect()
    };
    assert_eq!(names(&catalog), ["a"]);
    assert_eq!(catalog.schemas().len(), 1);
    assert_eq!(catalog.entries().count(), 1);
    assert_eq!(catalog.deferred().map(|spec| spec.name.as_str()).collect::<Vec<_>>(), ["deferred"]);
    assert_eq!(catalog.callable().count(), 2);
    assert!(catalog.contains("deferred") && catalog.entry("deferred").is_some());
    assert_eq!(ask(&runtime, "deferred", json!({})).await.to_text(), "ran");

    assert!(catalog.list("deferred"));
    assert_eq!(names(&catalog), ["deferred", "a"]);
    assert_eq!(catalog.deferred().count(), 0);
    assert!(!catalog.list("hidden"));
}

#[tokio::test]
async fn a_hidden_tool_is_not_callable_and_not_suggested() {
    let runtime = with([exposed("hidden", Exposure::Hidden, None), echo("hide")]);
    let result = ask(&runtime, "hidden", json!({})).await;
    assert_eq!(code(&result), "E_TOOL_NOT_IN_CATALOG");
    let suggestion = result.error.unwrap().suggestion.unwrap();
    assert_eq!(suggestion, "Did you mean hide?");
}

#[tokio::test]
async fn a_mode_and_a_switch_take_deferred_tools_away_too() {
    let deferred = || exposed("deferred", Exposure::Deferred, Some(Group::Edit));
    let asking = Settings { mode: Some("ask".to_owned()), ..Settings::default() };
    let mut off = Settings::default();
    let section = ToolSettings { enabled: false, ..ToolSettings::default() };
    off.tools.insert("deferred".to_owned(), section);
    for settings in [asking, off] {
        let builder = builder().tool(Source::Builtin, deferred()).unwrap();
        let runtime = builder.settings(settings).build().unwrap();
        assert_eq!(runtime.catalog().callable().count(), 0);
        let result = ask(&runtime, "deferred", json!({})).await;
        assert_eq!(code(&result), "E_TOOL_NOT_IN_CATALOG");
    }
}

struct Greeter(std::sync::Mutex<Option<ExtensionTools>>);

impl Extension for Greeter {
    fn name(&self) -> &'static str {
        "greeter"
    }

    fn setup(&self, api: &mut ExtensionApi<'_>) -> Result<(), RegisterError> {
        api.tools().register(plain("greet", |_, _| async { Ok("hello".into()) }))?;
        *self.0.lock().unwrap() = Some(api.tools());
        Ok(())
    }
}

#[tokio::test]
async fn r23_an_extension_adds_its_own_and_cannot_touch_others() {
    let greeter = Greeter(std::sync::Mutex::default());
    let runtime = builder()
        .tool(Source::Builtin, echo("builtin_tool"))
        .unwrap()
        .extension(&greeter)
        .unwrap()
        .build()
        .unwrap();
    assert_eq!(ask(&runtime, "greet", json!({})).await.to_text(), "hello");
    let tools = greeter.0.lock().unwrap().clone().unwrap();
    let duplicate = tools.register(echo("greet")).unwrap_err();
    assert_eq!(duplicate.to_string(), "tool `greet` is already registered by extension:greeter");
    let theft = tools.replace(echo("builtin_tool")).unwrap_err();
    assert!(matches!(theft, RegisterError::NotYours { .. }));
    assert!(tools.remove(&ToolName::new("builtin_tool").unwrap()).is_err());

    // Its own entry may be replaced between steps; a step under way keeps what it was offered.
    let before = step(&runtime);
    tools.replace(plain("greet", |_, _| async { Ok("hi".into()) })).unwrap();
    assert_eq!(before.dispatch(call("greet", json!({}))).await.to_text(), "hello");
    assert_eq!(ask(&runtime, "greet", json!({})).await.to_text(), "hi");
    tools.remove(&ToolName::new("greet").unwrap()).unwrap();
    assert_eq!(code(&ask(&runtime, "greet", json!({})).await), "E_TOOL_NOT_IN_CATALOG");
}
