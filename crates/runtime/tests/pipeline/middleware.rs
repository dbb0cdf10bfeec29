//! The three onions.

use std::sync::{Arc, Mutex};

use dogu_policy::rule::Wild;
use dogu_runtime::{
    CallNext, CallRequest, Catalog, Extension, ExtensionApi, Middleware, RegisterError, Source,
    StepNext, StepReply, StepRequest, TurnNext, TurnReply, TurnRequest,
};
use dogu_tool::{BoxFuture, ErrorCode, Output, ToolError, ToolResult};
use serde_json::json;

use crate::support::{Runs, ask, builder, call, code, echo, message, origin, plain, reader};

type Log = Arc<Mutex<Vec<String>>>;

struct Note(&'static str, Log);

impl Middleware<CallRequest, ToolResult> for Note {
    fn handle<'a>(
        &'a self,
        request: CallRequest,
        next: CallNext<'a>,
    ) -> BoxFuture<'a, Result<ToolResult, ToolError>> {
        Box::pin(async move {
            self.1.lock().unwrap().push(format!("{} before", self.0));
            let result = next.run(request).await;
            self.1.lock().unwrap().push(format!("{} after", self.0));
            Ok(result)
        })
    }
}

/// Middleware around calls as a function, for the tests below.
struct Around<F>(F);

impl<F> Middleware<CallRequest, ToolResult> for Around<F>
where
    F: for<'a> Fn(CallRequest, CallNext<'a>) -> BoxFuture<'a, Result<ToolResult, ToolError>>
        + Send
        + Sync,
{
    fn handle<'a>(
        &'a self,
        request: CallRequest,
        next: CallNext<'a>,
    ) -> BoxFuture<'a, Result<ToolResult, ToolError>> {
        (self.0)(request, next)
    }
}

#[tokio::test]
async fn e8_the_onion_is_entered_by_priority_and_left_in_reverse() {
    let log = Log::default();
    let inner = Arc::clone(&log);
    let tool = plain("core", move |_, _| {
        inner.lock().unwrap().push("core".into());
        async { Ok(().into()) }
    });
    let runtime = builder()
        .tool(Source::Builtin, tool)
        .unwrap()
        .around_calls("b", 10, Arc::new(Note("B", Arc::clone(&log))))
        .around_calls("c", 10, Arc::new(Note("C", Arc::clone(&log))))
        .around_calls("a", -1, Arc::new(Note("A", Arc::clone(&log))))
        .build()
        .unwrap();
    ask(&runtime, "core", json!({})).await;
    let expected = ["A before", "B before", "C before", "core", "C after", "B after", "A after"];
    assert_eq!(*log.lock().unwrap(), expected);
}

#[tokio::test]
async fn e8_changed_arguments_are_validated_and_judged_as_they_run() {
    fn rewrite(
        mut request: CallRequest,
        next: CallNext<'_>,
    ) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        let wanted = request.input["to"].clone();
        request.input = json!({"n": wanted});
        Box::pin(async move { Ok(next.run(request).await) })
    }
    let schema =
        json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let spec = dogu_tool::ToolSpec::new("t", "", schema).unwrap();
    let tool = dogu_tool::ShapedTool::new(spec, |input, _| async move { Ok(input.into()) });
    let runtime = builder()
        .tool(Source::Builtin, Arc::new(tool))
        .unwrap()
        .around_calls("rewrite", 0, Arc::new(Around(rewrite)))
        .build()
        .unwrap();
    let good = ask(&runtime, "t", json!({"to": 7})).await;
    assert_eq!(good.structured, Some(json!({"n": 7})), "the handler sees the new arguments");
    let bad = ask(&runtime, "t", json!({"to": "seven"})).await;
    assert_eq!(code(&bad), "E_TOOL_INVALID_ARGS", "the new arguments are validated");
}

#[tokio::test]
async fn e8_a_blocker_answers_with_a_structured_error_and_the_tool_does_not_run() {
    fn block(
        request: CallRequest,
        _: CallNext<'_>,
    ) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        assert_eq!(request.id(), "c1");
        Box::pin(async move {
            Err(ToolError::denied(format!("{} is closed on Sundays", request.name()))
                .suggest("come back on Monday"))
        })
    }
    let runs = Runs::default();
    let runtime = builder()
        .tool(Source::Builtin, reader("r", &runs))
        .unwrap()
        .around_calls("sunday", 0, Arc::new(Around(block)))
        .build()
        .unwrap();
    let result = ask(&runtime, "r", json!({})).await;
    assert_eq!(message(&result), "r is closed on Sundays");
    assert_eq!((result.tool_call_id.as_str(), result.tool_name.as_str()), ("c1", "r"));
    assert_eq!(runs.count(), 0);
}

