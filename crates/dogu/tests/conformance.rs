//! MCP's official conformance suite against the real pipeline: every scenario that a revision
//! requires must pass. There is no list of expected failures.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

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

/// Runs what a revision requires. The suite ends with 0 only if all of it passed, warnings too,
/// because the list of failures that it may expect is empty.
fn conforms(revision: &str) {
    let folder = tempfile::tempdir().unwrap();
    let bin = suite().join("node_modules/.bin");
    let expected = folder.path().join("expected-failures.yml");
    std::fs::write(&expected, "server: []\nclient: []\n").unwrap();
    let server = Server::start(folder.path());
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new(bin.join("conformance"))
        .args(["server", "--url", &server.url, "--requirements", revision])
        .arg("--expected-failures")
        .arg(&expected)
        .arg("-o")
        .arg(folder.path().join("results"))
        .env("PATH", format!("{}:{path}", bin.display()))
        .env("HOME", folder.path())
        .current_dir(folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let summary = text.find("=== SUMMARY").map_or(&*text, |at| &text[at..]);
    assert!(
        output.status.success(),
        "{revision}: {summary}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(summary.contains("server-sse-multiple-streams"), "{summary}");
}

#[test]
#[ignore = "needs what scripts/setup-mcp-conformance installs; make test runs it"]
fn the_server_conforms_to_2025_11_25() {
    conforms("2025-11-25");
}

#[test]
#[ignore = "needs what scripts/setup-mcp-conformance installs; make test runs it"]
fn the_server_conforms_to_2026_07_28() {
    conforms("2026-07-28");
}
