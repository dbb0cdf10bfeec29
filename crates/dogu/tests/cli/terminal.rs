//! The question at a terminal.

use std::process::Command;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Home, binary};

/// What a person at a terminal sees who gives this answer.
pub(crate) fn answered(home: &Home, answer: &str, arguments: &[&str]) -> Value {
    talked(home, "", &[answer], arguments)
}

/// What a person sees who types something ahead, and then answers each question.
pub(crate) fn talked(home: &Home, ahead: &str, answers: &[&str], arguments: &[&str]) -> Value {
    let line: Vec<&str> = [&[binary().to_str().unwrap()], arguments].concat();
    on_terminal(home, ahead, &json!(answers), &line)
}

/// What a person sees who presses Ctrl-C as soon as a text is there.
fn interrupted(home: &Home, after: &str, arguments: &[&str]) -> Value {
    let line: Vec<&str> = [&[binary().to_str().unwrap()], arguments].concat();
    on_terminal(home, "", &json!([{ "after": after, "type": "\u{3}" }]), &line)
}

/// What a person sees of a line of a shell.
pub(crate) fn shell(home: &Home, answers: &[&str], line: &str) -> Value {
    on_terminal(home, "", &json!(answers), &["sh", "-c", line])
}

fn on_terminal(home: &Home, ahead: &str, answers: &Value, line: &[&str]) -> Value {
    let mut command = Command::new("python3");
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/terminal.py")).arg(ahead);
    command.arg(answers.to_string());
    command.args(["env", "-i", "NO_COLOR=1", "TERM=xterm"]);
    let environment = home.environment();
    command.args(environment.iter().map(|(name, value)| format!("{name}={}", value.display())));
    command.args(line).current_dir(home.work());
    let done = home.run(command, b"");
    let mut result = done.json();
    result["output"] = result["output"].as_str().unwrap().replace("\r\n", "\n").into();
    assert_eq!(result["asked"], answers.as_array().unwrap().len(), "{result}");
    result
}

pub(crate) const WRITE: [&str; 4] = ["call", "write_file", "path=a.txt", "content=new\nlines\n"];

fn content(home: &Home) -> Option<String> {
    std::fs::read_to_string(home.path("work/a.txt")).ok()
}

