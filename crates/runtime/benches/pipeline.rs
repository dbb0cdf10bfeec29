//! What the pipeline adds to a call: `cargo bench -p dogu-runtime`.
//!
//! Every figure is the difference to a bare `serde_json::from_value` and function call on the
//! same input, measured in interleaved pairs in the same run; medians, because the machine is noisy.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program for people who measure")]

use std::hint::black_box;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use dogu_runtime::record::{CallEnd, CallStart, Record, RecordOptions};
use dogu_runtime::redact::Redactor;
use dogu_runtime::{ApproveAll, Decision, Policy, PolicyRequest, Runtime, Source, StateDir, Step};
use dogu_tool::{
    Action, CallStatus, Category, Ctx, Group, Origin, Output, Principal, Scope, ShapedTool, Tool,
    ToolCall, ToolError, ToolSpec, TypedTool, Verdict, typed,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

const SECOND_PROCESS: &str = "DOGU_BENCH_SECOND_PROCESS";
const PAIRS: usize = 20_000;

#[derive(Deserialize, JsonSchema)]
struct Input {
    path: String,
    offset: Option<u32>,
    limit: Option<u32>,
}

/// The work itself, which the bare call and the tools share.
fn work(input: &Input) -> usize {
    black_box(input.path.len())
        + input.offset.unwrap_or(0) as usize
        + input.limit.unwrap_or(0) as usize
}

/// The same tool, marked in different ways.
struct NoOp {
    name: &'static str,
    non_blocking: bool,
    writes: bool,
}

impl TypedTool for NoOp {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        let spec = ToolSpec::of::<Input>(self.name, "Does nothing.")
            .in_group(Category::System, Group::Read)
            .primary("path");
        if self.non_blocking { spec.non_blocking() } else { spec }
    }

    fn actions(&self, _: &Input, _: &Scope) -> Vec<Action> {
        let action = Action::Custom { name: "nothing".into(), details: Value::Null };
        if self.writes { vec![action] } else { Vec::new() }
    }

    async fn run(&self, input: Input, _: &Ctx) -> Result<Output, ToolError> {
        black_box(work(&input));
        Ok(Output::default())
    }
}

struct AllowAll;

impl Policy for AllowAll {
    fn decide(&self, _: &PolicyRequest<'_>) -> Decision {
        Decision::with_reasons(Verdict::Allow, Vec::new())
    }
}

/// Each is another one: the same call over and over is stopped.
fn input() -> Value {
    static OFFSET: AtomicU32 = AtomicU32::new(1);
    let offset = OFFSET.fetch_add(1, Ordering::Relaxed);
    json!({"path": "src/main.rs", "offset": offset, "limit": 200})
}

fn runtime(record: Option<Record>) -> Runtime {
    let tools = [
        NoOp { name: "in_place", non_blocking: true, writes: false },
        NoOp { name: "contained", non_blocking: false, writes: false },
        NoOp { name: "writing", non_blocking: true, writes: true },
    ];
    let mut builder = Runtime::builder(Scope::new(std::env::temp_dir()))
        .tools(&Source::Builtin, tools.map(typed))
        .unwrap()
        .policy(Arc::new(AllowAll))
        .delegate(Arc::new(ApproveAll));
    if let Some(record) = record {
        builder = builder.record(record);
    }
    builder.build().unwrap()
}

fn step(runtime: &Runtime) -> Step {
    runtime.step(Arc::new(Origin::of(Principal::process("bench"))))
}

fn open_record(folder: &Path) -> Record {
    let state = StateDir::open(folder).unwrap();
    Record::open(&state, Redactor::new(), RecordOptions::default()).unwrap()
}

struct Figures {
    p50: Duration,
    p99: Duration,
}

fn figures(mut times: Vec<Duration>) -> Figures {
    times.sort_unstable();
    Figures { p50: times[times.len() / 2], p99: times[times.len() * 99 / 100] }
}

/// Interleaved pairs of a bare call and a call through the pipeline.
fn added(tokio: &tokio::runtime::Runtime, runtime: &Runtime, tool: &str) -> (Figures, Figures) {
    let step = step(runtime);
    let (mut bare, mut through) = (Vec::with_capacity(PAIRS), Vec::with_capacity(PAIRS));
    tokio.block_on(async {
        for pair in 0..PAIRS + 500 {
            let value = input();
            let begun = Instant::now();
            let parsed: Input = serde_json::from_value(value).unwrap();
            black_box(work(&parsed));
            let bare_time = begun.elapsed();
            let call = ToolCall::new("c", tool, input());
            let begun = Instant::now();
            let result = step.dispatch(call).await;
            let through_time = begun.elapsed();
            assert!(!result.is_error(), "{result:?}");
            // The first calls compile the schema and start threads.
            if pair >= 500 {
                bare.push(bare_time);
                through.push(through_time);
            }
        }
    });
    (figures(bare), figures(through))
}

fn report(name: &str, target: &str, (bare, through): &(Figures, Figures)) {
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    println!(
        "{name:46} added p50 {:7.2} µs  p99 {:8.2} µs   ({:.0}× bare {:.2} µs; target {target})",
        micros(through.p50.saturating_sub(bare.p50)),
        micros(through.p99.saturating_sub(bare.p50)),
        through.p50.as_secs_f64() / bare.p50.as_secs_f64(),
        micros(bare.p50),
    );
}

