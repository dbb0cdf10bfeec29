//! What other systems call `execute_command`: `bash` of Forge, `run_terminal_command` of Continue,
//! `bash_exec` and `bash_script` of Goondan. Deferred: callable by name, not shown.

use std::collections::BTreeMap;
use std::time::Duration;

use dogu_tool::{
    Action, Category, Ctx, Exposure, Group, Output, ProcessInput, Scope, ToolError, ToolSpec,
    TypedTool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::execute_command::{run_line, start_kept};
use super::line::Line;
use super::report::Ended;
use super::run::CALL_TIMEOUT;
use super::show;

/// How long Goondan's commands may run where nothing is said.
const GOONDAN_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a command in the background is watched before the call is answered.
const FIRST_LOOK: Duration = Duration::from_millis(300);

fn deferred(spec: ToolSpec) -> ToolSpec {
    let mut spec =
        spec.in_group(Category::Execute, Group::Command).timeout(CALL_TIMEOUT).non_blocking();
    spec.exposure = Exposure::Deferred;
    spec
}

/// What to run, in the words of Forge.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BashInput {
    /// The command line.
    command: String,
    /// Milliseconds after which it is ended: 120,000 where absent, at most 600,000.
    #[serde(default)]
    timeout: Option<u64>,
    /// What it does, in a few words.
    #[serde(default)]
    #[expect(dead_code, reason = "the question shows it")]
    description: Option<String>,
    /// Let it run on after the call.
    #[serde(default)]
    run_in_background: bool,
}

/// `bash` of Forge and Claude.
#[derive(Clone, Copy, Debug)]
pub struct Bash;

impl TypedTool for Bash {
    type Input = BashInput;

    fn spec(&self) -> ToolSpec {
        deferred(
            ToolSpec::of::<BashInput>("bash", "Runs a command line in bash.")
                .title("Run a command")
                .primary("command"),
        )
    }

    fn actions(&self, input: &BashInput, scope: &Scope) -> Vec<Action> {
        line(&input.command, None).actions(scope)
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        Some(show::partial("Preparing to run", partial_input, "command"))
    }

    async fn run(&self, input: BashInput, ctx: &Ctx) -> Result<Output, ToolError> {
        let line = line(&input.command, None);
        if input.run_in_background {
            let process = start_kept(&line, ProcessInput::Nothing, None, ctx).await?;
            return Ok(show::started(&process, FIRST_LOOK).await);
        }
        let ended = run_line(&line, input.timeout.map(Duration::from_millis), ctx).await?;
        Ok(ended.output())
    }
}

/// What to run, in the words of Continue.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[serde(rename_all = "camelCase")]
pub struct TerminalInput {
    /// The command line.
    command: String,
    /// The folder to run it in.
    #[serde(default)]
    working_directory: Option<String>,
    /// Wait for its end.
    #[serde(default = "yes")]
    wait_for_completion: bool,
}

fn yes() -> bool {
    true
}

/// `run_terminal_command` of Continue.
#[derive(Clone, Copy, Debug)]
pub struct RunTerminalCommand;

impl TypedTool for RunTerminalCommand {
    type Input = TerminalInput;

    fn spec(&self) -> ToolSpec {
        deferred(
            ToolSpec::of::<TerminalInput>(
                "run_terminal_command",
                "Runs a command line in the working folder.",
            )
            .title("Run a command")
            .primary("command"),
        )
    }

    fn actions(&self, input: &TerminalInput, scope: &Scope) -> Vec<Action> {
        line(&input.command, input.working_directory.as_deref()).actions(scope)
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        Some(show::partial("Preparing to run", partial_input, "command"))
    }

    async fn run(&self, input: TerminalInput, ctx: &Ctx) -> Result<Output, ToolError> {
        let line = line(&input.command, input.working_directory.as_deref());
        if !input.wait_for_completion {
            start_kept(&line, ProcessInput::Nothing, None, ctx).await?;
            return Ok("Command is running in the background...".into());
        }
        let ended = run_line(&line, None, ctx).await?;
        let status = match ended.report.exit_code {
            Some(0) => "Command completed".to_owned(),
            Some(code) => format!("Command failed with exit code {code}"),
            None => "Command was ended by a signal".to_owned(),
        };
        let text = format!("{}\n[Status: {status}]", ended.text());
        Ok(Output::with_structured(text, ended.report))
    }
}

