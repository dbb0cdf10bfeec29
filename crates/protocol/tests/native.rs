//! The providers' native wire formats, streamed and whole.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

#[path = "native/attacks.rs"]
mod attacks;
#[path = "native/broken.rs"]
mod broken;
#[path = "native/cut.rs"]
mod cut;
#[path = "native/deltas.rs"]
mod deltas;
#[path = "native/print.rs"]
mod print;
#[path = "native/property.rs"]
mod property;
#[path = "native/same.rs"]
mod same;
#[path = "native/streams.rs"]
mod streams;
#[path = "native/support.rs"]
mod support;
#[path = "native/whole.rs"]
mod whole;
