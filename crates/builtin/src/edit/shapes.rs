//! `edit`, `search_replace` and `single_find_and_replace`: what other systems call `edit_file`.

use dogu_edit::Count;
use dogu_tool::{Action, Category, Exposure, Group, ReadFiles, Scope, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::plan::Plan;
use super::planning::{PlansEdits, edits};
use super::replace::{Replacement, replaced};

/// What to replace, in the words of Roo-Code and Forge.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EditInput {
    /// The file, relative to the working folder or absolute.
    file_path: String,
    /// The text to be replaced, which must stand there once.
    old_string: String,
    /// What comes in its place; may be empty.
    new_string: String,
    /// Replace every occurrence.
    #[serde(default)]
    replace_all: bool,
}

/// What to replace, where there is only one place.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchReplaceInput {
    /// The file, relative to the working folder or absolute.
    file_path: String,
    /// The text to be replaced, which must stand there once.
    old_string: String,
    /// What comes in its place; may be empty.
    new_string: String,
}

/// What to replace, in the words of Continue.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FindInput {
    /// The file, relative to the working folder or absolute.
    filepath: String,
    /// The text to be replaced, which must stand there once.
    old_string: String,
    /// What comes in its place; may be empty.
    new_string: String,
    /// Replace every occurrence.
    #[serde(default)]
    replace_all: bool,
}

/// `edit` of Roo-Code and Forge.
#[derive(Clone, Copy, Debug)]
pub struct Edit;

/// `search_replace` of Roo-Code.
#[derive(Clone, Copy, Debug)]
pub struct SearchReplace;

/// `single_find_and_replace` of Continue.
#[derive(Clone, Copy, Debug)]
pub struct SingleFindAndReplace;

fn spec<Input: JsonSchema>(name: &'static str, title: &str, primary: &str) -> ToolSpec {
    let mut spec = ToolSpec::of::<Input>(name, "Replaces a text in a file, as edit_file does.")
        .title(title)
        .in_group(Category::Filesystem, Group::Edit)
        .primary(primary);
    spec.exposure = Exposure::Deferred;
    spec
}

fn count(all: bool) -> Count {
    if all { Count::All } else { Count::One }
}

impl PlansEdits for Edit {
    type Input = EditInput;

    fn spec(&self) -> ToolSpec {
        spec::<EditInput>("edit", "Edit", "file_path").alias("path", "file_path")
    }

    fn actions(&self, input: &EditInput, scope: &Scope) -> Vec<Action> {
        edits(&input.file_path, scope)
    }

    fn plan(
        &self,
        input: &EditInput,
        scope: &Scope,
        files: &dyn ReadFiles,
    ) -> Result<Plan, ToolError> {
        let EditInput { file_path, old_string: old, new_string: new, replace_all } = input;
        replaced(file_path, &[Replacement { old, new, count: count(*replace_all) }], scope, files)
    }
}

impl PlansEdits for SearchReplace {
    type Input = SearchReplaceInput;

    fn spec(&self) -> ToolSpec {
        spec::<SearchReplaceInput>("search_replace", "Search and replace", "file_path")
            .alias("path", "file_path")
    }

    fn actions(&self, input: &SearchReplaceInput, scope: &Scope) -> Vec<Action> {
        edits(&input.file_path, scope)
    }

    fn plan(
        &self,
        input: &SearchReplaceInput,
        scope: &Scope,
        files: &dyn ReadFiles,
    ) -> Result<Plan, ToolError> {
        let SearchReplaceInput { file_path, old_string: old, new_string: new } = input;
        replaced(file_path, &[Replacement { old, new, count: Count::One }], scope, files)
    }
}

impl PlansEdits for SingleFindAndReplace {
    type Input = FindInput;

    fn spec(&self) -> ToolSpec {
        spec::<FindInput>("single_find_and_replace", "Find and replace", "filepath")
            .alias("path", "filepath")
    }

    fn actions(&self, input: &FindInput, scope: &Scope) -> Vec<Action> {
        edits(&input.filepath, scope)
    }

    fn plan(
        &self,
        input: &FindInput,
        scope: &Scope,
        files: &dyn ReadFiles,
    ) -> Result<Plan, ToolError> {
        let FindInput { filepath, old_string: old, new_string: new, replace_all } = input;
        replaced(filepath, &[Replacement { old, new, count: count(*replace_all) }], scope, files)
    }
}
