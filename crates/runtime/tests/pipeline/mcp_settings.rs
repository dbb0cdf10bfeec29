//! The servers of settings files.

use std::path::Path;
use std::time::Duration;

use dogu_runtime::mcp::{Era, McpServer, Place};
use dogu_runtime::{Layering, Settings};

fn parse(text: &str) -> Result<Settings, String> {
    Settings::parse(text, Path::new("dogu.yaml")).map_err(|error| error.to_string())
}

#[test]
fn a_server_is_a_program_or_an_address() {
    let settings = parse(
        "mcp_servers:
  files: {command: npx, args: [-y, server], env: {KEY: '${env:KEY}'}, cwd: sub, timeout: 5,
          startup_timeout: 7, era: legacy, always_allow: [a], disabled_tools: [b],
          shared_processes: true}
  docs: {url: 'https://docs.example.com/mcp', headers: {X-Key: '${KEY}'}, disabled: true,
         alwaysAllow: [c], disabledTools: [d], oauth: {client_id: me, scopes: [read]}}
",
    )
    .unwrap();
    let files = &settings.mcp_servers["files"];
    assert!(matches!(&files.place, Place::Program { command, args, env, cwd: Some(cwd) }
        if command == "npx" && args == &["-y", "server"] && env["KEY"] == "${env:KEY}"
            && cwd == Path::new("sub")));
    assert_eq!(
        (files.call_time(), files.startup_time()),
        (Duration::from_secs(5), Duration::from_secs(7))
    );
    assert_eq!(files.longest_call(), Duration::from_secs(50));
    assert_eq!(files.era, Era::Legacy);
    assert!(files.shared_processes);
    let docs = &settings.mcp_servers["docs"];
    assert!(
        matches!(&docs.place, Place::Address { url, .. } if url == "https://docs.example.com/mcp")
    );
    assert!(!docs.shared_processes);
    assert!(docs.disabled && docs.always_allow == ["c"] && docs.disabled_tools == ["d"]);
}

#[test]
fn what_is_wrong_with_a_server_is_told_with_line_and_column() {
    for (text, place, said) in [
        ("mcp_servers:\n  a:\n    comand: x\n", "3:5", "comand"),
        ("mcp_servers:\n  a: {command: [x]}\n", "2:16", ""),
        ("mcp_servers:\n  a: {args: [x]}\n", "2:", "needs a `command` or a `url`"),
        ("mcp_servers:\n  a: {command: x, url: y}\n", "2:", "not both"),
        ("mcp_servers:\n  a: {url: y, env: {A: b}}\n", "2:", "are for a `command`"),
        ("mcp_servers:\n  a: {command: x, timeout: 0}\n", "2:", "`timeout` is 0 seconds"),
        ("mcp_servers:\n  a: {command: x, era: later}\n", "2:24", ""),
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.starts_with(&format!("settings dogu.yaml:{place}")), "{text}: {error}");
        assert!(error.contains(said), "{text}: {error}");
    }
}

#[test]
fn a_project_that_is_not_trusted_starts_nothing() {
    let user = "mcp_servers: {own: {command: mine, always_allow: [x]}, other: {command: o}}";
    let project = "mcp_servers: {own: {command: theirs, disabled_tools: [y], always_allow: [z]},
                   new: {command: evil}, other: {disabled: true}}";
    let layered = |layering| {
        let user = Settings::parse(user, Path::new("config.yaml")).unwrap();
        user.and_project(project, Path::new("dogu.yaml"), layering).unwrap().mcp_servers
    };
    let strict = layered(Layering::Tighten);
    assert_eq!(strict.keys().collect::<Vec<_>>(), ["other", "own"]);
    assert_eq!(strict["own"].place, McpServer::program("mine", [""; 0]).place);
    assert_eq!(strict["own"].always_allow, ["x"]);
    assert_eq!(strict["own"].disabled_tools, ["y"]);
    assert!(strict["other"].disabled);
    let full = layered(Layering::Override);
    assert_eq!(full.keys().collect::<Vec<_>>(), ["new", "other", "own"]);
    assert_eq!(full["own"].place, McpServer::program("theirs", [""; 0]).place);
    assert_eq!(full["own"].always_allow, ["z"], "a server is replaced as a whole");
}
