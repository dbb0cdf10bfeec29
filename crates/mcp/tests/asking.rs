//! Asking the person behind the client, in both eras.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod common;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use common::http::{ONE, Request, Server, TWO};
use common::wire::Wire;
use common::{call, initialize_with, modern_with, notification, request, text, tools};
use dogu_mcp::ServeOptions;
use dogu_runtime::{CallNext, CallRequest, Middleware, Runtime, Settings, Source};
use dogu_tool::{
    Action, BoxFuture, Category, Ctx, Group, Output, Scope, ToolError, ToolResult, ToolSpec,
    TypedTool, WriteOptions, typed,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema)]
struct TwoPaths {
    /// The file that is declared.
    first: String,
    /// The file that is asked for while it runs.
    second: String,
}

/// Asks for more while it runs.
struct WriteTwo;

impl TypedTool for WriteTwo {
    type Input = TwoPaths;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<TwoPaths>("write_two", "Writes two files.")
            .in_group(Category::Filesystem, Group::Edit)
    }

    fn actions(&self, input: &TwoPaths, scope: &Scope) -> Vec<Action> {
        vec![Action::write(scope.resolve(&input.first))]
    }

    async fn run(&self, input: TwoPaths, ctx: &Ctx) -> Result<Output, ToolError> {
        let (first, second) =
            (ctx.scope().resolve(&input.first), ctx.scope().resolve(&input.second));
        ctx.files().write(&first, b"1", WriteOptions::default())?;
        ctx.request(vec![Action::write(second.clone())]).await?;
        ctx.files().write(&second, b"2", WriteOptions::default())?;
        Ok("both written".into())
    }
}

fn options() -> ServeOptions {
    ServeOptions { ask_client: true, ..ServeOptions::default() }
}

/// A runtime that counts what its middleware sees, with questions that count so many seconds.
fn counting(folder: &Path, seen: &Arc<AtomicUsize>, seconds: u64) -> Runtime {
    let seen = Arc::clone(seen);
    let mut settings = Settings::default();
    settings.limits.approval_seconds = seconds;
    tools::runtime(folder)
        .unwrap()
        .tool(Source::Builtin, typed(WriteTwo))
        .unwrap()
        .settings(settings)
        .around_calls("counts", 0, Arc::new(Counts(seen)))
        .build()
        .unwrap()
}

struct Counts(Arc<AtomicUsize>);

impl Middleware<CallRequest, ToolResult> for Counts {
    fn handle<'a>(
        &'a self,
        request: CallRequest,
        next: CallNext<'a>,
    ) -> BoxFuture<'a, Result<ToolResult, ToolError>> {
        Box::pin(async move {
            self.0.fetch_add(1, Ordering::SeqCst);
            Ok(next.run(request).await)
        })
    }
}

fn wire(seen: &Arc<AtomicUsize>, seconds: u64) -> Wire {
    Wire::serving(options(), |folder| counting(folder, seen, seconds))
}

fn write(path: &str) -> Value {
    call("write_file", json!({"path": path, "content": "x"}))
}

fn yes() -> Value {
    json!({"action": "accept", "content": {"answer": "allow_once"}})
}

/// A session of an older era with a client that shows forms.
async fn opened(version: &str, capabilities: Value) -> (Wire, Arc<AtomicUsize>) {
    let seen = Arc::new(AtomicUsize::new(0));
    let mut wire = wire(&seen, 300);
    wire.send(&initialize_with(0, version, capabilities)).await;
    wire.receive().await;
    wire.send(&notification("notifications/initialized", json!({}))).await;
    (wire, seen)
}

/// Waits for a question, answers it, and gives the question.
async fn answered(wire: &mut Wire, answer: Value) -> Value {
    let asked = wire.receive().await;
    assert_eq!(asked["method"], "elicitation/create", "{asked}");
    wire.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer})).await;
    asked
}

