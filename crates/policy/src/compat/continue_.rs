//! Continue's permission lists: `allow`, `ask` and `exclude`, each a list of `Name` or
//! `Name(argument)`.
//!
//! `exclude` comes before `ask`, and that before `allow`, whatever is more specific. An argument
//! means what the tool is called with, under its real name, so `Write(**/*.ts)` does match:
//! - `Bash(git*)` is about words: allowing, it means `git` with any further words, never
//!   `gitfoo` nor a second command of the line; asking or excluding, both spellings of the word.
//! - `Read`, `List`, `Search` are reads, `Write`, `Edit`, `MultiEdit`, `Diff` are writes of files,
//!   whichever tool makes them; `Fetch` is an address.
//! - Any other name with an argument is about the whole tool: it asks or excludes, but does not
//!   allow, for nobody knows which argument is meant.

use std::collections::BTreeMap;

use dogu_tool::Verdict;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::rule::{PathPattern, Pattern, Rule, UrlPattern, Wild, WordPattern};

/// A permission list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PermissionList {
    /// What runs unasked.
    pub allow: Vec<String>,
    /// What is asked about.
    pub ask: Vec<String>,
    /// What never runs, and is not shown to the model.
    pub exclude: Vec<String>,
}

/// Why an entry cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{entry}`: {why}")]
pub struct EntryError {
    /// The entry.
    pub entry: String,
    /// What is wrong with it.
    pub why: String,
}

/// A list as rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Converted {
    /// The rules.
    pub rules: Vec<Rule>,
    /// Patterns of tools that are not shown to the model.
    pub hidden: Vec<Wild>,
}

/// One policy of a list that is read from top to bottom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Policy {
    /// `Name` or `Name(argument)`.
    pub tool: String,
    /// What it says.
    pub permission: Permission,
    /// Arguments that have to be of this form; the last one counts like one in brackets.
    #[serde(default)]
    pub argument_matches: BTreeMap<String, String>,
}

/// What Continue says of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Permission {
    /// It runs unasked.
    Allow,
    /// It is asked about.
    Ask,
    /// It never runs.
    Exclude,
}

impl Permission {
    fn verdict(self) -> Verdict {
        match self {
            Self::Allow => Verdict::Allow,
            Self::Ask => Verdict::Ask,
            Self::Exclude => Verdict::Deny,
        }
    }
}

/// Reads a list. `rename` says what a tool of Continue's is called here.
pub fn convert(
    list: &PermissionList,
    rename: impl Fn(&str) -> Option<String>,
) -> Result<Converted, Vec<EntryError>> {
    let lists = [
        (Verdict::Deny, 2, &list.exclude),
        (Verdict::Ask, 1, &list.ask),
        (Verdict::Allow, 0, &list.allow),
    ];
    let entries = lists.into_iter().flat_map(|(verdict, priority, entries)| {
        entries.iter().map(move |entry| (verdict, priority, entry.clone()))
    });
    convert_all(entries, rename)
}

/// Reads policies of which the first that matches decides.
pub fn convert_policies(
    policies: &[Policy],
    rename: impl Fn(&str) -> Option<String>,
) -> Result<Converted, Vec<EntryError>> {
    let priorities = (0..u32::MAX).take(policies.len()).collect::<Vec<_>>().into_iter().rev();
    let entries = policies.iter().zip(priorities).map(|(policy, priority)| {
        let argument = policy.argument_matches.values().next_back();
        let entry = match argument {
            Some(argument) => format!("{}({argument})", policy.tool),
            None => policy.tool.clone(),
        };
        (policy.permission.verdict(), priority, entry)
    });
    convert_all(entries, rename)
}

fn convert_all(
    entries: impl Iterator<Item = (Verdict, u32, String)>,
    rename: impl Fn(&str) -> Option<String>,
) -> Result<Converted, Vec<EntryError>> {
    let mut converted = Converted::default();
    let mut errors = Vec::new();
    for (verdict, priority, entry) in entries {
        match entry_patterns(verdict, &entry, &rename) {
            Ok((patterns, hidden)) => {
                let rule = |pattern| Rule { priority, ..Rule::new(verdict, pattern) };
                converted.rules.extend(patterns.into_iter().map(rule));
                converted.hidden.extend(hidden);
            }
            Err(why) => errors.push(EntryError { entry, why }),
        }
    }
    if errors.is_empty() { Ok(converted) } else { Err(errors) }
}

