//! Edits that are right, or refused with what to do next. No I/O: text in, text out.
//!
//! A model sends the text to be replaced from memory, so it is often not what stands in the
//! file. [`apply`] goes four steps:
//!
//! 1. **Repair the pair.** Code fences, line numbers, entities and escapes are taken off `old`
//!    and `new` together, each only where the raw form does not fit ([`Repair`]).
//! 2. **Find the place.** One ladder of ever more tolerant comparisons ([`Level`]); the first
//!    level that hits decides, and it must hit once (or as often as [`Count`] says).
//! 3. **Already applied?** Where `new` stands and `old` does not, nothing is changed.
//! 4. **Merge.** `old` is the base, the file is ours, `new` is theirs: what `old` and `new`
//!    share keeps the file's own bytes, what changed is indented as the file is.
//!
//! Anything else is a [`Refusal`], whose text tells the model what to send instead.
//!
//! ```
//! use dogu_edit::{apply, Edit, Level, Outcome};
//!
//! let file = "fn main() {\n\tlet a = 1;\n\tlet b = 2;\n}\n";
//! // Spaces instead of tabs, and one line more.
//! let edit = Edit::new("  let a = 1;\n  let b = 2;", "  let a = 1;\n  let b = 2;\n  let c = 3;");
//! let Ok(Outcome::Applied(applied)) = apply(file, &edit) else { panic!("it fits") };
//! assert_eq!(applied.text, "fn main() {\n\tlet a = 1;\n\tlet b = 2;\n\tlet c = 3;\n}\n");
//! assert_eq!(applied.level, Level::Indent);
//! ```
//!
//! | module | what it does |
//! | --- | --- |
//! | `repair` | what stands around or before the text, and escapes in it |
//! | `view` | the file as a level sees it, with the way back to its bytes |
//! | `ladder` | which level hits, and how often |
//! | `flow` | old with other line breaks and another word |
//! | `merge` | the three-way merge, indents and line endings |
//! | `refusal` | what the model is told |
//! | [`blocks`] | SEARCH/REPLACE blocks |
//! | [`patch`] | `*** Begin Patch` and unified diffs, read and applied |
//! | [`diff`] | unified diffs, printed |
//! | [`three_way`] | two changes of one text, put together |
//! | `place`, `lines` | where the pieces of blocks and patches belong, and what they make |

use std::fmt;
use std::ops::Range;

pub mod blocks;
pub mod diff;
mod elision;
mod flow;
mod fold;
mod fuzzy;
mod grade;
mod indent;
mod ladder;
mod lcs;
mod leads;
mod lines;
mod merge;
mod nearest;
pub mod patch;
mod place;
mod refusal;
mod remarks;
mod repair;
mod spans;
pub mod three_way;
mod tokens;
mod view;

pub use refusal::{Reason, Refusal};

/// One replacement that a model asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edit<'a> {
    /// The text to be replaced, as the model remembers it.
    pub old: &'a str,
    /// What shall stand there instead.
    pub new: &'a str,
    /// How often `old` is expected.
    pub count: Count,
    /// A line (from 1) near which `old` is expected. It breaks ties among equally good places
    /// and does nothing else.
    pub line: Option<usize>,
}

impl<'a> Edit<'a> {
    /// The common case: `old` stands in one place, and nobody said which.
    pub fn new(old: &'a str, new: &'a str) -> Self {
        Self { old, new, count: Count::One, line: None }
    }
}

/// How often the old text is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// In exactly one place.
    One,
    /// Wherever it stands, at least once.
    All,
    /// This often.
    Exactly(usize),
}

/// What became of an edit that was not refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The text was changed.
    Applied(Applied),
    /// The new text stands there already.
    AlreadyApplied {
        /// The line (from 1) where it stands.
        line: usize,
    },
}

/// A changed text, and how the place was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The whole new content.
    pub text: String,
    /// The level that hit.
    pub level: Level,
    /// What was repaired in the pair first.
    pub repair: Repair,
    /// The replaced bytes of the original content; nothing outside of them changed.
    pub spans: Vec<Range<usize>>,
    /// Whether several places fitted and the line hint decided among them.
    pub by_line_hint: bool,
}

/// How much had to be ignored to find the old text, from nothing to most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Nothing.
    Exact,
    /// White space at the very start or end.
    Trimmed,
    /// White space at the ends of lines.
    LineSpace,
    /// The typographic form of quotes, dashes, spaces and letters.
    Unicode,
    /// Indentation.
    Indent,
    /// White space within lines.
    Squashed,
    /// Only line endings.
    Crlf,
    /// Blank lines.
    BlankLines,
    /// Comments.
    Comments,
    /// What `...` stood for, in old and new alike.
    Elision,
    /// A few characters in few lines.
    FuzzyLines,
    /// Line breaks, the kind of quotes, trailing commas.
    Tokens,
}

impl Level {
    /// Every level, in the order of the ladder.
    pub const ALL: [Self; 12] = [
        Self::Exact,
        Self::Trimmed,
        Self::LineSpace,
        Self::Unicode,
        Self::Indent,
        Self::Squashed,
        Self::Crlf,
        Self::BlankLines,
        Self::Comments,
        Self::Elision,
        Self::FuzzyLines,
        Self::Tokens,
    ];

    /// The name under which results report it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Trimmed => "trimmed",
            Self::LineSpace => "line_space",
            Self::Unicode => "unicode",
            Self::Indent => "indent",
            Self::Squashed => "squashed",
            Self::Crlf => "crlf",
            Self::BlankLines => "blank_lines",
            Self::Comments => "comments",
            Self::Elision => "elision",
            Self::FuzzyLines => "fuzzy_lines",
            Self::Tokens => "tokens",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What was taken off old and new before they were looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Repair {
    /// Nothing.
    None,
    /// A wrapper around the whole text: a code fence, a tag, `CDATA`, quotes.
    Fence,
    /// A prefix of every line: a line number, `path:line:`, a diff's `+` and `-`, `> `.
    LineNumbers,
    /// HTML entities.
    Entities,
    /// Backslash escapes, as in a JSON string.
    Escapes,
}

impl Repair {
    /// The name under which results report it.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Fence => "fence",
            Self::LineNumbers => "line_numbers",
            Self::Entities => "entities",
            Self::Escapes => "escapes",
        }
    }
}

/// Applies one edit to a text.
///
/// Never panics; the time is bounded by the size of `content` and `old`, not by how similar
/// they are.
///
/// # Errors
/// A [`Refusal`] where `old` does not stand in exactly the expected number of places, or where
/// the change cannot be merged without loss. Its text is for the model.
pub fn apply(content: &str, edit: &Edit<'_>) -> Result<Outcome, Refusal> {
    ladder::apply(content, edit)
}
