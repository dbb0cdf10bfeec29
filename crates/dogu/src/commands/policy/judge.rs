//! The gate without a call: the same engine, facts and places.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dogu_policy::rule::Rule;
use dogu_runtime::engine::EnginePolicy;
use dogu_runtime::{PolicyRequest, Runtime, Source};
use dogu_tool::{Action, Category, Group, Origin, Principal, ToolSpec};
use serde_json::{Value, json};

use super::answer::Answer;
use crate::args::Workspace;
use crate::problem::Problem;
use crate::setup::{self, Asking, by_name};

/// Judges what calls would do.
pub(super) struct Judge {
    runtime: Runtime,
    engine: Arc<EnginePolicy>,
    origin: Origin,
}

impl Judge {
    pub(super) fn new(workspace: &Workspace) -> Result<Self, Problem> {
        let runtime = setup::build_to_show(workspace, Asking::Warning)?;
        let engine = runtime.engine().cloned();
        let engine = engine.ok_or_else(|| Problem::wrong_use("there is no engine to ask"))?;
        Ok(Self { runtime, engine, origin: Origin::of(Principal::process("check")) })
    }

    /// A folder or file as it is written: relative to `from`, or else to the workspace.
    pub(super) fn resolve(&self, path: &str, from: Option<&Path>) -> PathBuf {
        let is_relative = !path.starts_with(['/', '~']) && !path.is_empty();
        match from.filter(|_| is_relative) {
            Some(from) => from.join(path),
            None => self.runtime.scope().resolve(path),
        }
    }

    /// The folder that a command would run in; one that is not there is taken by its name.
    pub(super) fn folder(&self, written: Option<&str>) -> PathBuf {
        let Some(written) = written.filter(|written| !written.is_empty()) else {
            return self.runtime.scope().workdir().to_owned();
        };
        let folder = self.resolve(written, None);
        if folder.exists() { folder } else { by_name(&folder) }
    }

    /// Says what the gate would, with these rules more.
    pub(super) fn judge(&self, action: &Action, more: Vec<Rule>) -> Result<Answer, String> {
        let (spec, source) = tool_for(action)?;
        let judged = match self.runtime.facts(action) {
            Ok(judged) => judged,
            // A call that cannot be judged does not run.
            Err(error) => return Ok(Answer::refused(&error)),
        };
        let input = input_of(action);
        let actions = std::slice::from_ref(&judged);
        let request = PolicyRequest {
            spec: &spec,
            source: &source,
            origin: &self.origin,
            input: &input,
            actions,
        };
        let decision = if more.is_empty() {
            self.engine.judge(&request)
        } else {
            self.engine.judge_with(&request, more)
        };
        Ok(Answer::of(&decision, &judged))
    }
}

/// A tool that would do this.
fn tool_for(action: &Action) -> Result<(ToolSpec, Source), String> {
    let (name, category, group, source) = match action {
        Action::Execute { .. } => {
            ("execute_command".to_owned(), Category::Execute, Group::Command, Source::Builtin)
        }
        Action::FileRead { .. } | Action::FileReadSensitive { .. } => {
            ("read_file".to_owned(), Category::Filesystem, Group::Read, Source::Builtin)
        }
        Action::FileWrite { .. } | Action::FileDelete { .. } => {
            ("write_file".to_owned(), Category::Filesystem, Group::Edit, Source::Builtin)
        }
        Action::Network { .. } => {
            ("fetch_url".to_owned(), Category::Network, Group::Browser, Source::Builtin)
        }
        Action::Mcp { server, tool } => {
            let source = Source::Mcp(server.clone());
            (format!("{server}__{tool}"), Category::Mcp, Group::Mcp, source)
        }
        Action::Custom { name, .. } => {
            (name.clone(), Category::System, Group::Mcp, Source::Builtin)
        }
    };
    let spec = ToolSpec::new(name, "", json!({"type": "object"}));
    let spec = spec.map_err(|error| error.to_string())?;
    Ok((spec.in_group(category, group), source))
}

fn input_of(action: &Action) -> Value {
    match action {
        Action::Execute { command, cwd, .. } => {
            json!({"command": command, "cwd": cwd.to_string_lossy()})
        }
        Action::Network { url } => json!({"url": url}),
        action => match action.path() {
            Some(path) => json!({"path": path.to_string_lossy()}),
            None => json!({}),
        },
    }
}
