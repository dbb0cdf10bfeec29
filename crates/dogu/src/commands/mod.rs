//! One file a command.

pub(crate) mod call;
pub(crate) mod completions;
pub(crate) mod log;
pub(crate) mod serve;
pub(crate) mod tools;
