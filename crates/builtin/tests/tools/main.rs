//! The built-in tools, each with a bare context: no runtime, no policy, only a folder.

#![expect(clippy::disallowed_methods, reason = "tests look at the disk themselves")]
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail as tests do")]

mod all;
mod list_files;
mod read_file;
mod support;
mod write_file;
