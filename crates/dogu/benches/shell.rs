//! What a command costs through the whole pipeline and the sandbox, beside `bash -c`, and how fast
//! much output is taken in. Run by `make bench-shell`.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on ends")]
#![expect(clippy::print_stdout, reason = "this is what it is for")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use dogu_runtime::process::Supervisor;
use dogu_runtime::{ApproveAll, Runtime, Settings, Source, StateDir};
use dogu_tool::{Origin, Principal, Scope, ToolCall};
use serde_json::json;

/// How many pairs are measured.
const PAIRS: usize = 200;
/// How large this process is made: forks of large processes are slow.
const BALLAST: usize = 300 << 20;
/// How much output is drained.
const OUTPUT: u64 = 1_000_000_000;

fn main() {
    let ballast = std::hint::black_box(vec![1_u8; BALLAST]);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(run());
    assert_eq!(ballast[BALLAST / 2], 1);
}

async fn run() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let work = folder.path().join("work");
    fs::create_dir_all(&work).unwrap();
    fs::copy("/bin/true", work.join("noop")).unwrap();
    let dogu = dogu(&work, folder.path());
    println!("{PAIRS} interleaved pairs, medians; this process has {} MB\n", resident() / 1024);
    if std::env::args().any(|argument| argument == "drain") {
        return drain(&dogu, &work).await;
    }
    for (line, what) in
        [("true", "only looks: nothing writable"), ("./noop", "may change the workspace")]
    {
        pairs(&dogu, &work, line, what).await;
    }
    drain(&dogu, &work).await;
}

fn dogu(work: &Path, folder: &Path) -> Runtime {
    let settings =
        "permissions: { rules: [ { allow: 'Execute(./noop)' } ] }\nlimits: { identical_calls: 0 }";
    Runtime::builder(Scope::new(work).with_home(folder.join("home")))
        .tools(&Source::Builtin, dogu_builtin::all())
        .unwrap()
        .settings(Settings::parse(settings, Path::new("bench")).unwrap())
        .state(StateDir::open(folder.join("state")).unwrap())
        .delegate(Arc::new(ApproveAll))
        .supervisor(Supervisor::new(env!("CARGO_BIN_EXE_dogu"), ["__supervise"]))
        .build()
        .unwrap()
}

async fn call(dogu: &Runtime, line: &str) -> Duration {
    let origin = Arc::new(Origin::of(Principal::process("bench")));
    let begun = Instant::now();
    let call = ToolCall::new("c", "execute_command", json!({ "command": line }));
    let result = dogu.step(origin).dispatch(call).await;
    let took = begun.elapsed();
    assert_eq!(result.structured.as_ref().unwrap()["exit_code"], 0, "{}", result.to_text());
    took
}

fn bash(line: &str, work: &Path) -> Duration {
    let begun = Instant::now();
    let output =
        Command::new("bash").args(["-c", line]).current_dir(work).stdin(Stdio::null()).output();
    let took = begun.elapsed();
    assert!(output.unwrap().status.success());
    took
}

async fn pairs(dogu: &Runtime, work: &Path, line: &str, what: &str) {
    for _ in 0..20 {
        call(dogu, line).await;
        bash(line, work);
    }
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..PAIRS {
        ours.push(call(dogu, line).await);
        theirs.push(bash(line, work));
    }
    let (ours, theirs) = (median(ours), median(theirs));
    println!(
        "{line}, {what}: execute_command {} µs, bash -c {} µs, ratio {:.2}",
        ours.as_micros(),
        theirs.as_micros(),
        ours.as_secs_f64() / theirs.as_secs_f64()
    );
}

async fn drain(dogu: &Runtime, work: &Path) {
    let line = format!("head -c {OUTPUT} /dev/zero");
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let before = resident();
    let mut most = before;
    for _ in 0..5 {
        ours.push(call(dogu, &line).await);
        most = most.max(resident());
        theirs.push(bash(&format!("{line} | cat > /dev/null"), work));
    }
    let (ours, theirs) = (median(ours), median(theirs));
    println!(
        "\n1 GB of output: execute_command {:.2} s, bash -c '… | cat > /dev/null' {:.2} s, speed ratio {:.2}; {} MB more memory afterwards",
        ours.as_secs_f64(),
        theirs.as_secs_f64(),
        theirs.as_secs_f64() / ours.as_secs_f64(),
        most.saturating_sub(before) / 1024
    );
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// Memory of this process, in kilobytes.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches("kB").trim().parse().unwrap()
}
