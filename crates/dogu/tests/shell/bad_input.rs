use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::{World, gone};

#[tokio::test]
async fn a_fork_bomb_is_bounded() {
    let world = World::with_settings("sandbox: { limits: { processes: 60 } }");
    // Written so that the analysis does not know it for what it is.
    std::fs::write(world.work("bomb.sh"), "f() { sleep 91.1 & f & f & wait; }; f").unwrap();
    let input = json!({"command": "bash bomb.sh", "timeout": 2});
    let begun = Instant::now();
    world.call("execute_command", input).await;
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert_eq!(gone("sleep 91.1").await, Vec::<String>::new());
}

#[tokio::test]
async fn a_file_has_its_limit() {
    let world = World::with_settings("sandbox: { limits: { file_mb: 5 } }");
    let ran = world.run("head -c 50000000 /dev/zero > big; echo $?; wc -c < big").await;
    assert!(ran["stdout"].as_str().unwrap().contains("5242880"), "{ran}");
}

#[tokio::test]
async fn memory_and_computing_have_their_limits() {
    let world = World::with_settings("sandbox: { limits: { memory_mb: 200, cpu_seconds: 1 } }");
    let ran = world.run("python3 -c 'x = bytearray(1000000000)'").await;
    assert!(ran["stderr"].as_str().unwrap().contains("MemoryError"), "{ran}");
    let ran = world.run("python3 -c 'while True: pass'; echo $?").await;
    assert!(ran["duration_ms"].as_u64().unwrap() < 30_000, "{ran}");
}

#[tokio::test]
async fn a_private_tmp_has_its_limit() {
    let world = World::with_settings("sandbox: { limits: { scratch_mb: 10 } }");
    let ran = world.run("head -c 50000000 /dev/zero > /tmp/big; echo $?").await;
    assert!(ran["text"].as_str().unwrap().contains("No space left"), "{ran}");
}

#[tokio::test]
async fn what_no_shell_can_mean_is_refused() {
    let world = World::new();
    for input in [
        json!({"command": ""}),
        json!({"command": "   "}),
        json!({"command": "echo a\0b"}),
        json!({"command": "true", "env": {"A B": "x"}}),
        json!({"command": "true", "env": {"A": "x\u{0}y"}}),
        json!({"command": "true", "cwd": "no/such/folder"}),
        json!({"command": "true", "cwd": "a\0b"}),
        json!({"command": 5, "timeout": "soon"}),
    ] {
        let result = world.call("execute_command", input.clone()).await;
        assert!(result.is_error(), "{input}: {}", result.to_text());
    }
}

#[tokio::test]
async fn a_program_that_is_missing_is_a_result() {
    let ran = World::new().run("no-such-program-here").await;
    assert_eq!(ran["exit_code"], 127);
    assert!(ran["stderr"].as_str().unwrap().contains("command not found"));
}

#[tokio::test]
async fn a_shell_that_is_missing_is_said() {
    let world = World::with_settings("shell: { program: /no/such/bash }");
    let result = world.call("execute_command", json!({"command": "true"})).await;
    assert!(
        result.is_error() && result.to_text().contains("/no/such/bash"),
        "{}",
        result.to_text()
    );
}

#[tokio::test]
async fn a_folder_outside_asks() {
    let world = World::saying_no();
    let outside = world.path("outside");
    let input = json!({"command": "ls", "cwd": outside.to_str().unwrap()});
    let result = world.call("execute_command", input).await;
    assert!(result.is_error(), "{}", result.to_text());
    assert!(
        world.asked.reasons()[0].contains("outside the workspace"),
        "{:?}",
        world.asked.reasons()
    );
}
