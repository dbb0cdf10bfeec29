//! The user's editor.

mod read_currently_open_file;

pub use read_currently_open_file::ReadCurrentlyOpenFile;
