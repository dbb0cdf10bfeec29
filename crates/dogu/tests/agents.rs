//! Agents of others that are MCP clients, asked whether they can connect to dogu. None of them
//! needs a key for that.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]
#![expect(clippy::print_stderr, reason = "an agent that is not there is named")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::json;

const DOGU: &str = env!("CARGO_BIN_EXE_dogu");

/// The folder that `scripts/setup-mcp-agents` fills.
fn agents() -> PathBuf {
    let agents = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/mcp-agents");
    assert!(
        agents.join("stamp").is_file(),
        "the agents are not in {}: run `make test`, or scripts/setup-mcp-agents",
        agents.display()
    );
    agents.canonicalize().unwrap().join("node_modules/.bin")
}

/// A home and a workspace of their own.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        Self(folder)
    }

    fn home(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, path: &str, content: &serde_json::Value) {
        let path = self.home().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content.to_string()).unwrap();
    }

    /// Runs an agent with nothing of the user's in its environment.
    fn run(&self, agent: &str, arguments: &[&str]) -> Output {
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", agents().display());
        Command::new("timeout")
            .arg("100")
            .arg(agents().join(agent))
            .args(arguments)
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.home())
            .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
            .current_dir(self.home().join("work"))
            .output()
            .unwrap()
    }
}

/// Whether an agent could be installed here. What could not is said, and not tested.
fn is_here(agent: &str) -> bool {
    let here = agents().join(agent).exists();
    if !here {
        eprintln!("{agent} does not install here");
    }
    here
}

fn said(output: &Output) -> String {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

#[test]
#[ignore = "needs what scripts/setup-mcp-agents installs; make test runs it"]
fn claude_code_connects() {
    if !is_here("claude") {
        return;
    }
    let place = Place::new();
    let added =
        place.run("claude", &["mcp", "add", "--scope", "user", "dogu", "--", DOGU, "serve"]);
    assert!(added.status.success(), "{}", said(&added));
    let list = said(&place.run("claude", &["mcp", "list"]));
    let line =
        list.lines().find(|line| line.starts_with("dogu")).unwrap_or_else(|| panic!("{list}"));
    assert!(line.contains("Connected"), "{list}");
}

#[test]
#[ignore = "needs what scripts/setup-mcp-agents installs; make test runs it"]
fn gemini_cli_connects() {
    if !is_here("gemini") {
        return;
    }
    let place = Place::new();
    let server = json!({"command": DOGU, "args": ["serve"]});
    place.write(".gemini/settings.json", &json!({"mcpServers": {"dogu": server}}));
    let list = said(&place.run("gemini", &["mcp", "list"]));
    let line = list.lines().find(|line| line.contains("dogu")).unwrap_or_else(|| panic!("{list}"));
    assert!(line.contains("Connected"), "{list}");
}

#[test]
#[ignore = "needs what scripts/setup-mcp-agents installs; make test runs it"]
fn opencode_connects() {
    if !is_here("opencode") {
        return;
    }
    let place = Place::new();
    let server = json!({"type": "local", "command": [DOGU, "serve"], "enabled": true});
    place.write(".config/opencode/opencode.json", &json!({"mcp": {"dogu": server}}));
    let list = said(&place.run("opencode", &["mcp", "list"]));
    assert!(list.contains("dogu") && list.contains("connected"), "{list}");
    assert!(!list.contains("failed"), "{list}");
}