/// Another process that makes recorded calls, one after the other, until it is killed.
struct SecondProcess(Child);

impl SecondProcess {
    fn start(folder: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        let child = command.env(SECOND_PROCESS, folder).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(300));
        Self(child)
    }
}

impl Drop for SecondProcess {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A thousand calls a second, as a busy second agent makes them.
fn second_process(folder: &Path) -> ! {
    let record = open_record(folder);
    loop {
        let (number, receipt) = record.start_durable(CallStart::new("other", "writing", input()));
        receipt.wait().unwrap();
        record.end(number, CallEnd::new(CallStatus::Done));
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn sustained_rows() {
    const CALLS: u32 = 200_000;
    let folder = tempfile::tempdir().unwrap();
    let record = open_record(folder.path());
    let begun = Instant::now();
    for call in 0..CALLS {
        let number = record.start(CallStart::new("c", "writing", input()));
        record.end(number, CallEnd::new(CallStatus::Done));
        // The queue is bounded and drops what does not fit: wait as a real caller would.
        if call % 10_000 == 0 {
            record.flush().wait().unwrap();
        }
    }
    record.flush().wait().unwrap();
    assert_eq!(record.lost(), 0);
    let rate = f64::from(CALLS) / begun.elapsed().as_secs_f64();
    println!("{:46} {rate:.0} rows/s (target 20,000)", "record, sustained");
}

/// Resident memory in KB, as the kernel counts it.
fn resident() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// A tool that waits until the gate is opened.
fn waiting(gate: &Arc<Semaphore>) -> Arc<dyn Tool> {
    let gate = Arc::clone(gate);
    let spec = ToolSpec::of::<Input>("waiting", "Waits.").non_blocking();
    Arc::new(ShapedTool::new(spec, move |_, _| {
        let gate = Arc::clone(&gate);
        async move {
            drop(gate.acquire().await);
            Ok(Output::default())
        }
    }))
}

/// All calls are held until every one of them runs, then all are let go.
fn many_in_flight(tokio: &tokio::runtime::Runtime) {
    const CALLS: usize = 10_000;
    const ROUNDS: usize = 40;
    let gate = Arc::new(Semaphore::new(0));
    let runtime = Runtime::builder(Scope::new(std::env::temp_dir()))
        .tool(Source::Builtin, waiting(&gate))
        .unwrap()
        .build()
        .unwrap();
    let mut resident_after = Vec::new();
    for _ in 0..ROUNDS {
        let step = step(&runtime);
        tokio.block_on(async {
            let calls = (0..CALLS).map(|n| {
                tokio::spawn(step.dispatch(ToolCall::new(n.to_string(), "waiting", input())))
            });
            let calls: Vec<_> = calls.collect();
            while runtime.deadlines() < CALLS {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            assert_eq!(runtime.in_flight(), CALLS);
            gate.add_permits(1);
            for call in calls {
                assert!(!call.await.unwrap().is_error());
            }
            gate.forget_permits(1);
        });
        assert_eq!((runtime.in_flight(), runtime.deadlines()), (0, 0));
        resident_after.push(resident());
    }
    println!(
        "{:46} all answered, {ROUNDS} rounds; resident after rounds 2, 10, 20, 40: {}, {}, {}, {} KB",
        "10,000 calls in flight at once",
        resident_after[1],
        resident_after[9],
        resident_after[19],
        resident_after[39]
    );
}

/// What a start costs whose row is waited for.
fn required(tokio: &tokio::runtime::Runtime) -> (Figures, Figures) {
    let folder = tempfile::tempdir().unwrap();
    let state = StateDir::open(folder.path()).unwrap();
    let record = Record::open(&state, Redactor::new(), RecordOptions::required()).unwrap();
    added(tokio, &runtime(Some(record)), "writing")
}

fn main() {
    if let Some(folder) = std::env::var_os(SECOND_PROCESS) {
        second_process(folder.as_ref());
    }
    let tokio =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let plain = runtime(None);
    report("non-blocking", "10 µs", &added(&tokio, &plain, "in_place"));
    report("contained", "30 µs", &added(&tokio, &plain, "contained"));

    let folder = tempfile::tempdir().unwrap();
    let recorded = runtime(Some(open_record(folder.path())));
    report("non-blocking, recorded", "50 µs", &added(&tokio, &recorded, "in_place"));
    report(
        "non-blocking, start on disk before the act",
        "50 µs",
        &added(&tokio, &recorded, "writing"),
    );
    let second = SecondProcess::start(folder.path());
    let beside = added(&tokio, &recorded, "writing");
    drop(second);
    report("the same beside a second writing process", "50 µs, p99 1 ms", &beside);
    recorded.record().unwrap().flush().wait().unwrap();
    assert_eq!(recorded.record().unwrap().lost(), 0, "nothing was dropped to be fast");
    report("its row waited for (audit: required)", "none", &required(&tokio));
    sustained_rows();
    many_in_flight(&tokio);
}