#[tokio::test]
async fn the_older_eras_are_asked_by_a_request() {
    for version in ["2025-06-18", "2025-11-25"] {
        let (mut wire, seen) = opened(version, json!({"elicitation": {}})).await;
        wire.send(&request("w", "tools/call", write("a.txt"))).await;
        let asked = answered(&mut wire, yes()).await;
        let message = asked["params"]["message"].as_str().unwrap();
        assert!(message.contains("write_file") && message.contains("a.txt"), "{message}");
        let form = &asked["params"]["requestedSchema"];
        assert_eq!(form["properties"]["answer"]["enum"][0], "allow_once", "{form}");
        assert_eq!(text(&wire.answer(&json!("w")).await), "written");
        assert!(wire.folder.path().join("a.txt").is_file());
        assert_eq!(seen.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test]
async fn whatever_is_not_a_yes_writes_nothing() {
    let (mut wire, _) = opened("2025-11-25", json!({"elicitation": {"form": {}}})).await;
    let deny = json!({"action": "accept", "content": {"answer": "deny", "message": "use b.txt"}});
    for (path, answer, words) in [
        ("1", json!({"action": "decline"}), "the user said no"),
        ("2", deny, "the user said no: use b.txt"),
        ("3", json!({"action": "accept", "content": {"answer": "allow_always!"}}), "does not fit"),
        ("4", json!({"action": "accept"}), "does not fit"),
        ("5", json!({}), "does not fit"),
    ] {
        wire.send(&request("w", "tools/call", write(path))).await;
        answered(&mut wire, answer).await;
        let result = wire.answer(&json!("w")).await;
        assert_eq!(result["result"]["isError"], true, "{result}");
        assert!(text(&result).contains(words), "{result}");
        assert!(!wire.folder.path().join(path).exists());
    }
}

#[tokio::test]
async fn a_client_that_cannot_ask_is_told_what_to_say() {
    for (version, capabilities) in [
        ("2025-11-25", json!({})),
        ("2025-11-25", json!({"elicitation": {"url": {}}})),
        ("2025-03-26", json!({"elicitation": {}})),
    ] {
        let (mut wire, _) = opened(version, capabilities).await;
        let result = wire.ask("tools/call", write("a.txt")).await;
        let said = text(&result);
        assert!(said.contains("nobody can be asked here"), "{said}");
        for way in ["permissions", "--approve all", "a client in which dogu can ask"] {
            assert!(said.contains(way), "{said}");
        }
    }
    let (mut wire, _) = opened("2025-11-25", json!({"elicitation": {}})).await;
    wire.send(&request("w", "tools/call", write("a.txt"))).await;
    let asked = wire.receive().await;
    let error = json!({"code": -32601, "message": "no\u{202e} forms"});
    wire.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "error": error})).await;
    let result = wire.answer(&json!("w")).await;
    assert!(text(&result).contains("the client could not ask: no\\u{202e} forms"), "{result}");
}

#[tokio::test]
async fn a_running_call_asks_again_and_its_time_stands_still() {
    let (mut wire, seen) = opened("2025-11-25", json!({"elicitation": {}})).await;
    let two = call("write_two", json!({"first": "1.txt", "second": "2.txt"}));
    wire.send(&request("w", "tools/call", two)).await;
    assert!(answered(&mut wire, yes()).await.to_string().contains("1.txt"));
    assert!(answered(&mut wire, yes()).await.to_string().contains("2.txt"));
    assert_eq!(text(&wire.answer(&json!("w")).await), "both written");
    assert_eq!(seen.load(Ordering::SeqCst), 1);
}

fn forms() -> Value {
    json!({"elicitation": {}})
}

fn retry(mut params: Value, state: &Value, responses: Value) -> Value {
    params["requestState"] = state.clone();
    params["inputResponses"] = responses;
    params
}

/// Sends a request of the newest era and gives its result.
async fn modern_result(wire: &mut Wire, params: Value) -> Value {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let id = format!("m{}", NEXT.fetch_add(1, Ordering::SeqCst));
    wire.send(&modern_with(forms(), id.clone(), "tools/call", params)).await;
    wire.answer(&json!(id)).await
}

/// The state and the name of the one question of an answer.
fn question(answer: &Value) -> (Value, String) {
    let result = &answer["result"];
    assert_eq!(result["resultType"], "input_required", "{answer}");
    let requests = result["inputRequests"].as_object().unwrap();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests.values().next().unwrap()["method"], "elicitation/create");
    (result["requestState"].clone(), requests.keys().next().unwrap().clone())
}

#[tokio::test]
async fn the_newest_era_is_answered_by_a_retry_of_the_same_call() {
    let seen = Arc::new(AtomicUsize::new(0));
    let mut wire = wire(&seen, 300);
    let asked = modern_result(&mut wire, write("a.txt")).await;
    let (state, key) = question(&asked);
    assert_eq!(wire.runtime.in_flight(), 1, "the call is parked");
    let written =
        modern_result(&mut wire, retry(write("a.txt"), &state, json!({key: yes()}))).await;
    assert_eq!((text(&written), &written["result"]["resultType"]), ("written", &json!("complete")));
    assert_eq!(seen.load(Ordering::SeqCst), 1, "middleware saw one call");
    assert_eq!(wire.runtime.in_flight(), 0);
}

