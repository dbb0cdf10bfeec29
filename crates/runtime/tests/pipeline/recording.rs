//! The record of calls, as the pipeline writes it; and that no secret gets out anywhere.

use std::sync::{Arc, Mutex};

use dogu_runtime::record::{CallRow, Filter, Record, RecordOptions, RecordReader, RecordStatus};
use dogu_runtime::redact::Redactor;
use dogu_runtime::{
    Answer, AnsweredElsewhere, ApproveAll, Audit, CallNext, CallRequest, Heard, Middleware,
    Runtime, RuntimeBuilder, Settings, Source, StateDir,
};
use dogu_tool::{
    Action, BoxFuture, Category, Group, Output, ShapedTool, ToolCall, ToolError, ToolResult,
};
use serde_json::json;

use crate::support::{
    Runs, ask, builder, call, code, echo, me, message, plain, reader, spec, step, until, writer,
};

struct Recorded {
    _folder: tempfile::TempDir,
    state: StateDir,
}

impl Recorded {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let state = StateDir::open(folder.path().join("state")).unwrap();
        Self { _folder: folder, state }
    }

    fn builder(&self) -> RuntimeBuilder {
        let record = Record::open(&self.state, Redactor::new(), RecordOptions::default()).unwrap();
        builder().record(record).state(self.state.clone())
    }

    fn rows(&self, runtime: &Runtime) -> Vec<CallRow> {
        runtime.record().unwrap().flush().wait().unwrap();
        RecordReader::open(&self.state).unwrap().query(&Filter::default()).unwrap()
    }
}

#[tokio::test]
async fn q3_every_call_is_recorded_with_input_actions_decision_end_and_duration() {
    let recorded = Recorded::new();
    let runs = Runs::default();
    let runtime = recorded
        .builder()
        .tools(&Source::Builtin, [reader("r", &runs), writer("w", &runs)])
        .unwrap()
        .build()
        .unwrap();
    for name in ["r", "w", "nothing"] {
        step(&runtime).dispatch(ToolCall::new(name, name, json!({"a": 1}))).await;
    }
    let rows = recorded.rows(&runtime);
    let row = |id: &str| rows.iter().find(|row| row.call_id.as_deref() == Some(id)).unwrap();
    let read = json!(row("r"));
    assert_eq!(read["status"], "done");
    assert_eq!(read["input"], json!({"a": 1}));
    assert_eq!(read["decision"], "allow");
    assert_eq!(read["permission"], "auto_approved");
    assert_eq!(read["actions"][0]["action"], "file_read");
    assert_eq!(read["source"], "builtin");
    assert!(read["duration_us"].as_u64().is_some(), "{read}");
    let write = json!(row("w"));
    assert_eq!(
        (&write["status"], &write["error_code"]),
        (&json!("errored"), &json!("E_TOOL_DENIED"))
    );
    assert_eq!(write["permission"], "unknown");
    let unknown = json!(row("nothing"));
    assert_eq!(unknown["error_code"], "E_TOOL_NOT_IN_CATALOG");
    assert_eq!(unknown["input"], json!({"a": 1}));
}

/// What a crash in the act would leave: the notes of the run, and under `required` the row.
#[tokio::test]
async fn the_start_of_a_call_that_may_write_is_on_disk_before_the_act() {
    for audit in [Audit::BestEffort, Audit::Required] {
        let folder = tempfile::tempdir().unwrap();
        let state = StateDir::open(folder.path().join("state")).unwrap();
        let options = RecordOptions { audit, ..RecordOptions::default() };
        let record = Record::open(&state, Redactor::new(), options).unwrap();
        let found = Arc::new(Mutex::new(Vec::new()));
        let (log, seen_by_tool) = (Arc::clone(&found), state.clone());
        let spec = spec("w").in_group(Category::Filesystem, Group::Edit);
        let tool = ShapedTool::new(spec, move |_, _| {
            log.lock().unwrap().push(on_disk(&seen_by_tool, "the-call"));
            async { Ok(().into()) }
        })
        .actions(|_, scope| vec![Action::write(scope.resolve("x"))]);
        let runtime = builder()
            .tool(Source::Builtin, Arc::new(tool))
            .unwrap()
            .delegate(Arc::new(ApproveAll))
            .settings(Settings { audit, ..Settings::default() })
            .record(record)
            .build()
            .unwrap();
        step(&runtime).dispatch(ToolCall::new("the-call", "w", json!({}))).await;
        assert_eq!(*found.lock().unwrap(), [true], "{audit:?}");
    }
}

