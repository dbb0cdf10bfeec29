//! Why a piece of a change could not be put in its place.

use std::fmt;

use crate::Refusal;

/// How many lines are named.
const MAX_LINES: usize = 10;
/// How many bytes of a line of the file are shown.
const MAX_SHOWN: usize = 120;

/// What a piece is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A SEARCH/REPLACE block.
    Block,
    /// A hunk of a patch.
    Hunk,
}

/// Why a piece could not be put in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The text to be changed is not there, or not only once, or the change is none.
    Refused {
        /// Why, and what stands there instead.
        refusal: Refusal,
        /// How like the nearest text is, in percent.
        similarity: Option<u8>,
    },
    /// These lines fit equally well.
    Ambiguous {
        /// From 1.
        lines: Vec<usize>,
    },
    /// The line of a `@@` header is not in the file.
    NoHeader {
        /// The header.
        header: String,
        /// The line most like it, from 1, and its text.
        nearest: Option<(usize, String)>,
    },
    /// Its text stands in the file, but not below its header.
    OutsideHeader {
        /// The header.
        header: String,
        /// Where the text stands, from 1.
        line: usize,
    },
    /// It changes the same lines as another piece.
    Overlaps {
        /// The number of the other one, from 1.
        other: usize,
    },
    /// The text to be changed stands only as part of a line, and pieces are whole lines.
    PartOfLine {
        /// From 1.
        line: usize,
    },
    /// It has nothing to be found by but a line number, and the file is shorter.
    PastEnd {
        /// How many lines the file has.
        lines: usize,
    },
    /// A block without a SEARCH part, for a file that is not empty.
    NoSearch,
    /// It was not looked for, because so many others had already failed or were hard to find.
    NotTried,
}

/// A piece that could not be put in its place. `Display` is the text for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What it is called.
    pub piece: Piece,
    /// Which one, from 1.
    pub number: usize,
    /// The line of the diff or patch where it begins, from 1.
    pub line: usize,
    /// Why.
    pub problem: Problem,
}

impl std::error::Error for Failure {}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name();
        write!(f, "{name} {} (line {} of what was sent): ", self.number, self.line)?;
        match &self.problem {
            Problem::Refused { refusal, similarity } => {
                if let Some(percent) = similarity {
                    write!(f, "{percent} % like the nearest text. ")?;
                }
                write!(f, "{refusal}")
            }
            Problem::OutsideHeader { header, line } => write!(
                f,
                "its text stands at line {line}, which is not below its header `@@ {}`. Name a line above it, or leave the header out.",
                short(header)
            ),
            Problem::Ambiguous { lines } => self.ambiguous(f, lines),
            Problem::NoHeader { header, nearest } => no_header(f, header, nearest.as_ref()),
            Problem::Overlaps { other } => {
                write!(f, "it changes lines that {name} {other} changes too. All are looked for in the file as it was: send one {name} for both changes.")
            }
            Problem::PartOfLine { line } => {
                write!(f, "its text is only a part of line {line}. Send whole lines.")
            }
            Problem::PastEnd { lines } => write!(
                f,
                "it has no line of the file to be found by, and the file has only {lines} lines. Send it with the lines around the new ones."
            ),
            Problem::NoSearch => f.write_str(
                "the SEARCH part is empty. Name the lines to be replaced; to add lines, repeat the line beside them in both parts.",
            ),
            Problem::NotTried => write!(
                f,
                "not looked for, because too many others were not found as they were sent. Read the file again and send fewer at a time."
            ),
        }
    }
}

impl Failure {
    fn name(&self) -> &'static str {
        match self.piece {
            Piece::Block => "block",
            Piece::Hunk => "hunk",
        }
    }

    fn ambiguous(&self, f: &mut fmt::Formatter<'_>, lines: &[usize]) -> fmt::Result {
        let shown: Vec<_> = lines.iter().take(MAX_LINES).map(ToString::to_string).collect();
        let more = lines.len().saturating_sub(MAX_LINES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let hint = match self.piece {
            Piece::Block => "Add lines around it until it stands there once, or a `:start_line:`.",
            Piece::Hunk => "Add lines around it until it stands there once, or a `@@` header.",
        };
        write!(f, "its text stands at lines {}{more} of the file. {hint}", shown.join(", "))
    }
}

fn no_header(
    f: &mut fmt::Formatter<'_>,
    header: &str,
    nearest: Option<&(usize, String)>,
) -> fmt::Result {
    write!(f, "no line of the file is its header `@@ {}`.", short(header))?;
    if let Some((line, text)) = nearest {
        write!(f, " The nearest is line {line}: `{}`.", short(text))?;
    }
    f.write_str(" A header is a whole line that stands above the change; or leave it out.")
}

/// The beginning of a text, cut between characters.
pub(super) fn short(text: &str) -> &str {
    let text = text.trim();
    &text[..text.floor_char_boundary(MAX_SHOWN)]
}
