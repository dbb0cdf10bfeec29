//! The pattern, compiled within bounds, or an error that points at the place.

use std::path::{Path, PathBuf};

use dogu_tool::{Ctx, ToolError};
use ignore::overrides::{Override, OverrideBuilder};

use super::fault::{self, Fault};
use super::input::Query;

/// How many bytes a pattern may have.
const MAX_PATTERN_BYTES: usize = 2_000;
/// How many characters of a pattern are shown on each side of what is wrong.
const SHOWN_AROUND: usize = 60;

const SUCH_AS: &str = "Patterns are such as `*.rs`, `src/**/*.ts`, `*.{js,jsx}`, `test_[0-9]*`; put a backslash before [ ] { } * ? that stand for themselves.";

/// A pattern as a line of `.gitignore`, or as `rg -g` takes it.
pub(super) struct Pattern {
    globs: Override,
    /// It finds what it does not name.
    inverted: bool,
    /// It ends with a slash.
    pub(super) folders: bool,
    /// The names that every match begins with.
    lead: Vec<String>,
    /// How many names deep a match can be.
    depth: Option<usize>,
    /// The folder that is looked in, as seen from the working folder; none where it is that
    /// folder itself or lies elsewhere.
    prefix: Option<PathBuf>,
}

impl Pattern {
    /// The pattern of a query, whose folder is `folder`.
    pub(super) fn new(query: &Query, folder: &Path, ctx: &Ctx) -> Result<Self, ToolError> {
        let asked = query.pattern.as_str();
        refuse_what_is_none(asked)?;
        let (inverted, glob) = match asked.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, asked),
        };
        let glob = below(glob, folder, ctx)?;
        let mut builder = OverrideBuilder::new(".");
        let built = builder
            .case_insensitive(query.ignore_case)
            .and_then(|builder| builder.add(&line(&glob, inverted)))
            .and_then(|builder| builder.build());
        let globs = built.map_err(|error| refusal(asked, &error))?;
        let workdir = ctx.scope().workdir();
        let prefix = folder.strip_prefix(workdir).ok().map(tidy);
        let shape = if inverted || query.ignore_case { Shape::default() } else { Shape::of(&glob) };
        Ok(Self {
            globs,
            inverted,
            folders: !inverted && glob.ends_with('/'),
            lead: shape.lead,
            depth: shape.depth,
            prefix: prefix.filter(|below| !below.as_os_str().is_empty()),
        })
    }

    /// Whether a path matches.
    pub(super) fn takes(&self, path: &Path, folder: bool) -> bool {
        let here = self.globs.matched(path, folder);
        if self.inverted {
            return !here.is_ignore();
        }
        // A pattern with a slash begins at the folder that is looked in; but who names such a
        // folder often writes the pattern from the working folder all the same.
        here.is_whitelist()
            || self
                .prefix
                .as_ref()
                .is_some_and(|prefix| self.globs.matched(prefix.join(path), folder).is_whitelist())
    }

    /// Whether a folder matches, if the pattern asks for folders or not.
    pub(super) fn takes_folder(&self, path: &Path) -> bool {
        !self.inverted && self.takes(path, true)
    }

    /// Whether something below a folder can match.
    pub(super) fn enters(&self, folder: &Path) -> bool {
        if self.inverted {
            return !self.globs.matched(folder, true).is_ignore();
        }
        if self.lead.is_empty() && self.depth.is_none() {
            return true;
        }
        self.leads_through(folder)
            || self.prefix.as_ref().is_some_and(|prefix| self.leads_through(&prefix.join(folder)))
    }

    fn leads_through(&self, folder: &Path) -> bool {
        let mut names = folder.components();
        let on_the_way = self
            .lead
            .iter()
            .zip(names.by_ref())
            .all(|(lead, name)| name.as_os_str() == lead.as_str());
        on_the_way && self.depth.is_none_or(|depth| folder.components().count() < depth)
    }
}

/// What can be told of the matches of a pattern before any is seen.
#[derive(Default)]
struct Shape {
    lead: Vec<String>,
    depth: Option<usize>,
}

