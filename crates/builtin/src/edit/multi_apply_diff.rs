//! `multi_apply_diff`: SEARCH/REPLACE blocks in several files, all or none.

use std::collections::HashSet;

use dogu_edit::blocks::Block;
use dogu_tool::{Action, Category, Exposure, Group, ReadFiles, Scope, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::diffs::{blocks, changed};
use super::plan::Plan;
use super::planning::{PlansEdits, edits};

/// What to change.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The files, each once.
    #[schemars(length(min = 1, max = 200))]
    files: Vec<One>,
}

/// The blocks of one file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct One {
    /// The file, relative to the working folder or absolute.
    path: String,
    /// Its blocks, as `apply_diff` takes them.
    diff: Diff,
}

/// Blocks in one text, or in several.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Diff {
    /// All blocks.
    Text(String),
    /// Some blocks each.
    Parts(Vec<Part>),
}

/// Some blocks.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Part {
    /// The blocks.
    content: String,
    /// Where the first of them begins.
    #[serde(default)]
    start_line: Option<usize>,
}

impl One {
    fn blocks(&self) -> Result<Vec<Block>, ToolError> {
        match &self.diff {
            Diff::Text(text) => blocks(&self.path, text),
            Diff::Parts(parts) => {
                let parts: Result<Vec<_>, _> = parts.iter().map(|part| self.part(part)).collect();
                Ok(parts?.concat())
            }
        }
    }

    fn part(&self, part: &Part) -> Result<Vec<Block>, ToolError> {
        let mut blocks = blocks(&self.path, &part.content)?;
        if let Some(first) = blocks.first_mut() {
            first.start_line = first.start_line.or(part.start_line);
        }
        Ok(blocks)
    }
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct MultiApplyDiff;

impl PlansEdits for MultiApplyDiff {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        let mut spec = ToolSpec::of::<Input>(
            "multi_apply_diff",
            "Changes several files by SEARCH/REPLACE blocks: all of them, or none, and then it says for each file what is wrong.",
        )
        .title("Apply diffs")
        .in_group(Category::Filesystem, Group::Edit)
        .primary("files")
        .alias("args", "files");
        spec.exposure = Exposure::Deferred;
        spec
    }

    fn actions(&self, input: &Input, scope: &Scope) -> Vec<Action> {
        input.files.iter().flat_map(|file| edits(&file.path, scope)).collect()
    }

    fn plan(&self, input: &Input, scope: &Scope, files: &dyn ReadFiles) -> Result<Plan, ToolError> {
        let mut known = HashSet::new();
        if let Some(twice) = input.files.iter().find(|one| !known.insert(scope.resolve(&one.path)))
        {
            return Err(ToolError::invalid(format!("{} is named twice", twice.path))
                .suggest("Put all blocks of a file together."));
        }
        let mut plan = Plan { create_folders: true, ..Plan::default() };
        let (mut failed, mut sound) = (Vec::new(), Vec::new());
        for one in &input.files {
            match one.blocks().and_then(|blocks| changed(&one.path, &blocks, scope, files)) {
                Ok(Ok(file)) => {
                    sound.push(format!("{}: could be changed", one.path));
                    plan.files.push(file);
                }
                Ok(Err(notes)) => plan.notes.extend(notes),
                Err(error) => failed.push(format!("{}: {}", one.path, error.info().message)),
            }
        }
        if failed.is_empty() {
            return Ok(plan);
        }
        let count = format!("{} of {} files", failed.len(), input.files.len());
        failed.append(&mut sound);
        Err(ToolError::failed(format!(
            "{count} cannot be changed, so none was\n{}",
            failed.join("\n")
        )))
    }
}
