//! `dogu policy check --lines`: the contract for other programs.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::Home;

const CHECK: [&str; 3] = ["policy", "check", "--lines"];

/// The answers to these lines, one each.
fn answers(home: &Home, lines: &[&str]) -> Vec<Value> {
    let done = home.dogu_with(&CHECK, (lines.join("\n") + "\n").as_bytes());
    assert_eq!(done.code, Some(0), "{done}");
    let answers: Vec<Value> =
        done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), lines.len(), "one answer a line: {done}");
    answers
}

fn decisions(home: &Home, questions: &[Value]) -> Vec<String> {
    let lines: Vec<String> = questions.iter().map(Value::to_string).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let answers = answers(home, &lines);
    answers.iter().map(|answer| answer["decision"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_command_is_answered_with_all_of_it() {
    let home = Home::new();
    home.write("work/a.txt", "");
    let lines = br#"{"command":"cat a.txt | tee b.txt"}
{"command":"echo \"$(rm -rf ~)\"","cwd":"/","allow":["echo"],"deny":["git push"]}
{"action":{"type":"FileWrite","path":"a.txt"}}
"#;
    assert_snapshot!(home.dogu_with(&CHECK, lines), @r#"
    exit 0
    --- stdout
    {"decision":"ask","risk":"caution","reasons":["`tee` writes what it reads into files (caution)","to write b.txt is not approved"],"commands":[{"argv":["cat","a.txt"],"risk":"safe"},{"argv":["tee","b.txt"],"risk":"caution"}],"reads":["[ROOT]/work/a.txt"],"writes":["[ROOT]/work/b.txt"]}
    {"decision":"deny","risk":"forbidden","reasons":["`rm` deletes a whole home or file system"],"commands":[{"argv":["rm","-rf","[ROOT]/home"],"risk":"forbidden"},{"argv":["echo","…"],"risk":"safe"}],"reads":[],"writes":["[ROOT]/home"]}
    {"decision":"ask","risk":null,"reasons":["to write a.txt is not approved"],"commands":[],"reads":[],"writes":["[ROOT]/work/a.txt"]}
    --- stderr
    "#);
}

#[test]
fn lists_of_prefixes_are_rules_as_in_roo() {
    let home = Home::new();
    let ask = |command: &str| json!({"command": command, "allow": ["git", "cargo test"], "deny": ["git push"]});
    let questions = [
        ask("git status"),
        ask("git push"),
        ask("cargo test -p x"),
        ask("cargo build"),
        ask("gitx"),
        ask("echo hi"),
        json!({"command": "echo hi"}),
        json!({"command": "echo hi", "allow": [], "deny": []}),
        json!({"command": "touch a", "allow": ["*"]}),
        json!({"command": "echo \"$(rm x)\"", "allow": ["echo"]}),
        json!({"command": "cargo test && git push", "allow": ["cargo"], "deny": ["git push"]}),
    ];
    let wanted = "allow deny allow ask ask ask allow allow allow ask deny";
    assert_eq!(decisions(&home, &questions).join(" "), wanted);
}

#[test]
fn every_kind_of_action_is_answered() {
    let home = Home::new();
    home.write("work/a.txt", "");
    home.user_settings(
        "permissions:
  rules:
    - allow: Network(https://docs.rs/**)
    - allow: Mcp(github/get_*)
    - deny: Custom(launch)
",
    );
    let action = |action: Value| json!({"action": action});
    let questions = [
        (action(json!({"type": "Execute", "command": "ls"})), "allow"),
        (action(json!({"type": "Execute", "command": "touch x", "cwd": "."})), "ask"),
        (action(json!({"type": "FileRead", "path": "a.txt"})), "allow"),
        (action(json!({"type": "FileRead", "path": "."  , "tree": true})), "allow"),
        (action(json!({"type": "FileRead", "path": "/etc/hostname"})), "ask"),
        (action(json!({"type": "FileRead", "path": "~/.ssh/id_rsa"})), "ask"),
        (action(json!({"type": "FileReadSensitive", "path": ".env"})), "ask"),
        (action(json!({"type": "FileWrite", "path": "a.txt"})), "ask"),
        (action(json!({"type": "FileWrite", "path": "/etc/passwd"})), "deny"),
        (action(json!({"type": "FileDelete", "path": "a.txt"})), "ask"),
        (action(json!({"type": "Network", "url": "https://docs.rs/serde"})), "allow"),
        (action(json!({"type": "Network", "url": "https://example.org"})), "ask"),
        (action(json!({"type": "Mcp", "server": "github", "tool": "get_issue"})), "allow"),
        (action(json!({"type": "Mcp", "server": "github", "tool": "push"})), "ask"),
        (action(json!({"type": "Custom", "name": "launch"})), "deny"),
        (action(json!({"type": "Custom", "name": "other", "details": {"x": 1}})), "ask"),
    ];
    let (questions, wanted): (Vec<_>, Vec<_>) = questions.into_iter().unzip();
    assert_eq!(decisions(&home, &questions), wanted);
}

#[test]
fn a_line_that_cannot_be_read_is_answered_and_the_next_one_too() {
    let home = Home::new();
    let lines = [
        "",
        "   ",
        "ls",
        "[]",
        "null",
        "{}",
        r#"{"command": 7}"#,
        r#"{"command": "ls", "action": {"type": "FileRead", "path": "a"}}"#,
        r#"{"command": "ls", "denied": ["ls"]}"#,
        r#"{"command": "ls", "deny": "ls"}"#,
        r#"{"action": {"type": "Fly"}}"#,
        r#"{"action": {"path": "a"}}"#,
        r#"{"action": {"type": "FileRead"}}"#,
        r#"{"action": {"type": "Mcp", "server": "a b", "tool": ""}}"#,
        "\u{0}",
    ];
    for (line, answer) in lines.iter().zip(answers(&home, &lines)) {
        assert!(answer["error"].is_string(), "{line}: {answer}");
        assert_eq!(answer.as_object().unwrap().len(), 1, "{line}: {answer}");
    }
    let mixed = home.dogu_with(&CHECK, b"\xff\xfe\nx\r\n{\"command\":\"ls\"}");
    let lines: Vec<&str> = mixed.quiet().lines().collect();
    assert_eq!(lines.len(), 3, "{mixed}");
    assert!(lines[2].starts_with(r#"{"decision":"allow","#), "the last line needs no end: {mixed}");
    assert_eq!(home.dogu_with(&CHECK, b"").quiet(), "");
}

#[test]
fn what_no_program_could_run_is_denied() {
    let home = Home::new();
    let nul = answers(
        &home,
        &[
            r#"{"command":"ls\u0000"}"#,
            r#"{"action":{"type":"FileRead","path":"a\u0000"}}"#,
            r#"{"action":{"type":"FileRead","path":""}}"#,
        ],
    );
    for answer in nul {
        assert_eq!(answer["decision"], "deny", "{answer}");
        assert_eq!(answer["commands"], json!([]));
    }
}

#[test]
fn a_line_of_any_length_is_answered() {
    let home = Home::new();
    let long = "ls ".repeat(30_000);
    let deep = format!("echo {}x{}", "$(".repeat(10_000), ")".repeat(10_000));
    let questions = [long, deep].map(|command| json!({"command": command}));
    assert_eq!(decisions(&home, &questions), ["ask", "ask"]);
    let mut huge = vec![b'x'; 17 * 1024 * 1024];
    huge.extend(b"\n{\"command\":\"ls\"}\n");
    let done = home.dogu_with(&CHECK, &huge);
    let lines: Vec<&str> = done.quiet().lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].contains("longer than"), "{}", lines[0]);
}

#[test]
fn the_folder_need_not_exist() {
    let home = Home::new();
    home.write("work/sub/a.txt", "");
    let at = |cwd: &str| json!({"command": "cat a.txt", "cwd": cwd});
    let questions = [
        at("sub"),
        at("./sub/../sub"),
        at("not/there"),
        at("/not/there/at/all"),
        at("not/../../other"),
        at("~"),
        at("sub/a.txt"),
        at(""),
    ];
    let wanted = "allow allow allow ask ask ask ask allow";
    assert_eq!(decisions(&home, &questions).join(" "), wanted);
}

#[test]
fn an_answer_comes_before_the_next_question() {
    let home = Home::new();
    let mut running = home.start(&CHECK);
    for command in ["ls", "touch a", "ls"] {
        running.send(&json!({"command": command}));
        assert_eq!(running.receive()["commands"][0]["argv"][0], command.split(' ').next().unwrap());
    }
    drop(running.child.stdin.take());
    assert_eq!(running.ended().code(), Some(0));
}

#[test]
fn nothing_that_is_asked_about_is_done() {
    let home = Home::new();
    let touch = json!({"command": "touch marker", "allow": ["touch"]});
    assert_eq!(decisions(&home, &[touch]).len(), 1);
    assert!(!home.path("work/marker").exists());
    assert!(!home.path("state").exists());
}
