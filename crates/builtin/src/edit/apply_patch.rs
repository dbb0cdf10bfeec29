//! `apply_patch`: files added, changed, moved and deleted together.

use std::collections::HashSet;
use std::path::PathBuf;

use dogu_edit::patch::{FileChange as PatchChange, FilePatch, Hunk, apply_update, parse};
use dogu_tool::{
    Action, Category, Expects, FileChange, Group, ReadFiles, Scope, ToolError, ToolSpec,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::delete_file::deleted;
use super::diffs::placed;
use super::move_file::moved;
use super::opened::{open, refuse_redacted};
use super::plan::{Changed, Plan};
use super::planning::PlansEdits;
use super::write_file::created;

/// What to change.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// `*** Begin Patch`, then for each file `*** Add File: path`, `*** Update File: path` (and `*** Move to: path`) or `*** Delete File: path` with lines that begin with `+`, `-` or a space, below `@@ line above` where that is needed, then `*** End Patch`. Or a unified diff as git prints it.
    patch: String,
    /// Only show what would change.
    #[serde(default)]
    dry_run: bool,
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct ApplyPatch;

impl PlansEdits for ApplyPatch {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>(
            "apply_patch",
            "Adds, changes, moves and deletes files by a patch: all of it, or nothing. Hunks are found by their lines; line numbers are only hints.",
        )
        .title("Apply patch")
        .in_group(Category::Filesystem, Group::Edit)
        .primary("patch")
        .alias("input", "patch")
        .alias("diff", "patch")
    }

    fn actions(&self, input: &Input, scope: &Scope) -> Vec<Action> {
        // What cannot be read does nothing.
        let files = parse(&input.patch).map(|patch| patch.files).unwrap_or_default();
        files.iter().flat_map(|file| actions(file, scope)).collect()
    }

    fn is_dry_run(&self, input: &Input) -> bool {
        input.dry_run
    }

    fn plan(&self, input: &Input, scope: &Scope, files: &dyn ReadFiles) -> Result<Plan, ToolError> {
        let patch = parse(&input.patch).map_err(|error| ToolError::invalid(error.to_string()))?;
        refuse_twice(&patch.files, scope)?;
        let mut plan = Plan { create_folders: true, ..Plan::default() };
        let mut failed = Vec::new();
        for file in &patch.files {
            if file.executable.is_some() {
                plan.notes.push(format!("the mode of {} was not changed", file.path));
            }
            match planned(file, scope, files) {
                Ok(Ok(changed)) => plan.files.push(changed),
                Ok(Err(notes)) => plan.notes.extend(notes),
                Err(error) => failed.push(format!("{}: {}", file.path, error.info().message)),
            }
        }
        if failed.is_empty() {
            return Ok(plan);
        }
        let count = format!("{} of {} files", failed.len(), patch.files.len());
        let reasons = failed.join("\n");
        Err(ToolError::failed(format!(
            "the patch does not fit {count}, so nothing was changed\n{reasons}"
        )))
    }
}

fn actions(file: &FilePatch, scope: &Scope) -> Vec<Action> {
    let path = scope.resolve(&file.path);
    match &file.change {
        PatchChange::Add { .. } => vec![Action::write(path)],
        PatchChange::Delete => vec![Action::read(path.clone()), Action::delete(path)],
        PatchChange::Update { move_to: None, .. } => {
            vec![Action::read(path.clone()), Action::write(path)]
        }
        PatchChange::Update { move_to: Some(target), .. } => {
            let target = scope.resolve(target);
            vec![Action::read(path.clone()), Action::delete(path), Action::write(target)]
        }
    }
}

/// Two changes of one file would be planned against the same old content.
fn refuse_twice(files: &[FilePatch], scope: &Scope) -> Result<(), ToolError> {
    let mut known: HashSet<PathBuf> = HashSet::new();
    for file in files {
        let target = match &file.change {
            PatchChange::Update { move_to, .. } => move_to.as_deref(),
            PatchChange::Add { .. } | PatchChange::Delete => None,
        };
        for path in std::iter::once(file.path.as_str()).chain(target) {
            if !known.insert(scope.resolve(path)) {
                return Err(ToolError::invalid(format!("the patch changes {path} twice"))
                    .suggest("Put all changes of a file into one part of the patch."));
            }
        }
    }
    Ok(())
}

fn planned(
    file: &FilePatch,
    scope: &Scope,
    files: &dyn ReadFiles,
) -> Result<Result<Changed, Vec<String>>, ToolError> {
    match &file.change {
        PatchChange::Add { content } => {
            refuse_redacted(content)?;
            created(&file.path, content, scope, files).map(Ok)
        }
        PatchChange::Delete => deleted(&file.path, scope, files).map(Ok),
        PatchChange::Update { hunks, move_to: Some(target) } if hunks.is_empty() => {
            moved(&file.path, target, scope, files).map(Ok)
        }
        PatchChange::Update { hunks, move_to } => {
            updated(&file.path, hunks, move_to.as_deref(), scope, files)
        }
    }
}

fn updated(
    shown: &str,
    hunks: &[Hunk],
    target: Option<&str>,
    scope: &Scope,
    files: &dyn ReadFiles,
) -> Result<Result<Changed, Vec<String>>, ToolError> {
    let path = scope.resolve(shown);
    let opened = open(&path, shown, files)?;
    let updated = apply_update(&opened.text, hunks).map_err(|failures| {
        let reasons: Vec<String> = failures.iter().map(ToString::to_string).collect();
        ToolError::failed(reasons.join("\n"))
    })?;
    refuse_redacted(&updated.text).or_else(|error| {
        // What the file has of it was there before.
        refuse_redacted(&opened.text).map_or(Ok(()), |()| Err(error))
    })?;
    let (notes, facts) = placed(&updated.hunks, "hunk");
    if updated.text == opened.text && target.is_none() {
        return Ok(Err(notes.into_iter().map(|note| format!("{shown}: {note}")).collect()));
    }
    let mut file = Changed::edited(path.clone(), shown, &opened, updated.text)?;
    file.notes = notes;
    file.facts["hunks"] = json!(facts);
    if let Some(target) = target {
        move_to(&mut file, target, scope);
    }
    Ok(Ok(file))
}

/// The changed content goes to another path, with the rights of the file that it was.
fn move_to(file: &mut Changed, target: &str, scope: &Scope) {
    let source = std::mem::replace(&mut file.path, scope.resolve(target));
    let shown = std::mem::replace(&mut file.shown, target.to_owned());
    let Some(mut written) = file.changes.pop() else { return };
    let expected = std::mem::replace(&mut written.expects, Expects::Nothing);
    written.path.clone_from(&file.path);
    written.like = Some(source.clone());
    file.changes = vec![written, FileChange::remove(&source).expecting(expected)];
    file.verb = "Moved";
    file.detail = format!(" (from {shown}), changed");
    file.facts["path"] = json!(target);
    file.facts["status"] = json!("moved");
    file.facts["moved_from"] = json!(shown);
    file.moved_from = Some((source, shown));
}
