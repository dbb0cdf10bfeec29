//! Patterns of paths.

use std::path::{Component, Path, PathBuf};

use regex::Regex;

use crate::facts::PathFacts;
use crate::rule::{RuleError, glob};

/// A pattern of paths: relative to the workspace root that holds the path, absolute, or below
/// the home folder (`~/`).
#[derive(Clone, Debug)]
pub struct PathPattern {
    text: String,
    anchor: Anchor,
    regex: Regex,
    exact: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    Root,
    Absolute,
    Home,
}

impl PartialEq for PathPattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text && self.regex.as_str() == other.regex.as_str()
    }
}

impl Eq for PathPattern {}

impl PathPattern {
    /// Reads a pattern.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        Self::of(text, false)
    }

    /// Reads a pattern whose `*` and `?` stand for slashes as well.
    pub(crate) fn crossing(text: &str) -> Result<Self, RuleError> {
        Self::of(text, true)
    }

    fn of(text: &str, crossing: bool) -> Result<Self, RuleError> {
        if text.is_empty() {
            return Err(RuleError::new(1, "there is no path; `**` stands for every path"));
        }
        if let Some(column) = column_of_dots(text) {
            return Err(RuleError::new(column, "`.` and `..` never stand in a real path"));
        }
        let folder =
            text.strip_suffix('/').filter(|rest| !rest.is_empty() && !rest.ends_with('\\'));
        let glob = folder.map_or_else(|| text.to_owned(), |folder| format!("{folder}/**"));
        let anchor = match text {
            _ if text.starts_with('/') => Anchor::Absolute,
            _ if text.starts_with("~/") => Anchor::Home,
            _ => Anchor::Root,
        };
        let regex = glob::compile(&glob, crossing)?;
        Ok(Self { text: text.to_owned(), anchor, regex, exact: glob::literal(&glob).is_some() })
    }

    /// The pattern that matches this path alone, if one can.
    pub fn exactly(path: &Path) -> Option<Self> {
        Self::parse(&glob::escape(path.to_str()?)).ok().filter(Self::is_exact)
    }

    /// It has no wildcard.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// It matches where the path really leads.
    pub fn matches_real(&self, facts: &PathFacts, home: Option<&Path>) -> bool {
        let real = facts.real.to_str();
        real.is_some() && self.matches_path(&facts.real, facts.root.as_deref(), home, true)
    }

    /// It matches where the path leads, or what it was called.
    pub fn matches_any_name(&self, facts: &PathFacts, home: Option<&Path>) -> bool {
        let root = facts.root.as_deref();
        let declared = normal(&facts.declared);
        self.matches_path(&facts.real, root, home, false)
            || self.matches_path(&declared, root, home, false)
    }

    /// It matches everything below a folder.
    pub fn covers_below(&self, facts: &PathFacts, home: Option<&Path>) -> bool {
        // No set of single names reaches so deep: only `**` does.
        let deep: PathBuf = std::iter::repeat_n("\u{1}", 40).collect();
        let below = PathFacts { real: facts.real.join(deep), ..facts.clone() };
        self.matches_real(&below, home)
    }

    /// It may match something below a folder.
    pub fn may_match_below(&self, facts: &PathFacts, home: Option<&Path>) -> bool {
        let root = facts.root.as_deref();
        let Some(folder) = self.named(&facts.real, root, home) else {
            return self.anchor == Anchor::Root;
        };
        let fixed = self.fixed_part();
        Path::new(fixed).starts_with(&folder) || Path::new(&folder).starts_with(fixed)
    }

    /// What stands before the first segment with a wildcard.
    fn fixed_part(&self) -> &str {
        let end = self.text.find(['*', '?', '[', '{', '\\']).unwrap_or(self.text.len());
        let fixed = &self.text[..end];
        if end == self.text.len() {
            fixed
        } else {
            &fixed[..fixed.rfind('/').map_or(0, |at| at + 1)]
        }
    }

    fn matches_path(
        &self,
        path: &Path,
        root: Option<&Path>,
        home: Option<&Path>,
        strict: bool,
    ) -> bool {
        if let Some(name) = self.named(path, root, home) {
            return self.regex.is_match(&name);
        }
        // What forbids a name in any folder means folders outside the workspace too.
        let anywhere = self.anchor == Anchor::Root && self.text.starts_with("**");
        anywhere && !strict && self.regex.is_match(path.to_string_lossy().trim_start_matches('/'))
    }

    /// The path as it is called in patterns of this kind.
    fn named(&self, path: &Path, root: Option<&Path>, home: Option<&Path>) -> Option<String> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        match self.anchor {
            Anchor::Absolute => path.is_absolute().then(|| text(path)),
            Anchor::Home => path.strip_prefix(home?).ok().map(|rest| format!("~/{}", text(rest))),
            Anchor::Root if path.is_relative() => Some(text(path)),
            Anchor::Root => path.strip_prefix(root?).ok().map(text),
        }
    }

    /// How many characters are literal, how many segments are, and how many wildcards there are.
    pub(crate) fn weight(&self) -> (usize, usize, usize) {
        let is_wild = |letter: char| "*?[{".contains(letter);
        let words = self.text.split('/').filter(|part| !part.is_empty() && !part.contains(is_wild));
        let wildcards = self.text.chars().filter(|letter| is_wild(*letter)).count();
        (words.count(), self.text.chars().count() - wildcards, wildcards)
    }

    /// It matches a path that is only written, for examples.
    pub(crate) fn matches_written(&self, path: &str) -> bool {
        let anchor = match path {
            _ if path.starts_with('/') => Anchor::Absolute,
            _ if path.starts_with("~/") => Anchor::Home,
            _ => Anchor::Root,
        };
        anchor == self.anchor && self.regex.is_match(path)
    }
}

/// The column of the first segment `.` or `..`.
fn column_of_dots(text: &str) -> Option<usize> {
    let mut column = 1;
    for segment in text.split('/') {
        if matches!(segment, "." | "..") {
            return Some(column);
        }
        column += segment.chars().count() + 1;
    }
    None
}

/// The path without `.` and `..`, by its text alone.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}
