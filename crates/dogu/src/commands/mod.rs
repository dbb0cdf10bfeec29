//! One file a command.

pub(crate) mod call;
pub(crate) mod completions;
pub(crate) mod conformance;
pub(crate) mod dispatch;
pub(crate) mod doctor;
pub(crate) mod edit;
pub(crate) mod log;
pub(crate) mod mcp;
pub(crate) mod parse;
pub(crate) mod policy;
pub(crate) mod serve;
pub(crate) mod tools;
pub(crate) mod trust;
pub(crate) mod undo;