type Patterns = (Vec<Pattern>, Option<Wild>);

fn entry_patterns(
    verdict: Verdict,
    entry: &str,
    rename: impl Fn(&str) -> Option<String>,
) -> Result<Patterns, String> {
    let (name, argument) = split(entry)?;
    let own = rename(name);
    let tool = own.map_or_else(|| Wild::parse(name), Wild::literal);
    let Some(argument) = argument else {
        let hidden = (verdict == Verdict::Deny).then(|| tool.clone());
        return Ok((vec![Pattern::Tool(tool)], hidden));
    };
    let strict = verdict == Verdict::Allow;
    let patterns = match name {
        "Bash" => commands(argument, strict)?,
        "Read" | "List" | "Search" => vec![Pattern::FileRead(path(argument, strict)?)],
        "Write" | "Edit" | "MultiEdit" | "Diff" => {
            vec![Pattern::FileWrite(path(argument, strict)?)]
        }
        "Fetch" => vec![Pattern::Network(address(argument, strict)?)],
        _ if strict && argument != "*" => Vec::new(),
        _ => vec![Pattern::Tool(tool)],
    };
    Ok((patterns, None))
}

/// `Name` or `Name(argument)`.
fn split(entry: &str) -> Result<(&str, Option<&str>), String> {
    let entry = entry.trim();
    let (name, argument) = match entry.split_once('(') {
        None => (entry, None),
        Some((name, rest)) => {
            let argument = rest.strip_suffix(')').ok_or("the `(` is never closed")?;
            (name, Some(argument))
        }
    };
    if name.is_empty() || name.contains(')') {
        return Err("there is no name".to_owned());
    }
    Ok((name, argument))
}

/// What stands before a last `*` is a word of its own where that allows; where it forbids, it
/// may also be the beginning of one.
fn commands(argument: &str, strict: bool) -> Result<Vec<Pattern>, String> {
    let parse = |text: &str| {
        WordPattern::parse(text).map(Pattern::Execute).map_err(|error| error.to_string())
    };
    match argument.strip_suffix('*').filter(|rest| !rest.is_empty() && !rest.ends_with([' ', '*']))
    {
        None => Ok(vec![parse(argument)?]),
        Some(word) if strict => Ok(vec![parse(&format!("{word} *"))?]),
        Some(word) => Ok(vec![parse(&format!("{word}* *"))?]),
    }
}

/// Their `*` stands for slashes too. What allows keeps to the names of one folder; a name
/// without a folder is one in any folder.
fn path(argument: &str, strict: bool) -> Result<PathPattern, String> {
    let glob: String = argument
        .chars()
        .flat_map(|c| if "[]{}\\".contains(c) { vec!['\\', c] } else { vec![c] })
        .collect();
    let anywhere = glob.starts_with(['/', '~']) || glob.starts_with("**");
    let glob = if anywhere || (strict && glob.contains('/')) { glob } else { format!("**/{glob}") };
    let parsed = if strict { PathPattern::parse(&glob) } else { PathPattern::crossing(&glob) };
    parsed.map_err(|error| error.to_string())
}

/// An address without a path is all of that host; what allows has to say which scheme.
fn address(argument: &str, strict: bool) -> Result<UrlPattern, String> {
    let text = match argument.split_once("://") {
        _ if argument == "*" => argument.to_owned(),
        Some((_, rest)) if rest.contains('/') => argument.to_owned(),
        Some(_) => format!("{}/**", argument.trim_end_matches('*')),
        None if strict => return Err("the address has no scheme".to_owned()),
        None if argument.contains('/') => format!("*://{argument}"),
        None => format!("*://{argument}/**"),
    };
    UrlPattern::parse(&text).map_err(|error| error.to_string())
}
