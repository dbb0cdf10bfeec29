//! How a line of a suite is decided: by the engine, with facts that no disk was asked for.

use std::collections::BTreeSet;
use std::path::PathBuf;

use dogu_policy::analysis::{Found, UsedFile};
use dogu_policy::command::{Access, judge};
use dogu_policy::engine::{Engine, Layer, Request};
use dogu_policy::facts::JudgedAction;
use dogu_policy::path::Places;
use dogu_policy::rule::Rule;
use dogu_policy::{Decision, analysis};
use dogu_tool::{Category, Group, Source, ToolSpec};
use serde_json::{Value, json};

pub(crate) use super::facts::{HOME, PROJECT, Workspace};
use super::facts::{analysis_of, judged};
pub(crate) use dogu_tool::Verdict;

/// What a line that is allowed may do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Expected {
    /// The programs that it may start, by name.
    pub(crate) programs: BTreeSet<String>,
    /// The files that it may write or delete, by absolute path.
    pub(crate) writes: BTreeSet<String>,
}

/// An engine whose only rules allow the commands of these names.
pub(crate) fn engine_allowing(names: &[String]) -> Engine {
    let mut user = Layer::default();
    user.rules.extend(names.iter().map(|name| {
        let text = format!("Execute({name} *)");
        Rule::parse(Verdict::Allow, &text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }));
    Engine { home: Some(HOME.into()), ..Engine::new(user) }
}

/// The tool that runs lines.
pub(crate) fn shell() -> ToolSpec {
    let spec = ToolSpec::new("bash", "", json!({"type": "object"}));
    let spec = spec.unwrap_or_else(|error| panic!("the tool of the suites: {error}"));
    spec.in_group(Category::Execute, Group::Command)
}

/// What an engine decides about a line, in a workspace that nobody has trusted.
pub(crate) fn decision(engine: &Engine, spec: &ToolSpec, line: JudgedAction) -> Decision {
    let places = Places { home: Some(HOME.into()), ..Places::default() };
    let (actions, roots) = ([line], [PathBuf::from(PROJECT)]);
    engine.decide(&Request {
        roots: &roots,
        ..Request::new(spec, &Source::Builtin, &Value::Null, &actions, &places)
    })
}

/// Decides a line where rules allow the commands of these names.
pub(crate) fn decide(line: &str, allowed: &[String], workspace: Workspace) -> Verdict {
    decision(&engine_allowing(allowed), &shell(), judged(line, workspace)).verdict
}

/// What a line may do that is allowed with no rules; nothing if it is not allowed.
pub(crate) fn allowed(line: &str) -> Option<Expected> {
    if decide(line, &[], Workspace::Plain) != Verdict::Allow {
        return None;
    }
    let analysis = analysis_of(line);
    Some(Expected {
        programs: analysis.commands.iter().flat_map(programs).collect(),
        writes: analysis.files.iter().filter_map(written).collect(),
    })
}

/// Why a line is decided as it is with no rules, for people who read a failing test.
pub(crate) fn why(line: &str) -> String {
    let decision = decision(&engine_allowing(&[]), &shell(), judged(line, Workspace::Plain));
    let reasons = decision.reasons.iter().map(|reason| reason.text.as_str());
    reasons.collect::<Vec<_>>().join("; ")
}

/// The programs that a command starts: itself, and what it starts by itself.
fn programs(command: &Found) -> Vec<String> {
    let name = command.words.first().and_then(|word| word.as_literal());
    let own = name.map(|name| name.rsplit('/').next().unwrap_or(name));
    own.into_iter().chain(judge(&command.words).starts.iter().copied()).map(str::to_owned).collect()
}

fn written(file: &UsedFile) -> Option<String> {
    match (&file.place, file.access) {
        (analysis::FilePlace::At(path), Access::Write | Access::Delete) => Some(path.clone()),
        _ => None,
    }
}
