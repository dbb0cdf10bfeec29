use std::fs;

use serde_json::json;

use crate::support::World;

#[tokio::test]
async fn x1_bash_counts_milliseconds() {
    let world = World::new();
    let result = world.call("bash", json!({"command": "sleep 3", "timeout": 200})).await;
    assert_eq!(result.structured.unwrap()["timed_out"], true);
    let result = world.call("bash", json!({"command": "echo hi", "description": "greets"})).await;
    assert!(result.to_text().starts_with("hi\n"));
}

#[tokio::test]
async fn x1_run_terminal_command_says_its_status() {
    let world = World::new();
    let result = world.call("run_terminal_command", json!({"command": "exit 2"})).await;
    assert!(
        result.to_text().ends_with("[Status: Command failed with exit code 2]"),
        "{}",
        result.to_text()
    );
    let background = json!({"command": "true", "waitForCompletion": false});
    let result = world.call("run_terminal_command", background).await;
    assert_eq!(result.to_text(), "Command is running in the background...");
}

#[tokio::test]
async fn x1_exec_and_script_answer_as_goondan_does() {
    let world = World::new();
    let input = json!({"command": "echo $A$B", "env": {"A": "x", "B": 3}});
    let result = world.call("bash_exec", input).await.structured.unwrap();
    assert_eq!((result["stdout"].as_str(), result["exitCode"].as_i64()), (Some("x3\n"), Some(0)));
    assert_eq!(result["timedOut"], false);
    fs::write(world.work("s.sh"), "printf '[%s]' \"$@\"; exit 5").unwrap();
    let input = json!({"path": "s.sh", "args": ["a b", "$(id)", "", "it's"]});
    let result = world.call("bash_script", input).await.structured.unwrap();
    assert_eq!(result["stdout"], "[a b][$(id)][][it's]");
    assert_eq!(result["exitCode"], 5);
    let input = json!({"command": "sleep 3", "timeoutMs": 200});
    let result = world.call("bash_exec", input).await.structured.unwrap();
    assert_eq!((result["timedOut"].as_bool(), result["exitCode"].as_i64()), (Some(true), Some(-1)));
}
