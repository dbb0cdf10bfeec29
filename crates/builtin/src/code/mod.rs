//! Looking at code: by the words that it is made of, and by what it defines.

mod codebase_search;
mod view_repo_map;

pub use codebase_search::{Codebase, CodebaseSearch, Indexes};
pub use view_repo_map::ViewRepoMap;
