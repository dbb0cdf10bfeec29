//! `search_and_replace`: the shape in which Roo-Code's models ask for several replacements.

use dogu_edit::Count;
use dogu_tool::{Action, Category, Exposure, Group, ReadFiles, Scope, ToolError, ToolSpec};
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
    operations: Vec<Operation>,
}

/// One replacement.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Operation {
    /// The text to be replaced, which must stand there once.
    search: String,
    /// What comes in its place; may be empty.
    replace: String,
}

impl Operation {
    fn replacement(&self) -> Replacement<'_> {
        Replacement { old: &self.search, new: &self.replace, count: Count::One }
    }
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct SearchAndReplace;

impl PlansEdits for SearchAndReplace {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        let mut spec = ToolSpec::of::<Input>(
            "search_and_replace",
            "Makes several replacements in one file, in order, all or none, as multi_edit does.",
        )
        .title("Search and replace in several places")
        .in_group(Category::Filesystem, Group::Edit)
        .primary("path")
        .alias("file_path", "path");
        spec.exposure = Exposure::Deferred;
        spec
    }

    fn actions(&self, input: &Input, scope: &Scope) -> Vec<Action> {
        edits(&input.path, scope)
    }

    fn plan(&self, input: &Input, scope: &Scope, files: &dyn ReadFiles) -> Result<Plan, ToolError> {
        let all: Vec<Replacement<'_>> =
            input.operations.iter().map(Operation::replacement).collect();
        replaced(&input.path, &all, scope, files)
    }
}
