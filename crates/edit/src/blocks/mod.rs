//! SEARCH/REPLACE blocks.
//!
//! ```text
//! <<<<<<< SEARCH
//! :start_line:12
//! -------
//! lines that stand there
//! =======
//! lines that come in their place
//! >>>>>>> REPLACE
//! ```
//!
//! The line number and the dashes can be left out; a file name can stand above, with or without a
//! code fence between. Lines of the content that look like one of these markers begin with a
//! backslash, which is taken off. All blocks are looked for in the content as it was, and either
//! all are applied or none is, with the reason for each that was not.
//!
//! ```
//! use dogu_edit::blocks::{apply, parse};
//!
//! let blocks = parse("<<<<<<< SEARCH\nb\n=======\nB\n>>>>>>> REPLACE\n").unwrap();
//! assert_eq!(apply("a\nb\n", &blocks).unwrap().text, "a\nB\n");
//! ```

mod error;
mod escape;
mod file_name;
mod inside;
mod marker;
mod parse;

pub use crate::place::{Failure as BlockFailure, Piece, Placed, Problem};
pub use error::{BlockError, BlockFault};
pub use parse::parse;

use crate::diff::changes;
use crate::place::{Hunk, HunkLine, Mark, place_all};

/// Lines to be found, and the lines that come in their place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The file that is named above it, or above the block before it.
    pub path: Option<String>,
    /// Whole lines, each with a line feed.
    pub search: String,
    /// Whole lines, each with a line feed; nothing to remove what was found.
    pub replace: String,
    /// Where the lines are said to begin in the content as it was, from 1: a hint.
    pub start_line: Option<usize>,
    /// Where they are said to end; not needed to find them.
    pub end_line: Option<usize>,
    /// The line of the text where the block begins, from 1.
    pub line: usize,
}

/// What blocks make of a content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlocksApplied {
    /// The new content.
    pub text: String,
    /// What became of each block.
    pub blocks: Vec<Placed>,
}

/// Applies all blocks, or none: then the reason for each that could not be. Each is looked for in
/// the content as it was, and two must not change the same lines.
pub fn apply(content: &str, blocks: &[Block]) -> Result<BlocksApplied, Vec<BlockFailure>> {
    let hunks: Vec<Hunk> = blocks.iter().map(Block::hunk).collect();
    let result = place_all(content, &hunks, Piece::Block)?;
    Ok(BlocksApplied { text: result.text, blocks: result.placed })
}

/// The blocks of each file, in the order in which files are first named, so that what fails in one
/// is told apart from the others.
pub fn by_file(blocks: Vec<Block>) -> Vec<(Option<String>, Vec<Block>)> {
    let mut files: Vec<(Option<String>, Vec<Block>)> = Vec::new();
    let mut known = std::collections::HashMap::new();
    for block in blocks {
        let at = *known.entry(block.path.clone()).or_insert(files.len());
        if at == files.len() {
            files.push((block.path.clone(), Vec::new()));
        }
        files[at].1.push(block);
    }
    files
}

/// Writes blocks as [`parse`] reads them, with markers in their content escaped.
pub fn render(blocks: &[Block]) -> String {
    let mut text = String::new();
    let mut path = &None;
    for block in blocks {
        if block.path != *path
            && let Some(path) = &block.path
        {
            text.push_str(&format!("{path}\n"));
        }
        path = &block.path;
        text.push_str("<<<<<<< SEARCH\n");
        for (name, line) in [("start", block.start_line), ("end", block.end_line)] {
            if let Some(line) = line {
                text.push_str(&format!(":{name}_line:{line}\n"));
            }
        }
        text.push_str("-------\n");
        text.push_str(&escape::escaped(&block.search));
        text.push_str("=======\n");
        text.push_str(&escape::escaped(&block.replace));
        text.push_str(">>>>>>> REPLACE\n");
    }
    text
}

impl Block {
    /// The block as a piece of a change: what both parts have is what stays.
    fn hunk(&self) -> Hunk {
        let (old, new) = (lines(&self.search), lines(&self.replace));
        let mut hunk = Hunk { start: self.start_line, line: self.line, ..Hunk::default() };
        let mut put = |mark, lines: &[&str]| {
            let line = |text: &&str| HunkLine { mark, text: (*text).to_owned(), no_newline: false };
            hunk.lines.extend(lines.iter().map(line));
        };
        let mut at = 0;
        for (gone, come) in changes(self.search.as_bytes(), self.replace.as_bytes()) {
            put(Mark::Context, &old[at..gone.start]);
            put(Mark::Removed, &old[gone.clone()]);
            put(Mark::Added, &new[come]);
            at = gone.end;
        }
        put(Mark::Context, &old[at..]);
        hunk
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').map(|line| line.strip_suffix('\n').unwrap_or(line)).collect()
}
