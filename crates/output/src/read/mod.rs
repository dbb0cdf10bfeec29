//! The ways to read what was kept.

mod errors;
mod lines;
mod page;
mod result;
mod search;

pub use page::{LastLines, Page};
pub use result::{Shown, Since};
pub use search::{Found, FoundLine};
