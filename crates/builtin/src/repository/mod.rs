//! Repositories: what changed.

mod view_diff;

pub use view_diff::ViewDiff;
