//! Modes in the catalog and at the gate, and the gate without a call.

use dogu_policy::rule::Rule;
use dogu_runtime::{ApproveAll, PolicyRequest, Runtime, Settings};
use dogu_tool::{Action, Source, Verdict};
use serde_json::{Value, json};

use crate::support::{Runs, Workspace, call, code, origin, reader, step, writer};

fn runtime(workspace: &Workspace, mode: Option<&str>, runs: &Runs) -> Runtime {
    let settings = Settings { mode: mode.map(str::to_owned), ..Settings::default() };
    let tools = [reader("look", runs), writer("change", runs)];
    workspace
        .builder()
        .tools(&Source::Builtin, tools)
        .unwrap()
        .delegate(std::sync::Arc::new(ApproveAll))
        .settings(settings)
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_mode_offers_the_tools_of_its_groups_only() {
    let (workspace, runs) = (Workspace::new(), Runs::default());
    for (mode, tools) in [(None, 2), (Some("code"), 2), (Some("ask"), 1)] {
        let runtime = runtime(&workspace, mode, &runs);
        assert_eq!(runtime.catalog().specs().count(), tools, "{mode:?}");
    }
    let asking = runtime(&workspace, Some("ask"), &runs);
    let result = step(&asking).dispatch(call("change", json!({"path": "a"}))).await;
    assert_eq!(code(&result), "E_TOOL_NOT_IN_CATALOG");
    // Whoever offers it all the same meets the gate.
    let all = runtime(&workspace, None, &runs).catalog();
    let result =
        asking.step_with(origin(), all).dispatch(call("change", json!({"path": "a"}))).await;
    assert_eq!(code(&result), "E_TOOL_DENIED", "{result:?}");
    assert_eq!(runs.count(), 0);
}

#[test]
fn an_action_is_judged_as_a_call_would_be() {
    let (workspace, runs) = (Workspace::new(), Runs::default());
    let runtime = runtime(&workspace, None, &runs);
    let engine = runtime.engine().unwrap();
    let catalog = runtime.catalog();
    let command = Action::execute("touch a", runtime.scope().workdir());
    let judged = [runtime.facts(&command).unwrap()];
    let request = PolicyRequest {
        spec: catalog.spec("change").unwrap(),
        source: &Source::Builtin,
        origin: &origin(),
        input: &Value::Null,
        actions: &judged,
    };
    assert_eq!(engine.judge(&request).verdict, Verdict::Ask);
    let rule = |verdict| Rule::parse(verdict, "Execute(touch *)").unwrap();
    assert_eq!(engine.judge_with(&request, [rule(Verdict::Deny)]).verdict, Verdict::Deny);
    assert_eq!(engine.judge(&request).verdict, Verdict::Ask, "the rule was for once");
    assert!(runtime.facts(&Action::read("relative")).is_err());
    assert!(runtime.facts(&Action::read("/a\0b")).is_err());
}

#[test]
fn b5_where_the_sandbox_is_partial_whatever_does_more_than_look_asks() {
    let (workspace, runs) = (Workspace::new(), Runs::default());
    let runtime = runtime(&workspace, None, &runs);
    let engine = runtime.engine().unwrap();
    let catalog = runtime.catalog();
    let verdict = |line: &str| {
        let judged = [runtime.facts(&Action::execute(line, runtime.scope().workdir())).unwrap()];
        let request = PolicyRequest {
            spec: catalog.spec("change").unwrap(),
            source: &Source::Builtin,
            origin: &origin(),
            input: &Value::Null,
            actions: &judged,
        };
        let rule = Rule::parse(Verdict::Allow, "Execute(touch *)").unwrap();
        let decision = engine.judge_with(&request, [rule]);
        (decision.verdict, decision.texts().join("; "))
    };
    assert_eq!(verdict("touch a").0, Verdict::Allow);
    engine.set_partial_sandbox(true);
    let (asks, why) = verdict("touch a");
    assert_eq!(asks, Verdict::Ask);
    assert!(why.contains("partial"), "{why}");
    assert_eq!(verdict("ls").0, Verdict::Allow);
}
