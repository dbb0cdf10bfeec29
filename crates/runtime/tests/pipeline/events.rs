//! Status and events: exactly one end, and a slow listener blocks nobody.

use std::sync::Arc;
use std::time::Duration;

use dogu_runtime::{Answer, AnsweredElsewhere, EVENT_BACKLOG, EventKind, Heard, Listener, Source};
use dogu_tool::{CallStatus, ErrorCode, Principal, ToolCall, ToolError};
use serde_json::json;

use crate::support::{Runs, ask, builder, call, echo, me, plain, spec, step, until, with, writer};

/// The ends that a listener has heard so far.
pub fn ends(listener: &mut Listener) -> Vec<(String, CallStatus)> {
    let mut ends = Vec::new();
    while let Some(heard) = listener.try_next() {
        if let Heard::Event(event) = heard
            && let EventKind::Status { to, .. } = event.kind
            && to.is_terminal()
        {
            ends.push((event.call_id.to_string(), to));
        }
    }
    ends
}

/// Every status of every call, in order.
fn statuses(listener: &mut Listener) -> Vec<CallStatus> {
    let mut all = Vec::new();
    while let Some(heard) = listener.try_next() {
        if let Heard::Event(event) = heard
            && let EventKind::Status { from, to, .. } = event.kind
        {
            assert!(from.may_become(to), "{from} to {to}");
            all.push(to);
        }
    }
    all
}

#[tokio::test]
async fn p9_the_events_of_a_call_are_legal_transitions() {
    use CallStatus::{Calling, Done, Errored, Generated, Waiting};
    let runs = Runs::default();
    let runtime = builder()
        .tools(&Source::Builtin, [echo("a"), writer("w", &runs)])
        .unwrap()
        .delegate(Arc::new(dogu_runtime::ApproveAll))
        .build()
        .unwrap();
    let mut listener = runtime.listen(&me());
    ask(&runtime, "a", json!({})).await;
    assert_eq!(statuses(&mut listener), [Generated, Calling, Done]);
    ask(&runtime, "w", json!({})).await;
    assert_eq!(statuses(&mut listener), [Generated, Waiting, Calling, Done]);
    ask(&runtime, "nothing", json!({})).await;
    assert_eq!(statuses(&mut listener), [Generated, Errored]);
}

#[tokio::test]
async fn q3_the_end_carries_the_duration_and_the_error_code() {
    let tool = plain("slow", |_, _| async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        Err(ToolError::failed("no"))
    });
    let runtime = with([tool]);
    let mut listener = runtime.listen(&me());
    ask(&runtime, "slow", json!({})).await;
    let mut seen = None;
    while let Some(Heard::Event(event)) = listener.try_next() {
        if event.is_terminal() {
            seen = Some(event.kind.clone());
        }
    }
    let Some(EventKind::Status { error, duration, .. }) = seen else { panic!("no end") };
    assert_eq!(error, Some(ErrorCode::Tool));
    assert!(duration.unwrap() >= Duration::from_millis(20));
}

#[tokio::test]
async fn e13_progress_comes_in_order_with_text_and_fraction() {
    let tool = plain("p", |_, ctx| async move {
        for n in 0_u8..=4 {
            ctx.progress(&format!("part {n}"), Some(f32::from(n) / 4.0));
        }
        ctx.progress("odd", Some(f32::NAN));
        ctx.progress("too far", Some(7.0));
        Ok(().into())
    });
    let runtime = with([tool]);
    let mut listener = runtime.listen(&me());
    ask(&runtime, "p", json!({})).await;
    let mut heard = Vec::new();
    while let Some(Heard::Event(event)) = listener.try_next() {
        if let EventKind::Progress { text, fraction } = &event.kind {
            heard.push((text.clone(), *fraction));
        }
    }
    let texts: Vec<_> = heard.iter().map(|(text, _)| text.as_str()).collect();
    assert_eq!(texts, ["part 0", "part 1", "part 2", "part 3", "part 4", "odd", "too far"]);
    assert_eq!(heard[2].1, Some(0.5));
    assert_eq!((heard[5].1, heard[6].1), (None, Some(1.0)));
}

#[tokio::test]
async fn e13_a_partial_call_shows_what_it_will_do() {
    struct Reader;
    impl dogu_tool::TypedTool for Reader {
        type Input = std::collections::HashMap<String, String>;
        fn spec(&self) -> dogu_tool::ToolSpec {
            spec("read_file")
        }
        fn actions(&self, _: &Self::Input, _: &dogu_tool::Scope) -> Vec<dogu_tool::Action> {
            Vec::new()
        }
        fn partial(&self, input: &serde_json::Value) -> Option<String> {
            Some(format!("Reading file: {}", input["path"].as_str().unwrap_or("...")))
        }
        async fn run(
            &self,
            _: Self::Input,
            _: &dogu_tool::Ctx,
        ) -> Result<dogu_tool::Output, ToolError> {
            Ok(().into())
        }
    }
    let runtime = with([dogu_tool::typed(Reader)]);
    let mut listener = runtime.listen(&me());
    let origin = crate::support::origin();
    runtime.partial(&origin, "c1", "read_file", &json!({}));
    runtime.partial(&origin, "c1", "read_file", &json!({"path": "src/a.rs"}));
    let mut texts = Vec::new();
    while let Some(Heard::Event(event)) = listener.try_next() {
        let EventKind::Progress { text, .. } = event.kind.clone() else { panic!("{event:?}") };
        texts.push(text);
    }
    assert_eq!(texts, ["Reading file: ...", "Reading file: src/a.rs"]);
}