/// What to run, in the words of Goondan.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[serde(rename_all = "camelCase")]
pub struct ExecInput {
    /// The command line.
    command: String,
    /// The folder to run it in.
    #[serde(default)]
    cwd: Option<String>,
    /// Milliseconds after which it is ended: 30,000 where absent.
    #[serde(default)]
    timeout_ms: Option<u64>,
    /// Variables that are set for it.
    #[serde(default)]
    env: BTreeMap<String, Value>,
}

impl ExecInput {
    fn line(&self) -> Line {
        Line { env: self.env.clone(), ..line(&self.command, self.cwd.as_deref()) }
    }
}

/// `bash_exec` of Goondan.
#[derive(Clone, Copy, Debug)]
pub struct BashExec;

impl TypedTool for BashExec {
    type Input = ExecInput;

    fn spec(&self) -> ToolSpec {
        deferred(
            ToolSpec::of::<ExecInput>("bash_exec", "Runs a command line.")
                .title("Run a command")
                .primary("command"),
        )
    }

    fn actions(&self, input: &ExecInput, scope: &Scope) -> Vec<Action> {
        input.line().actions(scope)
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        Some(show::partial("Preparing to run", partial_input, "command"))
    }

    async fn run(&self, input: ExecInput, ctx: &Ctx) -> Result<Output, ToolError> {
        let time = input.timeout_ms.map_or(GOONDAN_TIMEOUT, Duration::from_millis);
        let ended = run_line(&input.line(), Some(time), ctx).await?;
        let mut answer = goondan(&ended);
        answer["command"] = json!(input.command);
        Ok(answer.into())
    }
}

/// Which script to run, in the words of Goondan.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[serde(rename_all = "camelCase")]
pub struct ScriptInput {
    /// The script, relative to the folder or absolute.
    path: String,
    /// Its arguments, as they are.
    #[serde(default)]
    args: Vec<String>,
    /// The shell that runs it; `/bin/bash` where absent.
    #[serde(default)]
    shell: Option<String>,
    /// The folder to run it in.
    #[serde(default)]
    cwd: Option<String>,
    /// Milliseconds after which it is ended: 30,000 where absent.
    #[serde(default)]
    timeout_ms: Option<u64>,
    /// Variables that are set for it.
    #[serde(default)]
    env: BTreeMap<String, Value>,
}

impl ScriptInput {
    fn line(&self, scope: &Scope) -> Line {
        let shell = self.shell.as_deref().unwrap_or("/bin/bash");
        let command = scope.shell().script(shell, &self.path, &self.args);
        Line { env: self.env.clone(), ..line(&command, self.cwd.as_deref()) }
    }
}

/// `bash_script` of Goondan.
#[derive(Clone, Copy, Debug)]
pub struct BashScript;

impl TypedTool for BashScript {
    type Input = ScriptInput;

    fn spec(&self) -> ToolSpec {
        deferred(
            ToolSpec::of::<ScriptInput>("bash_script", "Runs a script.")
                .title("Run a script")
                .primary("path"),
        )
    }

    fn actions(&self, input: &ScriptInput, scope: &Scope) -> Vec<Action> {
        input.line(scope).actions(scope)
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        Some(show::partial("Preparing to run", partial_input, "path"))
    }

    async fn run(&self, input: ScriptInput, ctx: &Ctx) -> Result<Output, ToolError> {
        let time = input.timeout_ms.map_or(GOONDAN_TIMEOUT, Duration::from_millis);
        let ended = run_line(&input.line(ctx.scope()), Some(time), ctx).await?;
        let mut answer = goondan(&ended);
        answer["path"] = json!(input.path);
        answer["args"] = json!(input.args);
        Ok(answer.into())
    }
}

fn line(command: &str, cwd: Option<&str>) -> Line {
    Line { command: command.to_owned(), cwd: cwd.map(str::to_owned), ..Line::default() }
}

/// `{cwd, durationMs, stdout, stderr, exitCode (-1 after a signal), signal, timedOut}`.
fn goondan(ended: &Ended) -> Value {
    let report = &ended.report;
    json!({
        "cwd": ended.facts.cwd.to_string_lossy(),
        "durationMs": report.duration_ms,
        "stdout": report.stdout,
        "stderr": report.stderr,
        "exitCode": report.exit_code.unwrap_or(-1),
        "signal": report.signal,
        "timedOut": report.timed_out,
        "notes": ended.notes,
    })
}
