//! Modes: a role with the groups of tools that it may use.

mod defaults;
mod groups;

use std::fmt;

use dogu_tool::{Group, ToolSpec};
use regex::Regex;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use defaults::default_modes;
pub use groups::{ALWAYS_AVAILABLE, GROUPS, GroupMembers, group_of};

/// A mode, as `.roomodes` writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Mode {
    /// Its name for machines: letters, digits and dashes.
    pub slug: String,
    /// Its name for people.
    pub name: String,
    /// Who the model is in it.
    #[serde(alias = "role_definition")]
    pub role_definition: String,
    /// When to switch to it.
    #[serde(default, alias = "when_to_use", skip_serializing_if = "Option::is_none")]
    pub when_to_use: Option<String>,
    /// What it is, in short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The groups of tools that it may use.
    #[serde(default)]
    pub groups: Vec<GroupEntry>,
    /// What else the model is told.
    #[serde(default, alias = "custom_instructions", skip_serializing_if = "Option::is_none")]
    pub custom_instructions: Option<String>,
}

/// A group of a mode, with or without a limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum GroupEntry {
    /// The whole group.
    Whole(Group),
    /// The group, for some files.
    Limited(Group, GroupLimit),
}

/// The files that a group is limited to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupLimit {
    /// Found anywhere in the path of a file.
    #[serde(default, alias = "file_regex", skip_serializing_if = "Option::is_none")]
    pub file_regex: Option<String>,
    /// What these files are, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl GroupEntry {
    /// The group.
    pub fn group(&self) -> Group {
        match self {
            Self::Whole(group) | Self::Limited(group, _) => *group,
        }
    }

    fn limit(&self) -> Option<(&str, Option<&str>)> {
        match self {
            Self::Whole(_) => None,
            Self::Limited(_, limit) => {
                Some((limit.file_regex.as_deref()?, limit.description.as_deref()))
            }
        }
    }
}

/// A file of `.roomodes`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModeFile {
    /// Its modes.
    #[serde(default, rename = "customModes", alias = "custom_modes", alias = "modes")]
    pub modes: Vec<Mode>,
}

/// A path that a call touches, as modes see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TouchedPath<'a> {
    /// The real path, relative to the workspace root that holds it; none where it cannot be told.
    pub path: Option<&'a str>,
    /// It is written or deleted.
    pub written: bool,
}

/// Why a mode refuses a call.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ModeError {
    /// The tool's group is not one of the mode's.
    #[error("Tool \"{tool}\" is not allowed in {slug} mode.")]
    Group {
        /// The tool.
        tool: String,
        /// The mode.
        slug: String,
    },
    /// A file is not one of those that the mode may touch.
    #[error(
        "Tool '{tool}' in mode '{mode}' can only {verb} files matching pattern: {pattern}. Got: {path}"
    )]
    File {
        /// The tool.
        tool: String,
        /// The mode's name.
        mode: String,
        /// `edit` or `read`.
        verb: &'static str,
        /// The pattern, and what it means in brackets.
        pattern: String,
        /// The file.
        path: String,
    },
    /// A tool that edits has not said what.
    #[error("Tool '{tool}' in mode '{mode}' edits files, but this call names none.")]
    NoPath {
        /// The tool.
        tool: String,
        /// The mode's name.
        mode: String,
    },
    /// The mode's pattern cannot be used, so no file matches it.
    #[error("Mode '{mode}' allows no files: its pattern {regex} cannot be used ({why}).")]
    Regex {
        /// The mode's name.
        mode: String,
        /// The pattern.
        regex: String,
        /// What is wrong with it.
        why: String,
    },
}

impl Mode {
    /// Whether a tool of a group may be used at all; chat tools have no group and always may.
    pub fn allows_group(&self, group: Option<Group>) -> bool {
        match group {
            None | Some(Group::Modes) => true,
            Some(group) => self.entry(group).is_some(),
        }
    }

