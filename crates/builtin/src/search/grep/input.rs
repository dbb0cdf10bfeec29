//! What a call of `grep` may say.

use schemars::JsonSchema;
use serde::Deserialize;

use super::query::{Case, MAX_FILE_SIZE, Query};

/// How many entries a call shows that does not say so.
const DEFAULT_LIMIT: u64 = 100;

/// What to look for, where, and how to show it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Input {
    /// A regular expression as Rust's regex crate reads it; look-around and back-references are not supported.
    pattern: String,
    /// The file or folder to search, relative to the working folder or absolute.
    #[serde(default = "here")]
    pub(super) path: String,
    /// Only files that match, such as `*.rs` or `src/**/*.{ts,tsx}`; `!` in front leaves files out. One or several.
    #[serde(default)]
    glob: Option<OneOrMany>,
    /// Only files of a type that ripgrep knows, such as `rust`, `py`, `ts`, `go`.
    #[serde(default, rename = "type")]
    file_type: Option<String>,
    /// The pattern is a plain text, not a regular expression.
    #[serde(default)]
    fixed_strings: bool,
    /// Whether letter case counts; `smart`: only where the pattern has a capital letter.
    #[serde(default)]
    case: Case,
    /// Letter case does not count; the same as `case: insensitive`.
    #[serde(default)]
    ignore_case: bool,
    /// Only matches of whole words.
    #[serde(default)]
    word: bool,
    /// The pattern may span lines, and `.` matches the end of a line too.
    #[serde(default)]
    multiline: bool,
    /// Lines that do not match, instead of those that do.
    #[serde(default)]
    invert: bool,
    /// How many lines to show before each match; with `output_mode: content`.
    #[serde(default)]
    #[schemars(range(max = 1000))]
    before: Option<usize>,
    /// How many lines to show after each match; with `output_mode: content`.
    #[serde(default)]
    #[schemars(range(max = 1000))]
    after: Option<usize>,
    /// How many lines to show before and after each match; with `output_mode: content`.
    #[serde(default)]
    #[schemars(range(max = 1000))]
    context: Option<usize>,
    /// Show line numbers; with `output_mode: content`.
    #[serde(default = "yes")]
    pub(super) line_numbers: bool,
    /// `files_with_matches` shows paths, `content` lines, `count` matching lines of each file.
    #[serde(default)]
    output_mode: OutputMode,
    /// How many entries (lines or files) to show; 0 shows as many as fit.
    #[serde(default)]
    head_limit: Option<u64>,
    /// How many entries to leave out at the beginning, to read on.
    #[serde(default)]
    offset: Option<u64>,
    /// Search files and folders whose name begins with a dot too.
    #[serde(default = "yes")]
    hidden: bool,
    /// Search what `.gitignore` and its like name too.
    #[serde(default)]
    include_ignored: bool,
    /// Leave out larger files, in bytes; 50 MB where it is not said.
    #[serde(default)]
    max_file_size: Option<u64>,
}

fn here() -> String {
    ".".to_owned()
}

fn yes() -> bool {
    true
}

/// What is shown of the files that match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OutputMode {
    /// Their paths.
    #[default]
    FilesWithMatches,
    /// The lines that match.
    Content,
    /// How many lines match in each.
    Count,
}

/// A text, or a list of them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum OneOrMany {
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl Input {
    pub(super) fn into_query(self) -> Query {
        let content = self.output_mode == OutputMode::Content;
        let around = |own: Option<usize>| own.or(self.context).filter(|_| content).unwrap_or(0);
        Query {
            before: around(self.before),
            after: around(self.after),
            pattern: self.pattern,
            path: self.path,
            globs: match self.glob {
                None => Vec::new(),
                Some(OneOrMany::One(glob)) => vec![glob],
                Some(OneOrMany::Many(globs)) => globs,
            },
            file_type: self.file_type,
            fixed_strings: self.fixed_strings,
            case: if self.ignore_case { Case::Insensitive } else { self.case },
            word: self.word,
            multi_line: self.multiline,
            invert: self.invert,
            mode: self.output_mode,
            limit: self.head_limit.unwrap_or(DEFAULT_LIMIT),
            offset: self.offset.unwrap_or(0),
            pages: true,
            hidden: self.hidden,
            include_ignored: self.include_ignored,
            max_file_size: self.max_file_size.unwrap_or(MAX_FILE_SIZE),
        }
    }
}
