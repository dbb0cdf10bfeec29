use serde_json::json;

use crate::support::World;

#[tokio::test]
async fn x2_forbidden_and_interactive_commands_never_start() {
    let world = World::new();
    for line in ["rm -rf /", ":(){ :|:& };:", "vim x", "top", "less a.txt"] {
        let result = world.call("execute_command", json!({"command": line})).await;
        assert!(result.is_error(), "{line}");
    }
    assert_eq!(world.asked.count(), 0);
    // At a terminal of its own such a program can be used, after asking.
    let input = json!({"command": "less a.txt", "pty": true});
    let started = world.call("process_start", input).await;
    assert!(!started.is_error(), "{}", started.to_text());
    assert_eq!(world.asked.count(), 1);
}

#[tokio::test]
async fn what_only_looks_runs_unasked_and_can_change_nothing() {
    let world = World::new();
    world.repository();
    let ran = world.run("git status --short; git log --oneline; ls").await;
    assert_eq!(world.asked.count(), 0);
    assert_eq!(ran["sandbox"], "read-only");
}

#[tokio::test]
async fn the_way_out_of_the_sandbox_is_asked_about_each_time() {
    let world = World::with_settings(
        "permissions: { auto_approve: { execute: true }, rules: [ { allow: 'Execute(touch *)' } ] }",
    );
    let outside = world.path("outside/x");
    let line = "touch inside";
    assert!(!world.call("execute_command", json!({"command": line})).await.is_error());
    assert_eq!(world.asked.count(), 0);
    for times in 1..=2 {
        let input = json!({"command": line, "outside_sandbox": true});
        let result = world.call("execute_command", input).await;
        assert_eq!(result.structured.unwrap()["sandbox"], "off");
        assert_eq!(world.asked.count(), times);
        assert!(!world.asked.last_was_offered(), "no standing answer");
    }
    let actions = world.asked.actions();
    assert!(actions.contains(&"Execute(touch inside)".to_owned()), "{actions:?}");
    assert!(actions.contains(&"Custom(outside_sandbox)".to_owned()), "{actions:?}");
    assert!(!outside.exists());
}

#[tokio::test]
async fn a_rule_cannot_open_the_way_out() {
    let world = World::with_settings(
        "permissions: { rules: [ { allow: 'Custom(outside_sandbox)' }, { allow: 'Execute(ls)' } ] }",
    );
    let input = json!({"command": "ls", "outside_sandbox": true});
    world.call("execute_command", input).await;
    assert_eq!(world.asked.count(), 1);
}

#[tokio::test]
async fn git_writes_the_repository_alone_or_after_asking() {
    let world = World::with_settings(
        "permissions: { rules: [ { allow: 'Execute(git *)' }, { allow: 'Execute(true)' }, { allow: 'Execute(make)' } ] }",
    );
    world.repository();
    std::fs::write(world.work("b.txt"), "two\n").unwrap();
    let ran = world.run("git add b.txt && git commit -qm second && git log --oneline").await;
    assert_eq!(world.asked.count(), 0, "{:?}", world.asked.reasons());
    assert!(ran["stdout"].as_str().unwrap().contains("second"), "{ran}");
    std::fs::write(world.work("Makefile"), "all:\n\ttouch .git/hooks/x\n").unwrap();
    let ran = world.run("make").await;
    assert!(ran["text"].as_str().unwrap().contains("Read-only file system"), "{ran}");
    world.run("make; git commit -q --allow-empty -m third").await;
    let actions = world.asked.actions().join(" ");
    assert!(actions.contains("FileWrite(") && actions.contains("/.git)"), "{actions}");
}

#[tokio::test]
async fn the_network_is_asked_about_where_a_program_is_known_to_use_it() {
    let world = World::new();
    let input = json!({"command": "curl -sS http://127.0.0.1:9/"});
    world.call("execute_command", input).await;
    let reasons = world.asked.reasons().join("; ");
    assert!(reasons.contains("http://127.0.0.1:9/"), "{reasons}");
}

#[tokio::test]
async fn a_rule_for_the_command_is_one_for_its_network() {
    let world =
        World::with_settings("permissions: { rules: [ { allow: 'Execute(git fetch *)' } ] }");
    world.repository();
    world.run("git fetch nowhere").await;
    assert_eq!(world.asked.count(), 0, "{:?}", world.asked.reasons());
    let denied = World::with_settings(
        "permissions: { rules: [ { allow: 'Execute(curl **)' }, { deny: 'Network(http://evil.example/**)' } ] }",
    );
    let input = json!({"command": "curl http://evil.example/x"});
    let result = denied.call("execute_command", input).await;
    assert!(result.is_error(), "{}", result.to_text());
}
