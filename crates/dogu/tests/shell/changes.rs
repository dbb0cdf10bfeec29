use std::fs;

use serde_json::json;

use crate::support::World;

#[tokio::test]
async fn what_a_command_changes_is_seen_and_taken_back() {
    let world = World::new();
    fs::write(world.work("a.txt"), "one\n").unwrap();
    fs::write(world.work("b.txt"), "two\n").unwrap();
    let ran = world.run("echo changed > a.txt; rm b.txt; echo new > c.txt").await;
    let text = ran["text"].as_str().unwrap();
    assert!(text.contains("3 files changed; `dogu undo "), "{text}");
    let id = ran["undo"].as_str().unwrap();
    let undone = std::process::Command::new(env!("CARGO_BIN_EXE_dogu"))
        .args(["undo", id])
        .current_dir(world.work(""))
        .env("XDG_STATE_HOME", world.path("link-to-state"))
        .env("XDG_CONFIG_HOME", world.path("config"))
        .output()
        .unwrap();
    assert!(undone.status.success(), "{undone:?}");
    assert_eq!(fs::read_to_string(world.work("a.txt")).unwrap(), "one\n");
    assert_eq!(fs::read_to_string(world.work("b.txt")).unwrap(), "two\n");
    assert!(!world.work("c.txt").exists());
}

#[tokio::test]
async fn what_cannot_be_taken_back_is_named() {
    let world = World::new();
    fs::write(world.work("big.bin"), vec![7; 3_000_000]).unwrap();
    let ran = world.run("echo x >> big.bin").await;
    let text = ran["text"].as_str().unwrap();
    assert!(text.contains("cannot be taken back") && text.contains("big.bin"), "{text}");
}

#[tokio::test]
async fn what_only_looks_is_not_watched() {
    let world = World::new();
    fs::write(world.work("a.txt"), "one\n").unwrap();
    world.run("cat a.txt").await;
    assert!(!world.path("state/journal/watch").exists());
}

#[tokio::test]
async fn a_time_out_does_not_hide_what_was_changed() {
    let world = World::new();
    fs::write(world.work("a.txt"), "one\n").unwrap();
    let input = json!({"command": "echo x > a.txt; sleep 30", "timeout": 0.5});
    let result = world.call("execute_command", input).await;
    assert!(result.to_text().contains("1 file changed"), "{}", result.to_text());
}
