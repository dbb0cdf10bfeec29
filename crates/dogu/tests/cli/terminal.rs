//! The question at a terminal.

use std::process::Command;

use insta::assert_snapshot;
use serde_json::Value;

use crate::support::{Home, binary};

/// What a person at a terminal sees who gives this answer.
fn answered(home: &Home, answer: &str, arguments: &[&str]) -> Value {
    let mut command = Command::new("python3");
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/terminal.py")).arg(answer);
    command.args(["env", "-i", "NO_COLOR=1"]);
    let environment = home.environment();
    command.args(environment.iter().map(|(name, value)| format!("{name}={}", value.display())));
    command.arg(binary()).args(arguments).current_dir(home.work());
    let done = home.run(command, b"");
    let mut result = done.json();
    result["output"] = result["output"].as_str().unwrap().replace("\r\n", "\n").into();
    assert_eq!(result["asked"], true, "{result}");
    result
}

const WRITE: [&str; 4] = ["call", "write_file", "path=a.txt", "content=new\nlines\n"];

fn content(home: &Home) -> Option<String> {
    std::fs::read_to_string(home.path("work/a.txt")).ok()
}

#[test]
fn a_yes_writes() {
    let home = Home::new();
    let result = answered(&home, "y\n", &WRITE);
    assert_eq!(result["code"], 0);
    assert_snapshot!(result["output"].as_str().unwrap(), @"
    Write file (write_file, builtin)
      Create a.txt (10 bytes)
      + new
      + lines
      would do: FileWrite([ROOT]/work/a.txt)
      asks because: FileWrite([ROOT]/work/a.txt) is not a read inside the workspace
    Allow? [y]es, [n]o, or no with a word to the model: y
    Created a.txt (10 bytes).
    ");
    assert_eq!(content(&home).as_deref(), Some("new\nlines\n"));
}

#[test]
fn a_no_does_not() {
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
    let result = answered(&home, "\n\nyes\n", &WRITE);
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
