//! Permission lists of other systems, read as rules.

pub mod continue_;
pub mod roo;
