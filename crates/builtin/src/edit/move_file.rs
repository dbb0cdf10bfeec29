//! `move_file`: a file gets another name.

use dogu_tool::{
    Action, Category, FileChange, FileKind, Group, ReadFiles, Scope, ToolError, ToolSpec,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::plan::{Changed, Plan};
use super::planning::PlansEdits;

/// What to move.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The file, relative to the working folder or absolute.
    source: String,
    /// Its new path, where nothing may be; the folders on the way are made.
    destination: String,
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct MoveFile;

impl PlansEdits for MoveFile {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>("move_file", "Moves or renames a file. Nothing is overwritten.")
            .title("Move file")
            .in_group(Category::Filesystem, Group::Edit)
            .primary("source")
            .alias("from", "source")
            .alias("to", "destination")
    }

    fn actions(&self, input: &Input, scope: &Scope) -> Vec<Action> {
        let (source, target) = (scope.resolve(&input.source), scope.resolve(&input.destination));
        vec![Action::read(source.clone()), Action::delete(source), Action::write(target)]
    }

    fn plan(&self, input: &Input, scope: &Scope, files: &dyn ReadFiles) -> Result<Plan, ToolError> {
        moved(&input.source, &input.destination, scope, files).map(Plan::of)
    }
}

/// A file that gets another name.
pub(super) fn moved(
    source: &str,
    target: &str,
    scope: &Scope,
    files: &dyn ReadFiles,
) -> Result<Changed, ToolError> {
    let (from, to) = (scope.resolve(source), scope.resolve(target));
    match files.facts(&from)? {
        None => return Err(ToolError::failed(format!("there is no file {source}"))),
        Some(facts) if facts.kind == FileKind::Folder => {
            return Err(ToolError::failed(format!("{source} is a folder; only files are moved")));
        }
        Some(_) => {}
    }
    if from == to {
        return Err(ToolError::invalid(format!("{source} is there already")));
    }
    if files.facts(&to)?.is_some() {
        return Err(ToolError::failed(format!("{target} is there already; nothing was moved"))
            .suggest("Choose another name, or delete that file first."));
    }
    Ok(Changed {
        changes: vec![FileChange::rename(&from, &to)],
        path: to,
        shown: target.to_owned(),
        moved_from: Some((from, source.to_owned())),
        before: Some(String::new()),
        after: Some(String::new()),
        shows_diff: false,
        verb: "Moved",
        detail: format!(" (from {source})"),
        notes: Vec::new(),
        facts: json!({"path": target, "status": "moved", "moved_from": source}),
    })
}
