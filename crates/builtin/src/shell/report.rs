//! What is told of a command that ended.

use dogu_output::Shown;
use dogu_tool::{Output, Process, ProcessEnd, ProcessFacts};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;

use super::run::{Why, seconds};

/// How much of what a command writes the model sees.
pub(super) const SHOWN_BYTES: usize = 30_000;
/// From this size on texts are made where nobody waits for the thread.
const LARGE_LOG: u64 = 256 * 1024;

/// What programs get of a command.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Report {
    /// By this `read_command_output` shows the rest.
    pub(crate) id: String,
    /// The exit code; none if a signal ended it.
    pub(crate) exit_code: Option<i32>,
    /// The signal that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) signal: Option<String>,
    /// It still runs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) running: bool,
    /// It was ended because its time was over.
    pub(crate) timed_out: bool,
    /// How long it ran.
    pub(crate) duration_ms: u64,
    /// What it wrote to stdout.
    pub(crate) stdout: String,
    /// What it wrote to stderr.
    pub(crate) stderr: String,
    /// Not all of it is here.
    pub(crate) cut: bool,
    /// What held it.
    pub(crate) sandbox: String,
    /// What the sandbox is thought to have refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) refused: Vec<String>,
    /// By this `dogu undo` takes back what it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) undo: Option<String>,
}

/// A command that ended, with all that is to be told.
pub(crate) struct Ended {
    pub(crate) facts: ProcessFacts,
    pub(crate) shown: Shown,
    pub(crate) report: Report,
    pub(crate) notes: Vec<String>,
}

/// Gathers what is to be told.
pub(super) async fn gather(
    process: &Arc<dyn Process>,
    end: ProcessEnd,
    why: Why,
    mut notes: Vec<String>,
) -> Ended {
    let shown = shown(process).await;
    let facts = process.facts();
    let failed = end.exit_code != Some(0);
    let refused = if failed { process.refusals(&shown.text) } else { Vec::new() };
    notes.extend(told(why, facts.ran));
    notes
        .extend(refused.iter().map(|what| format!("Refused by the sandbox, as it seems: {what}.")));
    notes.extend(shown.encoding.map(|name| format!("The output was read as {name}.")));
    notes
        .extend(shown.trouble.clone().map(|why| format!("Not all of the output was kept: {why}.")));
    if !shown.left_out.is_none() {
        notes.push(format!(
            "The whole output: read_command_output with id `{}` (pages and search).",
            facts.id
        ));
    }
    let changes = process.changes().await;
    if let Some(changes) = &changes {
        notes.extend(changed(changes));
    }
    let report = Report {
        id: facts.id.clone(),
        exit_code: end.exit_code,
        signal: end.signal.map(signal_name),
        running: false,
        timed_out: matches!(why, Why::TimedOut(_)),
        duration_ms: u64::try_from(facts.ran.as_millis()).unwrap_or(u64::MAX),
        stdout: shown.stdout.clone(),
        stderr: shown.stderr.clone(),
        cut: !shown.left_out.is_none(),
        sandbox: facts.sandbox.clone(),
        refused,
        undo: changes.and_then(|changes| changes.journal),
    };
    Ended { facts, shown, report, notes }
}

impl Report {
    /// Of a command that was started to run on.
    pub(super) fn so_far(process: &Arc<dyn Process>) -> Self {
        let (facts, shown) = (process.facts(), process.log().result(SHOWN_BYTES));
        Self {
            id: facts.id,
            exit_code: facts.end.and_then(|end| end.exit_code),
            signal: facts.end.and_then(|end| end.signal).map(signal_name),
            running: facts.end.is_none(),
            timed_out: false,
            duration_ms: u64::try_from(facts.ran.as_millis()).unwrap_or(u64::MAX),
            stdout: shown.stdout,
            stderr: shown.stderr,
            cut: !shown.left_out.is_none(),
            sandbox: facts.sandbox,
            refused: Vec::new(),
            undo: None,
        }
    }
}

async fn shown(process: &Arc<dyn Process>) -> Shown {
    let log = Arc::clone(process.log());
    if log.total() < LARGE_LOG {
        return log.result(SHOWN_BYTES);
    }
    tokio::task::spawn_blocking(move || log.result(SHOWN_BYTES)).await.unwrap_or_default()
}

fn told(why: Why, ran: Duration) -> Option<String> {
    match why {
        Why::Done => None,
        Why::TimedOut(waits) => {
            let waits = waits.map(|waits| format!(" At the end it {}.", waits.words()));
            Some(format!(
                "The command was ended after {}, with all that it had started.{} If it needs longer, pass a larger `timeout` (at most 600 seconds) or `background: true`.",
                seconds(ran),
                waits.unwrap_or_default()
            ))
        }
        Why::Waited(waits) => Some(format!(
            "The command was ended after {}, because it {}. Nobody can answer it: use options that make it ask nothing, or process_start with `pty: true` and process_send.",
            seconds(ran),
            waits.words()
        )),
    }
}

fn changed(changes: &dogu_tool::ProcessChanges) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(id) = changes.journal.as_deref().filter(|_| changes.files > 0) {
        let files = if changes.files == 1 { "file" } else { "files" };
        notes.push(format!("{} {files} changed; `dogu undo {id}` takes that back.", changes.files));
    }
    notes.extend(changes.not_covered.clone());
    notes.extend(changes.steering.clone());
    notes
}

impl Ended {
    /// For the model: what was written, then how it ended.
    pub(crate) fn text(&self) -> String {
        let mut text = self.shown.text.trim_end_matches('\n').to_owned();
        if text.is_empty() {
            "(no output)".clone_into(&mut text);
        }
        text.push_str(&format!("\n\n[{}]", self.how()));
        for note in &self.notes {
            text.push_str(&format!("\n[{note}]"));
        }
        text
    }

    /// `exit code 1, 0.3 s`.
    fn how(&self) -> String {
        let how = match (self.report.exit_code, &self.report.signal) {
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => format!("ended by {signal}"),
            (None, None) => "ended, nobody knows how".to_owned(),
        };
        format!("{how}, {}", seconds(self.facts.ran))
    }

    /// The result of `execute_command`.
    pub(crate) fn output(self) -> Output {
        let text = self.text();
        Output::with_structured(text, self.report)
    }
}

/// The name of a signal.
pub(super) fn signal_name(number: i32) -> String {
    const NAMES: [(i32, &str); 16] = [
        (1, "SIGHUP"),
        (2, "SIGINT"),
        (3, "SIGQUIT"),
        (4, "SIGILL"),
        (5, "SIGTRAP"),
        (6, "SIGABRT"),
        (7, "SIGBUS"),
        (8, "SIGFPE"),
        (9, "SIGKILL"),
        (11, "SIGSEGV"),
        (13, "SIGPIPE"),
        (14, "SIGALRM"),
        (15, "SIGTERM"),
        (24, "SIGXCPU"),
        (25, "SIGXFSZ"),
        (31, "SIGSYS"),
    ];
    let found = NAMES.iter().find(|(known, _)| *known == number);
    found.map_or_else(|| format!("signal {number}"), |(_, name)| (*name).to_owned())
}
