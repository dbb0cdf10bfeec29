//! The JSON that models write: as it grows, and when it is slightly broken.
//!
//! | file | what it does |
//! | --- | --- |
//! | `arguments.rs` | a call's arguments, whole: an object, or an error that says where |
//! | `strict.rs` | text that is JSON, with no key given twice |
//! | `repair/` | text that is nearly JSON, read as what it can only have meant, with notes |
//! | `partial/` | the value so far of JSON that is still arriving, for previews |
//! | `frame.rs` | where a value ends in a stream, without building it |
//! | `number.rs`, `escape.rs` | the grammar that the readers share |

mod arguments;
mod error;
mod escape;
mod frame;
mod number;
mod partial;
mod repair;
pub(crate) mod strict;

pub use arguments::{Arguments, parse_arguments};
pub use error::ArgumentsError;
pub use frame::JsonFramer;
pub(crate) use frame::Scan;
pub use partial::{PartialJson, PartialState};
pub use repair::{End, repair};

/// How deep arrays and objects may be nested. A limit, so that no input can exhaust the stack,
/// neither where it is read nor where its value is dropped.
pub const MAX_DEPTH: usize = 128;

/// What is said of JSON that is nested deeper than that.
const TOO_DEEP: &str = "arrays and objects are nested more than 128 deep";
