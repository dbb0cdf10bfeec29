//! A workspace, and calls in it whose memory is measured.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use serde_json::Value;
use tempfile::TempDir;

/// The most that a call may take, in kilobytes.
const MAX_RESIDENT_KB: i64 = 200 * 1024;
/// The most text that an answer may be, in bytes.
const MAX_ANSWER: usize = 120_000;
/// How long anything may take before a test calls it stuck.
const PATIENCE: Duration = Duration::from_mins(3);

/// A home, a workspace and a state folder that are gone after the test.
pub(crate) struct World(TempDir);

/// What a call printed.
pub(crate) struct Answer {
    pub(crate) ok: bool,
    pub(crate) text: String,
}

impl World {
    pub(crate) fn new() -> Self {
        let world = Self(tempfile::tempdir().unwrap());
        std::fs::create_dir(world.0.path().join("work")).unwrap();
        world
    }

    /// The workspace, or something in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join("work").join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// Makes a call in a process of its own, which must end, and stay small.
    pub(crate) fn call(&self, tool: &str, input: &Value) -> Answer {
        let mut child = self
            .command(tool, input)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let pid = child.id();
        let begun = Instant::now();
        let (sender, receiver) = std::sync::mpsc::channel();
        let watch = std::thread::spawn(move || {
            if receiver.recv_timeout(PATIENCE).is_err() {
                let pid = nix::unistd::Pid::from_raw(pid.cast_signed());
                let _ = nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL);
            }
        });
        let errors = child.stderr.take().unwrap();
        let errors = std::thread::spawn(move || std::io::read_to_string(errors).unwrap());
        let out = std::io::read_to_string(child.stdout.take().unwrap()).unwrap();
        let status = child.wait().unwrap();
        let _ = sender.send(());
        watch.join().unwrap();
        let text = out + &errors.join().unwrap();
        assert!(begun.elapsed() < PATIENCE, "{tool} {input} was stuck");
        assert!(matches!(status.code(), Some(0 | 1)), "{tool} {input}: {status} {text}");
        assert!(text.len() < MAX_ANSWER, "{tool} {input}: {} bytes", text.len());
        assert!(!text.contains("panicked"), "{tool} {input}: {text}");
        assert_small(tool, input);
        Answer { ok: status.success(), text }
    }

    fn command(&self, tool: &str, input: &Value) -> Command {
        let home: &Path = self.0.path();
        let mut command = Command::new(env!("CARGO_BIN_EXE_dogu"));
        command
            .args(["call", tool, "--input", &input.to_string()])
            .current_dir(self.path(""))
            .env_clear()
            .env("HOME", home.join("home"))
            .env("XDG_STATE_HOME", home.join("state"))
            .env("XDG_CONFIG_HOME", home.join("config"));
        command
    }
}

/// The kernel tells the most that any child so far had resident; so no call of this process took
/// more than this.
fn assert_small(tool: &str, input: &Value) {
    let most = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss();
    assert!(most < MAX_RESIDENT_KB, "{tool} {input}: {most} kB");
}
