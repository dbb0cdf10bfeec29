//! `process_wait`: waits until something is true of a process.

use std::sync::Arc;
use std::time::Duration;

use dogu_output::Watch;
use dogu_tool::{
    Action, Category, Ctx, Group, Output, Process, Scope, ToolError, ToolSpec, TypedTool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::show::{self, SHOWN_BYTES, State, left_behind, one_line};

/// How long is waited where nothing is said.
const DEFAULT_SECONDS: f64 = 60.0;
/// How long is waited at most.
const MAX_SECONDS: f64 = 600.0;
/// How often ports are looked at.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);
/// How long the call may take in all.
const CALL_TIMEOUT: Duration = Duration::from_secs(610);

/// What to wait for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Its id, or the name that it was given.
    id: String,
    /// What to wait for; its end where absent. The end of the process ends every wait.
    #[serde(default)]
    until: Until,
    /// Seconds to wait: 60 where absent, at most 600.
    #[serde(default)]
    timeout: Option<f64>,
}

/// What to wait for; the first that becomes true counts.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Until {
    /// Its end.
    #[serde(default)]
    #[expect(dead_code, reason = "the end is always waited for")]
    exit: bool,
    /// Output that matches this regular expression, from the beginning on.
    #[serde(default)]
    output: Option<String>,
    /// Something in it listens at this TCP port.
    #[serde(default)]
    port: Option<u16>,
    /// It has written nothing for so many seconds.
    #[serde(default)]
    quiet: Option<f64>,
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct ProcessWait;

impl TypedTool for ProcessWait {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>(
            "process_wait",
            "Waits for a process: for its end, for output that matches, for an open port, or until it is quiet. Says what came first, with its last output.",
        )
        .title("Wait for a process")
        .in_group(Category::Execute, Group::Command)
        .read_only()
        .primary("id")
        .timeout(CALL_TIMEOUT)
        .polling()
        .non_blocking()
    }

    fn actions(&self, _: &Input, _: &Scope) -> Vec<Action> {
        Vec::new()
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        Some(show::partial("Waiting for", partial_input, "id"))
    }

    async fn run(&self, input: Input, ctx: &Ctx) -> Result<Output, ToolError> {
        let process = ctx.processes().find(&input.id)?;
        let seconds = input.timeout.unwrap_or(DEFAULT_SECONDS).clamp(0.0, MAX_SECONDS);
        let time = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        let came = tokio::select! {
            biased;
            came = first_of(&process, &input.until) => came?,
            () = ctx.cancel().canceled() => return Err(ToolError::canceled()),
            () = tokio::time::sleep(time) => Came::Nothing,
        };
        let left = left_behind(&process).await;
        Ok(told(&process, &came, seconds, &left))
    }
}

/// What came first.
enum Came {
    Matched(String),
    Listens(u16),
    Quiet,
    Ended,
    Nothing,
}

async fn first_of(process: &Arc<dyn Process>, until: &Until) -> Result<Came, ToolError> {
    let watch = until.output.as_deref().map(Watch::new).transpose().map_err(|error| {
        ToolError::invalid(format!("`output` is no regular expression: {error}"))
    })?;
    tokio::select! {
        biased;
        line = matched(process, watch) => Ok(Came::Matched(line)),
        port = listens(process, until.port) => Ok(Came::Listens(port)),
        _ = process.ended() => Ok(Came::Ended),
        () = quiet(process, until.quiet) => Ok(Came::Quiet),
    }
}

async fn matched(process: &Arc<dyn Process>, watch: Option<Watch>) -> String {
    let Some(mut watch) = watch else { return std::future::pending().await };
    loop {
        let seen = process.log().total();
        if let Some(line) = watch.poll(process.log()) {
            return line;
        }
        if process.log().is_closed() {
            return std::future::pending().await;
        }
        process.written(seen).await;
    }
}

async fn listens(process: &Arc<dyn Process>, port: Option<u16>) -> u16 {
    let Some(port) = port else { return std::future::pending().await };
    while !process.ports().contains(&port) {
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }
    port
}

async fn quiet(process: &Arc<dyn Process>, seconds: Option<f64>) {
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let Some(time) = time else { return std::future::pending().await };
    loop {
        let silent = process.log().last_output().elapsed();
        if silent >= time {
            return;
        }
        tokio::time::sleep(time.saturating_sub(silent)).await;
    }
}

fn told(process: &Arc<dyn Process>, came: &Came, seconds: f64, left: &str) -> Output {
    let (word, text) = match came {
        Came::Matched(line) => ("output", format!("It wrote: {line}")),
        Came::Listens(port) => ("port", format!("It listens at port {port}.")),
        Came::Quiet => ("quiet", "It is quiet.".to_owned()),
        Came::Ended => ("exit", "It has ended.".to_owned()),
        Came::Nothing => ("timeout", format!("Nothing of that within {seconds} s; it goes on.")),
    };
    let last = process.log().tail(40, SHOWN_BYTES);
    let shown = match last.text.trim_end() {
        "" => "(no output so far)".to_owned(),
        written => format!("Its last output:\n{written}"),
    };
    let text = format!("{text}\n{}\n\n{shown}{left}", one_line(process));
    let mut state = json!(State::of(process));
    if let Value::Object(state) = &mut state {
        state.insert("came".to_owned(), json!(word));
    }
    Output::with_structured(text, state)
}
