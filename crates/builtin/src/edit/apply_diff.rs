//! `apply_diff`: SEARCH/REPLACE blocks in one file.

use dogu_tool::{Action, Category, Group, ReadFiles, Scope, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::diffs::{blocks, changed, plan_of};
use super::plan::Plan;
use super::planning::{PlansEdits, edits};

/// What to change.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The file, relative to the working folder or absolute.
    path: String,
    /// One or more blocks, each: `<<<<<<< SEARCH`, optionally `:start_line:N` and `-------`, the lines that stand in the file, `=======`, the lines that come in their place, `>>>>>>> REPLACE`. A line of the file that looks like a marker gets a backslash in front.
    diff: String,
    /// Only show what would change.
    #[serde(default)]
    dry_run: bool,
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct ApplyDiff;

impl PlansEdits for ApplyDiff {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>(
            "apply_diff",
            "Changes a file by SEARCH/REPLACE blocks, all or none. All blocks are looked for in the file as it is now; a line number only decides between equal places.",
        )
        .title("Apply diff")
        .in_group(Category::Filesystem, Group::Edit)
        .primary("path")
        .alias("file_path", "path")
    }

    fn actions(&self, input: &Input, scope: &Scope) -> Vec<Action> {
        edits(&input.path, scope)
    }

    fn is_dry_run(&self, input: &Input) -> bool {
        input.dry_run
    }

    fn plan(&self, input: &Input, scope: &Scope, files: &dyn ReadFiles) -> Result<Plan, ToolError> {
        let blocks = blocks(&input.path, &input.diff)?;
        Ok(plan_of(changed(&input.path, &blocks, scope, files)?))
    }
}
