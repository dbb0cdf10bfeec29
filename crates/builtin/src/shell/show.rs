//! How processes are shown.

use std::sync::Arc;
use std::time::Duration;

use dogu_tool::{Output, Process, ProcessFacts};
use serde::Serialize;
use serde_json::{Value, json};

use super::report::signal_name;
use super::run::seconds;

/// What is shown while the model still writes the call.
pub(super) fn partial(doing: &str, input: &Value, key: &str) -> String {
    let what = input.get(key).and_then(Value::as_str).unwrap_or("...");
    format!("{doing}: {what}")
}

/// How much of what a process wrote is shown with its state.
pub(super) const SHOWN_BYTES: usize = 10_000;

/// What programs get of a process.
#[derive(Clone, Debug, Serialize)]
pub(super) struct State {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    command: String,
    cwd: String,
    running: bool,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<String>,
    pty: bool,
    sandbox: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ports: Vec<u16>,
}

impl State {
    pub(super) fn of(process: &Arc<dyn Process>) -> Self {
        let facts = process.facts();
        Self {
            running: facts.end.is_none(),
            seconds: (facts.ran.as_secs_f64() * 10.0).round() / 10.0,
            exit_code: facts.end.and_then(|end| end.exit_code),
            signal: facts.end.and_then(|end| end.signal).map(signal_name),
            ports: process.ports(),
            id: facts.id,
            name: facts.name,
            command: facts.command,
            cwd: facts.cwd.to_string_lossy().into_owned(),
            pty: facts.terminal,
            sandbox: facts.sandbox,
        }
    }
}

/// `ab12 (dev): runs for 3 s, listens at 8080: npm run dev`.
pub(super) fn one_line(process: &Arc<dyn Process>) -> String {
    let facts = process.facts();
    let name = facts.name.as_deref().map(|name| format!(" ({name})")).unwrap_or_default();
    let ports = process.ports();
    let ports = match ports.as_slice() {
        [] => String::new(),
        ports => format!(", listens at {}", joined(ports)),
    };
    format!("{}{name}: {}{ports}: {}", facts.id, how(&facts), facts.command)
}

fn joined(ports: &[u16]) -> String {
    ports.iter().map(u16::to_string).collect::<Vec<_>>().join(", ")
}

/// `runs for 3 s`, or how it ended.
pub(super) fn how(facts: &ProcessFacts) -> String {
    let time = seconds(facts.ran);
    match facts.end {
        None => format!("runs for {time}"),
        Some(end) => match (end.exit_code, end.signal) {
            (Some(code), _) => format!("ended with exit code {code} after {time}"),
            (None, Some(signal)) => format!("ended by {} after {time}", signal_name(signal)),
            (None, None) => format!("ended after {time}, nobody knows how"),
        },
    }
}

/// What is to be said of what a process that has ended left in the workspace.
pub(super) async fn left_behind(process: &Arc<dyn Process>) -> String {
    if process.facts().end.is_none() {
        return String::new();
    }
    let changes = process.changes().await.unwrap_or_default();
    changes.steering.iter().map(|said| format!("\n[{said}]")).collect()
}

/// A process that was started: how it does after a first look.
pub(super) async fn started(process: &Arc<dyn Process>, look: Duration) -> Output {
    let _ = tokio::time::timeout(look, process.ended()).await;
    let log = Arc::clone(process.log());
    let shown = log.since(0, SHOWN_BYTES);
    let facts = process.facts();
    let mut text = format!("Process {}", one_line(process));
    text.push_str(&match shown.text.trim_end() {
        "" => "\n\n(no output so far)".to_owned(),
        written => format!("\n\n{written}"),
    });
    if facts.end.is_none() {
        text.push_str(&format!(
            "\n\n[It goes on until process_stop, or until dogu ends. process_wait, process_logs and process_send take the id `{}`{}.]",
            facts.id,
            if facts.name.is_some() { " or its name" } else { "" }
        ));
    }
    let mut state = json!(State::of(process));
    if let Value::Object(state) = &mut state {
        state.insert("output".to_owned(), Value::String(shown.text));
        state.insert("cursor".to_owned(), json!(shown.cursor));
    }
    Output::with_structured(text, state)
}
