//! `--mode`, and modes of settings.

use dogu_tool::Group;
use insta::assert_snapshot;

use crate::support::{Home, offered};

const DOCS: &str = "\
customModes:
  - slug: docs
    name: Docs
    roleDefinition: You write documentation.
    groups: [read, [edit, {fileRegex: '\\.md$', description: Markdown only}]]
";

#[test]
fn a_mode_hides_the_tools_of_other_groups() {
    let home = Home::new();
    let shown = home.dogu(&["tools", "--mode", "ask"]);
    let names = shown.quiet().lines().take_while(|line| !line.is_empty());
    let names: Vec<_> = names.map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(names, offered(|spec| spec.group == Some(Group::Read)));
    let write = ["call", "write_file", "path=a.md", "content=", "--approve", "all"];
    let done = home.dogu(&[&write[..], &["--mode", "ask"]].concat());
    assert_eq!(done.code, Some(1), "{done}");
    assert!(!home.path("work/a.md").exists());
    assert_eq!(home.dogu(&[&["--mode", "code"], &write[..]].concat()).code, Some(0));
}

#[test]
fn the_files_of_a_mode_hold_whoever_approves() {
    let home = Home::new();
    let write = ["call", "write_file", "path=a.rs", "content=", "--approve", "all"];
    assert_snapshot!(home.dogu(&[&write[..], &["--mode", "architect"]].concat()), @r"
    exit 1
    --- stdout
    --- stderr
    error: Permission denied for tool: write_file: Tool 'write_file' in mode '🏗\u{fe0f} Architect' can only edit files matching pattern: \.md$ (Markdown files only). Got: a.rs (E_TOOL_DENIED)
    ");
}

#[test]
fn a_mode_of_the_settings_holds_until_another_is_named() {
    let home = Home::new();
    home.user_settings("mode: ask\n");
    assert!(!home.dogu(&["tools"]).quiet().contains("write_file"));
    assert!(home.dogu(&["tools", "--mode", "code"]).quiet().contains("write_file"));
}

#[test]
fn a_mode_that_is_not_there_is_told_with_those_that_are() {
    assert_snapshot!(Home::new().dogu(&["tools", "--mode", "docs"]), @"
    exit 2
    --- stdout
    --- stderr
    error: the permissions cannot be used
      Caused by: there is no mode `docs`; there are architect, code, ask, debug, orchestrator
    ");
}

#[test]
fn the_modes_of_a_workspace_count_once_it_is_trusted() {
    let home = Home::new();
    home.write("work/.roomodes", DOCS);
    assert_snapshot!(home.dogu(&["tools", "--mode", "docs"]), @"
    exit 2
    --- stdout
    --- stderr
    error: the permissions cannot be used
      Caused by: there is no mode `docs`; there are architect, code, ask, debug, orchestrator

    hint: what a workspace brings counts only once it is trusted, see `dogu trust`
    ");
    assert_eq!(home.dogu(&["trust", "--yes"]).code, Some(0));
    assert!(home.dogu(&["tools", "--mode", "docs"]).quiet().contains("write_file"));
    let write =
        |path| ["call", "write_file", path, "content=", "--approve", "all", "--mode", "docs"];
    assert_eq!(home.dogu(&write("path=a.md")).code, Some(0));
    assert_eq!(home.dogu(&write("path=a.rs")).code, Some(1));
    // The same as JSON, for one run.
    let json =
        r#"{"customModes":[{"slug":"look","name":"L","roleDefinition":"x","groups":["read"]}]}"#;
    home.write("work/.roomodes", json);
    assert_eq!(home.dogu(&["tools", "--mode", "look"]).code, Some(2));
    let tools = home.dogu(&["--trust", "tools", "--mode", "look"]);
    assert!(!tools.quiet().contains("write_file"));
}

#[test]
fn modes_that_cannot_be_read_matter_only_to_whoever_trusts_them() {
    let home = Home::new();
    home.write("work/.roomodes", "customModes: [\n");
    assert!(home.dogu(&["tools"]).quiet().contains("write_file"));
    let done = home.dogu(&["--trust", "tools"]);
    assert_eq!(done.code, Some(2), "{done}");
    assert!(done.stderr.contains("[ROOT]/work/.roomodes:"), "{done}");
}
