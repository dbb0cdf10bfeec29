//! A text cut into pieces along its syntax: functions, types, sections; else windows of lines.
//!
//! 1. `family` says from the path how a language looks: its comments, strings and keywords.
//! 2. A scanner finds what is defined where: `braces` counts braces outside of strings and
//!    comments, `indented` goes by indentation (which languages with `end` keep as well),
//!    `markdown` by headings. They recover by indentation where braces do not match.
//! 3. `finish` covers all other lines too: small neighbours are joined, long pieces cut.
//!
//! Everything is one pass over the text, whatever it holds.

mod braces;
mod family;
mod finish;
mod header;
mod indented;
mod literals;
mod markdown;
mod outline;
mod suitable;

use std::ops::Range;

pub use suitable::{MAX_BYTES, Unsuitable, is_demoted, is_test_path, unsuitable};

use family::Shape;
use outline::Outline;

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A function, method or macro.
    Function,
    /// A type, a class, an implementation, a module.
    Type,
    /// Constants, aliases, declarations.
    Declaration,
    /// What stands below a heading.
    Section,
    /// Other lines.
    Lines,
}

impl Kind {
    /// Every kind; the place in this list is its number in an index.
    pub const ALL: [Self; 5] =
        [Self::Function, Self::Type, Self::Declaration, Self::Section, Self::Lines];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Type => "type",
            Self::Declaration => "declaration",
            Self::Section => "section",
            Self::Lines => "lines",
        }
    }
}

/// A piece of a text. The ranges are of bytes; those of comment and header lie in `text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub kind: Kind,
    /// What it defines; several names are apart by a comma.
    pub symbol: String,
    /// What it is a part of: `Display for Path`, `server.Session`.
    pub container: String,
    /// The first line, from 1.
    pub first_line: u32,
    /// The last line.
    pub last_line: u32,
    /// All of it.
    pub text: Range<usize>,
    /// The comment above it.
    pub comment: Range<usize>,
    /// The comment inside of it that documents it.
    pub inner_comment: Range<usize>,
    /// From its name's line to where its body begins.
    pub header: Range<usize>,
    /// It tests something.
    pub test: bool,
    /// It is not the first part of what was cut because it is long.
    pub continued: bool,
}

/// The pieces of a text, in order. Blank lines and lone brackets belong to none.
pub fn pieces(path: &str, text: &str) -> Vec<Piece> {
    let language = family::language(path);
    let mut outline = Outline::new(text);
    match language.shape {
        Shape::Braces => braces::scan(language, &mut outline),
        Shape::Indented => indented::scan(language, &mut outline),
        Shape::Headings => markdown::scan(&mut outline),
        Shape::Unknown => {}
    }
    finish::finish(outline)
}
