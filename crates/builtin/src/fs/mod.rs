//! Files and folders.

mod diff;
mod list_files;
mod read_file;
mod write_file;

pub use list_files::ListFiles;
pub use read_file::ReadFile;
pub use write_file::WriteFile;
