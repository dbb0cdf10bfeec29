//! Files that cannot be changed safely: refused, and left as they are.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use dogu_install::edit::EditError;
use dogu_install::{Client, FileError, Scope, TargetError};

use crate::support::{World, stdio};

/// Why it is refused; and nothing was written.
fn refused(client: Client, content: &[u8]) -> TargetError {
    let world = World::new();
    let target = world.with(client, content);
    let error = target.install(&stdio(), true).map(|change| change.after).unwrap_err();
    let _ = target.uninstall().map(|change| change.apply());
    assert_eq!(fs::read(&target.path).unwrap(), content);
    assert_eq!(World::beside(&target), std::slice::from_ref(&target.path));
    error
}

fn edit_error(client: Client, content: &str) -> EditError {
    match refused(client, content.as_bytes()) {
        TargetError::Edit { source, .. } => source,
        other => panic!("{content:.60}: {other}"),
    }
}

#[test]
fn containers_that_are_something_else() {
    for (client, text) in [
        (Client::Cursor, "{\"mcpServers\": []}"),
        (Client::Cursor, "{\"mcpServers\": \"x\"}"),
        (Client::Cursor, "[]"),
        (Client::Cursor, "3"),
        (Client::Codex, "mcp_servers = []\n"),
        (Client::Codex, "mcp_servers = 1\n"),
        (Client::Codex, "[[mcp_servers]]\na = 1\n"),
        (Client::Goose, "extensions: [a]\n"),
        (Client::Goose, "extensions: text\n"),
        (Client::Goose, "- a\n"),
        (Client::Continue, "mcpServers: {a: b}\n"),
    ] {
        let error = edit_error(client, text);
        assert!(matches!(error, EditError::Misplaced { .. }), "{text}: {error}");
    }
}

#[test]
fn keys_that_are_there_twice() {
    for (client, text) in [
        (Client::Cursor, "{\"mcpServers\": {}, \"mcpServers\": {}}"),
        (Client::Cursor, "{\"mcpServers\": {\"dogu\": {}, \"do\\u0067u\": {}}}"),
        (Client::Goose, "extensions: {}\nextensions: {}\n"),
        (Client::Goose, "extensions:\n  dogu: {}\n  dogu: {}\n"),
        (Client::Continue, "mcpServers:\n- name: dogu\n- name: dogu\n"),
    ] {
        let error = edit_error(client, text);
        assert!(matches!(error, EditError::Twice(_)), "{text}: {error}");
    }
    let error = edit_error(Client::Codex, "[mcp_servers.x]\n[mcp_servers.x]\n");
    assert!(matches!(error, EditError::Unreadable(_)), "{error}");
}

#[test]
fn what_is_not_in_its_language() {
    for (client, text) in [
        (Client::Cursor, "{"),
        (Client::Cursor, "{} {}"),
        (Client::Cursor, "{\"a\": 1,, \"b\": 2}"),
        (Client::Cursor, "{,}"),
        (Client::Cursor, "{/* "),
        (Client::Cursor, "{\"a\": \"\u{1}\"}"),
        (Client::Cursor, "{'a': 1}"),
        (Client::Cursor, "<<<<<<< HEAD\n{}\n"),
        (Client::Codex, "a = \n"),
        (Client::Codex, "{}"),
        (Client::Goose, "a: b: c\n"),
        (Client::Goose, "extensions:\n\tx: 1\n"),
        (Client::Goose, "a: 1\n---\nb: 2\n"),
        (Client::Goose, "a: *nowhere\n"),
    ] {
        let error = edit_error(client, text);
        assert!(matches!(error, EditError::Unreadable(_)), "{text:?}: {error}");
    }
}

