//! Memory after many calls: live bytes are counted, because what the kernel calls resident also
//! depends on how the allocator reuses what was freed. A binary of its own, for its allocator.

#![expect(unsafe_code, reason = "an allocator that counts cannot be written without")]
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod counting;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use counting::LIVE;
use dogu_runtime::{Runtime, Source};
use dogu_tool::{Origin, Output, Principal, Scope, ShapedTool, ToolCall, ToolSpec};
use serde_json::json;
use tokio::sync::Semaphore;

const CALLS: usize = 10_000;

/// All calls are held until every one of them runs, then all are let go.
async fn round(runtime: &Runtime, gate: &Semaphore) {
    let step = runtime.step(Arc::new(Origin::of(Principal::process("memory"))));
    let calls = (0..CALLS).map(|n| {
        tokio::spawn(step.dispatch(ToolCall::new(n.to_string(), "waiting", json!({"n": n}))))
    });
    let calls: Vec<_> = calls.collect();
    while runtime.deadlines() < CALLS {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(runtime.in_flight(), CALLS);
    gate.add_permits(1);
    for call in calls {
        assert!(!call.await.unwrap().is_error());
    }
    gate.forget_permits(1);
}

#[tokio::test]
async fn ten_thousand_calls_at_once_leave_no_memory_behind() {
    let gate = Arc::new(Semaphore::new(0));
    let held = Arc::clone(&gate);
    let spec = ToolSpec::new("waiting", "Waits.", json!({"type": "object"})).unwrap();
    let tool = ShapedTool::new(spec.non_blocking(), move |_, _| {
        let gate = Arc::clone(&held);
        async move {
            drop(gate.acquire().await);
            Ok(Output::default())
        }
    });
    let runtime = Runtime::builder(Scope::new(std::env::temp_dir()))
        .tool(Source::Builtin, Arc::new(tool))
        .unwrap()
        .build()
        .unwrap();
    let mut live = Vec::new();
    for _ in 0..5 {
        round(&runtime, &gate).await;
        live.push(LIVE.load(Ordering::Relaxed));
    }
    // The first rounds make the tables as large as they get. Less than a byte a call after that.
    let grown = live[4] - live[1];
    assert!(grown < CALLS.cast_signed(), "{grown} bytes more after three rounds: {live:?}");
}
