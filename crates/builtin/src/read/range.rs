//! `read_file_range`: lines of a file, in Continue's form.

use dogu_tool::{
    Action, Category, Ctx, Exposure, Group, Output, Scope, ToolError, ToolSpec, TypedTool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::input::{Wanted, range};
use super::part::{Part, Slices, Style};
use super::{MAX_TEXT_BYTES, file};

/// The fields of a call.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Fields {
    /// The file, relative to the working folder or absolute.
    filepath: String,
    /// The first line to show, from 1.
    #[serde(rename = "startLine")]
    #[schemars(range(min = 1))]
    start_line: i64,
    /// The last line to show.
    #[serde(rename = "endLine")]
    #[schemars(range(min = 1))]
    end_line: i64,
}

/// Which lines.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "Fields")]
pub struct RangeInput(#[schemars(with = "Fields")] Wanted);

impl TryFrom<Fields> for RangeInput {
    type Error = String;

    fn try_from(fields: Fields) -> Result<Self, String> {
        let slice = range(Some(fields.start_line), Some(fields.end_line)).map_err(|error| {
            error.replace("end_line", "endLine").replace("start_line", "startLine")
        })?;
        let part = Part::Slices(Slices::of(vec![slice], Style::Continue));
        Ok(Self(Wanted { path: fields.filepath, part }))
    }
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct ReadFileRange;

impl TypedTool for ReadFileRange {
    type Input = RangeInput;

    fn spec(&self) -> ToolSpec {
        let mut spec = ToolSpec::of::<RangeInput>(
            "read_file_range",
            "Shows lines of a file, from startLine to endLine, both included. Lines come numbered, as `cat -n` prints them.",
        )
        .title("Read lines")
        .in_group(Category::Filesystem, Group::Read)
        .read_only()
        .primary("filepath")
        .alias("path", "filepath")
        .alias("file_path", "filepath")
        .alias("start_line", "startLine")
        .alias("end_line", "endLine");
        spec.exposure = Exposure::Deferred;
        spec
    }

    fn actions(&self, input: &RangeInput, scope: &Scope) -> Vec<Action> {
        vec![Action::read(scope.resolve(&input.0.path))]
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        let path = ["filepath", "path"].iter().find_map(|name| partial_input.get(name)?.as_str());
        Some(format!("Reading lines of: {}", path.unwrap_or("...")))
    }

    async fn run(&self, input: RangeInput, ctx: &Ctx) -> Result<Output, ToolError> {
        file::read(&input.0, MAX_TEXT_BYTES, ctx).map(Output::from)
    }
}
