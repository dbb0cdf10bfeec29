//! Rules as they stand in settings, checked with their examples.

use std::fmt;

use dogu_tool::Verdict;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::analysis::{self, Analysis};
use crate::risk::Risk;
use crate::rule::{Address, Match, Pattern, Place, Rule, RuleError};

/// A rule as it stands in settings: one of `allow`, `ask` and `deny`, and examples.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleEntry {
    /// What it allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow: Option<String>,
    /// What it asks about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<String>,
    /// What it forbids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deny: Option<String>,
    /// Examples that it is about: lines, paths, addresses, names.
    #[serde(default, rename = "match", skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<String>,
    /// Examples that it is not about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_match: Vec<String>,
}

impl RuleEntry {
    /// An entry without examples.
    pub fn new(verdict: Verdict, text: impl Into<String>) -> Self {
        let mut entry = Self::default();
        *match verdict {
            Verdict::Allow => &mut entry.allow,
            Verdict::Ask => &mut entry.ask,
            Verdict::Deny => &mut entry.deny,
        } = Some(text.into());
        entry
    }

    fn verdict(&self) -> Result<(Verdict, &str), RuleError> {
        match (&self.allow, &self.ask, &self.deny) {
            (Some(text), None, None) => Ok((Verdict::Allow, text)),
            (None, Some(text), None) => Ok((Verdict::Ask, text)),
            (None, None, Some(text)) => Ok((Verdict::Deny, text)),
            _ => Err(RuleError::new(1, "a rule has exactly one of `allow`, `ask` and `deny`")),
        }
    }
}

/// What is wrong with a rule in a file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct LoadError {
    /// Where: the file, the line, and the column of what is wrong.
    pub place: Option<Place>,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{place}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// Rules with their examples.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleSet {
    rules: Vec<Rule>,
    examples: Vec<(Vec<String>, Vec<String>)>,
}

impl RuleSet {
    /// Reads the entries; the place of an entry is where its rule's text begins.
    pub fn load(
        entries: impl IntoIterator<Item = (RuleEntry, Option<Place>)>,
    ) -> Result<Self, Vec<LoadError>> {
        let mut set = Self::default();
        let mut errors = Vec::new();
        for (entry, place) in entries {
            match load_one(&entry, place) {
                Ok(rule) => set.push(rule, entry.matches, entry.not_match),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() { Ok(set) } else { Err(errors) }
    }

    fn push(&mut self, rule: Rule, matches: Vec<String>, not_match: Vec<String>) {
        self.rules.push(rule);
        self.examples.push((matches, not_match));
    }

    /// Adds rules without examples.
    pub fn extend(&mut self, rules: impl IntoIterator<Item = Rule>) {
        for rule in rules {
            self.push(rule, Vec::new(), Vec::new());
        }
    }

    /// The rules, in the order in which they stand.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Checks every rule with its examples, lines of which are analysed by bash's grammar.
    pub fn check(&self) -> Result<(), Vec<LoadError>> {
        let place = analysis::Place { cwd: "/workspace", home: Some("/home/user") };
        self.check_examples(|line| analysis::analyse(line, place))
    }

    /// Checks every rule with its examples.
    pub fn check_examples(&self, analyse: impl Fn(&str) -> Analysis) -> Result<(), Vec<LoadError>> {
        let mut errors = Vec::new();
        for (rule, (matches, not_match)) in self.rules.iter().zip(&self.examples) {
            let wanted = matches.iter().map(|example| (example, true));
            for (example, wanted) in wanted.chain(not_match.iter().map(|example| (example, false)))
            {
                if rule.is_about_example(example, &analyse) != wanted {
                    errors.push(wrong_example(rule, example, wanted));
                }
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

impl FromIterator<Rule> for RuleSet {
    fn from_iter<Rules: IntoIterator<Item = Rule>>(rules: Rules) -> Self {
        let mut set = Self::default();
        set.extend(rules);
        set
    }
}

fn load_one(entry: &RuleEntry, place: Option<Place>) -> Result<Rule, LoadError> {
    let rule = entry.verdict().and_then(|(verdict, text)| Rule::parse(verdict, text));
    match (rule, place) {
        (Ok(rule), Some(place)) => Ok(rule.at(place)),
        (Ok(rule), None) => Ok(rule),
        (Err(error), Some(mut place)) => {
            place.column += error.column - 1;
            Err(LoadError { place: Some(place), message: error.message })
        }
        (Err(error), None) => Err(LoadError { place: None, message: error.to_string() }),
    }
}

fn wrong_example(rule: &Rule, example: &str, wanted: bool) -> LoadError {
    let (key, does) = if wanted { ("match", "does not match") } else { ("not_match", "matches") };
    let message = format!("`{rule}` {does} `{example}`, which stands under `{key}`");
    LoadError { place: rule.place.clone(), message }
}

impl Rule {
    fn is_about_example(&self, example: &str, analyse: impl Fn(&str) -> Analysis) -> bool {
        match &self.pattern {
            Pattern::Execute(_) => self.is_about_line(&analyse(example)),
            Pattern::FileRead(path)
            | Pattern::FileReadSensitive(path)
            | Pattern::FileWrite(path)
            | Pattern::FileDelete(path) => path.matches_written(example),
            Pattern::Network(url) => Address::parse(example).is_ok_and(|address| {
                if self.verdict == Verdict::Allow {
                    url.matches_surely(&address)
                } else {
                    url.matches_somehow(&address)
                }
            }),
            Pattern::Mcp { server, tool } => example
                .split_once('/')
                .is_some_and(|(at, called)| server.matches(at) && tool.matches(called)),
            Pattern::Custom(name) | Pattern::Tool(name) => name.matches(example),
        }
    }

    /// What allows is about lines of which it leaves nothing to ask; what forbids or asks is
    /// about lines with such a command anywhere.
    fn is_about_line(&self, analysis: &Analysis) -> bool {
        let Pattern::Execute(words) = &self.pattern else { return false };
        let strict = self.verdict == Verdict::Allow;
        let mut found =
            analysis.commands.iter().map(|found| (found, words.matches(&found.words, strict)));
        if !strict {
            return found.any(|(_, matched)| matched != Match::No);
        }
        let any = found.clone().any(|(_, matched)| matched == Match::Yes);
        let mild =
            |risk: Risk, wrapper: bool| risk == Risk::Safe || (wrapper && risk <= Risk::Caution);
        let all =
            found.all(|(found, matched)| matched == Match::Yes || mild(found.risk, found.wrapper));
        any && all && analysis.understood.is_ok()
    }
}