#[tokio::test]
async fn exactly_one_end_on_success_error_panic_timeout_and_cancel() {
    use CallStatus::{Done, Errored};
    let quick = |spec: dogu_tool::ToolSpec| spec.timeout(Duration::from_millis(50));
    let hang = |name: &str, non_blocking: bool| -> Arc<dyn dogu_tool::Tool> {
        let mut spec = quick(spec(name));
        spec.non_blocking = non_blocking;
        Arc::new(dogu_tool::ShapedTool::new(spec, |_, _| std::future::pending()))
    };
    let runtime = with([
        echo("ok"),
        plain("error", |_, _| async { Err(ToolError::failed("no")) }),
        plain("panic", |_, _| async { panic!("no") }),
        hang("hang", false),
        hang("hang_in_place", true),
    ]);
    let mut listener = runtime.listen(&me());
    for name in ["ok", "error", "panic", "hang", "hang_in_place", "unknown"] {
        step(&runtime).dispatch(ToolCall::new(name, name, json!({}))).await;
    }
    // Long enough for a second end to show itself: the watchdog forces one after 250 ms.
    tokio::time::sleep(Duration::from_millis(400)).await;
    let expected = [
        ("ok", Done),
        ("error", Errored),
        ("panic", Errored),
        ("hang", Errored),
        ("hang_in_place", Errored),
        ("unknown", Errored),
    ];
    assert_eq!(ends(&mut listener), expected.map(|(id, status)| (id.to_owned(), status)));
    assert_eq!((runtime.in_flight(), runtime.deadlines()), (0, 0));
}

#[tokio::test]
async fn a_call_can_be_canceled_while_it_waits_and_while_it_runs() {
    let runs = Runs::default();
    let hang = plain("hang", |_, _| std::future::pending());
    let runtime = builder()
        .tools(&Source::Builtin, [writer("w", &runs), hang])
        .unwrap()
        .delegate(Arc::new(AnsweredElsewhere))
        .build()
        .unwrap();
    let mut listener = runtime.listen(&me());
    for name in ["w", "hang"] {
        let under_way = tokio::spawn(step(&runtime).dispatch(ToolCall::new(name, name, json!({}))));
        until("the call", || runtime.in_flight() == 1).await;
        until("its wait", || name == "hang" || !runtime.pending(&me()).is_empty()).await;
        assert!(runtime.cancel(&me(), name));
        let result = under_way.await.unwrap();
        assert_eq!(result.error.unwrap().code, ErrorCode::Canceled);
        assert!(!runtime.cancel(&me(), name), "it has ended");
    }
    let canceled = |id: &str| (id.to_owned(), CallStatus::Canceled);
    assert_eq!(ends(&mut listener), [canceled("w"), canceled("hang")]);
}

#[test]
fn a_runtime_that_shuts_down_ends_its_calls_once() {
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let runtime = with([plain("hang", |_, _| std::future::pending())]);
    let mut listener = runtime.listen(&me());
    tokio.block_on(async {
        let mut dispatch = Box::pin(step(&runtime).dispatch(call("hang", json!({}))));
        assert!(futures::poll!(dispatch.as_mut()).is_pending());
        drop(dispatch);
        assert_eq!(runtime.in_flight(), 1, "the runtime took it over");
    });
    drop(tokio);
    assert_eq!(ends(&mut listener), [("c1".to_owned(), CallStatus::Canceled)]);
    assert_eq!(runtime.in_flight(), 0);
}

#[tokio::test]
async fn a_dispatch_that_was_never_awaited_is_no_call() {
    let runs = Runs::default();
    let runtime = with([crate::support::reader("r", &runs)]);
    let mut listener = runtime.listen(&me());
    drop(step(&runtime).dispatch(call("r", json!({}))));
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(listener.try_next().is_none());
    assert_eq!(runs.count(), 0);
}

#[tokio::test]
async fn a_slow_listener_blocks_nobody_and_is_told_that_it_lags() {
    let runtime = with([echo("a")]);
    let mut slow = runtime.listen(&me());
    let calls = EVENT_BACKLOG;
    for n in 0..calls {
        let result =
            step(&runtime).dispatch(ToolCall::new(n.to_string(), "a", json!({"n": n}))).await;
        assert!(!result.is_error());
    }
    let Some(Heard::Lagged(missed)) = slow.next().await else { panic!("it was not told") };
    assert!(missed >= (2 * calls) as u64, "{missed}");
    assert!(matches!(slow.next().await, Some(Heard::Event(_))), "and goes on with what is left");
}

#[tokio::test]
async fn a_listener_hears_its_principal_only() {
    let runtime = with([echo("a")]);
    let mut other = runtime.listen(&Principal::token("other", "s"));
    let mut all = runtime.listen_to_all();
    ask(&runtime, "a", json!({})).await;
    assert!(other.try_next().is_none());
    assert_eq!(ends(&mut all).len(), 1);
}

#[tokio::test]
async fn an_answer_comes_to_everyone_who_waits_for_it() {
    let runs = Runs::default();
    let runtime = builder()
        .tool(Source::Builtin, writer("w", &runs))
        .unwrap()
        .delegate(Arc::new(AnsweredElsewhere))
        .build()
        .unwrap();
    let caller = tokio::spawn(step(&runtime).dispatch(call("w", json!({}))));
    until("the question", || !runtime.pending(&me()).is_empty()).await;
    let waiting: Vec<_> = (0..3)
        .map(|_| {
            let runtime = runtime.clone();
            tokio::spawn(async move { runtime.attach(&me(), "c1").await })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(20)).await;
    let question = runtime.pending(&me()).remove(0);
    assert!(runtime.answer(&me(), &question.id, Answer::yes()));
    assert!(!runtime.answer(&me(), &question.id, Answer::yes()), "answered once");
    let result = caller.await.unwrap();
    for waiter in waiting {
        assert_eq!(waiter.await.unwrap(), Some(result.clone()));
    }
}
