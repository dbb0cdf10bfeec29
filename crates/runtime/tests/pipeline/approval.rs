//! Policy, approval, and what belongs to whom.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use dogu_runtime::{
    Answer, AnsweredElsewhere, ApproveAll, Decision, PermissionDelegate, Policy, PolicyRequest,
    Question, Runtime, Settings, Source,
};
use dogu_tool::{
    Action, BoxFuture, CallStatus, Category, ErrorCode, Exposure, Group, Origin, Preview,
    Principal, ShapedTool, ToolCall, ToolSpec, Verdict,
};
use serde_json::json;

use crate::support::{
    Runs, Workspace, ask, builder, call, code, me, message, origin, reader, spec, step, until,
    writer,
};

struct Fixed(Verdict);

impl Policy for Fixed {
    fn decide(&self, _: &PolicyRequest<'_>) -> Decision {
        Decision::new(self.0, "the test said so")
    }
}

struct Scripted(Answer, Mutex<Vec<Question>>);

impl PermissionDelegate for Scripted {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        self.1.lock().unwrap().push(question.clone());
        Box::pin(async { self.0.clone() })
    }
}

fn scripted(answer: Answer) -> Arc<Scripted> {
    Arc::new(Scripted(answer, Mutex::default()))
}

fn no() -> Answer {
    Answer::no()
}

#[tokio::test]
async fn a3_the_four_ways_and_no_delegate_is_a_refusal() {
    let table: [(Verdict, Option<Answer>, &str, usize); 5] = [
        (Verdict::Allow, None, "ok", 1),
        (Verdict::Deny, Some(Answer::yes()), "E_TOOL_DENIED", 0),
        (Verdict::Ask, Some(Answer::yes()), "ok", 1),
        (Verdict::Ask, Some(no()), "E_TOOL_DENIED", 0),
        (Verdict::Ask, None, "E_TOOL_DENIED", 0),
    ];
    for (verdict, answer, expected, count) in table {
        let runs = Runs::default();
        let mut builder = builder()
            .tool(Source::Builtin, writer("w", &runs))
            .unwrap()
            .policy(Arc::new(Fixed(verdict)));
        if let Some(answer) = answer.clone() {
            builder = builder.delegate(scripted(answer));
        }
        let result = ask(&builder.build().unwrap(), "w", json!({})).await;
        assert_eq!(code(&result), expected, "{verdict:?} {answer:?}");
        assert_eq!(runs.count(), count, "{verdict:?} {answer:?}");
    }
}

#[tokio::test]
async fn e3_reading_is_not_asked_about_and_a_denied_writer_never_runs() {
    let runs = Runs::default();
    let delegate = scripted(no());
    let runtime = builder()
        .tools(&Source::Builtin, [reader("r", &runs), writer("w", &runs)])
        .unwrap()
        .delegate(Arc::clone(&delegate) as Arc<dyn PermissionDelegate>)
        .build()
        .unwrap();
    assert_eq!(code(&ask(&runtime, "r", json!({})).await), "ok");
    assert!(delegate.1.lock().unwrap().is_empty(), "reads do not ask");
    let denied = ask(&runtime, "w", json!({})).await;
    assert!(message(&denied).starts_with("Permission denied for tool: w"), "{}", message(&denied));
    assert_eq!(runs.count(), 1);
}

#[tokio::test]
async fn e12_a_denial_is_told_to_the_model_and_the_turn_goes_on() {
    let runs = Runs::default();
    let word = Answer::no_because("not on a Friday");
    let runtime = builder()
        .tools(&Source::Builtin, [reader("r", &runs), writer("w", &runs)])
        .unwrap()
        .delegate(scripted(word))
        .build()
        .unwrap();
    let mut listener = runtime.listen(&me());
    let calls = vec![ToolCall::new("1", "w", json!({})), ToolCall::new("2", "r", json!({}))];
    let results = step(&runtime).dispatch_all(calls).await;
    assert_eq!(
        message(&results[0]),
        "Permission denied for tool: w: the user said no: not on a Friday"
    );
    assert!(results[0].error.as_ref().unwrap().suggestion.is_some());
    assert_eq!(code(&results[1]), "ok");
    // A person's no is a cancellation, the policy's is an error.
    let ends = crate::events::ends(&mut listener);
    assert_eq!(ends, [("1".to_owned(), CallStatus::Canceled), ("2".to_owned(), CallStatus::Done)]);
}