#[test]
fn forms_that_leave_no_safe_place() {
    for (client, text) in [
        (Client::Codex, "mcp_servers = { x = { command = \"y\" } }\n"),
        (Client::Goose, "{a: 1}\n"),
        (Client::Goose, "a: 1\n...\n"),
        (Client::Goose, "? extensions\n: x: 1\n"),
    ] {
        let error = edit_error(client, text);
        assert!(matches!(error, EditError::Unsafe), "{text:?}: {error}");
    }
}

#[test]
fn what_is_too_deep_is_refused_and_no_stack_overflows() {
    for deep in [200, 100_000] {
        let json = format!("{{\"a\": {}{}}}", "[".repeat(deep), "]".repeat(deep));
        let yaml = format!("a: {}{}\n", "[".repeat(deep), "]".repeat(deep));
        let toml = format!("a = {}{}\n", "[".repeat(deep), "]".repeat(deep));
        let cases = [(Client::Cursor, json), (Client::Goose, yaml), (Client::Codex, toml)];
        for (client, text) in cases {
            let world = World::new();
            let target = world.with(client, text.as_bytes());
            // Two hundred is within what some parsers take.
            if let Err(error) = target.install(&stdio(), false) {
                assert!(matches!(error, TargetError::Edit { .. }), "{error}");
            } else {
                assert_eq!(deep, 200);
            }
        }
    }
}

#[test]
fn bytes_that_are_no_text() {
    for client in [Client::Cursor, Client::Codex, Client::Goose] {
        let error = refused(client, b"{\"a\": \"\xff\xfe\"}");
        assert!(matches!(error, TargetError::File(FileError::NotText(_))), "{error}");
        let error = refused(client, b"\xff\xfe{\0}\0");
        assert!(matches!(error, TargetError::File(FileError::NotText(_))), "{error}");
    }
}

#[test]
fn fifty_megabytes_are_not_read() {
    let error = refused(Client::ClaudeCode, &vec![b' '; 50 * 1024 * 1024]);
    assert!(matches!(error, TargetError::File(FileError::TooLarge(_))), "{error}");
}

#[test]
fn a_large_file_is_edited() {
    let member = format!("  \"k\": \"{}\",\n", "x".repeat(1000)).repeat(8_000);
    let text = format!("{{\n{member}  \"mcpServers\": {{}}\n}}\n");
    let world = World::new();
    let target = world.with(Client::ClaudeCode, text.as_bytes());
    target.install(&stdio(), false).unwrap().apply().unwrap();
    assert!(fs::read_to_string(&target.path).unwrap().starts_with(&text[..text.len() - 10]));
}

#[test]
fn a_read_only_file_is_left_alone_for_root_too() {
    let world = World::new();
    let target = world.with(Client::Zed, b"{}");
    fs::set_permissions(&target.path, Permissions::from_mode(0o444)).unwrap();
    let error = target.install(&stdio(), false).unwrap_err();
    assert!(matches!(error, TargetError::File(FileError::ReadOnly(_))), "{error}");
    assert_eq!(fs::read(&target.path).unwrap(), b"{}");
}

#[test]
fn folders_and_pipes_in_its_place() {
    let world = World::new();
    let target = world.target(Client::Zed, Scope::User).unwrap();
    fs::create_dir_all(&target.path).unwrap();
    let error = target.install(&stdio(), false).unwrap_err();
    assert!(matches!(error, TargetError::File(FileError::NotAFile(_))), "{error}");
    fs::remove_dir(&target.path).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&target.path).status().unwrap();
    assert!(made.success());
    // Nobody writes to the pipe: opening it would wait for ever.
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(target.install(&stdio(), false).is_err()));
    assert!(receiver.recv_timeout(Duration::from_mins(1)).unwrap());
    // A file where a folder should be.
    let world = World::new();
    fs::write(world.root.path().join("home/.gemini"), "").unwrap();
    let target = world.target(Client::Gemini, Scope::User).unwrap();
    let error = target.install(&stdio(), false).unwrap_err();
    assert!(matches!(error, TargetError::File(FileError::Io { .. })), "{error}");
}
