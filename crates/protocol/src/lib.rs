//! Every way a model can ask for a tool, parsed once, as it streams.
//!
//! A pure crate: no I/O, no async. Text and wire formats go in, [`Event`]s come out, the same
//! ones however the stream was cut into chunks; an unterminated call never ends as complete.

pub mod choice;
pub mod coerce;
pub mod event;
pub mod json;
pub mod life_cycle;
pub mod message;
pub mod native;
pub mod render;
pub mod roo_args;
pub mod schema;
pub mod text;
pub mod tools;

pub use choice::{Protocol, choose};
pub use event::{Event, FailedCall, ParsedCall, Sink};
pub use message::{Format, MessageParser};
pub use native::{DeltaParser, NativeParser, Provider, ToolCallDelta};
pub use render::{Answer, Rendered, ResultForm};
pub use tools::{KnownTool, Tools};