/// Whether a call is in a row, or in the notes of a run.
fn on_disk(state: &StateDir, call_id: &str) -> bool {
    let rows = RecordReader::open(state).unwrap().query(&Filter::default()).unwrap();
    let mut runs = std::fs::read_dir(state.path().join("runs")).unwrap();
    rows.iter().any(|row| row.call_id.as_deref() == Some(call_id))
        || runs.any(|run| std::fs::read_to_string(run.unwrap().path()).unwrap().contains(call_id))
}

#[tokio::test]
async fn a_waiting_call_shows_as_waiting_and_the_persons_no_as_canceled() {
    let recorded = Recorded::new();
    let runs = Runs::default();
    let runtime = recorded
        .builder()
        .tool(Source::Builtin, writer("w", &runs))
        .unwrap()
        .delegate(Arc::new(AnsweredElsewhere))
        .build()
        .unwrap();
    let under_way = tokio::spawn(step(&runtime).dispatch(call("w", json!({}))));
    until("the question", || !runtime.pending(&me()).is_empty()).await;
    assert_eq!(recorded.rows(&runtime)[0].status, RecordStatus::Waiting);
    let question = runtime.pending(&me()).remove(0);
    runtime.answer(&me(), &question.id, Answer::no());
    under_way.await.unwrap();
    let row = recorded.rows(&runtime).remove(0);
    assert_eq!(row.status, RecordStatus::Canceled);
    assert_eq!(json!(row)["permission"], "denied");
}

#[tokio::test]
async fn an_answer_of_middleware_is_recorded_as_such() {
    struct Cache;
    impl Middleware<CallRequest, ToolResult> for Cache {
        fn handle<'a>(
            &'a self,
            _: CallRequest,
            _: CallNext<'a>,
        ) -> BoxFuture<'a, Result<ToolResult, ToolError>> {
            Box::pin(async { Ok(ToolResult::ok("", "", Output::from("from the cache"))) })
        }
    }
    let recorded = Recorded::new();
    let runtime = recorded
        .builder()
        .tool(Source::Builtin, echo("echo"))
        .unwrap()
        .around_calls("cache", 0, Arc::new(Cache))
        .build()
        .unwrap();
    assert_eq!(ask(&runtime, "echo", json!({})).await.to_text(), "from the cache");
    assert_eq!(json!(recorded.rows(&runtime)[0])["answered_by"], "cache");
}

#[tokio::test]
async fn a_listener_that_lagged_catches_up_from_the_record() {
    let recorded = Recorded::new();
    let runtime = recorded.builder().tool(Source::Builtin, echo("a")).unwrap().build().unwrap();
    let reader = RecordReader::open(&recorded.state).unwrap();
    let from = reader.revision().unwrap();
    let mut listener = runtime.listen(&me());
    for n in 0..2_000 {
        step(&runtime).dispatch(ToolCall::new(n.to_string(), "a", json!({"n": n}))).await;
    }
    assert!(matches!(listener.next().await, Some(Heard::Lagged(_))));
    runtime.record().unwrap().flush().wait().unwrap();
    let (rows, _) = reader.changes_since(from, 10_000).unwrap();
    let done = rows.iter().filter(|row| row.status == RecordStatus::Done).count();
    assert_eq!(done, 2_000);
}

#[tokio::test]
async fn without_a_record_an_audited_call_is_refused_and_any_other_runs() {
    let runs = Runs::default();
    for (audit, expected) in [(Audit::BestEffort, "ok"), (Audit::Required, "E_TOOL")] {
        let settings = Settings { audit, ..Settings::default() };
        let runtime = builder()
            .tool(Source::Builtin, reader("r", &runs))
            .unwrap()
            .settings(settings)
            .build()
            .unwrap();
        let result = ask(&runtime, "r", json!({})).await;
        assert_eq!(code(&result), expected);
        if audit == Audit::Required {
            assert!(message(&result).contains("could not be recorded"), "{}", message(&result));
        }
    }
    assert_eq!(runs.count(), 1, "the refused call did not run");
}

#[tokio::test]
async fn ordinary_results_are_not_changed_by_redaction() {
    let runtime = crate::support::with([plain("code", |_, _| async {
        Ok("let token = next_token();\npassword: String,\nsha 0a1b2c3d4e5f67890a1b2c3d4e5f67890a1b2c3d".into())
    })]);
    let text = ask(&runtime, "code", json!({})).await.to_text();
    assert!(!text.contains("redacted"), "{text}");
}
