//! What source code says. No I/O: whoever uses this brings the texts.

mod bytes;
pub mod index;
pub mod language;
pub mod map;
pub mod pieces;
pub mod vectors;
pub mod words;
