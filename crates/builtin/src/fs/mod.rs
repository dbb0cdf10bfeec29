//! Files and folders.

mod folder_at;
mod glob;
mod glob_search;
mod list_files;
mod listing;
mod ls;
mod nearest;
mod view_subdirectory;

pub use glob::Glob;
pub use glob_search::GlobSearch;
pub use list_files::ListFiles;
pub use ls::Ls;
pub use view_subdirectory::ViewSubdirectory;
