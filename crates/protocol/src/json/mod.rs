//! The JSON that models write: as it grows, and when it is slightly broken.

mod arguments;

pub use arguments::{Arguments, ArgumentsError, End, parse_arguments, repair};
