//! Settings files, as the binary finds them.

use insta::assert_snapshot;

use crate::support::Home;

#[test]
fn a_typo_is_told_with_line_and_column_before_anything_runs() {
    let home = Home::new();
    home.write("work/dogu.yaml", "audit: best_effort\nlimits:\n  timeout_secs: 3\n");
    assert_snapshot!(home.dogu(&["call", "list_files"]), @"
    exit 2
    --- stdout
    --- stderr
    error: settings [ROOT]/work/dogu.yaml:3:3: unknown field `timeout_secs`, expected one of timeout_seconds, approval_seconds, result_bytes, input_bytes, error_message_characters, identical_calls
    ");
    home.write("work/dogu.yaml", "");
    home.user_settings("audit: sometimes\n");
    assert_snapshot!(home.dogu(&["tools"]), @"
    exit 2
    --- stdout
    --- stderr
    error: settings [ROOT]/config/dogu/config.yaml:1:8: unknown variant `sometimes`, expected one of best_effort, required
    ");
}

#[test]
fn a_settings_file_that_cannot_be_read_is_told() {
    let home = Home::new();
    std::fs::create_dir_all(home.path("work/dogu.yaml")).unwrap();
    let done = home.dogu(&["tools"]);
    assert_eq!(done.code, Some(2), "{done}");
    assert!(done.stderr.contains("[ROOT]/work/dogu.yaml"), "{done}");
}

#[test]
fn a_project_can_only_tighten() {
    let home = Home::new();
    home.user_settings("tools: {write_file: {enabled: false}}\n");
    home.write(
        "work/dogu.yaml",
        "tools: {write_file: {enabled: true}, list_files: {enabled: false}}\n",
    );
    let tools = home.dogu(&["tools"]);
    assert!(tools.quiet().starts_with("read_file"), "{tools}");
    assert!(!tools.stdout.contains("write_file"), "the project switched on: {tools}");
    assert!(!tools.stdout.contains("list_files"), "the project did not switch off: {tools}");
    let call = home.dogu(&["call", "write_file", "path=a", "content=", "--approve", "all"]);
    assert!(call.stderr.contains("E_TOOL_NOT_IN_CATALOG"), "{call}");
}

#[test]
fn a_project_cannot_do_without_the_record_that_its_user_requires() {
    let home = Home::new();
    home.user_settings("audit: required\n");
    home.write("work/dogu.yaml", "audit: best_effort\n");
    std::fs::create_dir_all(home.path("state/dogu/dogu.sqlite")).unwrap();
    assert_eq!(home.dogu(&["call", "list_files"]).code, Some(1));
}

#[test]
fn the_settings_of_the_first_root_count() {
    let home = Home::new();
    home.write("other/dogu.yaml", "tools: {list_files: {enabled: false}}\n");
    assert!(home.dogu(&["tools"]).quiet().contains("list_files"));
    assert!(!home.dogu(&["tools", "--root", "../other"]).quiet().contains("list_files"));
}

#[test]
fn a_wrong_log_level_is_told_and_the_command_works() {
    let home = Home::new();
    let mut command = home.command(&["tools"]);
    command.env("DOGU_LOG", "loud");
    let done = home.run(command, b"");
    assert_eq!(done.code, Some(0));
    assert_snapshot!(done.stderr, @"warning: DOGU_LOG must be off, error, warn, info, debug or trace; warn is used");
}
