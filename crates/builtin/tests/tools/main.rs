//! The built-in tools, each with a bare context: no runtime, no policy, only a folder.

#![expect(clippy::disallowed_methods, reason = "tests look at the disk themselves")]
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail as tests do")]

mod all;
mod canceled;
mod codebase_meaning;
mod codebase_search;
mod codebase_store;
mod edit_bad_input;
mod edit_blocks;
mod edit_encodings;
mod edit_patch;
mod edit_replace;
mod edit_stale;
mod fixtures;
mod glob;
mod grep;
mod list_files;
mod read_currently_open_file;
mod read_documents;
mod read_encodings;
mod read_file;
mod read_forms;
mod read_hostile;
mod read_images;
mod search_shapes;
mod search_tools;
#[path = "../../../net/tests/server/mod.rs"]
mod server;
mod support;
mod view_diff;
mod view_diff_against_git;
mod view_diff_repositories;
mod view_repo_map;
mod view_subdirectory;
mod write_file;
