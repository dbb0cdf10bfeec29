//! Step 1: what is refused whatever is allowed.

use std::path::Path;

use dogu_tool::Action;

use crate::command::Access;
use crate::engine::{Reason, ReasonKind, Request};
use crate::facts::{CommandFacts, JudgedAction, PathFacts};
use crate::mode::{ModeError, TouchedPath};
use crate::risk::Risk;

/// Every absolute refusal of a call.
pub(crate) fn of(request: &Request<'_>) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = mode(request).err().iter().map(because_of_mode).collect();
    for judged in request.actions {
        if let Some(facts) = &judged.command {
            reasons.extend(commands(facts, request.has_pty));
        }
    }
    reasons
}

fn because_of_mode(error: &ModeError) -> Reason {
    Reason::new(ReasonKind::Mode, error.to_string())
}

fn commands(facts: &CommandFacts, has_pty: bool) -> Vec<Reason> {
    let kind = |risk: Risk| match risk {
        Risk::Forbidden => Some(ReasonKind::Forbidden),
        Risk::Interactive if !has_pty => Some(ReasonKind::Interactive),
        _ => None,
    };
    let mut reasons: Vec<Reason> = facts
        .analysis
        .commands
        .iter()
        .filter_map(|found| {
            let kind = kind(found.risk)?;
            let hint = found.hint.as_deref().map(|hint| format!("; {hint}")).unwrap_or_default();
            let name = found.words.first().map(ToString::to_string).unwrap_or_default();
            Some(Reason::new(kind, format!("`{name}` {}{hint}", found.reason)))
        })
        .collect();
    // The line may be worse than each of its commands, as a fork bomb is.
    if let Some(kind) = kind(facts.analysis.risk).filter(|_| reasons.is_empty()) {
        reasons.push(Reason::new(kind, format!("the line is {}", facts.analysis.risk)));
    }
    reasons
}

fn mode(request: &Request<'_>) -> Result<(), ModeError> {
    let Some(mode) = request.mode else { return Ok(()) };
    let touched: Vec<(Option<String>, bool)> =
        request.actions.iter().flat_map(touched_by).collect();
    let paths: Vec<TouchedPath<'_>> = touched
        .iter()
        .map(|(path, written)| TouchedPath { path: path.as_deref(), written: *written })
        .collect();
    mode.check(request.spec, &paths)
}

/// Every path that an action touches, and whether it is written.
fn touched_by(judged: &JudgedAction) -> Vec<(Option<String>, bool)> {
    if let Some(facts) = &judged.command {
        let named = facts.files.iter().filter(|file| !is_stream(file.path.as_ref().ok()));
        return named
            .map(|file| {
                let written = matches!(file.access, Access::Write | Access::Delete);
                (file.path.as_ref().ok().map(relative), written)
            })
            .collect();
    }
    if judged.action.path().is_none() {
        return Vec::new();
    }
    let written = matches!(judged.action, Action::FileWrite { .. } | Action::FileDelete { .. });
    vec![(judged.path.as_ref().map(relative), written)]
}

fn is_stream(facts: Option<&PathFacts>) -> bool {
    facts.is_some_and(super::files::is_stream)
}

/// The real path, relative to the root that holds it, with slashes.
fn relative(facts: &PathFacts) -> String {
    let inside = |root: &Path| facts.real.strip_prefix(root).ok();
    let path = facts.root.as_deref().and_then(inside).unwrap_or(&facts.real);
    path.to_string_lossy().replace('\\', "/")
}
