//! Finding text in files.

mod grep;
mod grep_search;
mod search_files;

pub use grep::Grep;
pub use grep_search::GrepSearch;
pub use search_files::SearchFiles;