#[tokio::test]
async fn denied_by_policy_is_errored() {
    let runs = Runs::default();
    let runtime = builder()
        .tool(Source::Builtin, reader("r", &runs))
        .unwrap()
        .policy(Arc::new(Fixed(Verdict::Deny)))
        .build()
        .unwrap();
    let mut listener = runtime.listen(&me());
    let result = ask(&runtime, "r", json!({})).await;
    assert_eq!(message(&result), "Permission denied for tool: r: the test said so");
    assert_eq!(crate::events::ends(&mut listener), [("c1".to_owned(), CallStatus::Errored)]);
}

#[tokio::test]
async fn a_policy_that_panics_has_not_said_yes() {
    struct Broken;
    impl Policy for Broken {
        fn decide(&self, _: &PolicyRequest<'_>) -> Decision {
            panic!("no")
        }
    }
    let runs = Runs::default();
    let runtime = builder()
        .tool(Source::Builtin, reader("r", &runs))
        .unwrap()
        .policy(Arc::new(Broken))
        .build()
        .unwrap();
    assert_eq!(code(&ask(&runtime, "r", json!({})).await), "E_TOOL_DENIED");
    assert_eq!(runs.count(), 0);
}

#[tokio::test]
async fn a_tool_may_tighten_the_verdict_and_never_loosen_it() {
    let tool = |loosen: bool| {
        let spec = spec("t").in_group(Category::Filesystem, Group::Edit);
        ShapedTool::new(spec, |_, _| async { Ok(().into()) })
            .actions(|_, scope| vec![Action::read(scope.workdir())])
            .evaluate_policy(move |_, _| if loosen { Verdict::Allow } else { Verdict::Deny })
    };
    for (base, loosen, expected) in
        [(Verdict::Deny, true, "E_TOOL_DENIED"), (Verdict::Allow, false, "E_TOOL_DENIED")]
    {
        let runtime = builder()
            .tool(Source::Builtin, Arc::new(tool(loosen)))
            .unwrap()
            .policy(Arc::new(Fixed(base)))
            .build()
            .unwrap();
        assert_eq!(code(&ask(&runtime, "t", json!({})).await), expected);
    }
}

#[tokio::test]
async fn calling_a_foreign_tool_is_an_action_by_itself() {
    let runs = Runs::default();
    let counted = runs.clone();
    let tool = ShapedTool::new(
        spec("server__get").in_group(Category::Mcp, Group::Mcp).read_only(),
        move |_, _| {
            counted.add();
            async { Ok(().into()) }
        },
    );
    let delegate = scripted(no());
    let runtime = builder()
        .tool(Source::Mcp("server".into()), Arc::new(tool))
        .unwrap()
        .delegate(Arc::clone(&delegate) as Arc<dyn PermissionDelegate>)
        .build()
        .unwrap();
    ask(&runtime, "server__get", json!({})).await;
    assert_eq!(delegate.1.lock().unwrap()[0].actions, ["Mcp(server/get)"]);
    assert_eq!(runs.count(), 0);
}

#[tokio::test]
async fn a_foreign_tool_has_its_own_name_only_where_interfaces_need_it_and_nobody_else_has_it() {
    let tool = |name: &str, has_interface: bool| {
        let mut spec = spec(name).in_group(Category::Mcp, Group::Mcp);
        if has_interface {
            spec.meta.insert("ui".to_owned(), json!({}));
        }
        Arc::new(ShapedTool::new(spec, |_, _| async { Ok(().into()) }))
    };
    let delegate = scripted(no());
    let server = |name: &str| Source::Mcp(name.to_owned());
    let hidden = ToolSpec { exposure: Exposure::Hidden, ..spec("taken") };
    let hidden = ShapedTool::new(hidden, |_, _| async { Ok(().into()) });
    let runtime = builder()
        .tool(server("with"), tool("with__show", true))
        .and_then(|builder| builder.tool(server("with"), tool("with__get", false)))
        .and_then(|builder| builder.tool(server("with"), tool("with__taken", false)))
        .and_then(|builder| builder.tool(server("without"), tool("without__put", false)))
        .and_then(|builder| builder.tool(Source::Builtin, Arc::new(hidden)))
        .unwrap()
        .delegate(Arc::clone(&delegate) as Arc<dyn PermissionDelegate>)
        .build()
        .unwrap();
    for unknown in ["put", "taken", "without__get", "with__", "__get"] {
        let result = ask(&runtime, unknown, json!({})).await;
        let code = result.error.map(|error| error.code);
        assert_eq!(code, Some(ErrorCode::NotInCatalog), "{unknown}");
    }
    let denied = ask(&runtime, "get", json!({})).await;
    assert_eq!(denied.tool_name, "with__get");
    assert_eq!(denied.notes, ["get: here this tool is called with__get"]);
    assert_eq!(delegate.1.lock().unwrap()[0].actions, ["Mcp(with/get)"]);
}

