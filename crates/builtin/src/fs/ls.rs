//! `ls`: the shape in which Continue's models list a folder. A front end of `list_files`.

use dogu_tool::{
    Action, Category, Ctx, Exposure, Group, Output, Scope, ToolError, ToolSpec, TypedTool,
};
use serde_json::Value;

use super::list_files::{self, Input};

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct Ls;

impl TypedTool for Ls {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        let mut spec =
            ToolSpec::of::<Input>("ls", "Lists a folder, with `recursive` all that is below it.")
                .title("List folder")
                .in_group(Category::Filesystem, Group::Read)
                .read_only()
                .primary("path")
                .alias("dirPath", "path")
                .alias("dir_path", "path");
        spec.exposure = Exposure::Deferred;
        spec
    }

    fn actions(&self, input: &Input, scope: &Scope) -> Vec<Action> {
        vec![input.action(scope)]
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        Some(list_files::partial(partial_input))
    }

    async fn run(&self, input: Input, ctx: &Ctx) -> Result<Output, ToolError> {
        input.answer(ctx)
    }
}