#[tokio::test]
async fn a22_a_layer_blocks_tools_by_a_pattern_of_their_names() {
    fn block(
        request: CallRequest,
        next: CallNext<'_>,
    ) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        Box::pin(async move {
            if Wild::parse("delete_*").matches(request.name()) {
                return Err(ToolError::denied(format!("{} is blocked", request.name())));
            }
            Ok(next.run(request).await)
        })
    }
    let runs = Runs::default();
    let tools = [reader("delete_all", &runs), reader("read_all", &runs)];
    let runtime = builder()
        .tools(&Source::Builtin, tools)
        .unwrap()
        .around_calls("no deletes", 0, Arc::new(Around(block)))
        .build()
        .unwrap();
    let blocked = ask(&runtime, "delete_all", json!({})).await;
    assert_eq!((code(&blocked), runs.count()), ("E_TOOL_DENIED", 0));
    assert_eq!((code(&ask(&runtime, "read_all", json!({})).await), runs.count()), ("ok", 1));
}

#[tokio::test]
async fn e8_a_layer_may_transform_the_result_and_add_help() {
    fn help(
        request: CallRequest,
        next: CallNext<'_>,
    ) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        Box::pin(async move {
            let mut result = next.run(request).await;
            result.tool_call_id = "forged".into();
            if let Some(error) = &mut result.error {
                error.suggestion = Some("try b".into());
                error.help_url = Some("https://example.invalid/help".into());
            }
            Ok(result)
        })
    }
    let tool = plain("a", |_, _| async { Err(ToolError::failed("broken")) });
    let runtime = builder()
        .tool(Source::Builtin, tool)
        .unwrap()
        .around_calls("help", 0, Arc::new(Around(help)))
        .build()
        .unwrap();
    let result = ask(&runtime, "a", json!({})).await;
    let error = result.error.unwrap();
    assert_eq!(error.suggestion.as_deref(), Some("try b"));
    assert_eq!(error.help_url.as_deref(), Some("https://example.invalid/help"));
    assert_eq!(result.tool_call_id, "c1", "id and name are the call's, whatever a layer says");
}

#[tokio::test]
async fn a_panic_in_middleware_becomes_an_error_result() {
    fn explode(_: CallRequest, _: CallNext<'_>) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        panic!("private detail")
    }
    fn explode_later(
        request: CallRequest,
        next: CallNext<'_>,
    ) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        Box::pin(async move {
            next.run(request).await;
            panic!("private detail")
        })
    }
    for layer in [explode, explode_later] {
        let runtime = builder()
            .tool(Source::Builtin, echo("a"))
            .unwrap()
            .around_calls("bomb", 0, Arc::new(Around(layer)))
            .build()
            .unwrap();
        let result = ask(&runtime, "a", json!({})).await;
        assert_eq!(message(&result), "The middleware 'bomb' failed.");
        assert!(!serde_json::to_string(&result).unwrap().contains("private detail"));
        assert_eq!(runtime.in_flight(), 0);
    }
}

#[tokio::test]
async fn limits_and_redaction_apply_after_the_outermost_layer() {
    struct Leak(String);
    impl Middleware<CallRequest, ToolResult> for Leak {
        fn handle<'a>(
            &'a self,
            _: CallRequest,
            _: CallNext<'a>,
        ) -> BoxFuture<'a, Result<ToolResult, ToolError>> {
            let text = format!("{} {}", self.0, "x".repeat(300_000));
            Box::pin(async move { Ok(ToolResult::ok("", "", Output::from(text))) })
        }
    }
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let runtime = builder()
        .tool(Source::Builtin, echo("a"))
        .unwrap()
        .around_calls("leak", i32::MIN, Arc::new(Leak(secret.clone())))
        .build()
        .unwrap();
    let text = ask(&runtime, "a", json!({})).await.to_text();
    assert!(!text.contains(&secret));
    assert!(text.len() < 101_000, "{}", text.len());
    assert!(text.contains("bytes left out; they were not kept"), "the cut is said");
}