#[tokio::test]
async fn a_question_shows_actions_reasons_and_the_tools_preview() {
    let workspace = Workspace::new();
    let spec = spec("w").title("Writer").in_group(Category::Filesystem, Group::Edit);
    let tool = ShapedTool::new(spec, |_, _| async { Ok(().into()) })
        .actions(|_, scope| vec![Action::write(scope.resolve("a.txt"))])
        .preprocess(|input| Some(Preview { summary: format!("Write {input}"), detail: None }));
    let delegate = scripted(Answer::yes());
    let runtime = workspace
        .builder()
        .tool(Source::Builtin, Arc::new(tool))
        .unwrap()
        .delegate(Arc::clone(&delegate) as Arc<dyn PermissionDelegate>)
        .build()
        .unwrap();
    ask(&runtime, "w", json!({"password": "hunter2hunter2", "x": 1})).await;
    let asked = delegate.1.lock().unwrap();
    let [question] = asked.as_slice() else { panic!("one question") };
    assert_eq!(question.title.as_deref(), Some("Writer"));
    assert!(
        question.actions[0].starts_with("FileWrite(") && question.actions[0].ends_with("a.txt)")
    );
    assert!(question.reasons[0].contains("is not approved"));
    assert!(question.preview.as_ref().unwrap().summary.starts_with("Write"));
    assert!(!question.input.to_string().contains("hunter2"), "the shown input is redacted");
}

