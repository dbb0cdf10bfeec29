//! What a file needs before it may be used.

use std::path::Path;

use crate::engine::{FileUnit, Reason, ReasonKind, Use};
use crate::facts::PathFacts;
use crate::path::may_be_device;

/// Files that are no files: what is written there is gone, or goes where the output goes.
const STREAMS: [&str; 4] = ["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"];

/// What a use of a file needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Guard {
    /// Nothing passes.
    Refused(Reason),
    /// Only a person's answer to this very call passes.
    Once(Reason),
    /// Only what names the file without wildcards passes.
    Exact(Reason),
    /// Only a rule or a grant passes.
    Named(Reason),
    /// It is an ordinary file of the workspace.
    Free,
    /// It is a stream, which is anyone's.
    Stream,
}

impl Guard {
    /// What this use of this file needs.
    pub(crate) fn of(file: &FileUnit<'_>) -> Self {
        let Some(facts) = file.facts else { return unknown(file) };
        if is_stream(facts) && file.usage != Use::Delete {
            return Self::Stream;
        }
        if facts.ignored_by.is_some() {
            let text = format!("File is ignored: {}", shown(facts));
            return Self::Refused(Reason::new(ReasonKind::Ignored, text));
        }
        let class = file.class;
        if file.usage.changes() {
            let refused = (class.system.map(|why| (ReasonKind::SystemPath, why)))
                .or(class.sensitive.map(|why| (ReasonKind::SensitiveWrite, why)));
            if let Some((kind, why)) = refused {
                return Self::Refused(because(kind, facts, why));
            }
            if let Some(why) = class.protected {
                return Self::Exact(because(ReasonKind::Protected, facts, why));
            }
            if facts.other_names {
                return Self::Exact(because(ReasonKind::HardLink, facts, "has other names"));
            }
            return inside(facts);
        }
        read(file, facts, class.sensitive)
    }
}

fn read(file: &FileUnit<'_>, facts: &PathFacts, sensitive: Option<&str>) -> Guard {
    let secrets = file.line.and_then(|(_, named)| named.secrets_below.first());
    if let Some(secret) = secrets {
        let text = format!("reads {}, which may hold secrets", secret.display());
        return Guard::Once(Reason::new(ReasonKind::Sensitive, text));
    }
    if file.usage == Use::ReadSensitive {
        let why = sensitive.unwrap_or("may hold secrets");
        return Guard::Exact(because(ReasonKind::Sensitive, facts, why));
    }
    inside(facts)
}

fn inside(facts: &PathFacts) -> Guard {
    if facts.root.is_some() {
        return Guard::Free;
    }
    Guard::Named(because(ReasonKind::Outside, facts, "is outside the workspace"))
}

fn unknown(file: &FileUnit<'_>) -> Guard {
    let why = file.line.map(|(_, named)| match &named.path {
        Err(why) => format!("nobody can tell which file `{}` is: {why}", named.named),
        Ok(_) => format!("nobody can tell which file `{}` is", named.named),
    });
    let text = why.unwrap_or_else(|| "nothing is known of its path".to_owned());
    Guard::Once(Reason::new(ReasonKind::UnknownFile, text))
}

/// It is a stream, by its real name or as it was called; no link can stand in that place.
pub(crate) fn is_stream(facts: &PathFacts) -> bool {
    let named = |path: &Path, names: &[&str]| {
        may_be_device(path) && names.iter().any(|stream| Path::new(stream) == path)
    };
    named(&facts.real, &["/dev/null"]) || named(&facts.declared, &STREAMS)
}

fn because(kind: ReasonKind, facts: &PathFacts, why: &str) -> Reason {
    Reason::new(kind, format!("{} {why}", shown(facts)))
}

/// The path as a person of this workspace would call it.
pub(crate) fn shown(facts: &PathFacts) -> String {
    let inside = |root: &Path| facts.real.strip_prefix(root).ok();
    match facts.root.as_deref().and_then(inside) {
        Some(path) if path.as_os_str().is_empty() => ".".to_owned(),
        Some(path) => path.display().to_string(),
        None => facts.real.display().to_string(),
    }
}
