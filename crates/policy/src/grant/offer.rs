//! What may be remembered of an answer: never more than was asked.

use serde_json::Value;

use crate::analysis::Found;
use crate::engine::{FileUnit, Unit, Use};
use crate::grant::never_granted;
use crate::risk::Risk;
use crate::rule::{PathPattern, Pattern, Rule, UrlPattern, Wild, WordPattern};
use dogu_tool::{OUTSIDE_SANDBOX, Verdict};

/// The rules that a standing yes would store.
pub type Offer = Vec<Rule>;

/// The rule that allows a unit and nothing else, if one may be offered.
pub(crate) fn rule_for(unit: &Unit<'_>) -> Option<Rule> {
    let pattern = match unit {
        Unit::Command(found) => command(found)?,
        Unit::File(file) => file_pattern(*file)?,
        Unit::Network(url) => Pattern::Network(UrlPattern::exactly(url)?),
        Unit::Mcp(server, tool) => {
            if server.contains('/') {
                return None;
            }
            Pattern::Mcp { server: Wild::literal(*server), tool: Wild::literal(*tool) }
        }
        // The way out of the sandbox is asked about each time.
        Unit::Custom(OUTSIDE_SANDBOX, _) | Unit::Nothing => return None,
        Unit::Custom(name, details) => Pattern::Custom(custom(name, details)?),
    };
    // What does not read back from its text cannot be stored as text.
    let read = Rule::parse(Verdict::Allow, &pattern.to_string()).ok()?;
    (read.pattern == pattern).then_some(read)
}

fn command(found: &Found) -> Option<Pattern> {
    if found.risk >= Risk::Dangerous || found.risk == Risk::Interactive {
        return None;
    }
    let words: Option<Vec<&str>> = found.words.iter().map(|word| word.as_literal()).collect();
    let words = words.filter(|words| !words.is_empty() && never_granted(words).is_none())?;
    // Another folder has another program of that name.
    if words[0].contains('/') && !words[0].starts_with('/') {
        return None;
    }
    Some(Pattern::Execute(WordPattern::literal(words)))
}

fn file_pattern(file: FileUnit<'_>) -> Option<Pattern> {
    // Only the files that are there now were asked about, and a pattern cannot say which.
    if file.tree {
        return None;
    }
    let path = PathPattern::exactly(&file.facts?.real)?;
    Some(match file.usage {
        Use::Read => Pattern::FileRead(path),
        Use::ReadSensitive => Pattern::FileReadSensitive(path),
        Use::Write => Pattern::FileWrite(path),
        Use::Delete => Pattern::FileDelete(path),
    })
}

/// Details that no rule can name are more than a rule could be limited to.
fn custom(name: &str, details: &Value) -> Option<Wild> {
    match details {
        Value::Null => Some(Wild::literal(name)),
        Value::Object(map) if map.is_empty() => Some(Wild::literal(name)),
        Value::Object(map) if map.len() == 1 => {
            let from = map.get("from").and_then(Value::as_str)?;
            Some(Wild::literal(format!("{from}/{name}")))
        }
        _ => None,
    }
}
