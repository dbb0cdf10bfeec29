//! `dogu log`.

use std::process::Stdio;
use std::time::Duration;

use insta::assert_snapshot;
use serde_json::Value;

use crate::support::{Done, Home, Running};

/// A home where three calls were made: done, errored, and of another tool.
fn home() -> Home {
    let home = Home::new();
    home.write("work/a.txt", "one\n");
    home.dogu(&["call", "read_file", "path=a.txt"]);
    home.dogu(&["call", "read_file", "path=b.txt"]);
    home.dogu(&["call", "list_files"]);
    home
}

/// The table without times and durations.
fn table(done: &Done) -> String {
    done.quiet().lines().map(|line| format!("{}\n", timeless(line))).collect()
}

fn timeless(line: &str) -> String {
    let (time, rest) = line.split_at(20);
    assert!(time.starts_with("20") && time.as_bytes()[10] == b' ', "{line}");
    match rest.strip_suffix(" ms").and_then(|rest| rest.rsplit_once(' ')) {
        Some((rest, number)) if number.parse::<f64>().is_ok() => format!("[TIME]{rest} [DURATION]"),
        _ => format!("[TIME]{rest}"),
    }
}

fn rows(done: &Done) -> Vec<Value> {
    done.quiet().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn inputs(done: &Done) -> Vec<String> {
    let rows = rows(done);
    rows.iter().map(|row| format!("{} {}", row["tool"].as_str().unwrap(), row["input"])).collect()
}

const A: &str = r#"read_file {"path":"a.txt"}"#;
const B: &str = r#"read_file {"path":"b.txt"}"#;
const LIST: &str = "list_files {}";

#[test]
fn the_table_is_read_from_old_to_new() {
    assert_snapshot!(table(&home().dogu(&["log"])), @r#"
    [TIME]  done         read_file         {"path":"a.txt"}                          [DURATION]
    [TIME]  errored      read_file         {"path":"b.txt"}                          E_TOOL file not found: [ROOT]/work/b.txt
    [TIME]  done         list_files        {}                                        [DURATION]
    "#);
}

#[test]
fn json_is_one_object_a_line() {
    let rows = rows(&home().dogu(&["log", "--json"]));
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[0]["status"], "done");
    assert_eq!(rows[0]["decision"], "allow");
    assert!(rows[0]["duration_us"].as_u64().is_some());
    assert_eq!(rows[1]["error_code"], "E_TOOL");
    assert!(rows[1]["error_message"].as_str().unwrap().starts_with("file not found: [ROOT]/work/"));
}

#[test]
fn filters_choose_by_tool_status_time_and_number() {
    let home = home();
    let log = |arguments: &[&str]| {
        let arguments: Vec<&str> = [&["log", "--json"], arguments].concat();
        inputs(&home.dogu(&arguments))
    };
    assert_eq!(log(&[]), [A, B, LIST]);
    assert_eq!(log(&["--tool", "read_file"]), [A, B]);
    assert_eq!(log(&["--status", "done"]), [A, LIST]);
    assert_eq!(log(&["--tool", "read_file", "--status", "errored"]), [B]);
    assert_eq!(log(&["--since", "1h"]), [A, B, LIST]);
    assert_eq!(log(&["--since", "2100-01-01T00:00:00Z"]), [""; 0]);
    assert_eq!(log(&["-n", "2"]), [B, LIST], "the newest");
    assert_eq!(log(&["--tool", "nothing"]), [""; 0]);
}

#[test]
fn a_wrong_filter_is_wrong_use() {
    let home = Home::new();
    assert_snapshot!(home.dogu(&["log", "--status", "finished"]), @"
    exit 2
    --- stdout
    --- stderr
    error: invalid value 'finished' for '--status <STATUS>': `finished` is not a status; there are generated, waiting, calling, done, errored, canceled and interrupted

    For more information, try '--help'.
    ");
    assert_snapshot!(home.dogu(&["log", "--since", "yesterday"]), @"
    exit 2
    --- stdout
    --- stderr
    error: invalid value 'yesterday' for '--since <TIME>': write it as 10m, 2h, 3d or 2026-11-15T12:00:00Z

    For more information, try '--help'.
    ");
    assert_eq!(home.dogu(&["log", "--limit", "-1"]).code, Some(2));
}

#[test]
fn no_calls_is_no_error() {
    assert_snapshot!(Home::new().dogu(&["log"]), @"
    exit 0
    --- stdout
    --- stderr
    no calls are recorded (that match)
    ");
    assert_eq!(Home::new().dogu(&["log", "--json"]).quiet(), "");
}

#[test]
fn escape_sequences_in_an_argument_do_not_reach_the_terminal() {
    let home = Home::new();
    let evil = "x\u{1b}]0;title\u{7}\u{9b}2J\u{202e}\ny";
    home.dogu(&["call", "read_file", &format!("path={evil}")]);
    home.dogu(&["call", evil]);
    let done = home.dogu(&["log"]);
    assert_eq!(done.quiet().lines().count(), 2, "one line a call: {done}");
    let unsafe_letters = ['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}'];
    assert!(!done.stdout.contains(unsafe_letters), "{:?}", done.stdout);
    assert!(done.stdout.contains("title"), "{done}");
}

#[test]
fn a_secret_argument_is_not_in_the_log() {
    let home = Home::new();
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    home.dogu(&["call", "read_file", &format!("path={secret}")]);
    let done = home.dogu(&["log", "--json"]);
    assert!(done.quiet().contains("redacted"), "{done}");
    assert!(!done.stdout.contains(secret), "{done}");
}

#[test]
fn following_shows_the_calls_of_other_processes() {
    let home = home();
    let mut follow = home.start(&["log", "--follow", "--json", "--tool", "write_file"]);
    let arguments = ["call", "write_file", "path=new", "content=x", "--approve", "all"];
    home.dogu(&arguments).quiet();
    loop {
        let row = follow.receive();
        assert_eq!(row["tool"], "write_file", "{row}");
        if row["status"] == "done" {
            break;
        }
    }
    follow.terminate();
    follow.ended();
}

#[test]
fn following_ends_when_nobody_reads_even_if_nothing_happens() {
    let home = home();
    let (read, write) = std::io::pipe().unwrap();
    let mut command = home.command(&["log", "--follow"]);
    command.stdin(Stdio::null()).stdout(write);
    let mut follow = Running::new(command.spawn().unwrap());
    // This process has the writing end too as long as the command is there.
    drop(command);
    std::thread::sleep(Duration::from_millis(500));
    assert!(follow.child.try_wait().unwrap().is_none(), "it ended while it was read");
    drop(read);
    assert_eq!(follow.ended().code(), Some(0));
}

#[test]
fn a_state_folder_that_cannot_be_read_is_told() {
    let home = Home::new();
    let mut command = home.command(&["log"]);
    home.write("file", "");
    command.env("XDG_STATE_HOME", home.path("file"));
    assert_snapshot!(home.run(command, b""), @"
    exit 2
    --- stdout
    --- stderr
    error: could not look at [ROOT]/file/dogu
      Caused by: Not a directory (os error 20)
    ");
}
