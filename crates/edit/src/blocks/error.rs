//! What is wrong with blocks.

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BlockFault {
    /// There is no block.
    #[error(
        "there is no block: send `<<<<<<< SEARCH`, the lines that stand in the file, `=======`, the lines that come in their place, and `>>>>>>> REPLACE`, each marker alone on its line"
    )]
    NoBlock,
    /// A marker where another one is due.
    #[error(
        "`{found}` where {expected} is due; a block is `<<<<<<< SEARCH`, lines, `=======`, lines, `>>>>>>> REPLACE`"
    )]
    Misplaced {
        /// The line.
        found: String,
        /// What should come first.
        expected: &'static str,
    },
    /// The text ends within a block.
    #[error("the block that begins here has no `{0}`; it may have been cut off")]
    Unfinished(&'static str),
    /// More than one line could be the marker between the two parts.
    #[error(
        "more than one `=======` in this block, so it is not known where REPLACE begins; put a backslash before each line of the file that looks like a marker (`\\<<<<<<<`, `\\=======`, `\\>>>>>>>`)"
    )]
    TwoDividers,
    /// A line number that is none, or at a wrong place.
    #[error(
        "`{0}`: `:start_line:` and its number stand right below `<<<<<<< SEARCH`; put a backslash before it if it is a line of the file"
    )]
    LineNumber(String),
}

/// What is wrong with blocks, and where. `Display` is the text for the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the diff: {fault}")]
pub struct BlockError {
    /// The line of the text, from 1.
    pub line: usize,
    /// What is wrong.
    pub fault: BlockFault,
}

/// How many bytes of a line are quoted.
const MAX_QUOTED: usize = 80;

pub(super) fn quoted(line: &str) -> String {
    line[..line.floor_char_boundary(MAX_QUOTED)].trim_end().escape_debug().to_string()
}

impl BlockFault {
    /// The fault at a line that is counted from 0.
    pub(super) fn at(self, line: usize) -> BlockError {
        BlockError { line: line + 1, fault: self }
    }

    pub(super) fn misplaced(found: &str, expected: &'static str) -> Self {
        Self::Misplaced { found: quoted(found), expected }
    }
}
