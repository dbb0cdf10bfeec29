//! `process_start`: starts what shall run on.

use std::collections::BTreeMap;
use std::time::Duration;

use dogu_tool::{
    Action, Category, Ctx, Group, Output, ProcessInput, Scope, ToolError, ToolSpec, TypedTool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::execute_command::start_kept;
use super::line::Line;
use super::show;

/// How long a new process is watched before the call is answered.
const FIRST_LOOK: Duration = Duration::from_millis(700);

/// What to start.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The command line, for bash.
    command: String,
    /// Give it a terminal of its own, for programs that ask or draw.
    #[serde(default)]
    pty: bool,
    /// What to call it; else it has only its id.
    #[serde(default)]
    name: Option<String>,
    /// The folder to run it in; the working folder where absent.
    #[serde(default)]
    cwd: Option<String>,
    /// Variables that are set for it.
    #[serde(default)]
    env: BTreeMap<String, Value>,
    /// It needs the network, though its programs do not show that. The user is asked.
    #[serde(default)]
    network: bool,
    /// Run it without the sandbox. The user is asked each time.
    #[serde(default)]
    outside_sandbox: bool,
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct ProcessStart;

impl Input {
    fn line(&self) -> Line {
        Line {
            command: self.command.clone(),
            cwd: self.cwd.clone(),
            env: self.env.clone(),
            network: self.network,
            outside: self.outside_sandbox,
            terminal: self.pty,
        }
    }
}

impl TypedTool for ProcessStart {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>(
            "process_start",
            "Starts a command that runs on after the call: a server, a watcher, a program to talk to (with `pty`). Gives back its id and first output. It ends with process_stop, or with dogu.",
        )
        .title("Start a process")
        .in_group(Category::Execute, Group::Command)
        .primary("command")
        .non_blocking()
    }

    fn actions(&self, input: &Input, scope: &Scope) -> Vec<Action> {
        input.line().actions(scope)
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        Some(show::partial("Starting", partial_input, "command"))
    }

    async fn run(&self, input: Input, ctx: &Ctx) -> Result<Output, ToolError> {
        let reads = if input.pty { ProcessInput::Terminal } else { ProcessInput::Sent };
        let name = input.name.clone().filter(|name| !name.trim().is_empty());
        let process = start_kept(&input.line(), reads, name, ctx).await?;
        Ok(show::started(&process, FIRST_LOOK).await)
    }
}
