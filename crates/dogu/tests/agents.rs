//! Agents that others wrote read what `dogu mcp install` wrote, and find dogu behind it.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

const DOGU: &str = env!("CARGO_BIN_EXE_dogu");
/// How long an agent may take: on a busy machine some need many seconds to start.
const PATIENCE: Duration = Duration::from_mins(3);

/// An agent: what it is called here and there, and what it says of a server that answers.
const AGENTS: [(&str, &str, &str); 4] = [
    ("claude-code", "claude", "Connected"),
    // It lists servers without asking them.
    ("codex", "codex", "enabled"),
    ("gemini", "gemini", "Connected"),
    ("opencode", "opencode", "connected"),
];

/// The folder that `scripts/setup-agents` fills.
fn agents() -> PathBuf {
    let agents = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/agents");
    assert!(
        agents.join("stamp").is_file(),
        "the agents are not in {}: run `make test`, or scripts/setup-agents",
        agents.display()
    );
    agents.canonicalize().unwrap().join("node_modules/.bin")
}

/// A home with a project in it.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        Self(folder)
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", agents().display());
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.0.path().join("work"));
        command.env_clear().env("HOME", self.0.path()).env("PATH", path);
        // A folder that nobody was asked about is no project for this agent.
        command.env("GEMINI_CLI_TRUST_WORKSPACE", "true");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs it to its end, which it must come to; all that it printed.
    fn run(&self, program: &str, arguments: &[&str]) -> String {
        let mut child = Running(self.command(program, arguments).spawn().unwrap());
        let (mut out, mut err) = (child.0.stdout.take().unwrap(), child.0.stderr.take().unwrap());
        let err = std::thread::spawn(move || {
            let mut text = Vec::new();
            err.read_to_end(&mut text).unwrap();
            text
        });
        let out = std::thread::spawn(move || {
            let mut text = Vec::new();
            out.read_to_end(&mut text).unwrap();
            text
        });
        let began = Instant::now();
        let status = loop {
            if let Some(status) = child.0.try_wait().unwrap() {
                break status;
            }
            assert!(began.elapsed() < PATIENCE, "{program} {arguments:?} does not end");
            std::thread::sleep(Duration::from_millis(20));
        };
        let text = [out.join().unwrap(), err.join().unwrap()].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        assert!(status.success(), "{program} {arguments:?}: {status}: {text}");
        text
    }

    /// Processes that work in this place.
    fn processes(&self) -> Vec<PathBuf> {
        let all = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
        let here = |process: &PathBuf| {
            std::fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(self.0.path()))
        };
        all.filter(here).collect()
    }

    /// Nothing that was started here runs on.
    fn is_quiet(&self) {
        let began = Instant::now();
        while !self.processes().is_empty() {
            assert!(began.elapsed() < PATIENCE, "left behind: {:?}", self.processes());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// A child that does not outlive the test, however the test ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn lists_dogu(place: &Place, program: &str, word: &str) -> bool {
    let text = place.run(program, &["mcp", "list"]);
    let found = text.lines().any(|line| line.contains("dogu") && line.contains(word));
    assert!(found || !text.contains("dogu"), "{program}: {text}");
    found
}

#[test]
#[ignore = "needs the agents of scripts/setup-agents"]
fn agents_find_dogu_where_it_was_installed() {
    for (client, program, word) in AGENTS {
        let place = Place::new();
        assert!(!lists_dogu(&place, program, word), "{client}: before");
        place.run(DOGU, &["mcp", "install", client]);
        assert!(lists_dogu(&place, program, word), "{client}: installed");
        place.run(DOGU, &["mcp", "uninstall", client]);
        assert!(!lists_dogu(&place, program, word), "{client}: uninstalled");
        place.is_quiet();
    }
}

#[test]
#[ignore = "needs the agents of scripts/setup-agents"]
fn agents_find_dogu_over_http_with_its_token() {
    let place = Place::new();
    let mut server = place.command(DOGU, &["serve", "--http", "127.0.0.1:0"]);
    let mut server = Running(server.stdout(Stdio::null()).spawn().unwrap());
    let mut lines = BufReader::new(server.0.stderr.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    let url = first.split_whitespace().find(|word| word.starts_with("http://")).unwrap().to_owned();
    // What it prints further must not stop it.
    let rest = std::thread::spawn(move || lines.map_while(Result::ok).count());
    for (client, program, word) in AGENTS {
        place.run(DOGU, &["mcp", "install", client, "--http", &url]);
        assert!(lists_dogu(&place, program, word), "{client}");
    }
    drop(server);
    rest.join().unwrap();
    place.is_quiet();
}
