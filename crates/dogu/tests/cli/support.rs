//! A home of its own for each test, and the binary in it.

use std::fmt;
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use dogu_tool::{Exposure, ToolSpec};
use serde_json::Value;
use tempfile::TempDir;

/// How long anything may take before a test calls it stuck.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// A home, a workspace and a state folder that are gone after the test.
pub(crate) struct Home {
    root: TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        let home = Self { root: tempfile::tempdir().unwrap() };
        std::fs::create_dir(home.work()).unwrap();
        home
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.path("work")
    }

    /// Writes a file; the folders on the way are made.
    pub(crate) fn write(&self, name: &str, content: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// The user's settings.
    pub(crate) fn user_settings(&self, text: &str) {
        self.write("config/dogu/config.yaml", text);
    }

    /// The environment of the binary, and all of it.
    pub(crate) fn environment(&self) -> Vec<(&'static str, PathBuf)> {
        vec![
            ("PATH", std::env::var_os("PATH").unwrap_or_default().into()),
            ("HOME", self.path("home")),
            ("PWD", self.work()),
            ("XDG_STATE_HOME", self.path("state")),
            ("XDG_CONFIG_HOME", self.path("config")),
        ]
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command.args(arguments).current_dir(self.work()).env_clear().envs(self.environment());
        command
    }

    pub(crate) fn dogu(&self, arguments: &[&str]) -> Done {
        self.dogu_with(arguments, b"")
    }

    /// Runs the binary to its end with something on its stdin.
    pub(crate) fn dogu_with(&self, arguments: &[&str], stdin: &[u8]) -> Done {
        self.run(self.command(arguments), stdin)
    }

    pub(crate) fn run(&self, mut command: Command, stdin: &[u8]) -> Done {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut to = child.stdin.take().unwrap();
        let (out, err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        std::thread::scope(|scope| {
            // Inside, so that a child that is stuck is ended before its streams are waited for.
            let mut running = Running::new(child);
            // It may end without having read it all, which is its right.
            scope.spawn(move || to.write_all(stdin));
            let stdout = scope.spawn(|| all_of(out));
            let stderr = scope.spawn(|| all_of(err));
            Done {
                code: running.ended().code(),
                stdout: self.filtered(&stdout.join().unwrap()),
                stderr: self.filtered(&stderr.join().unwrap()),
            }
        })
    }

    /// What was printed, without what is different in every run.
    pub(crate) fn filtered(&self, bytes: &[u8]) -> String {
        let text = std::str::from_utf8(bytes).expect("only text is printed");
        text.replace(self.root.path().to_str().unwrap(), "[ROOT]")
    }

    /// Runs the binary to its end with its stdout elsewhere; exit code and stderr.
    pub(crate) fn run_into(&self, arguments: &[&str], stdout: Stdio) -> (Option<i32>, String) {
        let mut command = self.command(arguments);
        command.stdin(Stdio::null()).stdout(stdout).stderr(Stdio::piped());
        let mut running = Running::new(command.spawn().unwrap());
        let code = running.ended().code();
        let stderr = running.stderr.take().unwrap();
        let lines = std::iter::from_fn(|| stderr.next()).map(|line| line + "\n");
        (code, self.filtered(lines.collect::<String>().as_bytes()))
    }

    pub(crate) fn start(&self, arguments: &[&str]) -> Running {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Running::new(command.spawn().unwrap())
    }
}

fn all_of(mut stream: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    bytes
}

pub(crate) fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_dogu"))
}

/// What a run left behind.
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Done {
    /// The one JSON value on stdout.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self}"))
    }

    /// It went well, and nobody was told anything but the result.
    pub(crate) fn quiet(&self) -> &str {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{self}");
        &self.stdout
    }
}

impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = self.code.map_or("none".to_owned(), |code| code.to_string());
        write!(f, "exit {code}\n--- stdout\n{}--- stderr\n{}", self.stdout, self.stderr)
    }
}

/// A process of a test; ended when it is no longer needed, also if the test fails.
pub(crate) struct Running {
    pub(crate) child: Child,
    pub(crate) stdout: Option<Lines>,
    pub(crate) stderr: Option<Lines>,
}

impl Running {
    pub(crate) fn new(mut child: Child) -> Self {
        let stdout = child.stdout.take().map(Lines::of);
        let stderr = child.stderr.take().map(Lines::of);
        Self { child, stdout, stderr }
    }

    pub(crate) fn send(&mut self, line: &Value) {
        let stdin = self.child.stdin.as_mut().unwrap();
        stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// The next line of stdout, as JSON.
    pub(crate) fn receive(&mut self) -> Value {
        let line = self.stdout.as_ref().unwrap().next().expect("stdout ended");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    pub(crate) fn terminate(&self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    }

    pub(crate) fn ended(&mut self) -> ExitStatus {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(began.elapsed() < PATIENCE, "it does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The lines of a stream, read as they come.
pub(crate) struct Lines(Receiver<String>);

impl Lines {
    fn of(stream: impl Read + Send + 'static) -> Self {
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stream).lines() {
                let Ok(line) = line else { return };
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self(receiver)
    }

    /// The next line; none at the end.
    pub(crate) fn next(&self) -> Option<String> {
        match self.0.recv_timeout(PATIENCE) {
            Ok(line) => Some(line),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => None,
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!("no line came in time"),
        }
    }
}

/// The names of the built-in tools that are shown and that `keep` accepts, in their order.
pub(crate) fn offered(keep: impl Fn(&ToolSpec) -> bool) -> Vec<String> {
    let tools = dogu_builtin::all();
    let shown = tools.iter().map(|tool| tool.spec());
    let shown = shown.filter(|spec| spec.exposure == Exposure::Direct && keep(spec));
    shown.map(|spec| spec.name.as_str().to_owned()).collect()
}
