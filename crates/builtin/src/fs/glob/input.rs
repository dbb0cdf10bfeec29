//! What a call of `glob` may say.

use schemars::JsonSchema;
use serde::Deserialize;

/// How many files a call shows that does not say so.
const DEFAULT_LIMIT: usize = 100;
/// How many files can be reached at all, by limit and offset.
pub(super) const MAX_REACH: usize = 20_000;

/// Which files to find, and where.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// As a line of .gitignore: without `/` it is a name at any depth (`*.rs`), with `/` it begins at `path` (`src/**/*.ts`). `**`, `*`, `?`, `[a-z]`, `{a,b}`; a `/` at the end finds folders; `!` in front finds all other files.
    pattern: String,
    /// The folder to look in, relative to the working folder or absolute.
    #[serde(default = "here")]
    pub(super) path: String,
    /// How many to show; 100 where it is not said.
    #[serde(default)]
    #[schemars(range(min = 1, max = 10_000))]
    limit: Option<usize>,
    /// How many of the newest to leave out, to read on.
    #[serde(default)]
    offset: Option<usize>,
    /// Letter case does not count.
    #[serde(default)]
    ignore_case: bool,
    /// Find files and folders whose name begins with a dot too.
    #[serde(default = "yes")]
    hidden: bool,
    /// Find what `.gitignore` and its like name too.
    #[serde(default)]
    include_ignored: bool,
}

fn here() -> String {
    ".".to_owned()
}

fn yes() -> bool {
    true
}

/// Which files to find, and which part of them to show.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of the caller")]
pub(in super::super) struct Query {
    pub(in super::super) pattern: String,
    pub(in super::super) path: String,
    pub(in super::super) limit: usize,
    pub(in super::super) offset: usize,
    /// The call can be made again with another offset, or with ignored files.
    pub(in super::super) pages: bool,
    pub(in super::super) ignore_case: bool,
    pub(in super::super) hidden: bool,
    pub(in super::super) include_ignored: bool,
}

impl Query {
    /// How many of the newest must be kept to show the page.
    pub(super) fn needed(&self) -> usize {
        self.offset.saturating_add(self.limit).min(MAX_REACH)
    }
}

impl Input {
    pub(super) fn into_query(self) -> Query {
        Query {
            pattern: self.pattern,
            path: self.path,
            limit: self.limit.unwrap_or(DEFAULT_LIMIT).max(1),
            offset: self.offset.unwrap_or(0),
            pages: true,
            ignore_case: self.ignore_case,
            hidden: self.hidden,
            include_ignored: self.include_ignored,
        }
    }
}
