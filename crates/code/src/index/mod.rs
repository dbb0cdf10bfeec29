//! A ranked index of the pieces of many texts.
//!
//! - [`digest`] turns a text into what the index keeps of it; that is most of the work, and can be
//!   done on many threads.
//! - [`Builder`] and [`merge`] make a [`Segment`]: bytes that are searched as they lie there,
//!   every read checked against their bounds.
//! - [`Catalog`] says which file is in which segment and how it looked when it was read. It has
//!   two: what a tree was when all of it was read, and what changed since.
//! - [`search`] ranks the pieces of some segments for a question.

mod apply;
mod catalog;
mod digest;
mod learn;
mod postings;
mod search;
mod segment;
mod stored;
mod weights;
mod write;

pub use apply::{Change, Content};
pub use catalog::{Catalog, Entry, Hit, Hits};
pub use digest::{Digest, digest};
pub use search::{Found, Part, Ranking, search};
pub use segment::{PieceRecord, Segment};
pub use weights::Weights;
pub use write::{Builder, NewNumbers, merge};

/// What the words of a piece are counted apart for: a name says more than a line of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// What it defines.
    Name,
    /// What it is a part of.
    Container,
    /// Parameters and types.
    Header,
    /// Where it lies.
    Path,
    /// What its comment says.
    Comment,
    /// All else.
    Body,
}

/// How many fields there are.
pub const FIELDS: usize = 6;

/// An index that cannot be read: it is damaged, or of another version. It is made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

impl std::fmt::Display for Damaged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the index is damaged or of another version")
    }
}

impl std::error::Error for Damaged {}