#[test]
fn a5_a_yes_at_the_terminal_writes() {
    let home = Home::new();
    let result = answered(&home, "y\n", &WRITE);
    assert_eq!(result["code"], 0);
    assert_snapshot!(result["output"].as_str().unwrap(), @"

    Write file (write_file, builtin)
      Create a.txt (10 bytes)
      @@ -0,0 +1,2 @@
      +new
      +lines
      would do: FileWrite([ROOT]/work/a.txt)
      asks because: to write a.txt is not approved
      session/always would store: FileWrite([ROOT]/work/a.txt)
    Allow? [y]es, [s]ession, [a]lways, [n]o, or no with a word to the model: y
    Created a.txt (10 bytes).
    ");
    assert_eq!(content(&home).as_deref(), Some("new\nlines\n"));
}

#[test]
fn a5_a_no_at_the_terminal_does_not() {
    let home = Home::new();
    home.write("work/a.txt", "old");
    for answer in ["n\n", "no\n", "\u{4}"] {
        let result = answered(&home, answer, &WRITE);
        assert_eq!(result["code"], 1, "{result}");
        let output = result["output"].as_str().unwrap();
        assert!(output.contains("Replace a.txt (3 → 10 bytes)"), "{output}");
        assert!(output.contains("E_TOOL_DENIED"), "{output}");
        assert_eq!(content(&home).as_deref(), Some("old"));
    }
}

#[test]
fn a_word_is_a_no_that_reaches_the_model() {
    let home = Home::new();
    let result = answered(&home, "use b.txt instead\n", &WRITE);
    assert_eq!(result["code"], 1);
    let output = result["output"].as_str().unwrap();
    let error = output.split("error: ").nth(1).unwrap_or_else(|| panic!("{output}"));
    assert!(error.contains("use b.txt instead"), "{error}");
    assert_eq!(content(&home), None);
}

#[test]
fn an_empty_line_asks_again() {
    let home = Home::new();
    let result = talked(&home, "", &["\n", "\n", "yes\n"], &WRITE);
    assert_eq!(result["code"], 0);
    assert_eq!(result["output"].as_str().unwrap().matches("Allow?").count(), 3);
}

#[test]
fn a_preview_cannot_fool_its_reader() {
    let home = Home::new();
    let content = "content=\u{1b}[2J\u{1b}[Hharmless\u{202e}";
    let result = answered(&home, "n\n", &["call", "write_file", "path=a.txt", content]);
    let output = result["output"].as_str().unwrap();
    assert!(output.contains("harmless"), "{output}");
    assert!(!output.contains(['\u{1b}', '\u{202e}']), "{output:?}");
}

#[test]
fn what_was_typed_before_the_question_is_no_answer_to_it() {
    for ahead in ["y\n", "y\ny\nyes\n", "y"] {
        let home = Home::new();
        let result = talked(&home, ahead, &["n\n"], &WRITE);
        assert_eq!(result["code"], 1, "{result}");
        assert_eq!(content(&home), None, "{ahead:?}");
    }
}

#[test]
fn one_stray_key_is_no_word() {
    let home = Home::new();
    let result = talked(&home, "", &["q\n", "x\n", "1\n", "y\n"], &WRITE);
    assert_eq!(result["code"], 0, "{result}");
    let output = result["output"].as_str().unwrap();
    assert_eq!(output.matches("That is none of the answers.").count(), 3, "{output}");
}

#[test]
fn a18_the_edit_is_shown_and_nothing_is_written_before_the_answer() {
    let home = Home::new();
    home.write("work/a.txt", "old\n");
    let result = answered(&home, "n\n", &WRITE);
    let output = result["output"].as_str().unwrap();
    let diff = "Replace a.txt (4 → 10 bytes)\n  @@ -1,1 +1,2 @@\n  -old\n  +new\n  +lines\n";
    assert!(output.contains(diff), "{output}");
    assert_eq!(content(&home).as_deref(), Some("old\n"));
}

#[test]
fn a_name_with_letters_that_look_like_others_is_told() {
    let home = Home::new();
    let result = answered(&home, "n\n", &["call", "write_file", "path=p\u{430}y.txt", "content=x"]);
    let output = result["output"].as_str().unwrap();
    let warning = "warning: contains letters that look like others: p\\u{430}y.txt";
    assert!(output.contains(warning), "{output}");
    assert!(!output.contains('\u{430}'), "{output}");
}

#[test]
fn a_question_that_nobody_answers_ends_and_leaves_the_terminal() {
    let home = Home::new();
    home.user_settings("limits: {approval_seconds: 1}\n");
    let result = talked(&home, "", &[""], &WRITE);
    assert_eq!(result["code"], 1, "{result}");
    let output = result["output"].as_str().unwrap();
    assert!(output.contains("nobody answered within 1 seconds"), "{output}");
    assert_eq!(content(&home), None);
}

/// Code that takes some seconds to look at.
fn much_code(home: &Home) {
    for file in 0..2_000 {
        let function = |number| {
            format!(
                "pub fn work_{file}_{number}(input: &str) -> usize {{\n    input.len() + {number}\n}}\n\n"
            )
        };
        home.write(&format!("work/src/f{file}.rs"), &(0..200).map(function).collect::<String>());
    }
}

#[test]
fn a_long_walk_says_how_far_it_is_and_ctrl_c_ends_it() {
    let home = Home::new();
    much_code(&home);
    let calls: [(&[&str], &str); 2] = [
        (&["call", "view_repo_map"], "files mapped"),
        (&["call", "codebase_search", "query=work"], "indexing: "),
    ];
    for (arguments, telling) in calls {
        let result = interrupted(&home, telling, arguments);
        assert_eq!(result["code"], 1, "{result}");
        let output = result["output"].as_str().unwrap();
        assert!(output.contains("E_TOOL_CANCELED"), "{output}");
    }
}

/// A server that asks in the middle of a call. Whatever it does, its calls are approved first.
fn asking() -> Home {
    let home = Home::new();
    let script = format!("{}/tests/gateway/server.py", env!("CARGO_MANIFEST_DIR"));
    let arguments = json!([script, "good", home.path("notes")]);
    home.user_settings(&format!(
        "mcp_servers: {{small: {{command: python3, args: {arguments}}}}}\n"
    ));
    home
}

/// What a person sees and what the server got, with dogu's own question answered first.
fn asked_by_server(home: &Home, what: &str, answers: &[&str]) -> (String, String) {
    let answers = [&["y\n"], answers].concat();
    let result = talked(home, "", &answers, &["call", "small__do", &format!("what={what}")]);
    let output = result["output"].as_str().unwrap().to_owned();
    let last = output.lines().last().unwrap_or_default().to_owned();
    (output, last)
}

#[test]
fn a_servers_form_is_asked_field_by_field() {
    let home = asking();
    let answers =
        ["K\n", "Kim\n", "17\n", "\n", "60.5\n", "\n", "Green\n", "2\n", "none\n", "1, 3\n", "y\n"];
    let (output, last) = asked_by_server(&home, "form", &answers);
    let got: Value = serde_json::from_str(&last).unwrap_or_else(|_| panic!("{output}"));
    let values =
        json!({"name": "Kim", "weight": 60.5, "news": true, "colour": "b", "days": ["mon", "wed"]});
    assert_eq!(got, json!({"action": "accept", "content": values}), "{output}");
    let asked = output.split_once("1 of 6").unwrap().0.split_once("\nThe MCP").unwrap().1;
    assert_snapshot!(asked, @"
     server small asks you something. These are its words, not dogu's:
      | About
      |  you
    What you type goes to small: give it no passwords and no keys. `/decline` says no, `/cancel` closes the question.
    ");
    for said in [
        "  It has to be at least 2 characters.\n",
        "  It has to be 18 to 120.\n",
        "  That is none of them; type a number from 1 to 2.\n",
        "  It has to be at least 1 of them.\n",
        "  | days: [\"mon\",\"wed\"]\nanswer to small: send it? [y]es, [n]o: y\n",
    ] {
        assert!(output.contains(said), "{said} in {output}");
    }
}

#[test]
fn a_person_declines_or_closes_a_servers_question() {
    let home = asking();
    for (answer, action) in
        [("/decline\n", "decline"), ("/cancel\n", "cancel"), ("\u{4}", "cancel")]
    {
        let (output, last) = asked_by_server(&home, "form", &[answer]);
        assert_eq!(last, format!("{{\"action\": \"{action}\"}}"), "{output}");
    }
    let (output, last) = asked_by_server(&home, "agree", &["n\n"]);
    assert_eq!(last, "{\"action\": \"decline\"}", "{output}");
}

#[test]
fn an_address_is_shown_whole_and_never_opened() {
    let home = asking();
    let (output, last) = asked_by_server(&home, "visit", &["y\n"]);
    assert_eq!(last, "{\"action\": \"accept\"}", "{output}");
    assert!(
        output.contains("  the address: https://good.example@evil.example/login\n"),
        "{output}"
    );
    assert!(output.contains("  which is at: evil.example\n"), "{output}");
    assert!(output.contains("dogu opens nothing. Will you visit it yourself"), "{output}");
    let (_, last) = asked_by_server(&home, "visit", &["n\n"]);
    assert_eq!(last, "{\"action\": \"decline\"}");
}

#[test]
fn a_servers_question_is_not_taken_for_dogus_own() {
    let home = asking();
    // What allows a call for good is a text like any other here.
    let (output, last) = asked_by_server(&home, "imitate", &["a\n"]);
    assert!(last.contains("\"a\""), "{output}");
    let (own, servers) = output.split_once("The MCP server small asks").unwrap();
    assert_eq!(own.matches("Allow?").count(), 1, "dogu asked once: {output}");
    for line in servers.lines().filter(|line| line.contains("Allow?")) {
        assert!(line.starts_with("  | ") || line.starts_with('{'), "{line:?} in {output}");
    }
    let grants = home.dogu(&["policy", "grants"]);
    assert!(!grants.stdout.contains("small"), "nothing was stored: {grants}");
}

#[test]
fn a_server_that_asks_again_and_again_is_declined_in_the_end() {
    let home = asking();
    let (output, _) = asked_by_server(&home, "asks for ever", &["y\n"; 10]);
    assert_eq!(output.matches("Really?").count(), 10, "{output}");
    let notes = std::fs::read_to_string(home.path("notes")).unwrap();
    assert_eq!(notes.matches("answered accept").count(), 10);
    assert!(notes.matches("answered decline").count() > 900, "{notes}");
}

#[test]
fn ctrl_c_at_a_servers_question_ends_the_call() {
    let home = asking();
    let line: Vec<&str> = vec![binary().to_str().unwrap(), "call", "small__do", "what=form"];
    let answers = json!(["y\n", {"after": "answer to small", "type": "\u{3}"}]);
    let result = on_terminal(&home, "", &answers, &line);
    assert_eq!(result["code"], 1, "{result}");
    assert!(result["output"].as_str().unwrap().contains("E_TOOL_CANCELED"), "{result}");
}

#[test]
fn a_servers_question_in_a_message_is_asked_too() {
    let home = asking();
    home.write("work/message.txt", "<small__do>\n<what>agree</what>\n</small__do>\n");
    let line = format!("{} tools > /dev/null; {0} dispatch < message.txt", binary().display());
    let result = shell(&home, &["y\n", "y\n"], &line);
    let output = result["output"].as_str().unwrap();
    assert!(output.contains("\"action\": \"accept\""), "{output}");
}

#[test]
fn without_a_person_a_servers_question_is_declined() {
    let home = asking();
    for approve in ["all", "ask"] {
        let done = home.dogu(&["call", "small__do", "what=agree", "--approve", approve]);
        assert!(!done.stdout.contains("accept"), "{done}");
    }
}
