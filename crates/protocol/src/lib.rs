//! Every way a model can ask for a tool, parsed once, as it streams.
//!
//! A pure crate: no I/O, no async. Text and wire formats go in, [`Event`]s come out, the same
//! ones however the stream was cut into chunks; an unterminated call never ends as complete.
//! [`MessageParser`] reads everything; the parsers that it is made of can be used alone.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`message`] | one message in whatever format, from bytes |
//! | [`text`] | calls in plain text, in eight forms |
//! | [`native`] | the wire formats of OpenAI, Anthropic and Gemini, streamed and whole |
//! | [`json`] | JSON that is still arriving, or slightly broken |
//! | [`preview`] | what a call looks like while it grows |
//! | [`coerce`](mod@coerce) | values fitted to their schema |
//! | [`schema`] | tool definitions that every provider accepts |
//! | [`render`] | results, in the form in which their calls came |
//! | [`choice`] | which protocol to use with a model |
//! | [`life_cycle`], [`roo_args`] | for tools that are written against Roo-Code's callbacks |

pub mod choice;
pub mod coerce;
pub mod event;
pub mod json;
pub mod life_cycle;
pub mod message;
pub mod native;
pub mod preview;
pub mod render;
pub mod roo_args;
pub mod schema;
pub mod text;
pub mod tools;

pub use choice::{Protocol, choose};
pub use event::{Event, FailedCall, ParsedCall, Sink};
pub use message::{Format, MessageParser};
pub use native::{DeltaParser, NativeParser, Provider, ToolCallDelta};
pub use preview::Previews;
pub use render::{Answer, Rendered, ResultForm};
pub use tools::{KnownTool, Tools};
