//! No secret gets out: not into the state, spills, logs, events, crash output or results. It has
//! a binary of its own because it takes over the process's log and panic hook.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

#[path = "pipeline/support.rs"]
#[expect(dead_code, unreachable_pub, reason = "shared with the tests of the pipeline")]
mod support;

use std::path::Path;
use std::sync::{Arc, Mutex};

use dogu_runtime::record::{Record, RecordOptions};
use dogu_runtime::redact::Redactor;
use dogu_runtime::{ApproveAll, Source, StateDir};
use dogu_tool::{Action, Category, Group, LogLevel, ShapedTool, ToolError};
use serde_json::json;

use crate::support::{ask, builder, me, spec};

/// Twenty secrets of different kinds, put together here so that no scanner finds them in the source.
fn twenty_secrets() -> Vec<String> {
    let mix =
        |length: usize| -> String { "aB3dE5gH7jK9mN1pQ".chars().cycle().take(length).collect() };
    let hex =
        |length: usize| -> String { "0a1b2c3d4e5f6789".chars().cycle().take(length).collect() };
    let join = |parts: &[&str]| parts.concat();
    vec![
        join(&["AKIA", "IOSFODNN7EXAMPLQ"]),
        join(&["ghp_", &mix(36)]),
        join(&["github_pat_", &mix(22), "_", &mix(59)]),
        join(&["glpat-", &mix(20)]),
        join(&["sk-ant-api03-", &mix(93), "AA"]),
        join(&["sk-proj-", &mix(48)]),
        join(&["AIza", &mix(35)]),
        join(&["xoxb-", "123456789012-1234567890123-", &mix(24)]),
        join(&["sk_live_", &mix(24)]),
        join(&["npm_", &mix(36)]),
        join(&["pypi-", "AgEIcHlwaS5vcmc", &mix(70)]),
        join(&["hf_", &mix(34)]),
        join(&["SG.", &mix(22), ".", &mix(43)]),
        join(&["eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxMjM0NTY3ODkwIn0.", &mix(43)]),
        join(&["dop_v1_", &hex(64)]),
        join(&["shpat_", &hex(32)]),
        join(&["123456789:AA", &mix(33)]),
        join(&[
            "-----BEGIN ",
            "PRIVATE KEY-----\nMIIEvQ",
            &mix(60),
            "\n-----END ",
            "PRIVATE KEY-----",
        ]),
        join(&["dapi", &hex(32)]),
        join(&["correct-horse-battery-", "staple-99"]),
    ]
}

/// The part of a secret that must be nowhere: for a key block, its body.
fn core_of(secret: &str) -> &str {
    secret.lines().nth(1).unwrap_or(secret)
}

fn everything_below(folder: &Path, found: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            everything_below(&path, found);
        } else {
            found.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
}

#[tokio::test]
async fn twenty_planted_secrets_are_in_no_state_spill_log_or_event() {
    let folder = tempfile::tempdir().unwrap();
    let state = StateDir::open(folder.path().join("state")).unwrap();
    let secrets = twenty_secrets();
    let known = secrets.last().unwrap().clone();
    let redactor = Redactor::with_known([("MY_PASSWORD", known)]);
    let tool = ShapedTool::new(
        spec("leak").in_group(Category::System, Group::Edit),
        |input, ctx| async move {
            let secret = input["value"].as_str().unwrap().to_owned();
            ctx.progress(&format!("using {secret}"), None);
            ctx.log(LogLevel::Info, &format!("token is {secret}"));
            match input["way"].as_str().unwrap() {
                "error" => Err(ToolError::failed(format!("refused {secret}"))
                    .because(format!("cause {secret}"))),
                "panic" => panic!("died with {secret}"),
                "spill" => Ok(format!("{secret} {} {secret}", "x".repeat(200_000)).into()),
                "json" => Ok(json!({"deep": [{"found": secret}]}).into()),
                _ => Ok(format!("it is {secret}").into()),
            }
        },
    )
    // It may write, so that its start is noted before it runs.
    .actions(|input, _| {
        vec![Action::Custom { name: "leak".into(), details: input["value"].clone() }]
    });
    let options = RecordOptions::default();
    let record = Record::open(&state, redactor.clone(), options).unwrap();
    let runtime = builder()
        .tool(Source::Builtin, Arc::new(tool))
        .unwrap()
        .record(record)
        .state(state.clone())
        .redactor(redactor.clone())
        .delegate(Arc::new(ApproveAll))
        .build()
        .unwrap();
    let logged = captured_logs();
    let crashes = Arc::new(Mutex::new(String::new()));
    let sink = Arc::clone(&crashes);
    dogu_runtime::redact_panics(redactor, move |line| sink.lock().unwrap().push_str(line));
    let mut listener = runtime.listen(&me());
    let mut seen = Vec::new();
    for secret in &secrets {
        for way in ["text", "error", "panic", "spill", "json"] {
            let result = ask(&runtime, "leak", json!({"value": secret, "way": way})).await;
            seen.push((format!("the result of {way}"), serde_json::to_vec(&result).unwrap()));
        }
    }
    while let Some(heard) = listener.try_next() {
        seen.push(("an event".into(), format!("{heard:?}").into_bytes()));
    }
    runtime.record().unwrap().flush().wait().unwrap();
    seen.push(("the log".into(), logged.text().into_bytes()));
    seen.push(("the crash output".into(), crashes.lock().unwrap().clone().into_bytes()));
    everything_below(&folder.path().join("state"), &mut seen);
    assert!(seen.iter().filter(|(place, _)| place.contains("spills")).count() >= 20);
    for kept in ["sqlite", ".starts"] {
        assert!(
            seen.iter().any(|(place, bytes)| place.contains(kept) && !bytes.is_empty()),
            "{kept}"
        );
    }
    assert!(logged.text().contains("token is"), "the log was captured");
    assert!(crashes.lock().unwrap().contains("died with"), "crashes were captured");
    for (place, bytes) in &seen {
        for secret in &secrets {
            let core = core_of(secret).as_bytes();
            let found = bytes.windows(core.len()).any(|window| window == core);
            assert!(!found, "{secret} is in {place}");
        }
    }
}

/// What `tracing` said on this thread and on those of tools, as text.
#[derive(Clone, Default)]
struct Logs(Arc<std::sync::Mutex<String>>);

impl Logs {
    fn text(&self) -> String {
        self.0.lock().unwrap().clone()
    }
}

/// Collects all logs of the process; a test that uses it runs in a process of its own.
fn captured_logs() -> Logs {
    let logs = Logs::default();
    tracing::subscriber::set_global_default(Collector(logs.clone())).unwrap();
    logs
}

struct Collector(Logs);

impl tracing::Subscriber for Collector {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        struct Fields<'a>(&'a mut String);
        impl tracing::field::Visit for Fields<'_> {
            fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
                self.0.push_str(&format!("{field}={value:?} "));
            }
        }
        event.record(&mut Fields(&mut self.0.0.lock().unwrap()));
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}
