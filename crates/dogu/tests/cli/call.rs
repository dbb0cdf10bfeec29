//! `dogu call`.

use std::os::unix::fs::PermissionsExt as _;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Done, Home};

fn home() -> Home {
    let home = Home::new();
    home.write("work/a.txt", "one\ntwo\n");
    home
}

#[test]
fn a_call_that_goes_well_prints_the_text_and_nothing_else() {
    assert_snapshot!(home().dogu(&["call", "read_file", "path=a.txt"]), @"
    exit 0
    --- stdout
         1	one
         2	two
    --- stderr
    ");
}

#[test]
fn a_text_without_a_final_newline_gets_one() {
    assert_eq!(home().dogu(&["call", "list_files"]).quiet(), "a.txt (8 bytes)\n");
}

#[test]
fn other_roots_can_be_named() {
    let home = home();
    home.write("other/b.txt", "b\n");
    let done = home.dogu(&["call", "read_file", "path=b.txt", "--root", "../other"]);
    assert_eq!(done.quiet(), "     1\tb\n");
    let done = home.dogu(&[
        "--root",
        ".",
        "--root",
        "../other",
        "call",
        "read_file",
        "path=../other/b.txt",
    ]);
    assert_eq!(done.quiet(), "     1\tb\n");
}

#[test]
fn an_error_of_the_tool_is_exit_code_1() {
    assert_snapshot!(home().dogu(&["call", "read_file", "path=b.txt"]), @"
    exit 1
    --- stdout
    --- stderr
    error: file not found: [ROOT]/work/b.txt (E_TOOL)

    hint: Did you mean [ROOT]/work/a.txt?
    ");
}

#[test]
fn an_unknown_tool_is_answered_with_the_nearest_name() {
    assert_snapshot!(home().dogu(&["call", "read_fiel", "path=a.txt"]), @"
    exit 1
    --- stdout
    --- stderr
    error: Unknown tool: read_fiel (E_TOOL_NOT_IN_CATALOG)

    hint: Did you mean read_file?
    ");
    assert_snapshot!(home().dogu(&["call", "a__b__c"]), @"
    exit 1
    --- stdout
    --- stderr
    error: Unknown tool: a__b__c (E_TOOL_NOT_IN_CATALOG)

    hint: Available tools: read_file, write_file, edit_file, multi_edit, apply_diff, apply_patch, delete_file, move_file, list_files, view_subdirectory, glob, grep, codebase_search, view_repo_map, view_diff, read_currently_open_file, execute_command, read_command_output, process_start, process_wait
    ");
    for name in ["__x", "x__", "", "read_file__"] {
        let done = home().dogu(&["call", name]);
        assert_eq!(done.code, Some(1), "{done}");
        assert!(done.stderr.contains("E_TOOL_NOT_IN_CATALOG"), "{done}");
    }
}

#[test]
fn wrong_arguments_are_all_told_at_once() {
    assert_snapshot!(home().dogu(&["call", "write_file"]), @"
    exit 1
    --- stdout
    --- stderr
    error: Invalid arguments for tool 'write_file': args.path: required property is missing; args.content: required property is missing (E_TOOL_INVALID_ARGS)

    hint: Check the input schema and send the arguments again. required=[path, content], allowed=[path, content, create_directories]
    ");
    assert_snapshot!(home().dogu(&["call", "write_file", "path=a.txt", "pth=1", "content=", "create_directories=many"]), @"
    exit 1
    --- stdout
    --- stderr
    error: Invalid arguments for tool 'write_file': args.create_directories: expected boolean but got string; args.pth: unexpected property (E_TOOL_INVALID_ARGS)

    hint: Check the input schema and send the arguments again. required=[path, content], allowed=[path, content, create_directories]
    ");
    assert_snapshot!(home().dogu(&["call", "write_file", "--input", r#"{"path": 7, "content": ""}"#]), @"
    exit 1
    --- stdout
    --- stderr
    error: Invalid arguments for tool 'write_file': args.path: expected string but got integer (E_TOOL_INVALID_ARGS)

    hint: Check the input schema and send the arguments again. required=[path, content], allowed=[path, content, create_directories]
    ");
    assert_snapshot!(home().dogu(&["call", "write_file", "--input", "[1]"]), @"
    exit 1
    --- stdout
    --- stderr
    error: Invalid arguments for tool 'write_file': args: expected an object with the tool's parameters but got array (E_TOOL_INVALID_ARGS)

    hint: Send one JSON object with the parameters of the tool's input schema.
    ");
}

#[test]
fn a_command_line_that_makes_no_call_is_exit_code_2() {
    assert_snapshot!(home().dogu(&["call", "read_file", "a.txt"]), @"
    exit 2
    --- stdout
    --- stderr
    error: `a.txt` is not key=value

    hint: write arguments as path=README.md, or give all of them with --input
    ");
    assert_snapshot!(home().dogu(&["call", "read_file", "path=a", "path=b"]), @"
    exit 2
    --- stdout
    --- stderr
    error: `path` is given twice
    ");
    assert_snapshot!(home().dogu(&["call", "read_file", "--input", "{\"path\": "]), @r#"
    exit 2
    --- stdout
    --- stderr
    error: --input is not JSON
      Caused by: EOF while parsing a value at line 1 column 9

    hint: an example: --input '{"path": "README.md"}'
    "#);
    let both = home().dogu(&["call", "read_file", "path=a.txt", "--input", "{}"]);
    assert_eq!(both.code, Some(2), "{both}");
    assert_eq!(both.stdout, "");
}

#[test]
fn the_input_may_come_from_stdin() {
    let arguments = ["call", "read_file", "--input", "-"];
    let done = home().dogu_with(&arguments, br#"{"path": "a.txt", "offset": 2}"#);
    assert_eq!(done.quiet(), "     2\ttwo\n");
    assert_snapshot!(home().dogu_with(&arguments, b""), @r#"
    exit 2
    --- stdout
    --- stderr
    error: --input is not JSON
      Caused by: EOF while parsing a value at line 1 column 0

    hint: an example: --input '{"path": "README.md"}'
    "#);
    assert_snapshot!(home().dogu_with(&arguments, b"{\"path\": \"\xff\"}"), @"
    exit 2
    --- stdout
    --- stderr
    error: stdin could not be read
      Caused by: stream did not contain valid UTF-8
    ");
}

#[test]
fn an_input_of_50_megabytes_is_refused() {
    let input = json!({"path": "x".repeat(50_000_000)}).to_string();
    let done = home().dogu_with(&["call", "read_file", "--input", "-"], input.as_bytes());
    assert_snapshot!(done, @"
    exit 1
    --- stdout
    --- stderr
    error: Invalid arguments for tool 'read_file': args: larger than 16777216 bytes, the most that a call may carry (E_TOOL_INVALID_ARGS)

    hint: Send one JSON object with the parameters of the tool's input schema.
    ");
}

#[test]
fn an_input_100_000_levels_deep_is_refused() {
    let input = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let arguments = ["call", "read_file", "--input", "-"];
    assert_snapshot!(home().dogu_with(&arguments, input.as_bytes()), @r#"
    exit 2
    --- stdout
    --- stderr
    error: --input is nested too deeply
      Caused by: recursion limit exceeded at line 1 column 128

    hint: an example: --input '{"path": "README.md"}'
    "#);
    let input = format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
    assert_eq!(home().dogu_with(&arguments, input.as_bytes()).code, Some(2));
}

#[test]
fn a_path_with_a_nul_byte_is_refused() {
    assert_snapshot!(home().dogu(&["call", "read_file", "--input", r#"{"path": "a\u0000b"}"#]), @r"
    exit 1
    --- stdout
    --- stderr
    error: the path `[ROOT]/work/a\0b` contains a NUL byte (E_TOOL_INVALID_ARGS)

    hint: Send the path without the NUL byte.
    ");
}

fn result(arguments: &[&str], code: i32) -> Value {
    let done = home().dogu(arguments);
    assert_eq!((done.code, done.stderr.as_str()), (Some(code), ""), "{done}");
    assert_eq!(done.stdout.lines().count(), 1, "{done}");
    let result: dogu::tool::ToolResult = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(result.is_error(), code != 0);
    done.json()
}

#[test]
fn json_is_one_result_also_for_errors() {
    let done = result(&["call", "read_file", "path=a.txt", "--json"], 0);
    assert_eq!(done["status"], "ok");
    assert_eq!(done["content"][0]["text"], "     1\tone\n     2\ttwo\n");
    for (arguments, code) in [
        (&["call", "read_file", "path=b", "--json"][..], "E_TOOL"),
        (&["call", "nothing", "--json"], "E_TOOL_NOT_IN_CATALOG"),
        (&["call", "read_file", "--json"], "E_TOOL_INVALID_ARGS"),
        (&["call", "read_file", "--json", "--input", "1"], "E_TOOL_INVALID_ARGS"),
        (&["call", "write_file", "path=a", "content=", "--json"], "E_TOOL_DENIED"),
        (&["call", "read_file", "path=/etc/passwd", "--json"], "E_TOOL_DENIED"),
    ] {
        assert_eq!(result(arguments, 1)["error"]["code"], code, "{arguments:?}");
    }
}

#[test]
fn without_a_terminal_a_write_is_refused_with_the_reason() {
    let home = home();
    assert_snapshot!(home.dogu(&["call", "write_file", "path=a.txt", "content=new"]), @"
    exit 1
    --- stdout
    --- stderr
    error: Permission denied for tool: write_file: it needs the user's approval (to write a.txt is not approved), and nobody can be asked here (E_TOOL_DENIED)

    hint: Stay with what needs no approval, or tell the user how to approve this: with a rule under `permissions` in the settings, by starting dogu with `--approve all`, or from a terminal or a client in which dogu can ask.
    ");
    for approve in ["none", "ask"] {
        let arguments = ["call", "write_file", "path=a.txt", "content=new", "--approve", approve];
        let done = home.dogu(&arguments);
        assert_eq!((done.code, done.stdout.as_str()), (Some(1), ""), "{done}");
    }
    assert_eq!(std::fs::read_to_string(home.path("work/a.txt")).unwrap(), "one\ntwo\n");
}

#[test]
fn a_write_that_is_approved_beforehand_is_done() {
    let home = home();
    let arguments = ["call", "write_file", "path=b/c.txt", "content=new", "--approve", "all"];
    assert_eq!(home.dogu(&arguments).quiet(), "Created b/c.txt (3 bytes).\n");
    assert_eq!(std::fs::read_to_string(home.path("work/b/c.txt")).unwrap(), "new");
}

#[test]
fn values_that_look_like_json_stay_texts_where_a_text_is_wanted() {
    let home = home();
    for content in ["1", "true", "{\"a\": 1}", "null", "=", ""] {
        let content_argument = format!("content={content}");
        let arguments = ["call", "write_file", "path=x", &content_argument, "--approve", "all"];
        home.dogu(&arguments).quiet();
        assert_eq!(std::fs::read_to_string(home.path("work/x")).unwrap(), content);
    }
}

#[test]
fn escape_sequences_in_an_argument_do_not_reach_the_terminal() {
    let home = home();
    for path in ["a\u{1b}[2Jb", "a\u{9b}31mb", "a\u{202e}b", "a\rb"] {
        let done = home.dogu(&["call", "read_file", &format!("path={path}")]);
        assert_eq!(done.code, Some(1), "{done}");
        assert!(!done.stderr.contains(path), "{:?}", done.stderr);
        let unsafe_letters = ['\u{1b}', '\u{9b}', '\u{202e}', '\r'];
        assert!(!done.stderr.contains(unsafe_letters), "{:?}", done.stderr);
        let unknown = home.dogu(&["call", path]);
        assert!(!unknown.stderr.contains(unsafe_letters), "{:?}", unknown.stderr);
    }
}

#[test]
fn nobody_reads_any_more() {
    let home = home();
    home.dogu(&["call", "list_files"]);
    for arguments in [
        &["call", "read_file", "path=a.txt"][..],
        &["call", "read_file", "path=a.txt", "--json"],
        &["log"],
        &["log", "--json"],
        &["log", "--follow"],
        &["tools"],
        &["tools", "--json"],
        &["completions", "bash"],
        &["--help"],
    ] {
        let (read, write) = std::io::pipe().unwrap();
        drop(read);
        let done = home.run_into(arguments, write.into());
        assert_eq!(done, (Some(0), String::new()), "{arguments:?}");
    }
}

#[test]
fn a_full_disk_behind_stdout_is_an_error_not_a_panic() {
    let home = home();
    for arguments in [&["call", "list_files"][..], &["tools"], &["log"], &["completions", "zsh"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let (code, stderr) = home.run_into(arguments, full.into());
        assert_eq!(code, Some(2), "{arguments:?}: {stderr}");
        assert!(stderr.starts_with("error: the output could not be written\n"), "{stderr}");
    }
}

/// A state folder that cannot be made, for root too: its parent is a file.
fn without_state(home: &Home, arguments: &[&str]) -> Done {
    let file = home.path("file");
    std::fs::write(&file, "").unwrap();
    let mut command = home.command(arguments);
    command.env("XDG_STATE_HOME", &file);
    home.run(command, b"")
}

#[test]
fn without_a_state_folder_the_call_runs_with_one_warning() {
    let home = home();
    assert_snapshot!(without_state(&home, &["call", "read_file", "path=a.txt"]), @"
    exit 0
    --- stdout
         1	one
         2	two
    --- stderr
    warning: could not look at [ROOT]/file/dogu: Not a directory (os error 20); calls are not recorded
    ");
    let arguments = ["call", "write_file", "path=new", "content=x", "--approve", "all", "--json"];
    let done = without_state(&home, &arguments);
    assert_eq!((done.code, done.stderr.matches("warning").count()), (Some(0), 1), "{done}");
    assert_eq!(done.json()["status"], "ok");
}

#[test]
fn without_a_state_folder_an_audited_call_is_refused() {
    let home = home();
    home.user_settings("audit: required\n");
    assert_snapshot!(without_state(&home, &["call", "read_file", "path=a.txt"]), @"
    exit 1
    --- stdout
    --- stderr
    warning: could not look at [ROOT]/file/dogu: Not a directory (os error 20); no call will run, because the settings require a record
    error: The call was not made: it could not be recorded, and the settings require that. (E_TOOL)

    hint: Tell the user to look at dogu's state folder (`audit: required` in the settings).
    ");
    let done = without_state(&home, &["call", "read_file", "path=a.txt", "--json"]);
    assert_eq!(done.code, Some(1), "{done}");
    assert_eq!(done.json()["error"]["code"], "E_TOOL");
}

#[test]
fn without_a_database_it_is_the_same() {
    let home = home();
    std::fs::create_dir_all(home.path("state/dogu/dogu.sqlite")).unwrap();
    let done = home.dogu(&["call", "read_file", "path=a.txt"]);
    assert_eq!((done.code, done.stderr.lines().count()), (Some(0), 1), "{done}");
    assert!(done.stderr.contains("not being recorded"), "{done}");
    home.user_settings("audit: required\n");
    let done = home.dogu(&["call", "read_file", "path=a.txt", "--json"]);
    assert_eq!(done.code, Some(1), "{done}");
    assert!(done.json()["error"]["message"].as_str().unwrap().contains("could not be recorded"));
}

#[test]
fn the_state_folder_is_private() {
    let home = home();
    home.dogu(&["call", "list_files"]).quiet();
    let mode =
        |name: &str| std::fs::metadata(home.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("state/dogu"), 0o700);
    assert_eq!(mode("state/dogu/dogu.sqlite"), 0o600);
}

#[test]
fn a_process_that_ends_with_its_command_is_said_to() {
    let done = home().dogu(&["call", "process_start", "command=sleep 78.1", "--approve", "all"]);
    assert_eq!(done.code, Some(0), "{done}");
    assert!(done.stderr.contains("the process ends with this command"), "{done}");
}
