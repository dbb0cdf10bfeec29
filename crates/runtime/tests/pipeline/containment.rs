//! Tools that misbehave, and the next call after them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use dogu_runtime::{Runtime, Settings};
use dogu_tool::{Category, ErrorCode, Group, ShapedTool, Tool, ToolCall, ToolError, WriteOptions};
use schemars::JsonSchema;
use serde_json::json;

use crate::support::{
    Runs, Workspace, ask, builder, call, code, echo, me, message, origin, plain, spec, step, until,
    with,
};

fn with_timeout(
    name: &str,
    milliseconds: u64,
    run: fn() -> Result<(), ToolError>,
) -> Arc<dyn Tool> {
    let spec = spec(name).timeout(Duration::from_millis(milliseconds));
    Arc::new(ShapedTool::new(spec, move |_, _| async move {
        run()?;
        Ok("ended".into())
    }))
}

/// A runtime with a tool that blocks its thread for three seconds, and may run for so long.
fn blocking(timeout_milliseconds: u64) -> Runtime {
    let block = with_timeout("block", timeout_milliseconds, || {
        std::thread::sleep(Duration::from_secs(3));
        Ok(())
    });
    with([block, echo("echo")])
}

/// The next call works, and is on time.
async fn next_call_is_fine(runtime: &Runtime) {
    let asked = Instant::now();
    assert_eq!(ask(runtime, "echo", json!({"n": 1})).await.structured, Some(json!({"n": 1})));
    assert!(asked.elapsed() < Duration::from_secs(1), "{:?}", asked.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn e5_a_tool_that_panics_leaves_the_next_call_working() {
    let runtime = with([plain("boom", |_, _| async { panic!("private") }), echo("echo")]);
    let result = ask(&runtime, "boom", json!({})).await;
    assert_eq!(message(&result), "The tool crashed while it worked on this call.");
    assert!(!serde_json::to_string(&result).unwrap().contains("private"));
    next_call_is_fine(&runtime).await;
}

#[tokio::test]
async fn e5_a_panic_in_prepare_or_in_place_is_an_error_too() {
    let prepare = ShapedTool::new(spec("prepare"), |_, _| async { Ok(().into()) })
        .actions(|_, _| panic!("no"));
    let in_place = ShapedTool::new(spec("in_place").non_blocking(), |_, _| async { panic!("no") });
    let early = ShapedTool::new(spec("early").non_blocking(), |input, _| {
        assert!(input.is_array(), "before the future is made");
        async { Ok(().into()) }
    });
    let runtime = with([
        Arc::new(prepare) as Arc<dyn Tool>,
        Arc::new(in_place),
        Arc::new(early),
        echo("echo"),
    ]);
    for name in ["prepare", "in_place", "early"] {
        assert_eq!(code(&ask(&runtime, name, json!({})).await), "E_TOOL", "{name}");
    }
    next_call_is_fine(&runtime).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_that_blocks_its_thread_is_answered_at_its_deadline() {
    let runtime = blocking(60);
    // As many as tokio has workers, and more.
    let asked = Instant::now();
    let blocked: Vec<_> = (0..4)
        .map(|n| {
            tokio::spawn(step(&runtime).dispatch(ToolCall::new(
                n.to_string(),
                "block",
                json!({"n": n}),
            )))
        })
        .collect();
    next_call_is_fine(&runtime).await;
    for call in blocked {
        assert_eq!(code(&call.await.unwrap()), "E_TOOL_TIMEOUT");
    }
    assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
    next_call_is_fine(&runtime).await;
}

#[tokio::test]
async fn e5_a_tool_that_hangs_past_its_deadline_is_stopped() {
    let spec = spec("hang").timeout(Duration::from_millis(40));
    let hang: Arc<dyn Tool> = Arc::new(ShapedTool::new(spec, |_, _| std::future::pending()));
    let runtime = with([hang, echo("echo")]);
    let result = ask(&runtime, "hang", json!({})).await;
    assert_eq!(code(&result), "E_TOOL_TIMEOUT");
    assert!(result.error.unwrap().suggestion.is_some());
    next_call_is_fine(&runtime).await;
}

/// Tokio's workers are all blocked by tools that wrongly claim not to block: the answer still
/// comes, from outside tokio, to whoever asks from elsewhere.
#[test]
fn the_watchdog_answers_though_tokio_stands_still() {
    let spec = spec("liar").non_blocking().timeout(Duration::from_millis(40));
    let liar = ShapedTool::new(spec, |_, _| async {
        std::thread::sleep(Duration::from_secs(2));
        Ok(().into())
    });
    let runtime = with([Arc::new(liar) as Arc<dyn Tool>]);
    let mut listener = runtime.listen(&me());
    let inner = runtime.clone();
    let started = Instant::now();
    let stuck = std::thread::spawn(move || {
        let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        tokio.block_on(step(&inner).dispatch(call("liar", json!({}))))
    });
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    while runtime.in_flight() == 0 {
        std::thread::yield_now();
    }
    let result = tokio.block_on(runtime.attach(&me(), "c1")).unwrap();
    assert_eq!(code(&result), "E_TOOL_TIMEOUT");
    assert!(started.elapsed() < Duration::from_millis(1_500), "{:?}", started.elapsed());
    assert_eq!(code(&stuck.join().unwrap()), "E_TOOL_TIMEOUT", "the same answer, once");
    assert_eq!(crate::events::ends(&mut listener).len(), 1);
}

#[tokio::test]
async fn a_result_of_200_megabytes_is_cut_and_the_next_call_is_on_time() {
    let workspace = Workspace::new();
    let state = dogu_runtime::StateDir::open(workspace.0.path().join("state")).unwrap();
    let huge = plain("huge", |_, _| async { Ok("0123456789".repeat(20_000_000).into()) });
    let runtime = builder()
        .tools(&dogu_runtime::Source::Builtin, [huge, echo("echo")])
        .unwrap()
        .state(state)
        .build()
        .unwrap();
    let under_way = tokio::spawn(step(&runtime).dispatch(call("huge", json!({}))));
    tokio::time::sleep(Duration::from_millis(10)).await;
    next_call_is_fine(&runtime).await;
    let text = under_way.await.unwrap().to_text();
    assert!(text.len() < 101_000, "{}", text.len());
    assert!(
        text.contains("of 200000000 bytes left out; the first 67108864 bytes are in"),
        "{}",
        &text[60_000..60_200]
    );
    next_call_is_fine(&runtime).await;
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Promise {
    count: u32,
}

#[tokio::test]
async fn an_output_that_its_schema_forbids_is_an_error() {
    let spec = spec("promise").output::<Promise>();
    let tool = ShapedTool::new(spec, |input, _| async move { Ok(input.into()) });
    let runtime = with([Arc::new(tool) as Arc<dyn Tool>, echo("echo")]);
    assert_eq!(code(&ask(&runtime, "promise", json!({"count": 1})).await), "ok");
    let broken = ask(&runtime, "promise", json!({"count": "many"})).await;
    assert_eq!(message(&broken), "The tool 'promise' gave an output that its own schema forbids.");
    next_call_is_fine(&runtime).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_whose_call_has_ended_can_no_longer_act() {
    let workspace = Workspace::new();
    let runs = Runs::default();
    let late = runs.clone();
    let spec =
        spec("late").in_group(Category::Filesystem, Group::Edit).timeout(Duration::from_millis(40));
    let tool = ShapedTool::new(spec, move |_, ctx| {
        let late = late.clone();
        async move {
            std::thread::sleep(Duration::from_millis(200));
            let path = ctx.scope().resolve("late.txt");
            let refused = ctx.files().write(&path, b"x", WriteOptions::default()).unwrap_err();
            assert_eq!(refused.code(), ErrorCode::Denied);
            late.add();
            Ok(().into())
        }
    })
    .actions(|_, scope| vec![dogu_tool::Action::write(scope.resolve("late.txt"))]);
    let runtime = workspace
        .builder()
        .tool(dogu_runtime::Source::Builtin, Arc::new(tool))
        .unwrap()
        .delegate(Arc::new(dogu_runtime::ApproveAll))
        .build()
        .unwrap();
    assert_eq!(code(&ask(&runtime, "late", json!({})).await), "E_TOOL_TIMEOUT");
    until("the late write", || runs.count() == 1).await;
    assert!(!workspace.0.path().join("late.txt").exists());
}

#[tokio::test]
async fn ten_thousand_calls_in_flight_are_all_answered() {
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let closed = Arc::clone(&gate);
    let tool = ShapedTool::new(spec("wait").non_blocking(), move |input, _| {
        let closed = Arc::clone(&closed);
        async move {
            let _open = closed.acquire().await;
            Ok(input["n"].clone().into())
        }
    });
    let runtime = with([Arc::new(tool) as Arc<dyn Tool>]);
    let step = runtime.step(origin());
    let calls = (0..10_000_u64).map(|n| {
        tokio::spawn(step.dispatch(ToolCall::new(n.to_string(), "wait", json!({"n": n}))))
    });
    let calls: Vec<_> = calls.collect();
    until("all calls at once", || runtime.deadlines() == 10_000).await;
    assert_eq!(runtime.in_flight(), 10_000);
    gate.add_permits(1);
    for (n, call) in calls.into_iter().enumerate() {
        assert_eq!(call.await.unwrap().structured, Some(json!(n)));
    }
    assert_eq!((runtime.in_flight(), runtime.deadlines()), (0, 0));
}

#[tokio::test]
async fn e7_the_limit_code_for_executions_and_for_repetition() {
    let settings: Settings = Settings::parse(
        "limits: {identical_calls: 2}\ntools: {echo: {max_executions: 4}}",
        "x".as_ref(),
    )
    .unwrap();
    let runtime = builder()
        .tools(&dogu_runtime::Source::Builtin, [echo("echo"), echo("other")])
        .unwrap()
        .settings(settings)
        .build()
        .unwrap();
    let mut codes = Vec::new();
    for n in [1, 1, 1, 2, 3, 4] {
        codes.push(code(&ask(&runtime, "echo", json!({"n": n})).await).to_owned());
    }
    assert_eq!(codes, ["ok", "ok", "E_TOOL_LIMIT", "ok", "ok", "E_TOOL_LIMIT"]);
    assert_eq!(code(&ask(&runtime, "other", json!({})).await), "ok");
    let elsewhere = Arc::new(dogu_tool::Origin::of(dogu_tool::Principal::token("t", "s")));
    let result = runtime.step(elsewhere).dispatch(call("echo", json!({"n": 9}))).await;
    assert_eq!(code(&result), "ok", "counts belong to a session");
}

#[tokio::test]
async fn the_same_call_is_stopped_after_three_times_in_a_row() {
    let runtime = with([echo("echo")]);
    let mut codes = Vec::new();
    for n in [1, 1, 1, 1, 1, 2, 1] {
        codes.push(code(&ask(&runtime, "echo", json!({"n": n})).await).to_owned());
    }
    assert_eq!(codes, ["ok", "ok", "ok", "E_TOOL_LIMIT", "E_TOOL_LIMIT", "ok", "ok"]);
    ask(&runtime, "echo", json!({"n": 1})).await;
    ask(&runtime, "echo", json!({"n": 1})).await;
    let stopped = ask(&runtime, "echo", json!({"n": 1})).await;
    assert!(message(&stopped).contains("3 times in a row"), "{stopped:?}");
    assert!(!stopped.error.unwrap().suggestion.unwrap().is_empty());
}

#[tokio::test]
async fn only_built_in_tools_may_poll() {
    let poll = |name: &str| -> Arc<dyn Tool> {
        Arc::new(ShapedTool::new(spec(name).polling(), |_, _| async { Ok("still busy".into()) }))
    };
    let elsewhere = dogu_runtime::Source::Extension("x".to_owned());
    let runtime = builder()
        .tools(&dogu_runtime::Source::Builtin, [poll("own")])
        .unwrap()
        .tools(&elsewhere, [poll("theirs")])
        .unwrap()
        .build()
        .unwrap();
    for _ in 0..20 {
        assert_eq!(code(&ask(&runtime, "own", json!({})).await), "ok");
    }
    for _ in 0..3 {
        assert_eq!(code(&ask(&runtime, "theirs", json!({})).await), "ok");
    }
    assert_eq!(code(&ask(&runtime, "theirs", json!({})).await), "E_TOOL_LIMIT");
}

#[tokio::test]
async fn e14_a_policys_timeout_bounds_a_call() {
    let hang = || -> Arc<dyn Tool> {
        let spec = spec("hang").timeout(Duration::from_hours(1));
        Arc::new(ShapedTool::new(spec, |_, _| std::future::pending()))
    };
    let settings = Settings::parse("tools: {hang: {timeout_seconds: 1}}", "x".as_ref()).unwrap();
    let runtime = builder()
        .tools(&dogu_runtime::Source::Builtin, [hang(), echo("echo")])
        .unwrap()
        .settings(settings)
        .build()
        .unwrap();
    let asked = Instant::now();
    let result = ask(&runtime, "hang", json!({})).await;
    assert_eq!(code(&result), "E_TOOL_TIMEOUT");
    assert!(asked.elapsed() >= Duration::from_secs(1), "{:?}", asked.elapsed());
    next_call_is_fine(&runtime).await;
}

/// What a call that began alone gave, told from wherever it ended.
fn begun_alone(runtime: &Runtime, call: ToolCall) -> std::sync::mpsc::Receiver<Told> {
    let (tell, told) = std::sync::mpsc::channel();
    let dispatch = step(runtime).dispatch(call);
    runtime.begin_alone(async move {
        let result = dispatch.await;
        let _ = tell.send((result, std::thread::current().id()));
    });
    told
}

type Told = (dogu_tool::ToolResult, std::thread::ThreadId);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_began_alone_never_changes_threads() {
    let where_it_ran = Arc::new(std::sync::Mutex::new(None));
    let ran = Arc::clone(&where_it_ran);
    let tool = plain("where", move |_, _| {
        let ran = Arc::clone(&ran);
        async move {
            *ran.lock().unwrap() = Some(std::thread::current().id());
            Ok("there".into())
        }
    });
    let runtime = with([tool]);
    let (result, ended_on) = begun_alone(&runtime, call("where", json!({}))).recv().unwrap();
    assert_eq!(code(&result), "ok");
    assert_eq!(*where_it_ran.lock().unwrap(), Some(ended_on));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_began_alone_and_waits_goes_on_in_tokio() {
    let tool = plain("wait", |_, _| async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        Ok("waited".into())
    });
    let runtime = with([tool, echo("echo")]);
    let waiting: Vec<_> = (0..200)
        .map(|n| begun_alone(&runtime, ToolCall::new(n.to_string(), "wait", json!({"n": n}))))
        .collect();
    next_call_is_fine(&runtime).await;
    for told in waiting {
        assert_eq!(code(&told.recv_timeout(Duration::from_secs(20)).unwrap().0), "ok");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_blocks_the_thread_it_began_on_is_over_in_time() {
    let runtime = blocking(60);
    let asked = Instant::now();
    // More than there are threads for work that does not wait.
    for n in 0..9 {
        let _ = begun_alone(&runtime, ToolCall::new(n.to_string(), "block", json!({"n": n})));
    }
    next_call_is_fine(&runtime).await;
    until("all of them", || runtime.in_flight() > 0).await;
    let last = runtime.attach(&me(), "8").await.unwrap();
    assert_eq!(code(&last), "E_TOOL_TIMEOUT");
    until("their ends", || runtime.in_flight() == 0).await;
    assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
    next_call_is_fine(&runtime).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_blocks_the_thread_it_began_on_can_be_canceled() {
    let runtime = blocking(60_000);
    let _ = begun_alone(&runtime, call("block", json!({})));
    until("the call", || runtime.deadlines() == 1).await;
    let canceled = Instant::now();
    let ended = tokio::spawn({
        let runtime = runtime.clone();
        async move { runtime.attach(&me(), "c1").await }
    });
    assert!(runtime.cancel(&me(), "c1"));
    let result = ended.await.unwrap();
    assert!(result.is_none_or(|result| code(&result) == "E_TOOL_CANCELED"));
    until("its end", || runtime.in_flight() == 0).await;
    assert!(canceled.elapsed() < Duration::from_secs(2), "{:?}", canceled.elapsed());
    next_call_is_fine(&runtime).await;
}
