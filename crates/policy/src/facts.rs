//! What is known of the things that an action is about, before it is judged.

use std::path::PathBuf;

use dogu_tool::{Action, FileKind};

use crate::analysis::Analysis;
use crate::command::Access;

/// An action with the facts that a judge needs; the only form in which actions reach policy
/// and capabilities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedAction {
    /// What the call would do.
    pub action: Action,
    /// What its path is, if it is about one.
    pub path: Option<PathFacts>,
    /// What its command line does, if it is one.
    pub command: Option<CommandFacts>,
}

impl JudgedAction {
    /// An action that is about neither a path nor a command line.
    pub fn plain(action: Action) -> Self {
        Self { action, path: None, command: None }
    }

    /// It is about a file or folder in the workspace.
    pub fn inside_workspace(&self) -> bool {
        self.path.as_ref().is_some_and(|facts| facts.root.is_some())
    }
}

/// What is known of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathFacts {
    /// The path as the action has it.
    pub declared: PathBuf,
    /// Where that leads: absolute, without links, `.` and `..`.
    pub real: PathBuf,
    /// The real path of the workspace root that holds it.
    pub root: Option<PathBuf>,
    /// There is something.
    pub exists: bool,
    /// What there is.
    pub kind: Option<FileKind>,
    /// The ignore file that shuts agents out of it.
    pub ignored_by: Option<PathBuf>,
    /// It is a file with other names: what is done to it is done to those too.
    pub other_names: bool,
}

/// What is known of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandFacts {
    /// What the line says.
    pub analysis: Analysis,
    /// The files that it names, as the disk has them.
    pub files: Vec<NamedFile>,
    /// Files of the workspace that decide what its commands do.
    pub steered_by: Vec<PathBuf>,
}

/// What is known of a file that a command line names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFile {
    /// What is done with it.
    pub access: Access,
    /// Its name in the line.
    pub named: String,
    /// The shell opens it, not a command: a rule for the command says nothing about it.
    pub redirected: bool,
    /// What it is; or why that cannot be told.
    pub path: Result<PathFacts, String>,
    /// Secrets that were found below it, where everything below it is read.
    pub secrets_below: Vec<PathBuf>,
}
