//! MCP's official conformance suite against the real pipeline: every scenario that a revision
//! requires must pass. There is no list of expected failures.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

const DOGU: &str = env!("CARGO_BIN_EXE_dogu");

/// The folder that `scripts/setup-mcp-conformance` fills.
fn suite() -> PathBuf {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/mcp-conformance");
    assert!(
        suite.join("stamp").is_file(),
        "the suite is not in {}: run `make test`, or scripts/setup-mcp-conformance",
        suite.display()
    );
    suite.canonicalize().unwrap()
}

/// A server that does not outlive the test.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start(folder: &Path) -> Self {
        let mut child = Command::new(DOGU)
            .args(["__conformance", "server", "--http", "127.0.0.1:0"])
            .current_dir(folder)
            .env("HOME", folder)
            .env("XDG_STATE_HOME", folder.join("state"))
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("listening on ").unwrap_or_else(|| panic!("{line:?}"));
        Self { url: url.to_owned(), child }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// The suite gives up on what takes long; several of it at once would measure each other.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Runs some of the suite. It ends with 0 only if all of it passed, warnings too, because the list
/// of failures that it may expect is empty.
fn run(arguments: &[&str], folder: &Path) -> String {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let bin = suite().join("node_modules/.bin");
    let expected = folder.join("expected-failures.yml");
    std::fs::write(&expected, "server: []\nclient: []\n").unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new(bin.join("conformance"))
        .args(arguments)
        .arg("--expected-failures")
        .arg(&expected)
        .arg("-o")
        .arg(folder.join("results"))
        .env("PATH", format!("{}:{path}", bin.display()))
        .env("HOME", folder)
        .current_dir(folder)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{arguments:?}: {text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    text
}

fn server_conforms(revision: &str) {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path());
    let arguments = ["server", "--url", &server.url, "--requirements", revision];
    let text = run(&arguments, folder.path());
    assert!(text.contains("server-sse-multiple-streams"), "{text}");
}

fn client_conforms(revision: &str) {
    let folder = tempfile::tempdir().unwrap();
    let command = format!("{DOGU} __conformance client");
    let arguments = ["client", "--command", &command, "--requirements", revision];
    let text = run(&arguments, folder.path());
    assert!(text.contains("auth/scope-step-up"), "{text}");
}

#[test]
#[ignore = "needs what scripts/setup-mcp-conformance installs; make test runs it"]
fn the_server_conforms_to_2025_11_25() {
    server_conforms("2025-11-25");
}

#[test]
#[ignore = "needs what scripts/setup-mcp-conformance installs; make test runs it"]
fn the_server_conforms_to_2026_07_28() {
    server_conforms("2026-07-28");
}

/// The scenarios of the extension for tasks, which no revision requires, and how many checks of
/// each must pass. The suite itself skips the one without any.
const TASKS: [(&str, usize); 10] = [
    ("tasks-lifecycle", 9),
    ("tasks-capability-negotiation", 5),
    ("tasks-wire-fields", 4),
    ("tasks-request-state-removal", 3),
    ("tasks-mrtr-input", 4),
    ("tasks-request-headers", 5),
    ("tasks-dispatch-and-envelope", 9),
    ("tasks-status-notifications", 0),
    ("tasks-required-task-error", 3),
    ("tasks-mrtr-composition", 2),
];

#[test]
#[ignore = "needs what scripts/setup-mcp-conformance installs; make test runs it"]
fn the_server_conforms_to_the_extension_for_tasks() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path());
    for (scenario, checks) in TASKS {
        let arguments = ["server", "--url", &server.url, "--scenario", scenario, "--force"];
        let arguments = [&arguments[..], &["--spec-version", "2026-07-28"]].concat();
        let text = run(&arguments, folder.path());
        let passed = format!("Passed: {checks}/{checks}, 0 failed, 0 warnings");
        assert!(text.contains(&passed), "{scenario}: {text}");
    }
}

#[test]
#[ignore = "needs what scripts/setup-mcp-conformance installs; make test runs it"]
fn the_client_conforms_to_2025_11_25() {
    client_conforms("2025-11-25");
}

#[test]
#[ignore = "needs what scripts/setup-mcp-conformance installs; make test runs it"]
fn the_client_conforms_to_2026_07_28() {
    client_conforms("2026-07-28");
}
