//! The program that is asked where nobody else can be: `delegate` in the user's settings.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Home, PATIENCE, Running};

const WRITE: [&str; 4] = ["call", "write_file", "path=a.txt", "content=hi"];

/// A home whose settings name a shell script that gets the question on its stdin.
fn asked_by(script: &str) -> Home {
    let home = Home::new();
    home.write("ask.sh", script);
    settings(&home, "");
    home
}

fn settings(home: &Home, more: &str) {
    let script = home.path("ask.sh");
    home.user_settings(&format!("delegate: {{command: [sh, {}]}}\n{more}", script.display()));
}

#[test]
fn it_reads_the_question_and_its_yes_counts() {
    let home = asked_by("cat > question.json\necho allow_once\n");
    std::fs::create_dir(home.path("home")).unwrap();
    let done = home.dogu(&WRITE);
    assert_eq!(done.quiet(), "Created a.txt (2 bytes).\n");
    let question = std::fs::read_to_string(home.path("home/question.json")).unwrap();
    let question: Value = serde_json::from_str(&question).unwrap();
    assert_eq!(question["question"]["tool"], "write_file");
    assert_eq!(question["answers"], json!(["allow_once", "allow_session", "allow_always", "deny"]));
    let text = question["text"].as_str().unwrap();
    assert!(
        text.starts_with("Write file (write_file, builtin)\n") && text.contains("+hi"),
        "{text}"
    );
}

#[test]
fn its_no_reaches_the_model_with_its_word() {
    let home = asked_by(r#"echo '{"answer": "deny", "message": "not in this folder"}'"#);
    let done = home.dogu(&WRITE);
    assert_eq!(done.code, Some(1), "{done}");
    assert!(done.stderr.contains("not in this folder"), "{done}");
    assert!(!home.path("work/a.txt").exists());
}

#[test]
fn a_standing_yes_is_kept_as_any_other() {
    let home = asked_by("echo asked >> asked; echo allow_always");
    std::fs::create_dir(home.path("home")).unwrap();
    home.dogu(&WRITE).quiet();
    home.dogu(&["call", "write_file", "path=a.txt", "content=again"]).quiet();
    assert_eq!(std::fs::read_to_string(home.path("home/asked")).unwrap(), "asked\n");
    assert!(home.dogu(&["policy", "grants"]).stdout.contains("a.txt"));
}

#[test]
fn what_is_no_answer_is_a_refusal_that_says_why() {
    for (script, why) in [
        ("true", "it printed ``"),
        ("echo yes", "it printed `yes`"),
        ("printf 'allow_once\\033[2J'", "it printed `allow_once[2J`"),
        ("echo allow_once; echo no screen >&2; exit 3", "it exited with 3 and said: no screen"),
        ("echo allow_once; kill -9 $$", "a signal ended it"),
        ("head -c 1000000 /dev/zero", "it printed more than 65536 bytes"),
        ("printf 'allow_once\\377'", "invalid utf-8 sequence"),
    ] {
        let home = asked_by(script);
        let done = home.dogu(&WRITE);
        assert_eq!(done.code, Some(1), "{script}: {done}");
        let told = "the program in `delegate` of the user's settings gave no answer";
        assert!(done.stderr.contains(told) && done.stderr.contains(why), "{script}: {done}");
        assert!(!home.path("work/a.txt").exists(), "{script}");
    }
    let home = Home::new();
    home.user_settings("delegate: {command: [/no/such/program]}");
    let done = home.dogu(&WRITE);
    assert_eq!(done.code, Some(1), "{done}");
    assert!(done.stderr.contains("gave no answer"), "{done}");
}

#[test]
fn it_ends_when_nobody_waits_for_it_any_more() {
    let home = asked_by("echo $$ > pid; trap '' TERM; sleep 1000 & wait; sleep 1000");
    std::fs::create_dir(home.path("home")).unwrap();
    settings(&home, "limits: {approval_seconds: 1}");
    let done = home.dogu(&WRITE);
    assert!(done.stderr.contains("nobody answered within 1 seconds"), "{done}");
    let pid = std::fs::read_to_string(home.path("home/pid")).unwrap();
    let began = std::time::Instant::now();
    while is_there(pid.trim()) {
        assert!(began.elapsed() < PATIENCE, "it is still there");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

fn is_there(pid: &str) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !state.is_empty() && !state.contains(") Z ")
}

#[test]
fn whoever_refuses_everything_asks_nobody() {
    let home = asked_by("echo asked > asked; echo allow_once");
    std::fs::create_dir(home.path("home")).unwrap();
    settings(&home, "unattended: allow");
    let none = [&WRITE[..], &["--approve", "none"]].concat();
    let done = home.dogu(&none);
    assert_eq!(done.code, Some(1), "{done}");
    assert!(!home.path("home/asked").exists() && !home.path("work/a.txt").exists());
}

#[test]
fn a_project_cannot_name_it_and_a_list_without_a_program_is_told() {
    let home = Home::new();
    home.write("work/dogu.yaml", "delegate: {command: [sh, -c, 'echo allow_once']}\n");
    let refused = home.dogu(&[&WRITE[..], &["--trust"]].concat());
    assert_snapshot!(refused, @"
    exit 2
    --- stdout
    --- stderr
    error: settings [ROOT]/work/dogu.yaml:1:1: `delegate` can only be set in your own settings, not by a project
    ");
    let home = Home::new();
    home.user_settings("delegate: {command: []}");
    assert_snapshot!(home.dogu(&WRITE), @"
    exit 2
    --- stdout
    --- stderr
    error: `delegate.command` in your settings names no program

    hint: write it as a list: the program, then its arguments
    ");
}

/// A client's session, by what the client can do.
fn session(home: &Home, capabilities: &Value) -> Running {
    let mut server = home.start(&["serve"]);
    let client = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": client});
    server.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}));
    server.receive();
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let write = json!({"name": "write_file", "arguments": {"path": "a.txt", "content": "hi"}});
    server.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": write}));
    server
}

#[test]
fn over_mcp_it_is_asked_where_the_client_cannot_be() {
    let home = asked_by("echo asked > asked; echo allow_once");
    std::fs::create_dir(home.path("home")).unwrap();
    let answer = session(&home, &json!({})).receive();
    assert_ne!(answer["result"]["isError"], true, "{answer}");
    assert!(home.path("work/a.txt").exists() && home.path("home/asked").exists());

    std::fs::remove_file(home.path("home/asked")).unwrap();
    std::fs::remove_file(home.path("work/a.txt")).unwrap();
    let mut server = session(&home, &json!({"elicitation": {}}));
    let asked = server.receive();
    assert_eq!(asked["method"], "elicitation/create", "{asked}");
    let no = json!({"action": "decline"});
    server.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": no}));
    assert_eq!(server.receive()["result"]["isError"], true);
    assert!(!home.path("work/a.txt").exists() && !home.path("home/asked").exists());
}
