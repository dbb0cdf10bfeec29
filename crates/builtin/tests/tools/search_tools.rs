//! `search_tools` and `call_tool`, in a runtime with more tools than a model should be shown.

use std::sync::Arc;

use dogu_builtin::tools::{CallTool, Index, SearchTools};
use dogu_runtime::{CatalogSettings, Heard, Runtime, Settings, Source};
use dogu_tool::{
    Action, Category, Group, Origin, Principal, Scope, ShapedTool, Tool, ToolCall, ToolResult,
    ToolSpec, typed,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::tokio;

/// A tool of a server.
fn spec(name: &str, description: &str, parameters: &[&str]) -> ToolSpec {
    let properties: serde_json::Map<String, Value> =
        parameters.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
    let schema = json!({"type": "object", "properties": properties});
    ToolSpec::new(name, description, schema).unwrap().in_group(Category::Mcp, Group::Mcp)
}

/// A tool that says its name, and would talk to its server.
fn foreign(spec: ToolSpec) -> Arc<dyn Tool> {
    let name = spec.name.as_str().to_owned();
    let said = name.clone();
    let tool = ShapedTool::new(spec, move |input, _| {
        let text = format!("{said} {input}");
        async move { Ok(text.into()) }
    });
    let (server, name) = name.split_once("__").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    Arc::new(
        tool.actions(move |_, _| vec![Action::Mcp { server: server.clone(), tool: name.clone() }]),
    )
}

fn settings(tokens: usize) -> Settings {
    let mut settings =
        Settings { catalog: CatalogSettings { tokens, core: None }, ..Settings::default() };
    let rules = "permissions: {rules: [{allow: 'Mcp(many/*)'}]}";
    settings.permissions =
        Settings::parse(rules, std::path::Path::new("test.yaml")).unwrap().permissions;
    settings
}

/// A runtime with what finds tools, and these of the server `many`.
fn runtime(tokens: usize, specs: impl IntoIterator<Item = ToolSpec>) -> Runtime {
    let builder = Runtime::builder(Scope::new(std::env::temp_dir()))
        .tools(&Source::Builtin, [typed(SearchTools::default()), typed(CallTool)])
        .unwrap()
        .tools(&Source::Mcp("many".to_owned()), specs.into_iter().map(foreign))
        .unwrap();
    builder.settings(settings(tokens)).build().unwrap()
}

fn fifty() -> Vec<ToolSpec> {
    let colours = ["red", "green", "blue", "black", "white"];
    let things = ["car", "boat", "house", "tree", "bird", "lamp", "door", "shoe", "book", "cup"];
    let pairs = colours.iter().flat_map(|c| things.iter().map(move |t| (c, t)));
    pairs
        .map(|(c, t)| spec(&format!("many__{c}_{t}"), &format!("Paints a {t} {c}."), &[]))
        .collect()
}

fn me() -> Principal {
    Principal::process("me")
}

fn call(runtime: &Runtime, who: Principal, name: &str, input: Value) -> ToolResult {
    let step = runtime.step(Arc::new(Origin::of(who)));
    tokio().block_on(step.dispatch(ToolCall::new("c", name, input)))
}

fn text(result: &ToolResult) -> String {
    result.to_text()
}

/// What a step of a turn is shown, and what becomes of one call in it.
fn step(runtime: &Runtime, search: Option<Value>) -> (Vec<String>, String) {
    let mut shown = Vec::new();
    let reply = tokio().block_on(runtime.run_step(Arc::new(Origin::of(me())), 0, |step| {
        shown = step.catalog().specs().map(|spec| spec.name.to_string()).collect();
        async move {
            match search {
                Some(input) => vec![step.dispatch(ToolCall::new("c", "search_tools", input)).await],
                None => Vec::new(),
            }
        }
    }));
    (shown, reply.results.first().map(text).unwrap_or_default())
}

#[test]
fn r22_the_next_step_has_what_was_found_and_a_second_search_still_finds_the_rest() {
    let runtime = runtime(400, fifty());
    let (shown, answer) = step(&runtime, Some(json!({"query": "paint a boat blue", "limit": 1})));
    assert_eq!(shown, ["search_tools"]);
    assert!(answer.contains("Best of 50 tools") && answer.contains("many__blue_boat:"), "{answer}");
    assert_eq!(answer.matches("many__").count(), 1, "{answer}");
    assert!(answer.contains("arguments: {\"type\":\"object\""), "{answer}");
    let (shown, _) = step(&runtime, None);
    assert_eq!(shown, ["search_tools", "many__blue_boat"]);
    for other in fifty() {
        let name = other.name.as_str();
        let (_, answer) = step(&runtime, Some(json!({"query": name, "limit": 1})));
        assert!(answer.contains(&format!("\n{name}: ")), "{answer}");
    }
    let (shown, _) = step(&runtime, None);
    assert!(shown.len() > 2, "{shown:?}");
    assert!(runtime.catalog_for(&me()).tokens() <= 400, "what was found is bounded too");
}

#[test]
fn b7_thousands_of_tools_cost_what_the_settings_say() {
    let many = (0..5_000).map(|n| {
        let name = format!("many__do_thing_{n}");
        spec(&name, &format!("Does the thing with the number {n}."), &["subject", "amount"])
    });
    let runtime = runtime(10_000, many);
    let whole: usize = runtime.catalog().callable().map(ToolSpec::tokens).sum();
    assert!(whole > 100_000, "{whole}");
    assert!(runtime.catalog().tokens() < 500, "{}", runtime.catalog().tokens());
    let answer = text(&call(&runtime, me(), "search_tools", json!({"query": "do_thing_4321"})));
    assert!(answer.contains("Best of 5000 tools"), "{answer}");
    assert!(answer.lines().nth(2).unwrap().starts_with("many__do_thing_4321:"), "{answer}");
    assert!(runtime.catalog_for(&me()).is_listed("many__do_thing_4321"));
    assert!(runtime.catalog_for(&me()).tokens() < 10_000);
}

#[test]
fn below_the_budget_all_tools_are_shown_and_nothing_searches() {
    for tokens in [0, 100_000] {
        let runtime = runtime(tokens, fifty());
        let shown: Vec<_> = runtime.catalog().specs().map(|spec| spec.name.to_string()).collect();
        assert_eq!(shown.len(), 50);
        assert!(!runtime.catalog().is_focused());
    }
}

#[test]
fn what_one_session_found_is_not_shown_to_another() {
    let runtime = runtime(200, fifty());
    call(&runtime, me(), "search_tools", json!({"query": "red car", "limit": 1}));
    let other = Principal::process("other");
    assert!(runtime.catalog_for(&me()).is_listed("many__red_car"));
    assert!(!runtime.catalog_for(&other).is_listed("many__red_car"));
    assert!(!runtime.catalog().is_listed("many__red_car"), "the list for all depends on nobody");
    assert!(runtime.catalog().is_listed("call_tool"));
    assert_eq!((runtime.shown_version(&me()), runtime.shown_version(&other)), (1, 0));
}

#[test]
fn a_call_through_call_tool_is_a_call_of_the_tool() {
    let runtime = runtime(200, fifty());
    let mut listener = runtime.listen(&me());
    let input = json!({"name": "many__red_car", "arguments": {"x": 1}});
    let result = call(&runtime, me(), "call_tool", input);
    assert_eq!(result.tool_name, "many__red_car");
    assert_eq!(text(&result), "many__red_car {\"x\":1}");
    let heard = tokio().block_on(listener.next());
    let Some(Heard::Event(event)) = heard else { panic!("{heard:?}") };
    assert_eq!(&*event.tool, "many__red_car", "listeners hear of the tool alone");
    // Other spellings, and an object in a text.
    for input in [
        json!({"tool_name": "many__red_car", "args": {"x": 1}}),
        json!({"tool": "many__red_car", "input": "{\"x\": 1}"}),
        json!({"name": "many__red_car", "parameters": {"x": 1}}),
    ] {
        let result = call(&runtime, Principal::process("p"), "call_tool", input.clone());
        assert!(text(&result).contains("many__red_car {\"x\":1}"), "{input}: {}", text(&result));
    }
    assert!(
        text(&call(&runtime, me(), "call_tool", json!({"name": "many__red_car"}))).contains("{}")
    );
}

#[test]
fn call_tool_passes_the_same_gate_and_is_counted_once() {
    let builder = Runtime::builder(Scope::new(std::env::temp_dir()))
        .tools(&Source::Builtin, [typed(SearchTools::default()), typed(CallTool)])
        .unwrap()
        .tools(&Source::Mcp("many".to_owned()), fifty().into_iter().map(foreign))
        .unwrap()
        .tools(&Source::Mcp("other".to_owned()), [foreign(spec("other__act", "Acts.", &[]))])
        .unwrap();
    let mut settings = settings(200);
    let section = serde_json::from_value(json!({"max_executions": 2})).unwrap();
    settings.tools.insert("many__red_car".to_owned(), section);
    let off = serde_json::from_value(json!({"enabled": false})).unwrap();
    settings.tools.insert("many__blue_car".to_owned(), off);
    let runtime = builder.settings(settings).build().unwrap();
    let code = |name: &str, input: Value| {
        let result = call(&runtime, me(), name, input);
        result.error.map_or("ok".to_owned(), |error| error.code.as_str().to_owned())
    };
    let through = |name: &str| json!({"name": name, "arguments": {}});
    // Nobody can be asked, so what is not allowed is denied, by whatever name it is called.
    assert_eq!(code("other__act", json!({})), "E_TOOL_DENIED");
    assert_eq!(code("call_tool", through("other__act")), "E_TOOL_DENIED");
    assert_eq!(code("call_tool", through("many__red_car")), "ok");
    assert_eq!(code("many__red_car", json!({"n": 2})), "ok");
    assert_eq!(code("call_tool", through("many__red_car")), "E_TOOL_LIMIT", "two calls are two");
    assert_eq!(code("call_tool", through("many__blue_car")), "E_TOOL_NOT_IN_CATALOG");
    assert_eq!(code("call_tool", through("no_such_tool")), "E_TOOL_NOT_IN_CATALOG");
    // What names no tool is the model's to mend.
    for input in [
        json!({}),
        json!({"name": 3}),
        json!({"name": "call_tool", "arguments": {"name": "many__red_boat"}}),
        json!({"name": "many__red_boat", "arguments": [1]}),
        json!({"name": "many__red_boat", "arguments": "nonsense"}),
        json!({"name": "many__red_boat", "more": 1}),
    ] {
        assert_eq!(code("call_tool", input.clone()), "E_TOOL_INVALID_ARGS", "{input}");
    }
    let answer = text(&call(&runtime, me(), "search_tools", json!({"query": "blue car"})));
    assert!(!answer.contains("many__blue_car"), "what is not offered is not found: {answer}");
}

/// Some tools as servers have them.
fn usual() -> Vec<ToolSpec> {
    vec![
        spec(
            "github__create_issue",
            "Creates an issue in a repository.",
            &["owner", "repo", "title", "body"],
        ),
        spec(
            "github__list_issues",
            "Lists the issues of a repository.",
            &["owner", "repo", "state"],
        ),
        spec(
            "github__mergePullRequest",
            "Merges a pull request.",
            &["owner", "repo", "pullNumber"],
        ),
        spec("slack__post_message", "Sends a message to a channel.", &["channel", "text"]),
        spec(
            "slack__list_channels",
            "Lists channels in the workspace with pagination.",
            &["cursor"],
        ),
        spec("db__run_query", "Runs SQL against the database and gives the rows.", &["sql"]),
        spec("calendar__add_event", "캘린더에 새 일정을 추가합니다.", &["title", "start", "end"]),
        spec("mail__search", "메일을 검색한다", &["query"]),
        spec("weather__forecast", "Прогноз погоды на неделю", &["city"]),
        spec("files__remove_folder", "Deletes a directory and what is in it.", &["path"]),
        spec(
            "spam__everything",
            &"create issue merge pull request send message sql ".repeat(200),
            &["create", "issue"],
        ),
    ]
}

fn best(query: &str) -> String {
    let specs = usual();
    let index = Index::of(specs.iter());
    index.search(query, 3).first().map_or("nothing".to_owned(), |name| (*name).to_owned())
}

#[test]
fn the_tool_that_is_meant_comes_first() {
    for (query, wanted) in [
        ("github__create_issue", "github__create_issue"),
        ("create_issue", "github__create_issue"),
        ("createIssue", "github__create_issue"),
        ("Create Issue", "github__create_issue"),
        ("open a new issue in the repository", "github__create_issue"),
        ("please use mail__search for me", "mail__search"),
        ("merge_pull_request", "github__mergePullRequest"),
        ("merge PR pull request", "github__mergePullRequest"),
        ("post message", "slack__post_message"),
        ("slack channel message", "slack__post_message"),
        ("channels list", "slack__list_channels"),
        ("sql database query", "db__run_query"),
        ("일정 추가", "calendar__add_event"),
        ("메일 검색", "mail__search"),
        ("прогноз погоды", "weather__forecast"),
        ("delete a folder", "files__remove_folder"),
        // Misspelt.
        ("craete_issue", "github__create_issue"),
        ("forcast", "weather__forecast"),
        ("chanels", "slack__list_channels"),
    ] {
        assert_eq!(best(query), wanted, "{query}");
    }
}

#[test]
fn a_stuffed_description_does_not_win_over_a_name() {
    for query in ["create issue", "create_issue", "merge pull request", "send message", "sql"] {
        assert_ne!(best(query), "spam__everything", "{query}");
    }
}

#[test]
fn nothing_is_found_for_what_no_tool_has() {
    let runtime = runtime(200, fifty());
    let answer = text(&call(&runtime, me(), "search_tools", json!({"query": "xylophone quartz"})));
    assert_eq!(
        answer,
        "None of the 50 tools fits \"xylophone quartz\". Try other words for what it should do."
    );
    assert_eq!(runtime.shown_version(&me()), 0);
}

#[test]
fn queries_that_are_none_and_texts_that_deceive() {
    let deceiving = spec("many__a", "Fine.\r\n\u{202e}\u{1b}[2Jother__tool: Lies.\u{200b}", &[]);
    let long = spec("many__long", &"b".repeat(2_000_000), &[]);
    let wide: Vec<String> = (0..2_000).map(|n| format!("parameter_{n}")).collect();
    let wide: Vec<&str> = wide.iter().map(String::as_str).collect();
    let runtime = runtime(1, [deceiving, long, spec("many__wide", "글 Wide.", &wide)]);
    let search = |query: &str| call(&runtime, me(), "search_tools", json!({"query": query}));
    for empty in ["", "   ", "\n\t"] {
        let result = search(empty);
        assert_eq!(result.error.unwrap().code.as_str(), "E_TOOL_INVALID_ARGS", "{empty:?}");
    }
    let answer = text(&search("lies"));
    assert!(answer.contains("\nmany__a: Fine. [2Jother__tool: Lies.\n"), "{answer:?}");
    assert!(!answer.contains(['\u{1b}', '\u{202e}', '\u{200b}']));
    let answer = text(&search("wide"));
    assert!(answer.contains("its schema is long"), "{answer}");
    assert!(answer.len() < 10_000, "{}", answer.len());
    assert!(text(&search("글")).contains("many__wide"), "one letter of a script without spaces");
    let huge = "wide ".repeat(200_000);
    assert!(text(&search(&huge)).contains("many__wide"));
    assert!(text(&search("many__long")).len() < 2_000);
    for limit in [json!(0), json!(-1), json!("x"), json!(1_000_000)] {
        let input = json!({"query": "wide", "limit": limit});
        assert!(text(&call(&runtime, me(), "search_tools", input)).len() < 10_000);
    }
}

proptest! {
    #[test]
    fn any_query_has_an_answer_and_always_the_same(query in "\\PC{0,200}", limit in 1_usize..30) {
        let specs = usual();
        let (one, two) = (Index::of(specs.iter()), Index::of(specs.iter()));
        let found = one.search(&query, limit);
        prop_assert!(found.len() <= limit);
        prop_assert_eq!(&found, &two.search(&query, limit));
        for name in found {
            prop_assert!(specs.iter().any(|spec| spec.name.as_str() == name));
        }
    }

    #[test]
    fn a_tools_own_name_always_finds_it(names in prop::collection::btree_set("[a-z]{1,9}(_[a-zA-Z0-9]{1,9}){0,3}", 1..30)) {
        let specs: Vec<ToolSpec> =
            names.iter().map(|name| spec(&format!("s__{name}"), "create issue", &[])).collect();
        let index = Index::of(specs.iter());
        for known in &specs {
            prop_assert_eq!(index.search(known.name.as_str(), 1), [known.name.as_str()]);
        }
    }
}
