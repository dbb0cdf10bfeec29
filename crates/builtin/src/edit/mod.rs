//! Changing files: right, or refused with what to do next.
//!
//! Every tool here is a plan of changes against the files as they are (`plan.rs`), made without
//! any effect. The same plan is the preview that a person sees, the answer of a dry run, and what
//! one transaction writes: all of it or nothing.
//!
//! 1. `opened.rs`: the text of a file in its encoding, and back into bytes.
//! 2. A tool makes `Changed` files: `edit_file.rs` and its other names in `shapes.rs`,
//!    `multi_edit.rs`, `apply_diff.rs`, `apply_patch.rs`, `write_file.rs`, `move_file.rs`.
//! 3. `plan.rs` shows them as a diff, writes them, and says what was done.
//! 4. `syntax.rs`: a file that was sound before and is not any more gets a warning.

mod apply_diff;
mod apply_patch;
mod delete_file;
mod diffs;
mod edit_file;
mod move_file;
mod multi_apply_diff;
mod multi_edit;
mod opened;
mod plan;
mod planning;
mod replace;
mod search_and_replace;
mod shapes;
mod syntax;
mod write_file;

pub use apply_diff::ApplyDiff;
pub use apply_patch::ApplyPatch;
pub use delete_file::DeleteFile;
pub use edit_file::EditFile;
pub use move_file::MoveFile;
pub use multi_apply_diff::MultiApplyDiff;
pub use multi_edit::MultiEdit;
pub use search_and_replace::SearchAndReplace;
pub use shapes::{Edit, SearchReplace, SingleFindAndReplace};
pub use write_file::WriteFile;

pub(crate) use planning::planned;
