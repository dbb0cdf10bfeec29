//! What a server offers besides plain calls: tasks, announcements, resources, prompts, completion.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod common;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use common::http::{ONE, Request, Server, TWO};
use common::wire::Wire;
use common::{call, modern, modern_with, text, tools};
use dogu_mcp::{Clients, CommandFolders, ServeOptions};
use dogu_runtime::{Runtime, RuntimeBuilder, Source, StateDir};
use dogu_tool::{
    Action, Category, Ctx, Group, Output, Scope, ToolError, ToolName, ToolSpec, TypedTool,
    WriteOptions, typed,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema)]
struct Empty {}

/// Says more than fits.
struct Long;

impl TypedTool for Long {
    type Input = Empty;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Empty>("long", "Says much.").read_only()
    }

    fn actions(&self, _: &Empty, _: &Scope) -> Vec<Action> {
        Vec::new()
    }

    async fn run(&self, _: Empty, _: &Ctx) -> Result<Output, ToolError> {
        Ok((0..40_000).map(|n| format!("line {n}\n")).collect::<String>().into())
    }
}

/// Works for a while, then wants to write.
struct AsksLate;

impl TypedTool for AsksLate {
    type Input = Empty;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Empty>("asks_late", "Asks late.").in_group(Category::Filesystem, Group::Edit)
    }

    fn actions(&self, _: &Empty, _: &Scope) -> Vec<Action> {
        Vec::new()
    }

    async fn run(&self, _: Empty, ctx: &Ctx) -> Result<Output, ToolError> {
        let path = ctx.scope().resolve("late.txt");
        std::thread::sleep(Duration::from_millis(200));
        ctx.request(vec![Action::write(path.clone())]).await?;
        ctx.files().write(&path, b"late", WriteOptions::default())?;
        Ok("written late".into())
    }
}

/// Works for a while, and then wants to know something of its client.
struct AsksClient {
    clients: Clients,
    name: &'static str,
    /// The answers that it wants, a round each.
    rounds: Vec<Value>,
}

impl TypedTool for AsksClient {
    type Input = Empty;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Empty>(self.name, "Asks its client.").read_only()
    }

    fn actions(&self, _: &Empty, _: &Scope) -> Vec<Action> {
        Vec::new()
    }

    async fn run(&self, _: Empty, ctx: &Ctx) -> Result<Output, ToolError> {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let client = self.clients.of(ctx.call_id()).unwrap();
        let mut said = Vec::new();
        for round in &self.rounds {
            let requests = serde_json::from_value(round.clone()).unwrap();
            said.push(client.ask(requests).await?);
        }
        Ok(json!(said).into())
    }
}

fn form() -> Value {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let params = json!({"mode": "form", "message": "A number?", "requestedSchema": schema});
    json!({"method": "elicitation/create", "params": params})
}

/// Two things at once, and then the same thing more often than an answer may be unfit.
fn asks_much(clients: &Clients) -> AsksClient {
    let mut rounds = vec![json!({"a": form(), "b": form()})];
    rounds.extend((0..7).map(|_| json!({"form": form()})));
    AsksClient { clients: clients.clone(), name: "asks_much", rounds }
}

fn options() -> ServeOptions {
    ServeOptions {
        ask_client: true,
        task_after: Duration::from_millis(50),
        ..ServeOptions::default()
    }
}

fn with_tools(builder: RuntimeBuilder) -> RuntimeBuilder {
    builder.tools(&Source::Builtin, [typed(Long), typed(AsksLate)]).unwrap()
}

fn runtime(folder: &Path) -> Runtime {
    let state = StateDir::open(folder.join("state")).unwrap();
    with_tools(tools::runtime(folder).unwrap()).state(state).build().unwrap()
}

fn wire() -> Wire {
    Wire::serving(options(), runtime)
}

