//! `write_file`: the whole content of a file, new or replaced.

use std::path::Path;

use dogu_edit::three_way;
use dogu_tool::{
    Action, Category, Expects, FileChange, FileKind, Group, ReadFiles, Scope, ToolError, ToolSpec,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::opened::{MAX_BYTES, Opened, open, refuse_redacted};
use super::plan::{Changed, Plan};
use super::planning::PlansEdits;
use crate::read::Coding;

/// What to write.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The file, relative to the working folder or absolute.
    path: String,
    /// The whole new content; may be empty.
    content: String,
    /// Make the folders on the way.
    #[serde(default = "yes")]
    create_directories: bool,
}

fn yes() -> bool {
    true
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct WriteFile;

impl PlansEdits for WriteFile {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>(
            "write_file",
            "Writes the whole content of a file. Creates the file and the folders on the way, or replaces what is there. Use edit_file to change a part of it.",
        )
        .title("Write file")
        .in_group(Category::Filesystem, Group::Edit)
        .primary("path")
        .alias("file_path", "path")
    }

    fn actions(&self, input: &Input, scope: &Scope) -> Vec<Action> {
        vec![Action::write(scope.resolve(&input.path))]
    }

    fn plan(&self, input: &Input, scope: &Scope, files: &dyn ReadFiles) -> Result<Plan, ToolError> {
        refuse_redacted(&input.content)?;
        refuse_folder_name(&input.path)?;
        let path = scope.resolve(&input.path);
        let mut plan = match files.facts(&path)? {
            Some(facts) if facts.kind == FileKind::File => {
                Plan::of(replaced(&path, &input.path, &input.content, facts.size, files)?)
            }
            Some(facts) if facts.kind == FileKind::Folder => {
                return Err(ToolError::failed(format!("{} is a folder, not a file", input.path)));
            }
            _ => Plan::of(created(&input.path, &input.content, scope, files)?),
        };
        plan.create_folders = input.create_directories;
        Ok(plan)
    }
}

/// A file that is new.
pub(super) fn created(
    shown: &str,
    content: &str,
    scope: &Scope,
    files: &dyn ReadFiles,
) -> Result<Changed, ToolError> {
    let path = scope.resolve(shown);
    if files.facts(&path)?.is_some() {
        return Err(ToolError::failed(format!("{shown} is there already; nothing was changed"))
            .suggest("Update it, or write_file replaces it."));
    }
    Ok(Changed {
        changes: vec![FileChange::write(&path, content).expecting(Expects::Nothing)],
        path,
        shown: shown.to_owned(),
        moved_from: None,
        before: None,
        after: Some(content.to_owned()),
        shows_diff: false,
        verb: "Created",
        detail: format!(" ({} bytes)", content.len()),
        notes: Vec::new(),
        facts: json!({"path": shown, "status": "created"}),
    })
}

/// A file whose whole content is replaced.
fn replaced(
    path: &Path,
    shown: &str,
    content: &str,
    size: u64,
    files: &dyn ReadFiles,
) -> Result<Changed, ToolError> {
    let opened = if size <= MAX_BYTES { open(path, shown, files).ok() } else { None };
    let mut notes = Vec::new();
    let mut after = content.to_owned();
    if let Some(opened) = &opened
        && let Some(merged) = merged(path, shown, content, opened, files)?
    {
        notes.push(format!(
            "{shown} changed since you read it: what changed there meanwhile was kept, see the diff"
        ));
        after = merged;
    }
    let bytes = match &opened {
        Some(opened) => opened.encoded(&after, shown)?,
        None => after.clone().into_bytes(),
    };
    let expects = opened.as_ref().map_or(Expects::Anything, |file| Expects::Content(file.hash));
    Ok(Changed {
        detail: format!(" ({size} → {} bytes)", bytes.len()),
        changes: vec![FileChange::write(path, bytes).expecting(expects)],
        path: path.to_path_buf(),
        shown: shown.to_owned(),
        moved_from: None,
        before: opened.map(|file| file.text),
        after: Some(after),
        shows_diff: !notes.is_empty(),
        verb: "Replaced",
        notes,
        facts: json!({"path": shown, "status": "replaced"}),
    })
}

/// The content with what changed in the file since it was read; none where nothing did.
fn merged(
    path: &Path,
    shown: &str,
    content: &str,
    now: &Opened,
    files: &dyn ReadFiles,
) -> Result<Option<String>, ToolError> {
    let Some(seen) = files.last_seen(path)?.and_then(|seen| seen.hash) else { return Ok(None) };
    if seen == now.hash {
        return Ok(None);
    }
    let base = files.last_content(path)?.and_then(|bytes| Coding::whole(bytes.to_vec()));
    let Some((base, _)) = base else { return Err(changed_since(shown, None)) };
    match three_way::merge(&base, &now.text, content) {
        Ok(merged) => Ok(Some(merged.text)),
        Err(conflict) => Err(changed_since(shown, Some(conflict.to_string()))),
    }
}

fn changed_since(shown: &str, conflict: Option<String>) -> ToolError {
    let conflict = conflict.map(|text| format!("\n{text}")).unwrap_or_default();
    ToolError::failed(format!(
        "{shown} changed since you read it, and the new content would undo that; nothing was written{conflict}"
    ))
    .suggest("Read it again, then write or edit what is there now.")
}

/// The slash at the end says that a folder is meant; a file of that name would be in its way.
fn refuse_folder_name(path: &str) -> Result<(), ToolError> {
    if !path.ends_with('/') {
        return Ok(());
    }
    Err(ToolError::invalid(format!("{path} names a folder, not a file; nothing was written"))
        .suggest("Name a file; the folders on its way are made."))
}
