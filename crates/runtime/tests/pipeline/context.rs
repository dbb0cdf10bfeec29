//! What a tool holds while it runs.

use std::sync::Arc;

use dogu_runtime::{ApproveAll, RuntimeContext, Settings, Source};
use dogu_tool::{
    Action, BoxFuture, Category, Editor, Group, Message, Network, NetworkRequest, NetworkResponse,
    OpenFile, Origin, Principal, Role, ShapedTool, Tool, ToolCall, ToolError,
};
use serde_json::json;

use crate::support::{Workspace, ask, builder, call, me, plain, spec, step, with};

#[tokio::test]
async fn r19_the_context_holds_its_facts_and_the_message_that_holds_the_call() {
    let tool = plain("t", |_, ctx| async move {
        let origin = ctx.origin();
        let message = ctx.message();
        assert_eq!(message.role, Role::Assistant);
        assert!(message.contains_call(ctx.call_id()));
        Ok(json!({
            "call": ctx.call_id(), "agent": origin.agent_name, "instance": origin.instance_key,
            "turn": origin.turn_id, "trace": origin.trace_id, "workdir": ctx.scope().workdir(),
            "parts": message.content.len(), "runtime": ctx.agents().is_some(),
            "deadline": ctx.deadline().is_some(), "tool": ctx.spec().name,
        })
        .into())
    });
    let workspace = Workspace::new();
    let runtime = workspace.builder().tool(Source::Builtin, tool).unwrap().build().unwrap();
    let origin = Arc::new(Origin {
        principal: me(),
        agent_name: "coder".into(),
        instance_key: "i1".into(),
        turn_id: "t1".into(),
        trace_id: "f00d".into(),
    });
    let calls = vec![call("t", json!({})), ToolCall::new("c2", "t", json!({}))];
    let results = runtime.step(origin).dispatch_all(calls).await;
    assert_eq!(
        results[1].structured,
        Some(json!({
            "call": "c2", "agent": "coder", "instance": "i1", "turn": "t1", "trace": "f00d",
            "workdir": workspace.0.path(), "parts": 2, "runtime": false, "deadline": true, "tool": "t",
        }))
    );
}

#[tokio::test]
async fn a_message_can_be_given_with_its_prose() {
    let tool = plain("t", |_, ctx| async move { Ok(json!(ctx.message()).into()) });
    let runtime = with([tool]);
    let text = dogu_tool::MessagePart::Text { text: "let me look".into() };
    let mut message = Message::of_calls([&call("t", json!({"a": 1}))]);
    message.content.insert(0, text);
    let step = step(&runtime).with_message(Arc::new(message.clone()));
    let result = step.dispatch(call("t", json!({"a": 1}))).await;
    assert_eq!(result.structured, Some(json!(message)));
}

struct FakeEditor;

impl Editor for FakeEditor {
    fn open_files(&self) -> Vec<OpenFile> {
        vec![OpenFile { path: "/w/a.rs".into(), text: "fn a() {}".into(), current: true }]
    }
}

struct FakeNetwork;

impl Network for FakeNetwork {
    fn fetch(&self, request: NetworkRequest) -> BoxFuture<'_, Result<NetworkResponse, ToolError>> {
        let body = format!("page of {}", request.url).into_bytes();
        Box::pin(async { Ok(NetworkResponse { status: 200, headers: Vec::new(), body }) })
    }
}

#[tokio::test]
async fn r27_editor_fetch_own_spec_and_own_settings_are_handed_in() {
    let url = "https://example.invalid/a";
    let spec = spec("t").in_group(Category::Network, Group::Read);
    let tool = ShapedTool::new(spec, move |_, ctx| async move {
        let request = |url: &str| NetworkRequest {
            method: "GET".into(),
            url: url.into(),
            headers: Vec::new(),
            body: Vec::new(),
        };
        let page = ctx.network().fetch(request(url)).await?;
        let undeclared =
            ctx.network().fetch(request("https://example.invalid/b")).await.unwrap_err();
        Ok(json!({
            "open": ctx.editor().unwrap().open_files()[0].path,
            "page": String::from_utf8(page.body).unwrap(),
            "undeclared": undeclared.code(),
            "tool": ctx.spec().name,
            "settings": ctx.settings(),
        })
        .into())
    })
    .actions(move |_, _| vec![Action::Network { url: url.into() }]);
    let settings = "tools: {t: {settings: {depth: 3}}, other: {settings: {key: theirs}}}";
    let runtime = builder()
        .tool(Source::Builtin, Arc::new(tool))
        .unwrap()
        .editor(Arc::new(FakeEditor))
        .network(Arc::new(FakeNetwork))
        .delegate(Arc::new(ApproveAll))
        .settings(Settings::parse(settings, "x".as_ref()).unwrap())
        .build()
        .unwrap();
    let result = ask(&runtime, "t", json!({})).await;
    assert_eq!(
        result.structured,
        Some(json!({
            "open": "/w/a.rs", "page": "page of https://example.invalid/a",
            "undeclared": "E_TOOL_DENIED", "tool": "t", "settings": {"depth": 3},
        }))
    );
}