    /// Whether a call may be made: its tool is in one of the mode's groups, and every path that
    /// it touches is one that the mode may touch.
    pub fn check(&self, spec: &ToolSpec, paths: &[TouchedPath<'_>]) -> Result<(), ModeError> {
        self.check_named(spec.name.as_ref(), spec.group, paths)
    }

    /// The same for a tool that is known by name and group alone.
    pub fn check_named(
        &self,
        tool: &str,
        group: Option<Group>,
        paths: &[TouchedPath<'_>],
    ) -> Result<(), ModeError> {
        if !self.allows_group(group) {
            return Err(ModeError::Group { tool: tool.to_owned(), slug: self.slug.clone() });
        }
        if group == Some(Group::Edit) && !paths.iter().any(|path| path.written) {
            return Err(ModeError::NoPath { tool: tool.to_owned(), mode: self.name.clone() });
        }
        if group == Some(Group::Read) {
            self.check_limit(tool, Group::Read, paths.iter().filter(|path| !path.written))?;
        }
        // Whatever tool it is by which a mode writes: the files are those that it may edit.
        self.check_limit(tool, Group::Edit, paths.iter().filter(|path| path.written))
    }

    fn check_limit<'a>(
        &self,
        tool: &str,
        group: Group,
        paths: impl Iterator<Item = &'a TouchedPath<'a>>,
    ) -> Result<(), ModeError> {
        let Some((source, description)) = self.entry(group).and_then(GroupEntry::limit) else {
            return Ok(());
        };
        let mut paths = paths.peekable();
        if paths.peek().is_none() {
            return Ok(());
        }
        let regex = Regex::new(source).map_err(|error| self.bad_regex(source, &error))?;
        let outside = |path: &&TouchedPath<'_>| !path.path.is_some_and(|path| regex.is_match(path));
        if let Some(path) = paths.find(outside) {
            return Err(ModeError::File {
                tool: tool.to_owned(),
                mode: self.name.clone(),
                verb: if group == Group::Edit { "edit" } else { "read" },
                pattern: format!(
                    "{source}{}",
                    description.map(|text| format!(" ({text})")).unwrap_or_default()
                ),
                path: path.path.unwrap_or("a file that cannot be told").to_owned(),
            });
        }
        Ok(())
    }

    fn bad_regex(&self, regex: &str, error: &regex::Error) -> ModeError {
        let why = error.to_string();
        let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
        ModeError::Regex { mode: self.name.clone(), regex: regex.to_owned(), why }
    }

    fn entry(&self, group: Group) -> Option<&GroupEntry> {
        self.groups.iter().find(|entry| entry.group() == group)
    }

    /// What is wrong with it, if something is.
    pub fn problem(&self) -> Option<String> {
        let named = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if self.slug.is_empty() || !self.slug.chars().all(named) {
            return Some(format!("the slug `{}` is not letters, digits and dashes", self.slug));
        }
        let twice = |(index, entry): (usize, &GroupEntry)| {
            self.groups.iter().take(index).any(|earlier| earlier.group() == entry.group())
        };
        if self.groups.iter().enumerate().any(twice) {
            return Some(format!("the mode `{}` has a group twice", self.slug));
        }
        let bad = |entry: &GroupEntry| {
            let (source, _) = entry.limit()?;
            Regex::new(source).err().map(|error| self.bad_regex(source, &error).to_string())
        };
        self.groups.iter().find_map(bad)
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.slug)
    }
}

/// The modes that there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Modes {
    modes: Vec<Mode>,
}

impl Modes {
    /// The default modes, with those of the user and of a trusted workspace over them: of two
    /// with one slug the later one counts. A workspace that is not trusted brings no modes.
    pub fn new(user: Vec<Mode>, workspace: Vec<Mode>, trusted: bool) -> Self {
        let mut modes = default_modes();
        let workspace = if trusted { workspace } else { Vec::new() };
        for mode in user.into_iter().chain(workspace) {
            match modes.iter_mut().find(|known| known.slug == mode.slug) {
                Some(known) => *known = mode,
                None => modes.push(mode),
            }
        }
        Self { modes }
    }

    /// The mode of a slug.
    pub fn get(&self, slug: &str) -> Option<&Mode> {
        self.modes.iter().find(|mode| mode.slug == slug)
    }

    /// All of them, the default one first.
    pub fn iter(&self) -> impl Iterator<Item = &Mode> {
        self.modes.iter()
    }
}
