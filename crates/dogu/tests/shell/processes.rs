use std::sync::Arc;

use dogu_tool::{Origin, Principal};
use serde_json::{Value, json};

use crate::support::{World, gone};

async fn start(world: &World, input: Value) -> String {
    let result = world.call("process_start", input).await;
    assert!(!result.is_error(), "{}", result.to_text());
    result.structured.unwrap()["id"].as_str().unwrap().to_owned()
}

/// Waits until a process has written what matches.
async fn wrote(world: &World, id: &str, pattern: &str) {
    let wait = json!({"id": id, "until": {"output": pattern}, "timeout": 30});
    let waited = world.call("process_wait", wait).await;
    assert!(waited.to_text().starts_with("It wrote: "), "{pattern}: {}", waited.to_text());
}

#[tokio::test]
async fn b10_a_server_is_started_waited_for_and_stopped() {
    let world = World::new();
    let line = "python3 -u -m http.server 18181 --bind 127.0.0.1";
    start(&world, json!({"command": line, "name": "web"})).await;
    let input = json!({"id": "web", "until": {"port": 18181}, "timeout": 20});
    let waited = world.call("process_wait", input).await;
    assert!(waited.to_text().starts_with("It listens at port 18181."), "{}", waited.to_text());
    let input =
        json!({"id": "web", "until": {"output": "Serving HTTP on \\S+ port"}, "timeout": 20});
    let waited = world.call("process_wait", input).await;
    assert!(waited.to_text().starts_with("It wrote: Serving HTTP"), "{}", waited.to_text());
    let listed = world.call("process_list", json!({})).await;
    assert!(listed.to_text().contains("(web): runs for"), "{}", listed.to_text());
    let twice = world.call("process_start", json!({"command": "sleep 1", "name": "web"})).await;
    assert!(twice.is_error() && twice.to_text().contains("already runs"), "{}", twice.to_text());
    let stopped = world.call("process_stop", json!({"id": "web"})).await;
    assert!(stopped.to_text().starts_with("It was stopped."), "{}", stopped.to_text());
    assert_eq!(gone("http.server 18181").await, Vec::<String>::new());
}

#[tokio::test]
async fn b10_input_is_sent_and_answered() {
    let world = World::new();
    let id =
        start(&world, json!({"command": "while read -r x; do echo \"got $x\"; done; echo end"}))
            .await;
    let sent = world.call("process_send", json!({"id": id, "input": "one"})).await;
    assert_eq!(sent.structured.unwrap()["sent"], 4);
    wrote(&world, &id, "got one").await;
    world.call("process_send", json!({"id": id, "input": "two", "close": true})).await;
    wrote(&world, &id, "got two\\s+end").await;
    let ended = world.call("process_wait", json!({"id": id, "until": {"exit": true}})).await;
    assert_eq!(ended.structured.unwrap()["exit_code"], 0);
    let late = world.call("process_send", json!({"id": id, "input": "three"})).await;
    assert!(late.is_error(), "{}", late.to_text());
}

#[tokio::test]
async fn b10_a_program_at_a_terminal_is_talked_to() {
    let world = World::new();
    let id = start(&world, json!({"command": "python3 -q -i", "pty": true})).await;
    wrote(&world, &id, ">>>").await;
    world.call("process_send", json!({"id": id, "input": "6*7"})).await;
    wrote(&world, &id, "^42").await;
    // Ctrl-D at an empty line is the end.
    world.call("process_send", json!({"id": id, "input": "\u{4}", "newline": false})).await;
    let ended = world.call("process_wait", json!({"id": id, "timeout": 20})).await;
    assert!(ended.to_text().starts_with("It has ended."), "{}", ended.to_text());
}

#[tokio::test]
async fn b10_logs_are_tailed_searched_and_followed() {
    let world = World::new();
    let line = "for i in $(seq 1 50); do echo line $i; done; echo 'error: bad' >&2; sleep 85.1";
    let id = start(&world, json!({"command": line})).await;
    wrote(&world, &id, "error: bad").await;
    let wait = json!({"id": id, "until": {"quiet": 0.3}, "timeout": 20});
    assert!(world.call("process_wait", wait).await.to_text().starts_with("It is quiet."));
    let logs = async |input: Value| {
        let mut input = input;
        input["id"] = json!(id);
        let result = world.call("process_logs", input).await;
        (result.to_text(), result.structured.unwrap()["cursor"].as_u64().unwrap())
    };
    let (tail, cursor) = logs(json!({"tail": 2})).await;
    assert!(tail.contains("line 50\nerror: bad") && !tail.contains("line 49"), "{tail}");
    let (found, _) = logs(json!({"search": "line 7$"})).await;
    assert!(found.contains("7:line 7"), "{found}");
    let (errors, _) = logs(json!({"errors_only": true})).await;
    assert!(errors.contains("error: bad") && !errors.contains("line 1\n"), "{errors}");
    let (new, _) = logs(json!({"since": cursor})).await;
    assert!(new.contains("(nothing)"), "{new}");
    let status = world.call("process_status", json!({"id": id})).await;
    assert!(status.to_text().contains("sandbox: read-only"), "{}", status.to_text());
    world.call("process_stop", json!({"id": id, "force": true})).await;
    assert_eq!(gone("sleep 85.1").await, Vec::<String>::new());
}

#[tokio::test]
async fn b10_another_caller_sees_none_of_them() {
    let world = World::new();
    let id = start(&world, json!({"command": "sleep 86.1", "name": "mine"})).await;
    let other = Arc::new(Origin::of(Principal::token("ab", "s")));
    for tool in ["process_logs", "process_status", "process_stop", "process_wait"] {
        let result = world.call_as(&other, tool, json!({"id": id})).await;
        assert!(result.is_error() && result.to_text().contains("There is no command"), "{tool}");
    }
    let listed = world.call_as(&other, "process_list", json!({})).await;
    assert_eq!(listed.to_text(), "There are none.");
    world.call("process_stop", json!({"id": "mine"})).await;
    assert_eq!(gone("sleep 86.1").await, Vec::<String>::new());
}

#[tokio::test]
async fn b10_there_is_a_limit_to_their_number() {
    let world = World::new();
    let mut refused = None;
    for number in 0..40 {
        let input = json!({"command": "sleep 87.1", "name": format!("n{number}")});
        let result = world.call("process_start", input).await;
        if result.is_error() {
            refused = Some(result.to_text());
            break;
        }
    }
    assert!(refused.unwrap().contains("which is the limit"));
    for process in world.call("process_list", json!({})).await.structured.unwrap()["processes"]
        .as_array()
        .unwrap()
    {
        world.call("process_stop", json!({"id": process["id"], "force": true})).await;
    }
    assert_eq!(gone("sleep 87.1").await, Vec::<String>::new());
}

#[tokio::test]
async fn b10_processes_end_with_the_runtime() {
    let world = World::new();
    start(&world, json!({"command": "setsid sleep 88.1 & sleep 88.1"})).await;
    drop(world);
    assert_eq!(gone("sleep 88.1").await, Vec::<String>::new());
}
