//! Whether a rule is about one of the things that a call would do.

use std::path::Path;

use dogu_tool::{Source, ToolSpec, Verdict};
use serde_json::Value;

use crate::analysis::Found;
use crate::engine::{FileUnit, Unit, Use};
use crate::rule::{Address, Match, PathPattern, Pattern, Rule, UrlPattern, Wild};

/// What else a rule needs to know.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// What `~` means.
    pub home: Option<&'a Path>,
    /// The tool that is called.
    pub spec: &'a ToolSpec,
    /// Where the tool came from.
    pub source: &'a Source,
}

impl Rule {
    /// Whether it is about a unit. What allows must match surely and by real names alone; what
    /// forbids or asks matches under every name, and may match in part.
    pub(crate) fn matches(&self, unit: &Unit<'_>, around: &Surroundings<'_>) -> Match {
        let strict = self.verdict == Verdict::Allow;
        match (&self.pattern, unit) {
            (Pattern::Tool(name), _) => Match::of(matches_tool(name, around, strict)),
            (Pattern::Execute(words), Unit::Command(found)) => {
                if strict && is_dogu(found) {
                    Match::No
                } else {
                    words.matches(&found.words, strict)
                }
            }
            (pattern, Unit::File(file)) => {
                let path = path_for(pattern, *file, strict);
                path.map_or(Match::No, |path| matches_file(path, file, around.home, strict))
            }
            (Pattern::Network(pattern), Unit::Network(url)) => matches_url(pattern, url, strict),
            (Pattern::Mcp { server, tool }, Unit::Mcp(at, called)) => {
                Match::of(server.matches(at) && tool.matches(called))
            }
            (Pattern::Custom(pattern), Unit::Custom(name, details)) => {
                Match::of(matches_custom(pattern, name, details, strict))
            }
            _ => Match::No,
        }
    }

    /// It is about a command, by its words and surely.
    pub fn fits_command(&self, found: &Found) -> bool {
        let Pattern::Execute(words) = &self.pattern else { return false };
        !is_dogu(found) && words.matches(&found.words, true) == Match::Yes
    }

    /// It is about the tool as such, whatever the call does.
    pub(crate) fn matches_call(&self, around: &Surroundings<'_>) -> bool {
        let strict = self.verdict == Verdict::Allow;
        matches!(&self.pattern, Pattern::Tool(name) if matches_tool(name, around, strict))
    }
}

/// A name of one source says nothing about another's: only with its source is a foreign tool
/// allowed, while what forbids a name forbids it everywhere.
fn matches_tool(pattern: &Wild, around: &Surroundings<'_>, strict: bool) -> bool {
    let key = around.source.permission_key(&around.spec.name);
    let by_name = !strict || around.source.is_builtin();
    pattern.matches(&key) || (by_name && pattern.matches(around.spec.name.as_ref()))
}

/// dogu itself, under any folder.
fn is_dogu(found: &Found) -> bool {
    let name = found.words.first().and_then(|word| word.as_literal());
    let last = name.and_then(|name| name.rsplit('/').next()).unwrap_or_default();
    last.eq_ignore_ascii_case("dogu") || last.eq_ignore_ascii_case("dogu.exe")
}

/// The pattern by which a rule is about a use of a file. Forbidding to read forbids to read
/// secrets, and forbidding to write forbids to delete; allowing does not.
fn path_for<'a>(pattern: &'a Pattern, file: FileUnit<'_>, strict: bool) -> Option<&'a PathPattern> {
    use Use::{Delete, Read, ReadSensitive, Write};
    match (pattern, file.usage) {
        (Pattern::FileRead(path), Read)
        | (Pattern::FileReadSensitive(path), ReadSensitive)
        | (Pattern::FileWrite(path), Write)
        | (Pattern::FileDelete(path), Delete) => Some(path),
        (Pattern::FileRead(path), ReadSensitive) | (Pattern::FileWrite(path), Delete)
            if !strict =>
        {
            Some(path)
        }
        _ => None,
    }
}

fn matches_file(
    path: &PathPattern,
    file: &FileUnit<'_>,
    home: Option<&Path>,
    strict: bool,
) -> Match {
    let Some(facts) = file.facts else { return Match::maybe(!strict) };
    if strict {
        let whole = !file.tree || path.covers_below(facts, home);
        return Match::of(whole && path.matches_real(facts, home));
    }
    if path.matches_any_name(facts, home) {
        return Match::Yes;
    }
    // What is deleted may be a folder, and then all below it is.
    let reaches_below = file.tree || file.usage == Use::Delete;
    Match::maybe(reaches_below && path.may_match_below(facts, home))
}

fn matches_url(pattern: &UrlPattern, url: &str, strict: bool) -> Match {
    match Address::parse(url) {
        Ok(address) if strict => Match::of(pattern.matches_surely(&address)),
        Ok(address) => Match::of(pattern.matches_somehow(&address)),
        Err(_) => Match::maybe(!strict),
    }
}

fn matches_custom(pattern: &Wild, name: &str, details: &Value, strict: bool) -> bool {
    let from = details.get("from").and_then(Value::as_str);
    let whole = from.map(|from| pattern.matches(&format!("{from}/{name}")));
    whole == Some(true) || ((from.is_none() || !strict) && pattern.matches(name))
}
