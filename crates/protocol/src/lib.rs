//! Every way a model can ask for a tool, parsed once, as it streams.
//!
//! A pure crate: no I/O, no async. Text and wire formats go in, [`Event`]s come out, the same
//! ones however the stream was cut into chunks; an unterminated call never ends as complete.

pub mod event;
pub mod json;
pub mod native;
pub mod tools;

pub use event::{Event, FailedCall, ParsedCall};
pub use native::{DeltaParser, NativeParser, Provider, ToolCallDelta};
pub use tools::{KnownTool, Tools};
