//! What a plan may look at to show a person what it would do.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use dogu_tool::{
    Action, CancelFlag, FileFacts, FolderEntry, Principal, ReadCaps, ReadFiles, Scope, Seen,
    ToolError, Visitors, WalkOptions, Walked,
};

use super::grant::GrantedFiles;
use super::roots::Roots;
use crate::reads::ReadLog;
use dogu_policy::facts::JudgedAction;

/// Reads the paths that a plan names, whatever it would do to them, and changes nothing.
#[derive(Debug)]
pub struct PreviewFiles(GrantedFiles);

impl PreviewFiles {
    /// The files of a plan with these actions.
    pub fn new(roots: Arc<Roots>, planned: Vec<JudgedAction>) -> Self {
        Self(GrantedFiles::new(roots, planned.into_iter().map(as_read).collect()))
    }
}

impl PreviewFiles {
    /// Says who calls: a plan may depend on what was read before.
    pub(crate) fn called_by(self, who: Principal, reads: Arc<ReadLog>) -> Self {
        Self(self.0.called_by(who, reads))
    }
}

fn as_read(judged: JudgedAction) -> JudgedAction {
    let action = match judged.action {
        Action::FileWrite { path } | Action::FileDelete { path } => Action::read(path),
        other => other,
    };
    JudgedAction { action, ..judged }
}

impl ReadFiles for PreviewFiles {
    fn open(&self, path: &Path) -> Result<File, ToolError> {
        self.0.open(path)
    }

    fn facts(&self, path: &Path) -> Result<Option<FileFacts>, ToolError> {
        self.0.facts(path)
    }

    fn list(&self, path: &Path) -> Result<Vec<FolderEntry>, ToolError> {
        self.0.list(path)
    }

    fn walk(
        &self,
        path: &Path,
        options: &WalkOptions,
        cancel: &CancelFlag,
        visitors: &Visitors<'_>,
    ) -> Result<Walked, ToolError> {
        self.0.walk(path, options, cancel, visitors)
    }

    fn remember(&self, path: &Path, seen: Seen, content: Option<&[u8]>) -> Result<(), ToolError> {
        self.0.remember(path, seen, content)
    }

    fn last_seen(&self, path: &Path) -> Result<Option<Seen>, ToolError> {
        self.0.last_seen(path)
    }

    fn last_content(&self, path: &Path) -> Result<Option<Arc<[u8]>>, ToolError> {
        self.0.last_content(path)
    }

    fn last_hash(&self, path: &Path, content: &[u8]) -> Result<Option<[u8; 32]>, ToolError> {
        self.0.last_hash(path, content)
    }
}

/// All that a plan holds while it makes its preview.
#[derive(Debug)]
pub struct PreviewCaps {
    scope: Scope,
    files: PreviewFiles,
}

impl PreviewCaps {
    /// A scope and the files of a plan.
    pub fn new(scope: Scope, files: PreviewFiles) -> Self {
        Self { scope, files }
    }
}

impl ReadCaps for PreviewCaps {
    fn scope(&self) -> &Scope {
        &self.scope
    }

    fn files(&self) -> &dyn ReadFiles {
        &self.files
    }
}
