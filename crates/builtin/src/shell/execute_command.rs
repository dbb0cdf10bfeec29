//! `execute_command`: runs a command line to its end.

use std::collections::BTreeMap;
use std::time::Duration;

use dogu_tool::{
    Action, Category, Ctx, Group, Keep, Output, ProcessInput, Scope, ToolError, ToolSpec, TypedTool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::line::Line;
use super::report::{Ended, Report, gather};
use super::run::{CALL_TIMEOUT, timeout, to_its_end};
use super::show;

/// How long a command in the background is watched before the call is answered.
const FIRST_LOOK: Duration = Duration::from_millis(700);

/// What to run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The command line, for bash.
    command: String,
    /// The folder to run it in; the working folder where absent.
    #[serde(default)]
    cwd: Option<String>,
    /// Seconds after which it is ended: 120 where absent, at most 600.
    #[serde(default)]
    timeout: Option<f64>,
    /// Variables that are set for it.
    #[serde(default)]
    env: BTreeMap<String, Value>,
    /// What it does, in a few words, for the person who may be asked.
    #[serde(default)]
    #[expect(dead_code, reason = "the question shows it")]
    description: Option<String>,
    /// Let it run on, and answer at once: see `process_logs`, `process_wait`, `process_stop`.
    #[serde(default)]
    background: bool,
    /// It needs the network, though its programs do not show that. The user is asked.
    #[serde(default)]
    network: bool,
    /// Run it without the sandbox. The user is asked each time.
    #[serde(default)]
    outside_sandbox: bool,
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct ExecuteCommand;

impl Input {
    fn line(&self) -> Line {
        Line {
            command: self.command.clone(),
            cwd: self.cwd.clone(),
            env: self.env.clone(),
            network: self.network,
            outside: self.outside_sandbox,
            terminal: false,
        }
    }
}

impl TypedTool for ExecuteCommand {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>(
            "execute_command",
            "Runs a command line in a sandbox and gives back its output and exit code. Nothing can be typed: use options that ask nothing. Each call is a new shell; what must run on (servers, watchers) goes with `background` or process_start.",
        )
        .title("Run a command")
        .in_group(Category::Execute, Group::Command)
        .primary("command")
        .alias("workdir", "cwd")
        .alias("cmd", "command")
        .output::<Report>()
        .timeout(CALL_TIMEOUT)
        .non_blocking()
    }

    fn actions(&self, input: &Input, scope: &Scope) -> Vec<Action> {
        input.line().actions(scope)
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        Some(show::partial("Preparing to run", partial_input, "command"))
    }

    async fn run(&self, input: Input, ctx: &Ctx) -> Result<Output, ToolError> {
        let line = input.line();
        if input.background {
            let process = start_kept(&line, ProcessInput::Nothing, None, ctx).await?;
            let mut output = show::started(&process, FIRST_LOOK).await;
            output.structured = serde_json::to_value(Report::so_far(&process)).ok();
            return Ok(output);
        }
        let asked = input.timeout.map(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)));
        let asked = asked.transpose().map_err(|_| ToolError::invalid("The timeout is no time."))?;
        Ok(run_line(&line, asked, ctx).await?.output())
    }
}

/// Runs a line to its end.
pub(super) async fn run_line(
    line: &Line,
    asked: Option<Duration>,
    ctx: &Ctx,
) -> Result<Ended, ToolError> {
    line.check()?;
    let (time, note) = timeout(asked, ctx);
    let request = line.request(ctx.scope(), ProcessInput::Nothing, Keep::No);
    let process = ctx.processes().start(request).await?;
    let (end, why) = to_its_end(&process, time, ctx.cancel()).await?;
    Ok(gather(&process, end, why, note.into_iter().collect()).await)
}

/// Starts a line that outlives the call.
pub(super) async fn start_kept(
    line: &Line,
    input: ProcessInput,
    name: Option<String>,
    ctx: &Ctx,
) -> Result<std::sync::Arc<dyn dogu_tool::Process>, ToolError> {
    line.check()?;
    let request = line.request(ctx.scope(), input, Keep::Yes(name));
    ctx.processes().start(request).await
}
