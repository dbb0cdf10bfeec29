//! `delete_file`: a file goes.

use dogu_tool::{
    Action, Category, Expects, FileChange, FileKind, Group, ReadFiles, Scope, ToolError, ToolSpec,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::opened::{MAX_BYTES, open};
use super::plan::{Changed, Plan};
use super::planning::PlansEdits;

/// What to delete.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The file, relative to the working folder or absolute.
    path: String,
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct DeleteFile;

impl PlansEdits for DeleteFile {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>(
            "delete_file",
            "Deletes a file. The user can take it back with `dogu undo`.",
        )
        .title("Delete file")
        .in_group(Category::Filesystem, Group::Edit)
        .primary("path")
        .alias("file_path", "path")
    }

    fn actions(&self, input: &Input, scope: &Scope) -> Vec<Action> {
        vec![Action::delete(scope.resolve(&input.path))]
    }

    fn plan(&self, input: &Input, scope: &Scope, files: &dyn ReadFiles) -> Result<Plan, ToolError> {
        deleted(&input.path, scope, files).map(Plan::of)
    }
}

/// A file that goes. Its text is shown where it has one that may be seen.
pub(super) fn deleted(
    shown: &str,
    scope: &Scope,
    files: &dyn ReadFiles,
) -> Result<Changed, ToolError> {
    let path = scope.resolve(shown);
    let Some(facts) = files.facts(&path)? else {
        return Err(ToolError::failed(format!("there is no file {shown}; nothing was changed")));
    };
    if facts.kind == FileKind::Folder {
        return Err(ToolError::failed(format!("{shown} is a folder; only files are deleted"))
            .suggest("Delete its files one by one, or ask the user."));
    }
    let opened = if facts.size <= MAX_BYTES { open(&path, shown, files).ok() } else { None };
    let expects = opened.as_ref().map_or(Expects::Anything, |file| Expects::Content(file.hash));
    Ok(Changed {
        changes: vec![FileChange::remove(&path).expecting(expects)],
        path,
        shown: shown.to_owned(),
        moved_from: None,
        before: opened.map(|file| file.text),
        after: None,
        shows_diff: false,
        verb: "Deleted",
        detail: format!(" ({} bytes)", facts.size),
        notes: Vec::new(),
        facts: json!({"path": shown, "status": "deleted"}),
    })
}
