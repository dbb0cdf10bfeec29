//! `edit_file`: one text in a file is replaced by another.

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
    /// The text to be replaced, as it stands in the file, with enough lines around it to be the only one.
    old_string: String,
    /// What comes in its place; may be empty.
    new_string: String,
    /// Replace every occurrence.
    #[serde(default)]
    replace_all: bool,
    /// How many occurrences there are: all are replaced, or none where there are more or fewer.
    #[serde(default)]
    #[schemars(range(min = 1))]
    expected_replacements: Option<usize>,
    /// Only show what would change.
    #[serde(default)]
    dry_run: bool,
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct EditFile;

impl PlansEdits for EditFile {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>(
            "edit_file",
            "Replaces a text in a file. The old text must stand there once; differences in indentation, quotes, line ends and the like are seen through, and what is not beyond doubt is refused with the nearest text. Answers with the diff.",
        )
        .title("Edit file")
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
        let count = match (input.expected_replacements, input.replace_all) {
            (Some(count), _) if count > 1 => Count::Exactly(count),
            (None, true) => Count::All,
            _ => Count::One,
        };
        let replacement = Replacement { old: &input.old_string, new: &input.new_string, count };
        replaced(&input.path, &[replacement], scope, files)
    }
}