#[tokio::test]
async fn two_questions_take_two_retries() {
    let seen = Arc::new(AtomicUsize::new(0));
    let mut wire = wire(&seen, 300);
    let two = call("write_two", json!({"first": "1.txt", "second": "2.txt"}));
    let (first, key) = question(&modern_result(&mut wire, two.clone()).await);
    let again = modern_result(&mut wire, retry(two.clone(), &first, json!({key: yes()}))).await;
    let (second, key) = question(&again);
    assert_ne!(first, second);
    let done = modern_result(&mut wire, retry(two, &second, json!({key: yes()}))).await;
    assert_eq!(text(&done), "both written");
    assert_eq!(seen.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_answer_that_is_missing_or_unfit_is_asked_for_again() {
    let seen = Arc::new(AtomicUsize::new(0));
    let mut wire = wire(&seen, 300);
    let (mut state, mut key) = question(&modern_result(&mut wire, write("a.txt")).await);
    for unfit in [
        json!({}),
        json!({"other": yes()}),
        json!({key.clone(): 12_345}),
        json!({key.clone(): {"action": "accept", "content": {"answer": "sure"}}}),
    ] {
        let again = modern_result(&mut wire, retry(write("a.txt"), &state, unfit)).await;
        (state, key) = question(&again);
    }
    assert_eq!(seen.load(Ordering::SeqCst), 1, "it is the same call all the time");
    let no = json!({key: {"action": "decline"}});
    let denied = modern_result(&mut wire, retry(write("a.txt"), &state, no)).await;
    assert!(text(&denied).contains("the user said no"), "{denied}");
    assert!(!wire.folder.path().join("a.txt").exists());
}

#[tokio::test]
async fn a_forged_replayed_or_foreign_answer_approves_nothing() {
    let seen = Arc::new(AtomicUsize::new(0));
    let mut wire = wire(&seen, 300);
    let (state, key) = question(&modern_result(&mut wire, write("a.txt")).await);
    let answer = json!({key: yes()});

    for forged in [json!("x"), json!(format!("{}x", state.as_str().unwrap()))] {
        let refused =
            modern_result(&mut wire, retry(write("a.txt"), &forged, answer.clone())).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    // Of another request: a question of its own.
    let other = modern_result(&mut wire, retry(write("b.txt"), &state, answer.clone())).await;
    assert_ne!(question(&other).0, state);
    // Without a state at all, and with what would be the name of the question.
    let mut bare = write("c.txt");
    bare["inputResponses"] = answer.clone();
    question(&modern_result(&mut wire, bare).await);

    let written = modern_result(&mut wire, retry(write("a.txt"), &state, answer.clone())).await;
    assert_eq!(text(&written), "written");
    std::fs::remove_file(wire.folder.path().join("a.txt")).unwrap();
    question(&modern_result(&mut wire, retry(write("a.txt"), &state, answer)).await);
    for path in ["a.txt", "b.txt", "c.txt"] {
        assert!(!wire.folder.path().join(path).exists(), "{path}");
    }
}

#[tokio::test]
async fn a_question_that_nobody_answers_ends() {
    let seen = Arc::new(AtomicUsize::new(0));
    let mut wire = wire(&seen, 1);
    let (state, key) = question(&modern_result(&mut wire, write("a.txt")).await);
    wire.under_way(0).await;
    // A state counts to the second.
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let late = modern_result(&mut wire, retry(write("a.txt"), &state, json!({key: yes()}))).await;
    question(&late);
    assert!(!wire.folder.path().join("a.txt").exists());
}

#[tokio::test]
async fn over_http_a_question_outlives_its_connection_and_belongs_to_its_token() {
    let server = Server::serving(options(), |builder| builder).await;
    let write = modern_with(forms(), 1, "tools/call", write("a.txt"));
    let (state, key) = question(&server.send(&Request::modern(ONE, &write)).await.answer());
    let params = retry(
        common::call("write_file", json!({"path": "a.txt", "content": "x"})),
        &state,
        json!({key: yes()}),
    );
    let answer = modern_with(forms(), 2, "tools/call", params);
    let foreign = server.send(&Request::modern(TWO, &answer)).await.answer();
    question(&foreign);
    assert!(!server.folder.path().join("a.txt").exists());
    let own = server.send(&Request::modern(ONE, &answer)).await.answer();
    assert_eq!(text(&own), "written");
}

/// Whatever is open: a parked question, a stream of announcements, a call that runs.
#[tokio::test]
async fn the_end_of_stdin_ends_everything() {
    let seen = Arc::new(AtomicUsize::new(0));
    let mut wire = wire(&seen, 300);
    question(&modern_result(&mut wire, write("a.txt")).await);
    let filter = json!({"notifications": {"toolsListChanged": true}});
    wire.send(&modern_with(forms(), "sub", "subscriptions/listen", filter)).await;
    wire.receive().await;
    let wait = call("wait", json!({"milliseconds": 60_000}));
    wire.send(&modern_with(forms(), "slow", "tools/call", wait)).await;
    wire.under_way(2).await;
    wire.close();
    let runtime = wire.runtime.clone();
    let took = wire.ended().await;
    // It takes 60 ms; the rest is for a machine that is busy.
    assert!(took < Duration::from_secs(1), "{took:?}");
    while runtime.in_flight() > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