fn parked(runs: &Runs) -> Runtime {
    builder()
        .tool(Source::Builtin, writer("w", runs))
        .unwrap()
        .delegate(Arc::new(AnsweredElsewhere))
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_caller_that_goes_away_cancels_nothing_and_can_come_back() {
    let runs = Runs::default();
    let runtime = parked(&runs);
    let mut dispatch = Box::pin(step(&runtime).dispatch(call("w", json!({}))));
    assert!(futures::poll!(dispatch.as_mut()).is_pending());
    drop(dispatch);
    let question = runtime.pending(&me()).remove(0);
    assert!(runtime.answer(&me(), &question.id, Answer::yes()));
    let result = runtime.attach(&me(), "c1").await.unwrap();
    assert_eq!(code(&result), "ok");
    assert_eq!(runs.count(), 1);
    assert!(runtime.attach(&me(), "c1").await.is_some(), "it can come back again");
    assert!(runtime.pending(&me()).is_empty());
    until("the call's end", || runtime.in_flight() == 0).await;
}

#[tokio::test]
async fn what_belongs_to_one_principal_does_not_exist_for_another() {
    let runs = Runs::default();
    let runtime = parked(&runs);
    let other = Principal::token("other", "s");
    let waiting = tokio::spawn(step(&runtime).dispatch(call("w", json!({}))));
    until("the question", || !runtime.pending(&me()).is_empty()).await;
    let question = runtime.pending(&me()).remove(0);
    assert!(runtime.pending(&other).is_empty());
    assert!(!runtime.answer(&other, &question.id, Answer::yes()));
    assert!(!runtime.cancel(&other, "c1"));
    assert!(runtime.attach(&other, "c1").await.is_none());
    assert!(runtime.cancel(&me(), "c1"));
    assert_eq!(code(&waiting.await.unwrap()), "E_TOOL_CANCELED");
    assert_eq!(runs.count(), 0);
}

#[tokio::test]
async fn a_question_has_a_deadline() {
    let runs = Runs::default();
    let mut settings = Settings::default();
    settings.limits.approval_seconds = 0;
    let runtime = builder()
        .tool(Source::Builtin, writer("w", &runs))
        .unwrap()
        .delegate(Arc::new(AnsweredElsewhere))
        .settings(settings)
        .build()
        .unwrap();
    let result = ask(&runtime, "w", json!({})).await;
    assert!(message(&result).contains("nobody answered within 0 seconds"), "{}", message(&result));
    assert!(runtime.pending(&me()).is_empty());
}

#[tokio::test]
async fn time_that_a_person_takes_does_not_count_against_the_tool() {
    struct Slow;
    impl PermissionDelegate for Slow {
        fn ask<'a>(&'a self, _: &'a Question) -> BoxFuture<'a, Answer> {
            Box::pin(async {
                tokio::time::sleep(Duration::from_millis(400)).await;
                Answer::yes()
            })
        }
    }
    let workspace = Workspace::new();
    let spec =
        spec("t").in_group(Category::Filesystem, Group::Edit).timeout(Duration::from_millis(200));
    let tool = ShapedTool::new(spec, |_, ctx| async move {
        let path = ctx.scope().resolve("later.txt");
        ctx.request(vec![Action::write(&path)]).await?;
        ctx.files().write(&path, b"x", dogu_tool::WriteOptions::default())?;
        Ok("done".into())
    });
    let runtime = workspace
        .builder()
        .tool(Source::Builtin, Arc::new(tool))
        .unwrap()
        .delegate(Arc::new(Slow))
        .build()
        .unwrap();
    let result = ask(&runtime, "t", json!({})).await;
    assert_eq!(result.to_text(), "done");
    assert!(workspace.0.path().join("later.txt").exists());
}

#[tokio::test]
async fn what_was_not_declared_is_not_admitted_and_request_passes_the_same_gate() {
    let workspace = Workspace::new();
    std::fs::write(workspace.0.path().join("a.txt"), "a").unwrap();
    let tool = ShapedTool::new(
        spec("t").in_group(Category::Filesystem, Group::Read),
        |_, ctx| async move {
            let path = ctx.scope().resolve("a.txt");
            let undeclared = ctx.files().open(&path).unwrap_err();
            ctx.request(vec![Action::read(&path)]).await?;
            ctx.files().open(&path)?;
            let refused = ctx.request(vec![Action::write(&path)]).await.unwrap_err();
            let still =
                ctx.files().write(&path, b"x", dogu_tool::WriteOptions::default()).unwrap_err();
            Ok(json!([undeclared.code(), refused.code(), still.code()]).into())
        },
    );
    let runtime =
        workspace.builder().tool(Source::Builtin, Arc::new(tool)).unwrap().build().unwrap();
    let result = ask(&runtime, "t", json!({})).await;
    assert_eq!(result.structured, Some(json!(["E_TOOL_DENIED", "E_TOOL_DENIED", "E_TOOL_DENIED"])));
    assert_eq!(std::fs::read_to_string(workspace.0.path().join("a.txt")).unwrap(), "a");
}

#[tokio::test]
async fn approve_all_never_passes_a_refusal() {
    let runs = Runs::default();
    let runtime = builder()
        .tool(Source::Builtin, writer("w", &runs))
        .unwrap()
        .policy(Arc::new(Fixed(Verdict::Deny)))
        .delegate(Arc::new(ApproveAll))
        .build()
        .unwrap();
    assert_eq!(code(&ask(&runtime, "w", json!({})).await), "E_TOOL_DENIED");
}

#[tokio::test]
async fn the_session_is_part_of_the_principal() {
    let runs = Runs::default();
    let runtime = parked(&runs);
    let first = Arc::new(Origin::of(Principal::process("one")));
    let _waiting = tokio::spawn(runtime.step(first).dispatch(call("w", json!({}))));
    let one = Principal::process("one");
    until("the question", || !runtime.pending(&one).is_empty()).await;
    assert!(runtime.pending(&Principal::process("two")).is_empty());
    assert!(runtime.pending(&origin().principal).is_empty());
}
