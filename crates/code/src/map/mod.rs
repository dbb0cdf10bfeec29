//! The map of a code base: what is defined where, the most referred to first.
//!
//! 1. [`Outline::of`] parses a file and notes what it defines and which names it mentions.
//! 2. [`rank`] makes a graph of the files, each pointing at those whose definitions it mentions,
//!    and ranks files and definitions.
//! 3. [`render`] shows as many of the best as fit into a number of tokens.
//!
//! [`Stored`] keeps outlines between calls in a compact form.

mod definition;
mod graph;
mod outline;
mod render;
mod signature;
mod stored;

pub use definition::{Definition, Kind};
pub use graph::{Focus, MappedFile, Ranking, rank};
pub use outline::{NamePool, Outline};
pub use render::{Map, render, tokens};
pub use stored::{Content, Stored, StoredFile};
