//! A project's settings over its user's.
//!
//! Where the project's file says nothing, the user's value stays. Where it speaks, it either takes
//! the place of the user's (a trusted workspace) or can only make it stricter. Joined are joined.

use std::collections::BTreeMap;
use std::mem::take;
use std::path::Path;

use dogu_tool::Verdict;
use serde::Deserialize;
use serde_json::Value;

use super::mcp::McpServer;
use super::permissions::{ContinueLists, RooLists};
use super::rule::Rule;
use super::{Settings, SettingsError, invalid};

/// How much a project's settings count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layering {
    /// Its workspace is not trusted: it can only tighten.
    #[default]
    Tighten,
    /// Its workspace is trusted: where it speaks, it overrides. Only `audit` can never be loosened.
    Override,
}

impl Settings {
    /// These settings with a project's over them; `path` is for messages.
    pub fn and_project(
        mut self,
        text: &str,
        path: &Path,
        layering: Layering,
    ) -> Result<Self, SettingsError> {
        let mut project = Self::parse(text, path)?;
        let spoken = spoken(text, path)?;
        for (key, is_set) in
            [("delegate", project.delegate.is_some()), ("embeddings", project.embeddings.is_some())]
        {
            if is_set {
                return Err(only_the_users(text, path, key));
            }
        }
        let own = Joined::out_of(&mut self);
        let theirs = Joined::out_of(&mut project);
        let over =
            self.overridden_by(&project, &spoken).map_err(|error| SettingsError::Invalid {
                path: path.to_owned(),
                line: 1,
                column: 1,
                reason: error.to_string(),
            })?;
        let (mut settings, lists) = match layering {
            Layering::Override => (over, own.and(theirs)),
            Layering::Tighten => (self.tightened_by(over), own.and_tightening(theirs)),
        };
        lists.into(&mut settings);
        Ok(settings)
    }

    /// These settings with the modes of a file such as `.roomodes`, YAML or JSON; `path` is for
    /// messages. Only for a workspace that is trusted.
    pub fn and_modes(mut self, text: &str, path: &Path) -> Result<Self, SettingsError> {
        if text.trim().is_empty() {
            return Ok(self);
        }
        // JSON first: some of it is no YAML.
        let read: ModeList = serde_json::from_str(text)
            .or_else(|_| crate::yaml::parse(text).map_err(|error| invalid(&error, path)))?;
        self.modes.extend(read.modes);
        Ok(self)
    }

    /// These settings with the project's values wherever its file speaks. The values are those
    /// that were read with their types; the untyped reading only tells where they were given.
    fn overridden_by(&self, project: &Self, spoken: &Value) -> Result<Self, serde_json::Error> {
        let mut base = serde_json::to_value(self)?;
        put(&mut base, &serde_json::to_value(project)?, spoken);
        let mut settings: Self = serde_json::from_value(base)?;
        settings.audit = self.audit.max(project.audit);
        Ok(settings)
    }
}

/// Copies each value of `typed` to `base` that `spoken` has a key for. As deep as the schema, and
/// in the free part of a tool as deep as the parser has let through.
fn put(base: &mut Value, typed: &Value, spoken: &Value) {
    match (base, typed, spoken) {
        (Value::Object(base), Value::Object(typed), Value::Object(spoken)) => {
            for (key, spoken) in spoken {
                let Some(typed) = typed.get(key) else { continue };
                match base.get_mut(key) {
                    Some(base) => put(base, typed, spoken),
                    None => drop(base.insert(key.clone(), typed.clone())),
                }
            }
        }
        // A section without anything in it says nothing.
        (_, Value::Object(_), Value::Null) => {}
        (base, typed, _) => typed.clone_into(base),
    }
}

/// Who approves and where code is sent to is nothing that a project may say, trusted or not: a
/// change of it in a later version would pass unseen among others.
fn only_the_users(text: &str, path: &Path, key: &str) -> SettingsError {
    let line = text.lines().zip(1..).find(|(line, _)| line.starts_with(key));
    SettingsError::Invalid {
        path: path.to_owned(),
        line: line.map_or(1, |(_, number)| number),
        column: 1,
        reason: format!("`{key}` can only be set in your own settings, not by a project"),
    }
}

/// What the file says, whatever it means.
fn spoken(text: &str, path: &Path) -> Result<Value, SettingsError> {
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    crate::yaml::parse(text).map_err(|error| invalid(&error, path))
}

/// A file of modes, which may hold more than dogu knows.
#[derive(Deserialize)]
struct ModeList {
    #[serde(default, rename = "customModes", alias = "custom_modes", alias = "modes")]
    modes: Vec<Value>,
}

/// What is joined instead of replaced.
struct Joined {
    rules: Vec<Rule>,
    roo: RooLists,
    continue_lists: ContinueLists,
    modes: Vec<Value>,
    servers: BTreeMap<String, McpServer>,
}

impl Joined {
    fn out_of(settings: &mut Settings) -> Self {
        Self {
            rules: take(&mut settings.permissions.rules),
            roo: take(&mut settings.permissions.roo),
            continue_lists: take(&mut settings.permissions.continue_lists),
            modes: take(&mut settings.modes),
            servers: take(&mut settings.mcp_servers),
        }
    }

    fn into(self, settings: &mut Settings) {
        settings.permissions.rules = self.rules;
        settings.permissions.roo = self.roo;
        settings.permissions.continue_lists = self.continue_lists;
        settings.modes = self.modes;
        settings.mcp_servers = self.servers;
    }

    fn and(mut self, other: Self) -> Self {
        self.rules.extend(other.rules);
        self.roo.allowed_commands.extend(other.roo.allowed_commands);
        self.roo.denied_commands.extend(other.roo.denied_commands);
        self.continue_lists.allow.extend(other.continue_lists.allow);
        self.continue_lists.ask.extend(other.continue_lists.ask);
        self.continue_lists.exclude.extend(other.continue_lists.exclude);
        self.modes.extend(other.modes);
        // A server is replaced as a whole: half of two is neither.
        self.servers.extend(other.servers);
        self
    }

    /// What an untrusted project says of its user's servers; its own are not there.
    fn and_tightening(mut self, mut other: Self) -> Self {
        for (name, theirs) in take(&mut other.servers) {
            if let Some(own) = self.servers.get_mut(&name) {
                own.tightened_by(theirs);
            }
        }
        self.and(other.only_tightening())
    }

    /// What can only make a decision stricter. A list's `ask` could take the place of a wider
    /// `exclude`, and a mode brings groups of its own; a rule says itself that it must not.
    fn only_tightening(mut self) -> Self {
        self.rules.retain(|rule| rule.verdict != Verdict::Allow);
        self.rules.iter_mut().for_each(|rule| rule.only_tightens = true);
        self.roo.allowed_commands.clear();
        self.continue_lists.allow.clear();
        self.continue_lists.ask.clear();
        self.modes.clear();
        self
    }
}
