//! Who is measured: ripgrep, fd, `dogu call`, and the same call inside this process.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dogu_runtime::{Runtime, Source};
use dogu_tool::{Origin, Principal, Scope, ToolCall};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;
use serde_json::Value;

/// How long something took, and how many entries it found.
#[derive(Clone, Copy, Default)]
pub(crate) struct Run {
    pub(crate) wall: Duration,
    /// Of all threads, in the program and in the kernel.
    pub(crate) cpu: Duration,
    pub(crate) found: usize,
}

fn timed<T>(who: UsageWho, work: impl FnOnce() -> T) -> (T, Run) {
    let used = || {
        let usage = getrusage(who).unwrap();
        let all = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
        Duration::from_micros(u64::try_from(all).unwrap())
    };
    let (before, begun) = (used(), Instant::now());
    let done = work();
    let wall = begun.elapsed();
    (done, Run { wall, cpu: used().checked_sub(before).unwrap(), found: 0 })
}

fn output(command: &mut Command) -> (Vec<u8>, Run) {
    let (done, run) = timed(UsageWho::RUSAGE_CHILDREN, || command.output());
    let done = done.unwrap_or_else(|error| panic!("{command:?}: {error}; scripts/setup-search"));
    assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
    (done.stdout, run)
}

fn lines(command: &mut Command) -> Run {
    let (out, run) = output(command);
    Run { found: out.split(|byte| *byte == b'\n').count() - 1, ..run }
}

/// ripgrep over the same files: those with a dot too, what git ignores not.
pub(crate) fn rg(root: &Path, pattern: &str, multi_line: bool, mode: &str) -> Run {
    let mut command = Command::new("rg");
    command.current_dir(root).args(["--no-config", "--hidden", "--glob=!.git", "--color=never"]);
    match mode {
        "content" => command.args(["--no-heading", "--with-filename", "--line-number"]),
        _ => command.arg("--files-with-matches"),
    };
    if multi_line {
        // Without --mmap rg 13 clears, for every file, as much memory as the largest before it
        // took, and is twenty times slower here; that would be no peer.
        command.args(["--multiline", "--multiline-dotall", "--mmap"]);
    }
    lines(command.args(["-e", pattern, "."]))
}

/// fd over the same files.
pub(crate) fn fd(root: &Path, pattern: &str) -> Run {
    let mut command = Command::new("fdfind");
    command.current_dir(root).args(["--hidden", "--exclude=.git", "--type=f", "--color=never"]);
    lines(command.args(["--full-path", "--glob", pattern]))
}

/// dogu, as a program and in this process.
pub(crate) struct Engine {
    root: PathBuf,
    home: tempfile::TempDir,
    tokio: tokio::runtime::Runtime,
    runtime: Runtime,
    calls: Cell<usize>,
}

impl Engine {
    pub(crate) fn new(root: &Path) -> Self {
        let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let runtime = Runtime::builder(Scope::new(root))
            .tools(&Source::Builtin, dogu_builtin::all())
            .unwrap()
            .build()
            .unwrap();
        let (root, home) = (root.to_path_buf(), tempfile::tempdir().unwrap());
        Self { root, home, tokio, runtime, calls: Cell::new(0) }
    }

    /// `dogu call`, with settings and a record of its own.
    pub(crate) fn call(&self, tool: &str, input: &Value) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dogu"));
        command.env_clear().env("HOME", self.home.path()).arg("--root").arg(&self.root);
        command.args(["call", tool, "--input"]).arg(input.to_string());
        let (out, run) = output(&mut command);
        Run { found: entries(&String::from_utf8(out).unwrap()), ..run }
    }

    /// The same call in this process, through the whole pipeline.
    pub(crate) fn inside(&self, tool: &str, input: &Value) -> Run {
        // Who makes the same call again and again is stopped; so each comes from somebody else.
        self.calls.set(self.calls.get() + 1);
        let caller = Principal::process(format!("bench {}", self.calls.get()));
        let step = self.runtime.step(Arc::new(Origin::of(caller)));
        let call = ToolCall::new("c", tool, input.clone());
        let (result, run) =
            timed(UsageWho::RUSAGE_SELF, || self.tokio.block_on(step.dispatch(call)));
        assert!(!result.is_error(), "{}", result.to_text());
        Run { found: entries(&result.to_text()), ..run }
    }
}

/// How many entries an answer speaks of: `(files 1-100 of 700 …`, or those that are there.
fn entries(answer: &str) -> usize {
    let (notes, shown): (Vec<&str>, Vec<&str>) =
        answer.lines().partition(|line| line.starts_with('('));
    let total = notes.iter().find_map(|note| {
        let place = note.strip_prefix("(files ").or_else(|| note.strip_prefix("(lines "))?;
        let (_, after) = place.split_once(" of ")?;
        after.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    });
    total.unwrap_or(shown.len())
}
