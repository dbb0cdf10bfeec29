use dogu::gateway::Standing;
use serde_json::json;

use crate::support::{Build, is_alone, peak, small};

/// What a server does in the midst of a call, what becomes of the call, and that the next one
/// works.
#[tokio::test]
async fn whatever_a_server_writes_the_call_ends_and_the_next_one_works() {
    for (what, expected) in [
        ("half", "ended during the call"),
        ("huge", "answered with 200000"),
        ("huge, id last", "answered with 200000"),
        ("wrong id", "yours"),
        ("nonsense", "cannot be understood"),
        ("refuse", "The MCP server small refused: no such argument (-32602)"),
        ("flood", "after the flood"),
    ] {
        let world = Build::new().small("good").world().loaded().await;
        let result = world.call("small__do", json!({"what": what})).await.to_text();
        assert!(result.contains(expected), "{what}: {}", &result[..result.len().min(500)]);
        let next = world.call("small__echo", json!({"text": "next"})).await;
        assert_eq!(next.to_text(), "next", "{what}");
    }
}

#[tokio::test]
async fn an_answer_that_is_no_json_ends_with_the_time_of_the_call() {
    let build = Build::new();
    let mut server = small("good", &build.notes());
    server.timeout = Some(1);
    let world = build.server("small", server).world().loaded().await;
    let result = world.call("small__do", json!({"what": "invalid"})).await.to_text();
    assert!(result.contains("did not answer within 1 seconds"), "{result}");
    let log = world.gateway.stderr("small", 10_000).unwrap();
    assert!(log.contains("not a message on stdout"), "{log}");
    assert_eq!(world.call("small__echo", json!({"text": "a"})).await.to_text(), "a");
}

#[tokio::test]
async fn a_server_that_does_not_come_up_says_why() {
    for (mode, expected) in [
        ("does not start", "it exited with 3; it said: the key is missing"),
        ("dies after initialize", "it exited with 4"),
        ("dies at list", "it exited with 5"),
    ] {
        let world = Build::new().small(mode).world();
        let failed = world.gateway.load().await;
        let why = failed[0].1.to_string();
        assert!(why.contains(expected), "{mode}: {why}");
        assert!(matches!(world.gateway.statuses()[0].standing, Standing::Failed(_)));
        let other = world.call("list_files", json!({"path": "."})).await;
        assert!(!other.is_error(), "the rest works");
    }
}

#[tokio::test]
async fn a_program_that_is_not_there_is_told() {
    let server = dogu::runtime::mcp::McpServer::program("/no/such/program", [""; 0]);
    let world = Build::new().server("small", server).world();
    let why = world.gateway.load().await[0].1.to_string();
    assert!(why.contains("`/no/such/program` cannot be started"), "{why}");
    let input = json!({"server_name": "small", "tool_name": "x"});
    let told = world.call("use_mcp_tool", input).await.to_text();
    assert!(told.contains("The MCP server small cannot be used"), "{told}");
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up() {
    let build = Build::new();
    let mut server = small("silent", &build.notes());
    server.startup_timeout = Some(1);
    let world = build.server("small", server).world();
    let why = world.gateway.load().await[0].1.to_string();
    assert!(why.contains("it did not answer within 1 seconds"), "{why}");
}

#[tokio::test]
async fn odd_schemas_are_shown_checked_and_never_fetched() {
    let world = Build::new().small("odd").world().loaded().await;
    for tool in ["small__round", "small__net", "small__shapeless"] {
        let input = json!({"a": {"anything": [1, 2]}});
        let result = world.call(tool, input).await;
        assert!(!result.is_error(), "{tool}: {}", result.to_text());
    }
    let set = world.runtime.registry().snapshot();
    let net = set.get("small__net").unwrap().spec().input_schema.to_string();
    assert!(!net.contains("http"), "{net}");
}

#[tokio::test]
async fn two_hundred_megabytes_take_no_memory() {
    if !is_alone("hostile::two_hundred_megabytes_take_no_memory") {
        return;
    }
    let world = Build::new().small("good").world().loaded().await;
    let before = peak();
    world.call("small__do", json!({"what": "huge"})).await;
    let grown = peak().saturating_sub(before);
    assert!(grown < 120 * 1024, "the process grew by {grown} KB");
}