#[tokio::test]
async fn r20_the_catalog_is_built_for_each_step_and_middleware_may_hide_a_tool() {
    struct HideInSecondStep;
    impl Middleware<StepRequest, StepReply> for HideInSecondStep {
        fn handle<'a>(
            &'a self,
            mut request: StepRequest,
            next: StepNext<'a>,
        ) -> BoxFuture<'a, Result<StepReply, ToolError>> {
            if request.index == 1 {
                request.catalog.remove("a");
            }
            Box::pin(async move { Ok(next.run(request).await) })
        }
    }
    let runtime = builder()
        .tool(Source::Builtin, echo("a"))
        .unwrap()
        .around_steps("hide", 0, Arc::new(HideInSecondStep))
        .build()
        .unwrap();
    let mut codes = Vec::new();
    for index in 0..3 {
        let reply = runtime
            .run_step(origin(), index, |step| async move {
                step.dispatch_all(vec![call("a", json!({}))]).await
            })
            .await;
        codes.push(code(&reply.results[0]).to_owned());
    }
    assert_eq!(codes, ["ok", "E_TOOL_NOT_IN_CATALOG", "ok"]);
}

/// One extension with all three kinds.
struct Everything(Log);

impl Extension for Everything {
    fn name(&self) -> &'static str {
        "everything"
    }

    fn setup(&self, api: &mut ExtensionApi<'_>) -> Result<(), RegisterError> {
        api.around_turns(0, Arc::new(Note("turn", Arc::clone(&self.0))));
        api.around_steps(0, Arc::new(Note("step", Arc::clone(&self.0))));
        api.around_calls(0, Arc::new(Note("call", Arc::clone(&self.0))));
        Ok(())
    }
}

impl Middleware<StepRequest, StepReply> for Note {
    fn handle<'a>(
        &'a self,
        mut request: StepRequest,
        next: StepNext<'a>,
    ) -> BoxFuture<'a, Result<StepReply, ToolError>> {
        self.1.lock().unwrap().push(self.0.into());
        request.catalog.retain(|spec| spec.name.as_str() != "hidden");
        Box::pin(async move { Ok(next.run(request).await) })
    }
}

impl Middleware<TurnRequest, TurnReply> for Note {
    fn handle<'a>(
        &'a self,
        request: TurnRequest,
        next: TurnNext<'a>,
    ) -> BoxFuture<'a, Result<TurnReply, ToolError>> {
        self.1.lock().unwrap().push(self.0.into());
        Box::pin(async move { Ok(next.run(request).await) })
    }
}

#[tokio::test]
async fn e9_one_extension_wraps_turn_step_and_call() {
    let log = Log::default();
    let runtime = builder()
        .tools(&Source::Builtin, [echo("a"), echo("hidden")])
        .unwrap()
        .extension(&Everything(Arc::clone(&log)))
        .unwrap()
        .build()
        .unwrap();
    let inner = runtime.clone();
    let reply = runtime
        .run_turn(origin(), json!("go"), |turn| async move {
            let step = inner.run_step(turn.origin, 0, |step| async move {
                assert_eq!(step.catalog().specs().count(), 1, "the step's layer edits the catalog");
                step.dispatch_all(vec![call("a", json!({"x": 1}))]).await
            });
            step.await.results[0].structured.clone().unwrap()
        })
        .await;
    assert_eq!(reply.output, json!({"x": 1}));
    assert_eq!(*log.lock().unwrap(), ["turn", "step", "call before", "call after"]);
}

#[tokio::test]
async fn a_failing_step_or_turn_layer_is_a_failed_reply() {
    struct Broken;
    impl Middleware<StepRequest, StepReply> for Broken {
        fn handle<'a>(
            &'a self,
            _: StepRequest,
            _: StepNext<'a>,
        ) -> BoxFuture<'a, Result<StepReply, ToolError>> {
            panic!("no")
        }
    }
    impl Middleware<TurnRequest, TurnReply> for Broken {
        fn handle<'a>(
            &'a self,
            _: TurnRequest,
            _: TurnNext<'a>,
        ) -> BoxFuture<'a, Result<TurnReply, ToolError>> {
            Box::pin(async { Err(ToolError::failed("the turn is broken")) })
        }
    }
    let runtime = builder()
        .around_steps("broken", 0, Arc::new(Broken))
        .around_turns("broken", 0, Arc::new(Broken))
        .build()
        .unwrap();
    let step = runtime.run_step(origin(), 0, |_| async { Vec::new() }).await;
    assert_eq!(step.error.unwrap().code, ErrorCode::Tool);
    let turn = runtime.run_turn(origin(), json!(null), |_| async { json!(1) }).await;
    assert_eq!(turn.error.unwrap().message, "the turn is broken");
}

#[test]
fn a_catalog_can_be_built_by_hand() {
    let mut catalog = Catalog::default();
    catalog.list_only(crate::support::spec("a"));
    assert!(catalog.contains("a") && catalog.remove("a") && !catalog.remove("a"));
}