impl Shape {
    fn of(glob: &str) -> Self {
        let path = glob.strip_suffix('/').unwrap_or(glob);
        if !path.contains('/') {
            // A name at any depth.
            return Self::default();
        }
        if path.contains(['{', '}', '[', '\\']) {
            // These may hold a slash, or hide one: what can be told is not worth the risk.
            return Self::default();
        }
        let names: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        let plain = |name: &&&str| !name.contains(['*', '?']);
        Self {
            lead: names.iter().take_while(plain).map(|name| (*name).to_owned()).collect(),
            depth: (!path.contains("**")).then_some(names.len()),
        }
    }
}

fn refuse_what_is_none(asked: &str) -> Result<(), ToolError> {
    let bare = asked.trim_start_matches('!').trim();
    if bare.is_empty() {
        return Err(ToolError::invalid("the pattern is empty").suggest(SUCH_AS));
    }
    if asked.len() > MAX_PATTERN_BYTES {
        let message =
            format!("the pattern has {} bytes; {MAX_PATTERN_BYTES} are the most", asked.len());
        return Err(ToolError::invalid(message).suggest("Use a shorter one, or several calls."));
    }
    if bare == ".." || bare.starts_with("../") || bare.contains("/../") || bare.ends_with("/..") {
        return Err(ToolError::invalid(format!("the pattern `{asked}` leads out of its folder"))
            .suggest("Give the folder as path, and a pattern that begins there."));
    }
    Ok(())
}

/// The glob as it begins at the folder that is looked in.
fn below(glob: &str, folder: &Path, ctx: &Ctx) -> Result<String, ToolError> {
    if let Some(rest) = glob.strip_prefix("./") {
        return Ok(format!("/{}", rest.trim_start_matches('/')));
    }
    let scope = ctx.scope();
    for base in [&tidy(folder), scope.workdir()] {
        let rest = base.to_str().and_then(|base| glob.strip_prefix(base.trim_end_matches('/')));
        if let Some(rest) = rest.filter(|rest| glob.starts_with('/') && rest.starts_with('/')) {
            return Ok(rest.to_owned());
        }
    }
    let elsewhere = scope.roots().iter().any(|root| Path::new(glob).starts_with(root));
    if elsewhere || glob.starts_with("~/") {
        return Err(ToolError::invalid(format!("the pattern `{glob}` begins at another folder"))
            .suggest("Give that folder as path, and a pattern that begins there."));
    }
    Ok(glob.to_owned())
}

/// Without `.` in it.
fn tidy(path: &Path) -> PathBuf {
    path.components().collect()
}

/// The line that the pattern is to the crate that reads it, which takes `#` for a comment.
fn line(glob: &str, inverted: bool) -> String {
    let sign = if inverted { "!" } else { "" };
    let escape = if !inverted && glob.starts_with('#') { "\\" } else { "" };
    format!("{sign}{escape}{glob}")
}

/// What is wrong, with the pattern and a mark below the place.
fn refusal(pattern: &str, error: &ignore::Error) -> ToolError {
    let Some(Fault { place, what }) = fault::find(pattern) else {
        let text = error.to_string();
        let reason = text.rsplit(": ").next().unwrap_or(&text);
        let message = format!("the pattern `{pattern}` is not valid: {reason}");
        return ToolError::invalid(message).suggest(SUCH_AS);
    };
    let before = pattern[..place.start].chars().count();
    let skipped = before.saturating_sub(SHOWN_AROUND);
    let shown: String = pattern.chars().skip(skipped).take(2 * SHOWN_AROUND).map(plain).collect();
    let marks = "^".repeat(pattern[place].chars().count());
    let indent = " ".repeat(before - skipped);
    let message = format!("the pattern is not valid: {what}\n    {shown}\n    {indent}{marks}");
    ToolError::invalid(message).suggest(SUCH_AS)
}

/// Every character takes one column, so that the mark stands below the place.
fn plain(character: char) -> char {
    if character.is_control() { ' ' } else { character }
}
