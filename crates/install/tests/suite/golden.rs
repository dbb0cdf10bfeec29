//! What is written for each client, and where, as files beside this one.

use std::fmt::Write as _;
use std::path::Path;

use dogu_install::{Client, Machine, Platform, ServerError};

use crate::support::{SCOPES, World, http, stdio};

fn golden(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_client_is_written_as_its_golden_file_says() {
    for client in Client::ALL {
        for scope in SCOPES {
            for (server, transport) in [(stdio(), "stdio"), (http(), "http")] {
                let world = World::new();
                let Some(target) = world.target(client, scope) else { continue };
                if client == Client::ClaudeDesktop && transport == "http" {
                    let refused = server.entry(client).unwrap_err();
                    assert!(matches!(refused, ServerError::NoHttp(_)), "{refused}");
                    continue;
                }
                target.install(&server, false).unwrap().apply().unwrap();
                let written = std::fs::read_to_string(&target.path).unwrap();
                let ending = target.path.extension().unwrap().to_str().unwrap();
                let name = format!("{client}-{transport}.{ending}");
                assert_eq!(written, golden(&name), "{name}");
                assert_eq!(written, server.snippet(client).unwrap(), "{name}");
            }
        }
    }
}

#[test]
fn every_file_is_where_the_list_says() {
    let mut list = String::new();
    for (platform, home) in [
        (Platform::Linux, "/home/me"),
        (Platform::MacOs, "/Users/me"),
        (Platform::Windows, "C:/Users/me"),
    ] {
        let machine = Machine {
            platform,
            home: home.into(),
            project: "PROJECT".into(),
            config: None,
            claude: None,
            codex: None,
        };
        for client in Client::ALL {
            for scope in SCOPES {
                let file = machine.file(client, scope, "dogu", |_| false);
                let file = file.map_or("-".to_owned(), |file| file.display().to_string());
                let file = file.replace('\\', "/");
                writeln!(list, "{platform:?} {client} {} {file}", scope.as_str()).unwrap();
            }
        }
    }
    assert_eq!(list, golden("files.txt"));
}

#[test]
fn what_the_environment_names_counts() {
    let variable = |name: &str| match name {
        "HOME" => Some("/h".into()),
        "XDG_CONFIG_HOME" => Some("/x".into()),
        "CLAUDE_CONFIG_DIR" => Some("/c".into()),
        "CODEX_HOME" => Some("/d".into()),
        _ => None,
    };
    let machine = Machine::here("/p".into(), variable).unwrap();
    let file = |client| machine.file(client, SCOPES[0], "dogu", |_| false).unwrap();
    assert_eq!(file(Client::ClaudeCode), Path::new("/c/.claude.json"));
    assert_eq!(file(Client::Codex), Path::new("/d/config.toml"));
    assert_eq!(file(Client::Zed), Path::new("/x/zed/settings.json"));
    assert!(Machine::here("/p".into(), |_| None).is_none(), "no home, no files");
    let there = |path: &Path| path.ends_with("opencode.jsonc");
    let file = machine.file(Client::OpenCode, SCOPES[0], "dogu", there).unwrap();
    assert_eq!(file, Path::new("/x/opencode/opencode.jsonc"), "the one that is there");
}

#[test]
fn a_client_is_found_by_its_files_or_its_program() {
    let world = World::new();
    let machine = world.machine();
    let exists = |path: &Path| path.exists();
    let found = |programs: &[&str]| -> Vec<Client> {
        let has = |client: &Client| machine.has(*client, exists, |name| programs.contains(&name));
        Client::ALL.into_iter().filter(has).collect()
    };
    assert_eq!(found(&[]), []);
    std::fs::create_dir_all(machine.home.join(".gemini")).unwrap();
    assert_eq!(found(&["claude"]), [Client::ClaudeCode, Client::Gemini]);
}

#[test]
fn a_name_that_clients_cannot_use_is_refused() {
    let long = "x".repeat(65);
    for name in ["", "a b", "ä", "a.b", "-a", "a\n", "\"", long.as_str()] {
        let server = dogu_install::Server { name: name.to_owned(), ..stdio() };
        assert!(matches!(server.entry(Client::Codex), Err(ServerError::Name(_))), "{name:?}");
    }
}