#[tokio::test]
async fn r30_a_tool_runs_with_a_bare_context() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "hello").unwrap();
    let tool: Arc<dyn Tool> = Arc::new(
        ShapedTool::new(
            spec("t").in_group(Category::Filesystem, Group::Read),
            |_, ctx| async move {
                let file = ctx.files().open(&ctx.scope().resolve("a.txt"))?;
                assert!(ctx.files().open(&ctx.scope().resolve("b.txt")).is_err(), "not declared");
                Ok(std::io::read_to_string(file).unwrap().into())
            },
        )
        .actions(|_, scope| vec![Action::read(scope.resolve("a.txt"))]),
    );
    let output = RuntimeContext::bare(folder.path(), &tool, json!({})).await.unwrap();
    assert_eq!(output, "hello".into());
}

#[tokio::test]
async fn the_principal_reaches_the_tool() {
    let tool = plain("t", |_, ctx| async move { Ok(ctx.origin().principal.id().into()) });
    let runtime = with([tool]);
    let origin = Arc::new(Origin::of(Principal::token("ab", "s")));
    let result = runtime.step(origin).dispatch(call("t", json!({}))).await;
    assert_eq!(result.to_text(), "token:ab");
}

/// A workspace that holds dogu's own state, and a tool that may read all of it.
#[tokio::test]
async fn no_call_touches_dogus_own_state_whatever_is_granted() {
    let workspace = Workspace::new();
    let state = dogu_runtime::StateDir::open(workspace.0.path().join("state")).unwrap();
    std::fs::write(state.path().join("http-token"), "secret").unwrap();
    std::os::unix::fs::symlink(state.path(), workspace.0.path().join("link")).unwrap();
    let spill_of = |who: &Principal| {
        let (_, spill) = state.create_spill(who, "txt").unwrap();
        spill.strip_prefix(workspace.0.path()).unwrap().to_str().unwrap().to_owned()
    };
    let own = spill_of(&Principal::process("another session"));
    let foreign = spill_of(&Principal::token("ab", "s"));
    let tree = spec("tree").in_group(Category::Filesystem, Group::Read);
    let tree = ShapedTool::new(tree, |input, ctx| async move {
        ctx.files().open(&ctx.scope().resolve(input["path"].as_str().unwrap()))?;
        Ok("opened".into())
    })
    .actions(|_, scope| vec![Action::read_tree(scope.workdir())]);
    let one = spec("one").in_group(Category::Filesystem, Group::Edit);
    let one = ShapedTool::new(one, |_, _| async { Ok("ran".into()) }).actions(|input, scope| {
        vec![Action::write(scope.resolve(input["path"].as_str().unwrap()))]
    });
    let runtime = workspace
        .builder()
        .tools(&Source::Builtin, [Arc::new(tree) as Arc<dyn Tool>, Arc::new(one)])
        .unwrap()
        .delegate(Arc::new(ApproveAll))
        .state(state.clone())
        .build()
        .unwrap();
    for (tool, path, expected) in [
        ("tree", "state/http-token", "E_TOOL_DENIED"),
        ("one", "state/http-token", "E_TOOL_DENIED"),
        ("one", "link/new", "E_TOOL_DENIED"),
        ("one", "state/../state/x", "E_TOOL_DENIED"),
        ("one", "stated", "ok"),
        ("tree", &own, "ok"),
        ("tree", &foreign, "E_TOOL"),
    ] {
        let result = ask(&runtime, tool, json!({"path": path})).await;
        assert_eq!(crate::support::code(&result), expected, "{tool} {path}: {}", result.to_text());
    }
}
