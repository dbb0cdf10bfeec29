//! `multi_edit`: several replacements in one file, in order, all or none.

use dogu_edit::Count;
use dogu_tool::{Action, Category, Group, ReadFiles, Scope, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::plan::Plan;
use super::planning::{PlansEdits, edits};
use super::replace::{Replacement, replaced};

/// What to replace.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The file, relative to the working folder or absolute.
    path: String,
    /// The replacements, each made in what the one before it left.
    #[schemars(length(min = 1, max = 1000))]
    edits: Vec<One>,
    /// Only show what would change.
    #[serde(default)]
    dry_run: bool,
}

/// One replacement.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct One {
    /// The text to be replaced, which must stand there once.
    old_string: String,
    /// What comes in its place; may be empty.
    new_string: String,
    /// Replace every occurrence.
    #[serde(default)]
    replace_all: bool,
}

impl One {
    fn replacement(&self) -> Replacement<'_> {
        let count = if self.replace_all { Count::All } else { Count::One };
        Replacement { old: &self.old_string, new: &self.new_string, count }
    }
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct MultiEdit;

impl PlansEdits for MultiEdit {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>(
            "multi_edit",
            "Makes several replacements in one file, in order; where one of them cannot be made, none is. Each as in edit_file.",
        )
        .title("Edit file in several places")
        .in_group(Category::Filesystem, Group::Edit)
        .primary("path")
        .alias("file_path", "path")
        .alias("filepath", "path")
    }

    fn actions(&self, input: &Input, scope: &Scope) -> Vec<Action> {
        edits(&input.path, scope)
    }

    fn is_dry_run(&self, input: &Input) -> bool {
        input.dry_run
    }

    fn plan(&self, input: &Input, scope: &Scope, files: &dyn ReadFiles) -> Result<Plan, ToolError> {
        let all: Vec<Replacement<'_>> = input.edits.iter().map(One::replacement).collect();
        replaced(&input.path, &all, scope, files)
    }
}
