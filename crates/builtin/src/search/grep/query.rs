//! A search, as every tool that searches asks for it.

use schemars::JsonSchema;
use serde::Deserialize;

use super::input::OutputMode;

/// Larger files are left out of a walk where the call does not say otherwise.
pub(super) const MAX_FILE_SIZE: u64 = 50 * 1024 * 1024;
/// How many entries a page has at the most: more never fit into a result.
const MAX_PAGE: u64 = 20_000;

/// Whether letter case counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Case {
    /// Only where the pattern has a capital letter.
    Smart,
    /// Always.
    #[default]
    Sensitive,
    /// Never.
    Insensitive,
}

/// What to look for, where, and which part of it to show.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct Query {
    pub(crate) pattern: String,
    pub(crate) path: String,
    pub(crate) globs: Vec<String>,
    pub(crate) file_type: Option<String>,
    pub(crate) fixed_strings: bool,
    pub(crate) case: Case,
    pub(crate) word: bool,
    pub(crate) multi_line: bool,
    pub(crate) invert: bool,
    pub(crate) before: usize,
    pub(crate) after: usize,
    pub(crate) mode: OutputMode,
    /// How many entries to show; 0 for as many as fit.
    pub(crate) limit: u64,
    pub(crate) offset: u64,
    /// The call can be made again with another offset.
    pub(crate) pages: bool,
    pub(crate) hidden: bool,
    pub(crate) include_ignored: bool,
    pub(crate) max_file_size: u64,
}

impl Query {
    /// The lines that match a regular expression, in all that is below a path.
    pub(crate) fn lines(pattern: String, path: String) -> Self {
        Self {
            pattern,
            path,
            globs: Vec::new(),
            file_type: None,
            fixed_strings: false,
            case: Case::default(),
            word: false,
            multi_line: false,
            invert: false,
            before: 0,
            after: 0,
            mode: OutputMode::Content,
            limit: 0,
            offset: 0,
            pages: false,
            hidden: true,
            include_ignored: false,
            max_file_size: MAX_FILE_SIZE,
        }
    }

    /// How many entries a page has at the most.
    pub(super) fn page_size(&self) -> u64 {
        if self.limit == 0 { MAX_PAGE } else { self.limit.min(MAX_PAGE) }
    }

    /// How many entries must be kept, in the order of the output, to show the page.
    pub(super) fn needed(&self) -> u64 {
        self.offset.saturating_add(self.page_size())
    }
}
