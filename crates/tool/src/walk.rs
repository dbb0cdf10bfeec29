//! Walking a tree: what a tool is shown of it, and what it is told was left out.

use std::fs::File;
use std::num::NonZeroUsize;
use std::path::Path;

use crate::context::{FileFacts, FileKind};
use crate::error::ToolError;

/// How a tree is walked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkOptions {
    /// Leaves out what `.gitignore`, `.ignore` and git's exclude files name.
    pub git_ignores: bool,
    /// Shows names that begin with a dot. `.git` is never entered, but when the walk starts there.
    pub hidden: bool,
    /// How many names deep it goes; 1 is the folder's own entries.
    pub max_depth: Option<usize>,
    /// Shows what is left out too, marked ([`WalkEntry::left_out`]) and closed: it is not entered.
    pub show_left_out: bool,
    /// How many threads visit; as many as there are cores where it is not said.
    pub threads: Option<NonZeroUsize>,
}

impl Default for WalkOptions {
    fn default() -> Self {
        Self {
            git_ignores: true,
            hidden: true,
            max_depth: None,
            show_left_out: false,
            threads: None,
        }
    }
}

/// Why an entry is not part of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LeftOut {
    /// git or ripgrep would leave it out.
    GitIgnored,
    /// `.doguignore` or `.rooignore` shuts agents out.
    ShutOut,
    /// It may hold secrets; a call that names it asks.
    Secret,
    /// A repository's own store.
    VersionControl,
}

/// What to do after an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Onward {
    /// Go on; a folder is entered.
    Go,
    /// Go on; this folder is not entered.
    Skip,
    /// End the walk, on all threads.
    Stop,
}

/// A name that a walk came by. It is held open by its folder: whatever happens to the names
/// above it meanwhile, this is the entry that was found.
pub trait WalkEntry {
    /// Its path below the folder that is walked; empty where that is a file itself.
    fn path(&self) -> &Path;
    /// What it is; links are not followed.
    fn kind(&self) -> FileKind;
    /// Why it is closed; only where [`WalkOptions::show_left_out`] asks for such entries.
    fn left_out(&self) -> Option<LeftOut>;
    /// Its size and times.
    fn facts(&self) -> Result<FileFacts, ToolError>;
    /// Opens a regular file that is not left out.
    fn open(&self) -> Result<File, ToolError> {
        self.open_sized().map(|(file, _)| file)
    }
    /// Opens a regular file that is not left out, and says how large it was then: whoever has
    /// read that much need not ask for more.
    fn open_sized(&self) -> Result<(File, u64), ToolError>;
}

/// What is done with the entries; each thread of a walk has its own.
pub trait Visitor: Send {
    /// Looks at an entry. Folders come before what is in them, else there is no order.
    fn visit(&mut self, entry: &dyn WalkEntry) -> Onward;
}

/// Makes a visitor for each thread of a walk.
pub type Visitors<'a> = dyn Fn() -> Box<dyn Visitor + 'a> + Sync + 'a;

/// What a walk met beside what it showed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// Entries that `.gitignore` and its like name; what is below them is not counted.
    pub git_ignored: u64,
    /// Entries that `.doguignore` and `.rooignore` name.
    pub shut_out: u64,
    /// Files and folders that may hold secrets.
    pub secret: u64,
    /// Folders and files that could not be read.
    pub unreadable: u64,
    /// The first of those, each with the reason, as a person would read it.
    pub first_unreadable: Vec<String>,
    /// A visitor ended it.
    pub stopped: bool,
}
