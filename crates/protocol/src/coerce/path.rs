//! Where a value stands, without allocation until someone asks.

use std::fmt;

/// A path such as `files[0].limit`.
pub(super) enum Path<'p> {
    Root,
    Key(&'p Path<'p>, &'p str),
    Index(&'p Path<'p>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => out.write_str("input"),
            Self::Key(Self::Root, name) => out.write_str(name),
            Self::Key(parent, name) => write!(out, "{parent}.{name}"),
            Self::Index(parent, index) => write!(out, "{parent}[{index}]"),
        }
    }
}
