//! Vectors of pieces: which of them mean nearly the same as a question.
//!
//! - [`Quantised`] is a vector in a byte a number; its direction is all that is kept.
//! - [`Vectors`] are those of a tree of files: a text has one vector wherever it stands, and a
//!   file is known by the hash of its content, so that a piece that only moved is not asked for
//!   again.
//! - [`fuse`] makes one ranking of several.

mod fuse;
mod quantised;
mod store;
mod stored;

pub use fuse::fuse;
pub use quantised::Quantised;
pub use store::{Spot, Vectors};