fn tasks() -> Value {
    json!({"elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}})
}

async fn ask(wire: &mut Wire, id: &str, method: &str, params: Value) -> Value {
    wire.send(&modern_with(tasks(), id, method, params)).await;
    wire.answer(&json!(id)).await
}

/// Asks for a task until it has this status.
async fn followed(wire: &mut Wire, task: &Value, status: &str) -> Value {
    loop {
        let answer = ask(wire, "get", "tasks/get", json!({"taskId": task})).await;
        if answer["result"]["status"] == status {
            return answer["result"].clone();
        }
        assert_eq!(answer["result"]["status"], "working", "{answer}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_call_that_takes_long_becomes_a_task() {
    let mut wire = wire();
    let wait = call("wait", json!({"milliseconds": 300}));
    let begun = ask(&mut wire, "1", "tools/call", wait.clone()).await;
    assert_eq!(begun["result"]["resultType"], "task", "{begun}");
    let task = begun["result"]["taskId"].clone();
    assert!(task.as_str().unwrap().len() >= 32, "{task}");
    let done = followed(&mut wire, &task, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "waited");
    // What is quick is answered at once, and so is a client that knows no tasks.
    let echo = ask(&mut wire, "2", "tools/call", call("echo", json!({"text": "hi"}))).await;
    assert_eq!(text(&echo), "hi");
    wire.send(&modern("3", "tools/call", wait)).await;
    assert_eq!(text(&wire.answer(&json!("3")).await), "waited");
    wire.send(&modern("4", "tasks/get", json!({"taskId": task}))).await;
    assert_eq!(wire.answer(&json!("4")).await["error"]["code"], -32021);
    let unknown = ask(&mut wire, "5", "tasks/get", json!({"taskId": "guess"})).await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}

#[tokio::test]
async fn a_task_can_be_canceled() {
    let mut wire = wire();
    let wait = call("wait", json!({"milliseconds": 60_000}));
    let begun = ask(&mut wire, "1", "tools/call", wait).await;
    let task = begun["result"]["taskId"].clone();
    let canceled = ask(&mut wire, "2", "tasks/cancel", json!({"taskId": task})).await;
    assert!(canceled["result"].is_object(), "{canceled}");
    followed(&mut wire, &task, "cancelled").await;
    wire.under_way(0).await;
}

#[tokio::test]
async fn a_task_asks_in_the_middle() {
    let mut wire = wire();
    let begun = ask(&mut wire, "1", "tools/call", call("asks_late", json!({}))).await;
    let task = begun["result"]["taskId"].clone();
    let asked = followed(&mut wire, &task, "input_required").await;
    let key = asked["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    let yes = json!({"action": "accept", "content": {"answer": "allow_once"}});
    let update = json!({"taskId": task, "inputResponses": {key: yes}});
    let updated = ask(&mut wire, "2", "tasks/update", update).await;
    assert!(updated["result"].is_object(), "{updated}");
    let done = followed(&mut wire, &task, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "written late");
    assert!(wire.folder.path().join("late.txt").is_file());
}

#[tokio::test]
async fn a_task_asks_for_several_things_at_once_and_as_often_as_it_likes() {
    let clients = Clients::new();
    let tool = typed(asks_much(&clients));
    let options = ServeOptions { clients: Some(clients), ..options() };
    let mut wire = Wire::serving(options, |folder| {
        tools::runtime(folder).unwrap().tool(Source::Builtin, tool).unwrap().build().unwrap()
    });
    let begun = ask(&mut wire, "1", "tools/call", call("asks_much", json!({}))).await;
    let task = begun["result"]["taskId"].clone();
    let keys = |asked: &Value| -> Vec<String> {
        asked["inputRequests"].as_object().unwrap().keys().cloned().collect()
    };
    let number = |n: usize| json!({"action": "accept", "content": {"n": n}});
    let asked = followed(&mut wire, &task, "input_required").await;
    assert_eq!(keys(&asked), ["a", "b"], "both at once");
    let update = json!({"taskId": task, "inputResponses": {"b": number(2)}});
    ask(&mut wire, "b", "tasks/update", update).await;
    let asked = followed(&mut wire, &task, "input_required").await;
    assert_eq!(keys(&asked), ["a"], "what was answered is not asked again");
    let update = json!({"taskId": task, "inputResponses": {"a": number(1)}});
    ask(&mut wire, "a", "tasks/update", update).await;
    for round in 0..7 {
        let asked = followed(&mut wire, &task, "input_required").await;
        let key = keys(&asked).remove(0);
        let update = json!({"taskId": task, "inputResponses": {key: number(10 + round)}});
        ask(&mut wire, "u", "tasks/update", update).await;
    }
    let done = followed(&mut wire, &task, "completed").await;
    let said: Value =
        serde_json::from_str(done["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(
        (&said[0]["a"]["content"]["n"], &said[0]["b"]["content"]["n"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(said[7]["form"]["content"]["n"], 16, "{said}");
}

#[tokio::test]
async fn a_task_that_needs_what_the_client_cannot_do_fails_as_the_protocol_says() {
    let clients = Clients::new();
    let rounds = vec![json!({"roots": {"method": "roots/list"}})];
    let tool = typed(AsksClient { clients: clients.clone(), name: "needs_roots", rounds });
    let options = ServeOptions { clients: Some(clients), ..options() };
    let mut wire = Wire::serving(options, |folder| {
        tools::runtime(folder).unwrap().tool(Source::Builtin, tool).unwrap().build().unwrap()
    });
    let begun = ask(&mut wire, "1", "tools/call", call("needs_roots", json!({}))).await;
    let failed = followed(&mut wire, &begun["result"]["taskId"], "failed").await;
    assert_eq!(failed["error"]["code"], -32021, "{failed}");
    assert!(failed["error"]["data"]["requiredCapabilities"]["roots"].is_object(), "{failed}");
    assert_eq!(failed.get("result"), None, "{failed}");
}

#[tokio::test]
async fn a_task_that_waits_for_its_client_ends_with_the_token() {
    let clients = Clients::new();
    let tool = typed(asks_much(&clients));
    let options = ServeOptions { clients: Some(clients), ..options() };
    let server =
        Server::serving(options, |builder| builder.tool(Source::Builtin, tool).unwrap()).await;
    let request = modern_with(tasks(), 1, "tools/call", call("asks_much", json!({})));
    let begun = server.send(&Request::modern(ONE, &request)).await.answer();
    let get = json!({"taskId": begun["result"]["taskId"]});
    let get = modern_with(tasks(), 2, "tasks/get", get);
    while server.send(&Request::modern(ONE, &get)).await.answer()["result"]["status"]
        != "input_required"
    {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(server.runtime.in_flight(), 1);
    server.tokens.revoke("one").unwrap();
    server.under_way(0).await;
}

#[tokio::test]
async fn the_end_of_stdin_ends_tasks_too() {
    let mut wire = wire();
    let wait = call("wait", json!({"milliseconds": 60_000}));
    ask(&mut wire, "1", "tools/call", wait).await;
    wire.close();
    let runtime = wire.runtime.clone();
    assert!(wire.ended().await < Duration::from_secs(1));
    while runtime.in_flight() > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_task_and_a_spilled_result_belong_to_their_token() {
    let folder = tempfile::tempdir().unwrap();
    let state = StateDir::open(folder.path().join("state")).unwrap();
    let server = Server::serving(options(), |builder| with_tools(builder).state(state)).await;
    let wait = modern_with(tasks(), 1, "tools/call", call("wait", json!({"milliseconds": 200})));
    let begun = server.send(&Request::modern(ONE, &wait)).await.answer();
    let get = json!({"taskId": begun["result"]["taskId"]});
    let get = modern_with(tasks(), 2, "tasks/get", get);
    let foreign = server.send(&Request::modern(TWO, &get)).await.answer();
    assert_eq!(foreign["error"]["code"], -32602, "{foreign}");
    let own = server.send(&Request::modern(ONE, &get)).await.answer();
    assert!(own["result"]["status"].is_string(), "{own}");

    let long = modern(3, "tools/call", call("long", json!({})));
    let long = server.send(&Request::modern(ONE, &long)).await.answer();
    let uri = long["result"]["content"][1]["uri"].clone();
    let read = modern(4, "resources/read", json!({"uri": uri}));
    let foreign = server.send(&Request::modern(TWO, &read)).await.answer();
    assert_eq!(foreign["error"]["code"], -32602, "{foreign}");
    let own = server.send(&Request::modern(ONE, &read)).await.answer();
    let page = own["result"]["contents"][0]["text"].as_str().unwrap_or_else(|| panic!("{own}"));
    assert!(page.starts_with("line 0\n"));
    let list = server.send(&Request::modern(TWO, &modern(5, "resources/list", json!({})))).await;
    assert_eq!(list.answer()["result"]["resources"], json!([]));
}

#[tokio::test]
async fn a_spilled_result_is_linked_listed_and_read_in_pages() {
    let mut wire = wire();
    wire.send(&modern("1", "tools/call", call("long", json!({})))).await;
    let long = wire.answer(&json!("1")).await;
    let link = &long["result"]["content"][1];
    assert_eq!((&link["type"], &link["mimeType"]), (&json!("resource_link"), &json!("text/plain")));
    let list = ask(&mut wire, "2", "resources/list", json!({})).await;
    assert_eq!(list["result"]["resources"][0]["uri"], link["uri"]);
    let (mut uri, mut whole) = (link["uri"].clone(), String::new());
    loop {
        let page = ask(&mut wire, "3", "resources/read", json!({"uri": uri})).await;
        let contents = &page["result"]["contents"][0];
        whole.push_str(contents["text"].as_str().unwrap_or_else(|| panic!("{page}")));
        uri = contents["_meta"]["dogu/next"].clone();
        if uri.is_null() {
            break;
        }
    }
    assert_eq!(whole, (0..40_000).map(|n| format!("line {n}\n")).collect::<String>());
    for bad in ["dogu://output/0.txt", "dogu://output/..%2F..%2Fdogu.sqlite", "dogu://other/x"] {
        let answer = ask(&mut wire, "4", "resources/read", json!({"uri": bad})).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert_eq!(answer["error"]["data"]["uri"], bad);
    }
    let cursor = ask(&mut wire, "5", "resources/list", json!({"cursor": "7"})).await;
    assert_eq!(cursor["error"]["code"], -32602);
}

#[tokio::test]
async fn files_are_read_through_the_gate() {
    let mut wire = wire();
    let folder = wire.folder.path().to_path_buf();
    std::fs::write(folder.join("a b.md"), "# hello\n").unwrap();
    std::fs::write(folder.join("p.png"), b"\x89PNG\0\xff").unwrap();
    std::fs::write(folder.join(".env"), "KEY=1").unwrap();
    let root = format!("file://{}", folder.display());
    let read = |name: &str| json!({"uri": format!("{root}/{name}")});
    let text = ask(&mut wire, "1", "resources/read", read("a%20b.md")).await;
    let contents = &text["result"]["contents"][0];
    assert_eq!(
        (&contents["text"], &contents["mimeType"]),
        (&json!("# hello\n"), &json!("text/markdown"))
    );
    assert_eq!(text["result"]["cacheScope"], "private");
    let picture = ask(&mut wire, "2", "resources/read", read("p.png")).await;
    assert_eq!(picture["result"]["contents"][0]["blob"], "iVBORwD/");
    // What a call would ask about, a resource asks about too.
    let asked = ask(&mut wire, "3", "resources/read", read(".env")).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    wire.send(&modern("4", "resources/read", read(".env"))).await;
    let refused = wire.answer(&json!("4")).await;
    assert!(
        refused["error"]["message"].as_str().unwrap().contains("Permission denied"),
        "{refused}"
    );
    let missing = ask(&mut wire, "5", "resources/read", read("none")).await;
    assert_eq!(missing["error"]["code"], -32602);

    let templates = ask(&mut wire, "6", "resources/templates/list", json!({})).await;
    let template = &templates["result"]["resourceTemplates"][0]["uriTemplate"];
    assert_eq!(*template, json!(format!("{root}/{{+path}}")));
    std::fs::create_dir(folder.join("sub")).unwrap();
    for n in 0..150 {
        std::fs::write(folder.join(format!("sub/f{n:03}")), "").unwrap();
    }
    let complete = |value: &str| {
        let argument = json!({"name": "path", "value": value});
        json!({"ref": {"type": "ref/resource", "uri": template}, "argument": argument})
    };
    let values = |answer: &Value| answer["result"]["completion"]["values"].clone();
    let some = ask(&mut wire, "7", "completion/complete", complete("s")).await;
    // dogu's own state is for nobody.
    assert_eq!(values(&some), json!(["sub/"]), "{some}");
    let many = ask(&mut wire, "8", "completion/complete", complete("sub/f")).await;
    assert_eq!(values(&many).as_array().unwrap().len(), 100);
    assert_eq!(values(&many)[0], "sub/f000");
    assert_eq!(many["result"]["completion"]["hasMore"], true);
    for closed in ["../", ".en", "/etc/"] {
        let none = ask(&mut wire, "9", "completion/complete", complete(closed)).await;
        assert_eq!(values(&none), json!([]), "{closed}: {none}");
    }
}

#[tokio::test]
async fn slash_commands_are_prompts() {
    let folder = tempfile::tempdir().unwrap();
    let file = "---\ndescription: Review\nargument-hint: <path>\n---\nLook at $1.";
    std::fs::write(folder.path().join("review.md"), file).unwrap();
    let offers = CommandFolders::new([folder.path().to_path_buf()]);
    let options = ServeOptions { offers: vec![Arc::new(offers)], ..options() };
    let mut wire = Wire::serving(options, runtime);
    std::fs::write(wire.folder.path().join("main.rs"), "").unwrap();
    let list = ask(&mut wire, "1", "prompts/list", json!({})).await;
    assert_eq!(
        list["result"]["prompts"],
        json!([{"name": "review", "description": "Review",
                "arguments": [{"name": "arg1", "description": "<path>", "required": false}]}])
    );
    let params = json!({"name": "review", "arguments": {"arg1": "main.rs"}});
    let prompt = ask(&mut wire, "2", "prompts/get", params).await;
    assert_eq!(prompt["result"]["messages"][0]["content"]["text"], "Look at main.rs.");
    let unknown = ask(&mut wire, "3", "prompts/get", json!({"name": "no"})).await;
    assert_eq!(unknown["error"]["code"], -32602);
    let argument = json!({"name": "arg1", "value": "ma"});
    let complete = json!({"ref": {"type": "ref/prompt", "name": "review"}, "argument": argument});
    let completed = ask(&mut wire, "4", "completion/complete", complete).await;
    assert_eq!(completed["result"]["completion"]["values"], json!(["main.rs"]));
}

#[tokio::test]
async fn a_change_of_tools_is_announced_in_both_eras() {
    let (mut old, mut new) = (Wire::legacy().await, wire());
    let filter = json!({"notifications": {"toolsListChanged": true}});
    new.send(&modern("sub", "subscriptions/listen", filter)).await;
    assert_eq!(new.receive().await["method"], "notifications/subscriptions/acknowledged");
    // The notification that begins the session needs no answer; this one shows that it was read.
    old.ask("ping", json!({})).await;
    for (wire, subscription) in [(&mut old, Value::Null), (&mut new, json!("sub"))] {
        let registry = Arc::clone(wire.runtime.registry());
        for name in ["write_file", "list_files"] {
            registry.remove(&Source::Builtin, &ToolName::new(name).unwrap()).unwrap();
        }
        let told = wire.receive().await;
        assert_eq!(told["method"], "notifications/tools/list_changed", "{told}");
        let id = &told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
        assert_eq!(*id, subscription, "{told}");
        wire.send(&modern("list", "tools/list", json!({}))).await;
        // Two changes that came together were announced together.
        assert_eq!(wire.receive().await["id"], "list");
    }
}
