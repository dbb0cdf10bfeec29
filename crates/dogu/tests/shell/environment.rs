use serde_json::json;

use crate::support::World;

#[tokio::test]
async fn s7_the_shell_is_the_users_choice() {
    let world = World::with_settings("shell: { program: /bin/sh }");
    let ran = world.run("echo $0").await;
    assert_eq!(ran["stdout"], "/bin/sh\n");
    let arguments = World::with_settings("shell: { program: /bin/bash, arguments: [-e, -c] }");
    let ran = arguments.run("false; echo not here").await;
    assert_eq!((ran["stdout"].as_str(), ran["exit_code"].as_i64()), (Some(""), Some(1)));
}

#[tokio::test]
async fn s7_lines_for_other_shells_always_ask() {
    let world = World::with_settings("shell: { program: /bin/bash, kind: fish }");
    world.run("ls").await;
    assert_eq!(world.asked.count(), 1);
    assert!(world.asked.reasons()[0].contains("fish reads lines in its own way"));
    let bash = World::new();
    bash.run("ls").await;
    assert_eq!(bash.asked.count(), 0);
}

#[tokio::test]
async fn r30_the_default_shell_is_bash_with_a_bare_environment() {
    let world = World::new();
    let ran = world.run("echo $0; env | cut -d= -f1 | sort").await;
    let names = ran["stdout"].as_str().unwrap();
    assert!(names.starts_with("bash\n"), "{names}");
    for given in ["PATH", "GIT_TERMINAL_PROMPT", "DOGU_SANDBOX", "NO_COLOR"] {
        assert!(names.lines().any(|name| name == given), "{given} in {names}");
    }
    // Cargo sets these for tests; nobody else needs them.
    assert!(!names.contains("CARGO_MANIFEST_DIR"), "{names}");
}

#[tokio::test]
async fn the_users_own_variables_are_set() {
    let world = World::with_settings(
        "shell: { environment: { GREETING: hello }, pass: [DOGU_TEST_PASSED] }",
    );
    let ran = world.run("echo $GREETING $HOSTTYPE").await;
    assert!(ran["stdout"].as_str().unwrap().starts_with("hello"), "{ran}");
}

#[tokio::test]
async fn variables_that_steer_programs_are_asked_about_by_name() {
    let world = World::saying_no();
    for name in [
        "LD_PRELOAD",
        "GIT_DIR",
        "BASH_ENV",
        "PATH",
        "PYTHONPATH",
        "NODE_OPTIONS",
        "HTTPS_PROXY",
        "RUSTC_WRAPPER",
        "MANPAGER",
    ] {
        let input = json!({"command": "ls", "env": {name: "x"}});
        assert!(world.call("execute_command", input).await.is_error(), "{name}");
    }
}
