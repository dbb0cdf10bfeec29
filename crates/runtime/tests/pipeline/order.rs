//! Several calls of one message.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dogu_runtime::Source;
use dogu_tool::{Category, Group, ShapedTool, Tool, ToolCall};
use serde_json::json;

use crate::support::{Runs, builder, code, reader, spec, step, with, writer};

#[tokio::test]
async fn p15_three_calls_one_denied_give_three_results_in_order() {
    let runs = Runs::default();
    let runtime = with([reader("r", &runs), writer("w", &runs)]);
    let calls = [("1", "r"), ("2", "w"), ("3", "r")]
        .map(|(id, name)| ToolCall::new(id, name, json!({})))
        .to_vec();
    let results = step(&runtime).dispatch_all(calls).await;
    let seen: Vec<_> =
        results.iter().map(|result| (result.tool_call_id.as_str(), code(result))).collect();
    assert_eq!(seen, [("1", "ok"), ("2", "E_TOOL_DENIED"), ("3", "ok")]);
    assert_eq!(runs.count(), 2);
}

#[derive(Clone, Default)]
struct Tracker {
    now: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
    log: Arc<Mutex<Vec<String>>>,
}

impl Tracker {
    fn tool(&self, name: &'static str, read_only: bool) -> Arc<dyn Tool> {
        let tracker = self.clone();
        let spec = spec(name).in_group(Category::Filesystem, Group::Read).non_blocking();
        let spec = if read_only { spec.read_only() } else { spec };
        Arc::new(ShapedTool::new(spec, move |input, _| {
            let tracker = tracker.clone();
            async move {
                let now = tracker.now.fetch_add(1, Ordering::SeqCst) + 1;
                tracker.most.fetch_max(now, Ordering::SeqCst);
                tracker.log.lock().unwrap().push(format!("{name} begins beside {}", now - 1));
                let wait = input["ms"].as_u64().unwrap_or(20);
                tokio::time::sleep(Duration::from_millis(wait)).await;
                tracker.now.fetch_sub(1, Ordering::SeqCst);
                Ok(name.into())
            }
        }))
    }
}

#[tokio::test]
async fn adjacent_reads_run_together_and_nothing_overtakes() {
    let tracker = Tracker::default();
    let runtime = with([tracker.tool("read", true), tracker.tool("write", false)]);
    let names = ["read", "read", "read", "write", "write", "read"];
    // The first reads are slow: whatever overtook them would be seen in the log.
    let calls = names.iter().enumerate().map(|(n, name)| {
        ToolCall::new(n.to_string(), *name, json!({"ms": if n == 0 { 60 } else { 5 }}))
    });
    let results = step(&runtime).dispatch_all(calls.collect()).await;
    let ids: Vec<_> = results.iter().map(|result| result.tool_call_id.as_str()).collect();
    assert_eq!(ids, ["0", "1", "2", "3", "4", "5"]);
    assert_eq!(
        *tracker.log.lock().unwrap(),
        [
            "read begins beside 0",
            "read begins beside 1",
            "read begins beside 2",
            "write begins beside 0",
            "write begins beside 0",
            "read begins beside 0",
        ]
    );
}

#[tokio::test]
async fn a_read_only_claim_of_a_foreign_tool_does_not_make_it_concurrent() {
    let tracker = Tracker::default();
    let runtime = builder()
        .tool(Source::Extension("x".into()), tracker.tool("read", true))
        .unwrap()
        .build()
        .unwrap();
    let calls = (0..3).map(|n| ToolCall::new(n.to_string(), "read", json!({}))).collect();
    step(&runtime).dispatch_all(calls).await;
    assert_eq!(tracker.most.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn two_calls_with_the_same_id_are_both_answered() {
    let runs = Runs::default();
    let runtime = with([reader("r", &runs)]);
    let calls = vec![ToolCall::new("same", "r", json!({})), ToolCall::new("same", "r", json!({}))];
    assert_eq!(step(&runtime).dispatch_all(calls).await.len(), 2);
    assert_eq!(runs.count(), 2);
}
